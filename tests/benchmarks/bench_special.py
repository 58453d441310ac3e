"""Functions of ``scipy.special`` on 4096 x 4096 elements of float32."""

import importlib

import numpy as np
from rows import Above, Share, row

CHAPTER = "Special functions, float32, 4096 x 4096"


def functions(lib):
    """The library's module of special functions."""
    modules = {"gpunp": "scipy.special", "CuPy": "cupyx.scipy.special", "PyTorch": "torch.special"}
    return importlib.import_module(modules[lib.name])


def register(name, title, goal, call, torch_name=None):
    """Add a row of ``call(module, x)``; PyTorch's function of one argument may have another name."""

    @row(name, title, CHAPTER, goal, "device", lambda size: 8 * (size.side >> 2) ** 2)
    def build(lib, size):
        module, x = functions(lib), lib.values(size.side >> 2, size.side >> 2)
        if lib.dialect == "torch":
            if torch_name is None:
                raise NotImplementedError("it has no such function")
            function = getattr(module, torch_name)
            return lambda: function(x)
        return lambda: call(module, x)


register("special_erf", "`erf(x)`", Share(0.95, "copy"), lambda m, x: m.erf(x), "erf")
register("special_gammaln", "`gammaln(x)`", Share(0.90, "copy"), lambda m, x: m.gammaln(x), "gammaln")
register("special_ndtr", "`ndtr(x)`", Share(0.90, "copy"), lambda m, x: m.ndtr(x), "ndtr")
# A third of CuPy's time; `np.float32` keeps the loop in single precision.
register("special_jv", "`jv(0, x)`", Above(0.1e-3), lambda m, x: m.jv(np.float32(0), x))
register("special_gammainc", "`gammainc(2, x)`", Above(0.3e-3), lambda m, x: m.gammainc(np.float32(2), x))
