"""What tests of SciPy's solvers share: how often they wait, and comparisons of their results."""

import numpy as np

import gpunp


def host(value):
    """The value with device arrays copied to the host, also in sequences."""
    if isinstance(value, gpunp.ndarray):
        return gpunp.asnumpy(value)
    if isinstance(value, list | tuple):
        return [host(each) for each in value]
    return value


class Waits:
    """Counts the waits for a device in a ``with`` block.

    The CPU device computes products and factors at once, which counts as waiting: only copies are
    counted there.
    """

    def __init__(self, device):
        self.device, self.count = device, None

    def _now(self):
        waits, _, downloads = self.device.transfer_counts
        return downloads if self.device.is_cpu else waits + downloads

    def __enter__(self):
        self.before = self._now()
        return self

    def __exit__(self, *_):
        self.count = self._now() - self.before


def assert_same_result(actual, expected, *, rtol=1e-7, atol=1e-9, fields=(), exact=()):
    """Compare results of a solver.

    Parameters
    ----------
    actual, expected : OptimizeResult
        From the device and from the host.
    rtol, atol : float
        Tolerances of ``fields``.
    fields : tuple of str
        Floating-point fields.
    exact : tuple of str
        Fields that are equal.
    """
    assert set(actual) == set(expected)
    for name in fields:
        one, other = host(actual[name]), expected[name]
        assert np.shape(one) == np.shape(other), name
        np.testing.assert_allclose(one, other, rtol, atol, err_msg=name)
    for name in exact:
        assert actual[name] == expected[name], name
