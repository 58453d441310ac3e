import numpy as np
import pytest
from calls import call_test
from records import assert_same

import gpunp


def test_numpy_ufuncs_reach_the_engine():
    host = np.arange(1.0, 4)
    a = gpunp.asarray(host)
    assert_same(np.add(a, 1), np.add(host, 1))
    assert_same(np.divmod(a, 2), np.divmod(host, 2))
    assert_same(np.multiply.outer(a, a), np.multiply.outer(host, host))
    assert_same(np.add.reduce(a), np.add.reduce(host))
    assert_same(np.add.accumulate(a), np.add.accumulate(host))
    out = gpunp.zeros(3)
    assert np.add(a, a, out=out) is out
    assert np.add(host, host, out=out) is out
    assert_same(np.add(host, 1, where=gpunp.asarray([True] * 3)), host + 1)
    quotient, rest = np.divmod(a, 2, out=(gpunp.zeros(3), None))
    assert_same((quotient, rest), np.divmod(host, 2))


def test_numpy_scalars_on_the_left():
    a = gpunp.arange(3.0)
    assert_same(np.float32(1) < a, np.float32(1) < a.get())
    assert_same(np.float64(2) * a, 2 * a.get())


def test_writing_to_the_host_is_refused():
    a, host = gpunp.arange(3.0), np.zeros(3)
    with pytest.raises(TypeError, match=r"host array.*gpunp\.asnumpy"):
        np.add(a, 1, out=host)
    with pytest.raises(TypeError, match="host array"):
        host += a


def test_unknown_ufuncs():
    unknown = np.frompyfunc(lambda x: x + 1, 1, 1)
    a = gpunp.arange(3)
    with pytest.raises(TypeError, match="gpunp does not handle"):
        unknown(a)
    with gpunp.config.using(fallback="numpy"):
        assert unknown(a).tolist() == [1, 2, 3]


def test_scipy_ufuncs():
    special = pytest.importorskip("scipy.special")
    host = np.array([0.5, 1.0])
    for name in ("erf", "gammaln", "expit"):
        ufunc = getattr(special, name)
        assert_same(ufunc(gpunp.asarray(host)), ufunc(host), exact=False)
    import gpunp_scipy

    assert_same(gpunp_scipy.special.erf(gpunp.asarray(host)), special.erf(host), exact=False)


def test_every_alias_is_in_the_namespace():
    assert gpunp.abs is gpunp.absolute
    assert gpunp.mod is gpunp.remainder
    assert gpunp.acos is gpunp.arccos
    assert gpunp.matmul is not None


test_calls_of_the_protocol_itself = call_test(
    """
    A([1, 2]).__array_ufunc__(1, 2)
    A([1, 2]).__array_ufunc__(1, "call", 3)
    A([1, 2]).__array_ufunc__(np.add, "nothing", A([1, 2]), 1)
    A([1, 2]).__array_ufunc__(np.add, "__call__", A([1, 2]), 1)
    """
)


@pytest.mark.parametrize("name", ["add", "matmul", "pow", "and", "lt"])
def test_operators_leave_the_call_to_an_array_of_priority(name):
    class Prior:
        __array_priority__ = 200.0

        def __array__(self, dtype=None, copy=None):
            raise AssertionError("the values were requested")

    assert getattr(gpunp.ones((2, 2)), f"__{name}__")(Prior()) is NotImplemented
