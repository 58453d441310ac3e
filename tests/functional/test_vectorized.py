import numpy as np
import pytest
from records import ALL, assert_same, make_values

import gpunp

COVERS = ("vectorize", "frompyfunc")


def polynomial(x, y=2):
    """A polynomial."""
    return x * x + y


@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4)])
def test_results_are_numpys(char, shape):
    host = make_values(char, shape) if char in "FD" else make_values(char, shape) % np.dtype(char).type(3)
    a = gpunp.asarray(host)
    expected = np.asarray(np.vectorize(polynomial)(host, host))
    assert_same(gpunp.vectorize(polynomial)(a, a), expected.astype((host * host + host).dtype), exact=False)
    otype = "F" if char == "F" else "D"
    converted = np.asarray(host * host + 2, otype)
    assert_same(gpunp.vectorize(polynomial, otypes=otype)(a), converted, exact=False)


def test_broadcast_and_several_results():
    function = gpunp.vectorize(lambda x, y: (x + y, x > y), otypes=[float, bool])
    x, y = np.arange(3)[:, None], np.arange(4)
    total, larger = function(gpunp.asarray(x), y)
    assert_same(total, np.asarray(x + y, float))
    assert_same(larger, x > y)
    with pytest.raises(ValueError, match="broadcast"):
        function(gpunp.arange(3), gpunp.arange(4))
    with pytest.raises(ValueError, match="otypes"):
        gpunp.vectorize(lambda x: (x, x), otypes="d")(gpunp.arange(3))


def test_scalars_stand_for_all():
    result = gpunp.vectorize(lambda x: 1.5)(gpunp.arange(3))
    assert_same(result, np.full(3, 1.5))
    assert result.flags.writeable
    assert_same(gpunp.vectorize(polynomial)([1, 2, 3]), np.array([3, 6, 11]))
    identity = gpunp.vectorize(lambda x: x)
    a = gpunp.arange(3)
    assert not np.may_share_memory(identity(a), a)


def test_excluded_and_keywords():
    def power(coefficients, x, *, scale=1):
        return sum(c * x**k for k, c in enumerate(coefficients)) * scale

    host = np.arange(4)
    for excluded in ({0}, ["coefficients"]):
        function, reference = (library.vectorize(power, excluded=excluded) for library in (gpunp, np))
        if 0 in excluded:
            assert_same(function([1, 2], gpunp.asarray(host)), reference([1, 2], host))
        else:
            arguments = {"coefficients": [1, 2]}
            assert_same(
                function(x=gpunp.asarray(host), scale=gpunp.asarray(2), **arguments),
                reference(x=host, scale=2, **arguments),
            )


def test_empty_inputs():
    a = gpunp.zeros((0, 3))
    with pytest.raises(ValueError, match="size 0"):
        gpunp.vectorize(polynomial)(a)
    assert_same(gpunp.vectorize(polynomial, otypes="f")(a), np.zeros((0, 3), "f"))
    with pytest.raises(ValueError, match="empty"):
        gpunp.vectorize(polynomial, excluded={0})(1)


def test_signature():
    rng = np.random.default_rng(1)
    matrices, vectors = rng.random((2, 1, 3, 4)), rng.random((5, 4))
    options = {"signature": "(m,n),(n)->(m)"}
    product = gpunp.vectorize(np.matmul, **options)
    assert_same(
        product(gpunp.asarray(matrices), vectors),
        np.vectorize(np.matmul, **options)(matrices, vectors),
        False,
    )
    several = {"signature": "(n)->(),(n)", "otypes": "fd"}
    both = gpunp.vectorize(lambda x: (x.sum(), x[::-1]), **several)
    expected = np.vectorize(lambda x: (x.sum(), x[::-1]), **several)(vectors)
    assert_same(both(gpunp.asarray(vectors)), expected, False)
    for arguments, error, match in (
        ((matrices, vectors[:, :2]), ValueError, "inconsistent size"),
        ((1.0, vectors), ValueError, "enough dimensions"),
        ((matrices,), TypeError, "positional arguments"),
        ((matrices[:0], vectors), ValueError, "size 0"),
    ):
        with pytest.raises(error, match=match):
            np.vectorize(np.matmul, **options)(*arguments)
        with pytest.raises(error, match=match):
            product(*map(gpunp.asarray, arguments))
    with pytest.raises(ValueError, match="number of outputs"):
        gpunp.vectorize(lambda x: (x, x), signature="(n)->(n)")(gpunp.arange(3))
    with pytest.raises(ValueError, match="gufunc signature"):
        gpunp.vectorize(polynomial, signature="n->n")
    empty = gpunp.vectorize(lambda x: x, signature="(n)->(n)", otypes="f")
    assert_same(empty(gpunp.zeros((0, 3))), np.zeros((0, 3), "f"))
    with pytest.raises(ValueError, match="new output dimensions"):
        gpunp.vectorize(lambda x: x, signature="(n)->(k)", otypes="f")(gpunp.zeros((0, 3)))


def doubled_sum(x, y):
    before = x
    x += y
    total = x * 2
    kept = total
    total -= before
    total **= 2
    return total + kept


def test_operators_in_place_make_new_values():
    a, b = np.arange(3.0), np.arange(2.0)[:, None]
    ours = gpunp.asarray(a)
    actual = gpunp.vectorize(doubled_sum)(ours, gpunp.asarray(b))
    assert_same(actual, np.vectorize(doubled_sum)(a, b))
    assert ours.tolist() == a.tolist()
    assert_same(gpunp.vectorize(doubled_sum, excluded={1})(ours, 3), np.vectorize(doubled_sum)(a, 3))


def test_arrays_of_the_caller_are_arrays_again():
    a = gpunp.arange(3.0)
    gpunp.vectorize(doubled_sum)(a, 1)
    with pytest.raises(ZeroDivisionError):
        gpunp.vectorize(lambda x: 1 // 0)(a)
    same = a
    a += 1
    assert same.tolist() == [1, 2, 3]


def test_decorator():
    @gpunp.vectorize(otypes="f", doc="Doc.")
    def double(x):
        return x * 2

    assert double.__name__ == "double"
    assert double.__doc__ == "Doc."
    assert_same(double(gpunp.arange(3)), np.arange(3, dtype="f") * 2)
    assert gpunp.vectorize(polynomial).__doc__ == "A polynomial."
    assert gpunp.vectorize(polynomial, cache=True).cache
    for arguments in ((3,), (polynomial, 5), (polynomial, "$")):
        with pytest.raises((TypeError, ValueError)) as expected:
            np.vectorize(*arguments)
        with pytest.raises(expected.type):
            gpunp.vectorize(*arguments)
    with pytest.raises(TypeError, match="gpunp has no"):
        gpunp.vectorize(polynomial, otypes="O")


def branch(x):
    return float(str(x)) if x > 1 else {0: -x}[0]


def test_python_objects_need_the_host():
    host = np.arange(4.0)
    a = gpunp.asarray(host)
    with pytest.raises(TypeError, match=r"(?s)branch does not work on whole arrays.*gpunp\.where"):
        gpunp.vectorize(branch)(a)
    with gpunp.config.using(fallback="numpy"):
        assert_same(gpunp.vectorize(branch)(a), np.vectorize(branch)(host))
    with gpunp.config.using(fallback="warn"), pytest.warns(gpunp.FallbackWarning, match="branch"):
        assert_same(gpunp.vectorize(branch, otypes="f")(a), np.vectorize(branch, otypes="f")(host))


def test_functions_that_mix_elements_are_refused():
    with pytest.raises((ValueError, TypeError), match=r"shape \(4,\) into one of shape \(\)"):
        gpunp.vectorize(lambda x: x.sum())(gpunp.arange(4.0))


def test_frompyfunc():
    with pytest.raises(TypeError, match="Python objects"):
        gpunp.frompyfunc(polynomial, 2, 1)
