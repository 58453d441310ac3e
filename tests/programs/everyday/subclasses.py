"""A subclass of ndarray that carries a unit through views, ufuncs, copies and pickles."""

import copy
import pickle

import numpy as np


class Quantity(np.ndarray):
    def __new__(cls, values, unit=""):
        obj = np.asarray(values, dtype=float).view(cls)
        obj.unit = unit
        return obj

    def __array_finalize__(self, obj):
        self.unit = getattr(obj, "unit", "")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [x.view(np.ndarray) if isinstance(x, Quantity) else x for x in inputs]
        units = [getattr(x, "unit", "") for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(x.view(np.ndarray) if isinstance(x, Quantity) else x for x in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        if ufunc in (np.add, np.subtract) and method == "__call__" and len({*units}) > 1:
            raise TypeError(f"{units[0]} and {units[1]}")
        if not isinstance(result, np.ndarray) or ufunc.nout > 1:
            return result
        unit = units[0] if ufunc is not np.multiply else "*".join(u for u in units if u)
        return Quantity(result, unit)

    def __reduce__(self):
        base = super().__reduce__()
        return base[0], base[1], (*base[2], self.unit)

    def __setstate__(self, state):
        self.unit = state[-1]
        super().__setstate__(state[:-1])


length = Quantity(np.linspace(0, 10, 50), "m")
width = Quantity(np.arange(50), "m")
print(
    type(length + width).__name__, (length + width).unit, (length * width).unit, length[3:6], length[3:6].unit
)
try:
    length + Quantity(np.ones(50), "s")
except TypeError as error:
    print("TypeError", error)
print(length.sum(), np.sqrt(length).max(), length.reshape(5, 10).unit, length.T.unit, np.median(length))
length[:3] = 100
print(
    np.asarray(length)[:4],
    copy.deepcopy(length).unit,
    pickle.loads(pickle.dumps(length)).unit,
    isinstance(length, np.ndarray),
)
np.add(length, Quantity(1, "m"), out=length)
print(
    length[:2],
    length.unit,
    np.concatenate([length, width]).shape,
    length.mean(axis=0),
    (np.asarray(length) > 50).sum(),
    np.clip(length, 0, 5).max(),
)
plain = np.array(length)
print(
    type(plain) is np.ndarray,
    np.array(length, subok=True).unit,
    np.ones_like(length).unit,
    length.astype(int)[:3],
    np.add.reduce(length),
    length.view(np.ndarray).max(),
)


class Tagged(np.ndarray):
    def __array_finalize__(self, obj):
        self.log = [*getattr(obj, "log", []), type(obj).__name__]


t = np.arange(40.0).view(Tagged)
print(t.log, t[2:].log, (t + 1).log, np.sin(t).log[-1], np.zeros_like(t).log)
