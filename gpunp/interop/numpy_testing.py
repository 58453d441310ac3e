"""The assertions of ``numpy.testing``: device arrays in their arguments are copied to the host.

Imported after numpy.testing.
"""

from gpunp.dispatch import hooks

# They compare values, so they wait for the device in any case.
# Named here, not taken from gpunp.testing: that imports numpy.testing, whose own import has not ended yet.
ASSERTIONS = (
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_compare",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_max_ulp",
    "assert_equal",
)

hooks.install("numpy.testing", {name: f"gpunp.testing:{name}" for name in ASSERTIONS}, depth=hooks.ANYWHERE)
