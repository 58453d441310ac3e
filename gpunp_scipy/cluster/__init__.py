"""``scipy.cluster`` on device arrays."""

from gpunp_scipy.cluster import hierarchy, vq

__all__ = ["hierarchy", "vq"]
