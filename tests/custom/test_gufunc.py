"""Generalized ufuncs made of Python functions, against NumPy's own of the same signatures."""

import numpy as np
import pytest
from records import assert_same, outcome

import gpunp

# NumPy's examples of generalized ufuncs, with all kinds of signatures.
numpys = pytest.importorskip("numpy._core._umath_tests")


def inner(a, b):
    return np.sum(a * b, axis=-1)


def product(a, b):
    return np.matmul(a, b)


def distances(x):
    i, j = np.triu_indices(x.shape[-2], 1)
    i, j = (gpunp.asarray(each, device=x.device) for each in (i, j))
    return np.sqrt(np.sum((x[..., i, :] - x[..., j, :]) ** 2, axis=-1))


FUNCTIONS = {
    "inner1d": (inner, ("ll->l", "dd->d")),
    "matrix_multiply": (product, ("ll->l", "ff->f", "dd->d")),
    "cross1d": (np.cross, ("ll->l", "dd->d")),
    "cumsum": (lambda x: np.cumsum(x, axis=-1), ("l->l", "d->d")),
    "matmul": (product, ("ll->l", "ff->f", "dd->d")),
}


def gufunc(name, batched):
    function, signatures = FUNCTIONS[name]
    return gpunp.GeneralizedUFunc(
        function,
        getattr(numpys, name).signature,
        name=name,
        supports_batched=batched,
        signatures=signatures,
    )


A, B = np.arange(24.0).reshape(2, 3, 4), np.arange(24.0).reshape(2, 3, 4)[::-1] % 5
CALLS = (
    "inner1d(a, b)",
    "inner1d(a, b[0])",
    "inner1d(a, b, axis=0)",
    "inner1d(a, b, axis=-2, keepdims=True)",
    "inner1d(a, b, axes=[0, 0])",
    "inner1d(a, b, axes=[0, 0, ()])",
    "inner1d(a, b, axes=[(1,), 1, 0], keepdims=True)",
    "inner1d(a, b, axes=[1, (0, 1)])",
    "inner1d(a, b, axes=[1])",
    "inner1d(a, b, axes=(1, 1))",
    "inner1d(a, b, axes=[1, 1], axis=1)",
    "inner1d(a, b, axis=3)",
    "inner1d(a, b, keepdims=None)",
    "inner1d(a[0, 0], b[0, 0])",
    "inner1d(a.astype('i4'), b.astype('i4'))",
    "inner1d(a.astype('i4'), b)",
    "inner1d(a, b.astype('f4'))",
    "inner1d(a, 1j * b)",
    "inner1d(a, b, dtype='d')",
    "inner1d(a, b, dtype='l')",
    "inner1d(a, b, dtype='l', casting='unsafe')",
    "inner1d(a, b, dtype='f')",
    "inner1d(a, b, signature='dd->d')",
    "inner1d(a, b, signature=(None, None, 'd'))",
    "inner1d(a, b, signature='ff->f')",
    "inner1d(a, b, signature='d->d')",
    "inner1d(a, b, signature=('d', 'd'))",
    "inner1d(a, b, signature='dd->d', dtype='d')",
    "inner1d(a, b, casting='any')",
    "inner1d(a, b, order='Z')",
    "inner1d(a, b, order='F')",
    "inner1d(a)",
    "inner1d(a, b, a, b)",
    "inner1d(a, b, nonsense=1)",
    "inner1d(a[..., :3], b)",
    "inner1d(a[:, :2], b)",
    "inner1d(a[0, 0, 0], b)",
    "inner1d(a[:0], b[:0])",
    "inner1d(a[..., :0], b[..., :0])",
    "inner1d([[1, 2]], a[..., :2])",
    "inner1d(a, b, out)",
    "inner1d(a, b, out=out)",
    "inner1d(a, b, out=(out,))",
    "inner1d(a, b, out=(out, out))",
    "inner1d(a, b, out, out=out)",
    "inner1d(a, b, out=out[:1])",
    "inner1d(a[0], b[0], out=out)",
    "inner1d(a, b, out=out[..., None], keepdims=True)",
    "inner1d(a, b, out=out.astype('f'))",
    "inner1d(a, b, out=out.astype('i'))",
    "inner1d(a, b, out=out.astype('i'), casting='unsafe')",
    "matrix_multiply(a, b.swapaxes(1, 2))",
    "matrix_multiply(a[0], b.swapaxes(1, 2), order='F')",
    "matrix_multiply(a, b, axes=[(0, 1), (1, 0), (2, 0)])",
    "matrix_multiply(a, b, axis=0)",
    "matrix_multiply(a, b, keepdims=True)",
    "matrix_multiply(a, b)",
    "matmul(a, b[0, 0])",
    "matmul(a[0, 0], b.swapaxes(1, 2))",
    "matmul(a[0, 0], b[0, 0])",
    "matmul(2.0, b)",
    "cross1d(a[..., :3], b[..., 1:])",
    "cross1d(a, b, axis=1)",
    "cross1d(a, b)",
    "cumsum(a)",
    "cumsum(a, axis=1)",
    "cumsum(a, axes=[0, 2])",
    "cumsum(a, out=a)",
    "cumsum(a[..., :-1], out=a[..., 1:])",
    "cumsum(a, out=a.swapaxes(1, 2), axes=[2, 1])",
    "cumsum(a, out=a[..., 1:])",
)


@pytest.mark.parametrize("batched", [False, True], ids=["loop", "batched"])
@pytest.mark.parametrize("line", CALLS)
def test_calls(line, batched):
    name = line.partition("(")[0]
    ours, values = {}, {"a": A, "b": B, "out": np.zeros((2, 3))}
    for key, value in values.items():
        ours[key] = gpunp.asarray(value)
    ours[name] = gufunc(name, batched)
    theirs = {key: value.copy() for key, value in values.items()}
    theirs[name] = getattr(numpys, name)
    expected, error = outcome(lambda: eval(line, theirs))
    actual, raised = outcome(lambda: eval(line, ours))
    if error is not None:
        assert raised is not None, f"NumPy raises {error!r}, gpunp returned {actual!r}"
        assert isinstance(raised, type(error) if not isinstance(error, TypeError) else TypeError), repr(
            raised
        )
        return
    assert raised is None, repr(raised)
    assert_same(actual, expected, exact=False)
    if "order=" in line:
        assert actual.flags.f_contiguous == expected.flags.f_contiguous
    for key in ("a", "out"):
        assert_same(ours[key], theirs[key], exact=False)


@pytest.mark.parametrize("batched", [False, True])
def test_outputs_have_sizes_of_their_own(batched):
    function = gpunp.GeneralizedUFunc(distances, "(n,d)->(p)", supports_batched=batched)
    host = np.random.default_rng(1).random((3, 4, 2))
    expected = numpys.euclidean_pdist(host, out=np.empty((3, 6)))
    assert_same(function(gpunp.asarray(host)), expected, exact=False)
    with pytest.raises(ValueError, match=r"shape \((3, )?6,?\).*requires \((3, )?p=5\)"):
        function(gpunp.asarray(host), out=gpunp.empty((3, 5)))


def test_several_outputs_and_keywords():
    def extremes(x, *, scale=1):
        return np.min(x, axis=-1) * scale, np.argmax(x, axis=-1)

    host = np.array([[3, 1, 2], [4, 9, 5]])
    x = gpunp.asarray(host)
    for batched in (False, True):
        function = gpunp.GeneralizedUFunc(extremes, "(n)->(),()", supports_batched=batched)
        assert (function.nin, function.nout, function.nargs, function.name) == (1, 2, 3, "extremes")
        low, where = function(x, scale=10)
        assert_same(low, host.min(axis=1) * 10)
        assert_same(where, host.argmax(axis=1))
        low, where = gpunp.zeros((2, 1)), gpunp.zeros((2, 1), "i4")
        found = function(x, out=(low, where), keepdims=True)
        assert found[0] is low
        assert found[1] is where
        assert_same(low, host.min(axis=1, keepdims=True).astype(float))
        partial = function(x, out=(None, where[:, 0]))
        assert_same(partial[0], host.min(axis=1))
        with pytest.raises(TypeError, match="tuple of arrays"):
            function(x, out=low)


@pytest.mark.parametrize("batched", [False, True])
def test_functions_that_fill_out(batched):
    given = []

    def normalized(x, out):
        given.append(out)
        if out is None:
            return x / np.sum(x, axis=-1, keepdims=True)
        np.divide(x, np.sum(x, axis=-1, keepdims=True), out=out)
        return None

    function = gpunp.GeneralizedUFunc(
        normalized, "(n)->(n)", supports_batched=batched, supports_out=True, signatures=("d->d",)
    )
    host = np.arange(1.0, 7).reshape(2, 3)
    expected = host / host.sum(axis=1, keepdims=True)
    x, out = gpunp.asarray(host), gpunp.empty((3, 2))
    assert_same(function(x), expected, exact=False)
    assert_same(function(x, out=out, axes=[1, 0]), expected.T, exact=False)
    assert all(each is not None and np.may_share_memory(each, out) for each in given[-1:])
    # Memory of an input, and an array of another dtype, are not given to the function.
    assert_same(function(x, out=x), expected, exact=False)
    single = gpunp.empty((2, 3), "f4")
    assert_same(function(gpunp.asarray(host), out=single), expected.astype("f4"), exact=False)
    assert not any(np.may_share_memory(each, single) for each in given if each is not None)


def test_dtypes_follow_results_unless_given():
    def root(x):
        return x if float(x) < 2 else np.sqrt(x)

    function = gpunp.GeneralizedUFunc(root, "()->()")
    x = gpunp.asarray([1, 4, 9])
    assert_same(function(x), np.array([1.0, 2.0, 3.0]))
    assert_same(function(x, dtype="f4"), np.array([1, 2, 3], "f4"))
    assert_same(function(x, signature="f->d"), np.array([1, 2, 3], "d"))
    with pytest.raises(TypeError, match="input 0 from dtype\\('int64'\\) to dtype\\('bool'\\)"):
        function(x, dtype="?")
    with pytest.raises(TypeError, match="output 0 from dtype\\('float64'\\) to dtype\\('int64'\\)"):
        function(x, out=gpunp.empty(3, int))
    with pytest.raises(ValueError, match="signatures="):
        function(x[:0])
    assert_same(function(x[:0], dtype="d"), np.empty(0))


def test_weak_scalars_take_the_loop_of_arrays():
    function = gpunp.GeneralizedUFunc(
        np.add, "(),()->()", signatures=("ff->f", "dd->d"), supports_batched=True
    )
    x = gpunp.ones(3, "f4")
    assert function(x, 2.5).dtype == np.float32
    assert function(x, np.float64(2.5)).dtype == np.float64
    assert function(x, 1).dtype == np.float32
    with pytest.raises(TypeError, match="could not be safely coerced"):
        function(x, 1j)


def test_results_are_new_arrays_and_scalars():
    x = gpunp.arange(3.0)
    for batched in (False, True):
        same = gpunp.GeneralizedUFunc(lambda a: a, "()->()", supports_batched=batched)
        assert not np.may_share_memory(same(x), x)
        assert not np.may_share_memory(same(x[0]), x)
    number = gpunp.GeneralizedUFunc(lambda a: 1.5, "(n)->()")(x)
    assert number.shape == ()
    assert hash(number) == hash(1.5)
    assert_same(gpunp.GeneralizedUFunc(lambda a: 2, "(n)->()")(x[None]), np.array([2]))


def test_fast_path():
    def fast(x, **kwargs):
        return "fast" if not kwargs else NotImplemented

    function = gpunp.GeneralizedUFunc(lambda x: x.sum(), "(n)->()", try_fastcall_func=fast)
    x = gpunp.arange(3)
    assert function(x) == "fast"
    assert int(function(x, axis=0)) == 3


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((3, "()->()"), {}, TypeError, "func must be callable"),
        ((inner, 3), {}, TypeError, "signature must be a str"),
        ((inner, "(n"), {}, ValueError, "not a valid gufunc signature"),
        ((inner, "(n??)->()"), {}, ValueError, "not a valid gufunc signature"),
        ((inner, "(n),(n)->()"), {"signatures": ("d->d",)}, ValueError, "2 typecode"),
        ((inner, "(n)->()"), {"signatures": ("O->d",)}, TypeError, "object"),
        ((inner, "(n)->()"), {"signatures": (1,)}, TypeError, "consist of str"),
    ],
)
def test_bad_definitions(arguments, options, error, message):
    with pytest.raises(error, match=message):
        gpunp.GeneralizedUFunc(*arguments, **options)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize(
    ("function", "signature", "message"),
    [
        (lambda x: (x, x), "(n)->(n)", "returned 2 results"),
        (lambda x: x, "(n)->(),()", "returned 1 results"),
        (lambda x: x[..., :2], "(n)->(n)", r"shape \((4, )?2,?\) for output 0"),
        (lambda x: x[..., 0], "(n)->(n)", "for output 0"),
        (lambda x: x, "(n)->()", "for output 0"),
    ],
)
def test_functions_that_break_their_signature(function, signature, message, batched):
    gufunc = gpunp.GeneralizedUFunc(function, signature, supports_batched=batched)
    with pytest.raises(ValueError, match=message):
        gufunc(gpunp.ones((4, 3)))


def test_host_arrays():
    function = gpunp.GeneralizedUFunc(inner, "(n),(n)->()")
    host = np.arange(6.0).reshape(2, 3)
    assert_same(function(host, host), (host * host).sum(axis=1))
    with gpunp.config.using(host_operands="error"), pytest.raises(TypeError, match="inner: a host operand"):
        function(gpunp.asarray(host), host)
    with pytest.raises(TypeError, match="out is a host ndarray"):
        function(gpunp.asarray(host), gpunp.asarray(host), out=np.empty(2))
    read_only = gpunp.zeros(2)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        function(host, host, out=read_only)


def test_names_and_documentation():
    def documented(x):
        """A docstring."""

    assert gpunp.GeneralizedUFunc(documented, " (n) -> () ").__doc__ == "A docstring."
    function = gpunp.GeneralizedUFunc(documented, " (n) -> () ", name="f", doc="Other.", signatures=("d->d",))
    assert (function.__doc__, function.__name__, repr(function)) == ("Other.", "f", "<gufunc 'f'>")
    assert (function.signature, function.types) == ("(n)->()", ["d->d"])
