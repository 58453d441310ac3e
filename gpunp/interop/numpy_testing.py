"""Hooks for the assertions of ``numpy.testing``: device arrays in their arguments are copied to the host.

Imported after numpy.testing.
"""

from gpunp.dispatch import hooks

# Assertions compare values, so they wait for the device in any case.
# Listed here and not imported from gpunp.testing, which imports numpy.testing while that is still loading.
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
