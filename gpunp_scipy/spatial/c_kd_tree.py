"""`scipy.spatial.cKDTree`, a class of C: a class that takes its place makes trees of device arrays, too."""

from gpunp.array.operands import device_of


def stand_in(cls):
    """Return a subclass of SciPy's class that stands for it.

    Called with a device array it returns a `scipy.spatial.KDTree` on the device, else a tree of SciPy's
    class. All trees of SciPy's class are its instances, also those made before.
    """

    class Meta(type):
        def __call__(self, *args, **kwargs):
            if self is not made:
                # A class of the program.
                return type.__call__(self, *args, **kwargs)
            if device_of(*args, *kwargs.values(), nested=True) is None:
                return cls(*args, **kwargs)
            return _on_device(*args, **kwargs)

        def __instancecheck__(self, value):
            return isinstance(value, cls) if self is made else type.__instancecheck__(self, value)

        def __subclasscheck__(self, other):
            return issubclass(other, cls) if self is made else type.__subclasscheck__(self, other)

    made = Meta(
        cls.__name__, (cls,), {"__slots__": (), "__module__": "scipy.spatial", "__doc__": cls.__doc__}
    )
    return made


def _on_device(data, leafsize=16, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
    from scipy.spatial import KDTree

    return KDTree(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)
