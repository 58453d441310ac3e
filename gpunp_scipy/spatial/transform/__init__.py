"""``scipy.spatial.transform``: SciPy's classes compute on device arrays.

Transforms that were made of host arrays are uploaded to be applied to vectors on a device.
"""

from gpunp_scipy.lazy import attach

HOMES = {}
METHODS = {
    "RigidTransform.apply": "applying.rigid_transform",
    "Rotation.apply": "applying.rotation",
    "Slerp.__call__": "applying.slerp",
}

# What ``Rotation.reduce`` calls.
HELPERS = {"scipy.spatial.transform._rotation_xp:reduce": "applying.reduce"}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
