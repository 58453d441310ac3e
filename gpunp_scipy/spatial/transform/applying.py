"""Transforms on the host and vectors or times on a device: the transform is uploaded."""

import copy

import numpy
from scipy.spatial.transform import RigidTransform, Rotation, Slerp, _rotation_xp

import gpunp
from gpunp.array.convert import asarray
from gpunp.array.operands import device_of
from gpunp.dispatch import hooks


def rotation(self, vectors, inverse=False):
    """Rotate vectors; see `scipy.spatial.transform.Rotation.apply`."""
    quaternions = self.as_quat()
    if isinstance(quaternions, numpy.ndarray):
        self = type(self).from_quat(asarray(quaternions, device=device_of(vectors, nested=True)))
    return hooks.original(Rotation.apply)(self, vectors, inverse)


def rigid_transform(self, vector, inverse=False):
    """Move vectors; see `scipy.spatial.transform.RigidTransform.apply`."""
    matrices = self.as_matrix()
    if isinstance(matrices, numpy.ndarray):
        self = type(self).from_matrix(asarray(matrices, device=device_of(vector, nested=True)))
    return hooks.original(RigidTransform.apply)(self, vector, inverse)


def slerp(self, times):
    """Interpolate rotations; see `scipy.spatial.transform.Slerp`."""
    if isinstance(self.times, numpy.ndarray):
        device = device_of(times, nested=True)
        made = copy.copy(self)
        for name in ("times", "timedelta", "rotvecs"):
            setattr(made, name, asarray(getattr(self, name), device=device))
        made.rotations = Rotation.from_quat(asarray(self.rotations.as_quat(), device=device))
        self = made
    return hooks.original(Slerp.__call__)(self, times)


def reduce(quat, left=None, right=None):
    """Quaternions of rotations reduced by two groups, of which one may be missing; SciPy's needs both."""
    scipys = hooks.original(_rotation_xp.reduce)
    if left is None and right is None:
        return scipys(quat)
    identity = gpunp.asarray([[0.0, 0.0, 0.0, 1.0]], dtype=quat.dtype, device=quat.device)
    return scipys(quat, left=identity if left is None else left, right=identity if right is None else right)
