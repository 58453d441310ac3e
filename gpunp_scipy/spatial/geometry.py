"""Shapes that are laid over each other, and paths on spheres: SciPy's own code on device arrays."""

from gpunp_scipy.rebinding import Rebound

_PROCRUSTES = Rebound("scipy.spatial._procrustes", {})
_SLERP = Rebound("scipy.spatial._geometric_slerp", {})
procrustes = _PROCRUSTES.public("procrustes", __name__)
geometric_slerp = _SLERP.public("geometric_slerp", __name__)
