"""Functions of a program that Numba compiles: their code stays, and they take arrays of the device."""

import inspect

import numpy as np
import pytest

import gpunp

numba = pytest.importorskip("numba")

# Statements that make `result`, from an array `x` of 40 numbers on the device.
STATEMENTS = [
    """
    from numba import njit
    @njit
    def total(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i] * a[i]
        return s
    result = total(x), total(x[::2]), total(x[:3])
    """,
    """
    import numba as nb
    @nb.njit(cache=False)
    def new(a):
        made = np.zeros(a.shape[0])
        made[:] = np.sqrt(a) + a.sum()
        return made
    result = new(x)
    """,
    """
    import numba
    from numpy import zeros
    def plain(a):
        made = zeros(a.shape[0])
        for i in range(a.shape[0]):
            made[i] = 2 * a[i]
        return made
    fast = numba.njit(plain)
    result = fast(x), plain(x)
    """,
    """
    from numba import njit
    @njit
    def outer(a):
        return inner(a) + offset
    @njit
    def inner(a):
        return np.isnan(a).sum()
    offset = 5
    result = outer(x)
    """,
    """
    import numba
    @numba.vectorize(["float64(float64)"])
    def square(v):
        return v * v + 1
    @numba.guvectorize(["(float64[:], float64[:])"], "(n)->(n)")
    def shifted(v, r):
        for i in range(v.shape[0]):
            r[i] = v[i] + 1
    result = square(x), shifted(x)
    """,
    """
    from numba import njit
    @njit
    def of_pair(pair):
        return pair[0].sum() + pair[1]
    result = of_pair((x, 1.0))
    """,
    """
    try:
        from numba import jit
    except ImportError:
        jit = None
    @jit("float64(float64[:])", nopython=True)
    def ends(a):
        return a[0] + a[-1]
    result = ends(x)
    """,
    """
    import numba
    result = numba.njit(lambda a: np.sum(a.reshape(40, 1) * a))(x)
    """,
    """
    import numba
    result = numba.vectorize(lambda a, b: a + 2 * b)(x, 1.0)
    """,
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_compiled_functions_give_what_they_give_without_gpunp(statement, program):
    source = f"import numpy as np\nx = np.arange(40.0)\n{inspect.cleandoc(statement)}\n"
    expected = {"__name__": "plain"}
    exec(source, expected)
    run = program(source)
    assert type(run["x"]) is gpunp.ndarray
    pairs = [(run["result"], expected["result"])]
    if isinstance(run["result"], tuple):
        pairs = zip(run["result"], expected["result"], strict=True)
    for found, wanted in pairs:
        np.testing.assert_allclose(gpunp.asnumpy(found), wanted)


def test_what_a_compiled_function_writes_is_not_lost(program):
    run = program(
        """
        import numpy as np
        from numba import njit
        @njit
        def double(a, out):
            for i in range(a.shape[0]):
                out[i] = 2 * a[i]
        @njit
        def first(a):
            a[0] = 7
            return a
        x, out = np.arange(40.0), np.zeros(40)
        double(x, out)
        same = first(x)
        """
    )
    assert type(run["out"]) is gpunp.ndarray
    np.testing.assert_array_equal(gpunp.asnumpy(run["out"]), 2 * np.arange(40.0))
    assert run["same"] is run["x"]
    assert float(run["x"][0]) == 7


def test_compiled_functions_are_as_they_were_after_a_program(program):
    program("import numba\n@numba.njit\ndef f(a): return a\nf(1)")
    compiled = numba.njit(lambda a: a.sum())
    assert compiled(np.arange(40.0)) == 780
    with pytest.raises(numba.errors.TypingError):
        compiled(gpunp.arange(40.0))
