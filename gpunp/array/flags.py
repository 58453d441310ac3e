"""The ``flags`` of an array, as NumPy presents them."""

_NAMES = {
    "C_CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "F": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "OWNDATA": "owndata",
    "O": "owndata",
    "WRITEABLE": "writeable",
    "W": "writeable",
    "ALIGNED": "aligned",
    "A": "aligned",
    "WRITEBACKIFCOPY": "writebackifcopy",
    "X": "writebackifcopy",
    "FNC": "fnc",
    "FORC": "forc",
    "BEHAVED": "behaved",
    "B": "behaved",
    "CARRAY": "carray",
    "CA": "carray",
    "FARRAY": "farray",
    "FA": "farray",
}


class Flags:
    """Memory layout of an array, with the attributes and keys of ``numpy.ndarray.flags``."""

    __slots__ = ("_array",)

    def __init__(self, array):
        self._array = array

    @property
    def c_contiguous(self):
        return bool(self._array._flag_bits[0])

    contiguous = c_contiguous

    @property
    def f_contiguous(self):
        return bool(self._array._flag_bits[1])

    @property
    def fortran(self):
        return self.fnc

    @property
    def writeable(self):
        return bool(self._array._flag_bits[2])

    @writeable.setter
    def writeable(self, value):
        self._array._set_writeable(bool(value))

    @property
    def owndata(self):
        return self._array.base is None

    @property
    def aligned(self):
        return True

    @aligned.setter
    def aligned(self, value):
        """Accepted as in NumPy; elements are always aligned."""

    @property
    def writebackifcopy(self):
        return False

    @writebackifcopy.setter
    def writebackifcopy(self, value):
        if value:
            raise ValueError("cannot set WRITEBACKIFCOPY flag to True")

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        return self.f_contiguous or self.c_contiguous

    @property
    def behaved(self):
        return self.aligned and self.writeable

    @property
    def carray(self):
        return self.behaved and self.c_contiguous

    @property
    def farray(self):
        return self.behaved and self.fnc

    @property
    def num(self):
        values = (self.c_contiguous, self.f_contiguous, self.owndata, self.aligned, self.writeable)
        return sum(bit for bit, on in zip((0x1, 0x2, 0x4, 0x100, 0x400), values, strict=True) if on)

    def __getitem__(self, key):
        if key not in _NAMES:
            raise KeyError("Unknown flag")
        return getattr(self, _NAMES[key])

    def __setitem__(self, key, value):
        name = _NAMES.get(key)
        if name not in ("writeable", "aligned", "writebackifcopy"):
            raise KeyError("Unknown flag")
        setattr(self, name, value)

    def __eq__(self, other):
        return self.num == other.num if isinstance(other, Flags) else NotImplemented

    __hash__ = None

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)
