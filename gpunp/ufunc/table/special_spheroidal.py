"""Long ufuncs of scipy.special: Mathieu functions and spheroidal wave functions."""

from .long_rows import same

_TOPIC = "spheroidal"
_MATHIEU = ("cem", "sem", "modcem1", "modcem2", "modsem1", "modsem2")
_KINDS = ("ang1", "rad1", "rad2")

ROWS = (
    *(same(f"mathieu_{name}", _TOPIC, nin=2) for name in "ab"),
    *(same(f"mathieu_{name}", _TOPIC, nin=3, nout=2) for name in _MATHIEU),
    *(same(f"{shape}_cv", _TOPIC, nin=3) for shape in ("pro", "obl")),
    *(same(f"{shape}_{kind}", _TOPIC, nin=4, nout=2) for shape in ("pro", "obl") for kind in _KINDS),
    *(same(f"{shape}_{kind}_cv", _TOPIC, nin=5, nout=2) for shape in ("pro", "obl") for kind in _KINDS),
)
