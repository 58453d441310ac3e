"""Reductions along rows whose results are used over the same rows: one kernel, the bits of single calls."""

import numpy as np
import pytest
from gpunp.fusion.folds import compile_rows_on_cpu
from waiting import PATIENCE

import gpunp
from gpunp import fusion
from gpunp.fusion import row_kernels, worker


@pytest.fixture(autouse=True, params=["compiled", "blocks"])
def compiled(request, device):
    """Reductions of any size are deferred, and no kernel is known. The CPU device may do without kernels."""
    if request.param == "blocks" and not device.is_cpu:
        pytest.skip("blocks are those of the CPU device")
    row_kernels.forget()
    before, least = compile_rows_on_cpu(request.param == "compiled"), fusion.set_least_elements(1)
    block = fusion.set_block_elements(500)
    yield request.param == "compiled"
    fusion.set_block_elements(block)
    fusion.set_least_elements(least)
    compile_rows_on_cpu(before)


def bits(results):
    if not isinstance(results, tuple):
        results = (results,)
    return [(str(each.dtype), each.shape, each.get().tobytes()) for each in results]


def check(program, *arrays, kernels=1):
    """Compare a program with itself without fusion, with and without kernels; returns their operations."""
    with gpunp.config.using(fusion="off"):
        expected = bits(program(*[gpunp.asarray(each) for each in arrays]))
    for _ in range(4):
        given = [gpunp.asarray(each) for each in arrays]
        assert bits(program(*given)) == expected
        assert worker.wait(PATIENCE)
    assert worker.failures() == []
    for _ in range(30):
        found = kernels_of(program, arrays, expected)
        # A chain ends where a busy machine makes a program pause.
        if kernels is None or len(found) == kernels:
            break
    assert kernels is None or len(found) == kernels
    return found


def kernels_of(program, arrays, expected):
    """The operations of each kernel that holds rows."""
    events = []
    before = fusion.observe(events.append)
    results = program(*[gpunp.asarray(each) for each in arrays])
    fusion.observe(before)
    assert bits(results) == expected
    found = [event[1] for event in events if event[0] == "group" and str(event[5]).startswith("rows")]
    names = [event[1] for event in events if event[0] == "op"]
    return [[names[number] for number in numbers] for numbers in found]


def random(rng, shape, dtype="f"):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 99, shape).astype(dtype)
    if np.dtype(dtype).kind == "b":
        return rng.random(shape) < 0.5
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def log_softmax(x):
    d = x - np.max(x, axis=-1, keepdims=True)
    return d - np.log(np.sum(np.exp(d), axis=-1, keepdims=True))


def layer_norm(x, gain, shift):
    mean = np.mean(x, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(np.var(x, axis=-1, keepdims=True) + np.float32(1e-5)) * gain + shift


def z_scores(x):
    return (x - np.mean(x, axis=-1, keepdims=True)) / np.std(x, axis=-1, keepdims=True)


NAMES = ("sum", "prod", "max", "min", "mean", "var", "std")
MORE_NAMES = ("any", "all", "argmax", "argmin", "nansum", "count_nonzero")
LENGTHS = [2, 3, 31, 32, 33, 255, 256, 257, 1000, 1023, 1024, 1025, 4096, 4097, 16384, 16387, 65536]


@pytest.mark.parametrize("program", [softmax, log_softmax, z_scores])
def test_all_lengths(program, rng, device):
    for length in LENGTHS:
        rows = max(3, 4096 // length) if device.is_cpu else max(1100, 8192 // length)
        most = 10_000 if program is log_softmax else 20_000
        check(program, random(rng, (rows, length)), kernels=1 if length < most else None)


@pytest.mark.parametrize("dtype", "edFDiB?")
def test_all_dtypes(dtype, rng):
    def program(x):
        return (
            (x - np.mean(x, axis=1, keepdims=True)) / (np.std(x, axis=1, keepdims=True) + 1),
            np.sum(x, axis=1),
        )

    check(program, random(rng, (300, 257), dtype))


@pytest.mark.parametrize("name", [*NAMES, *MORE_NAMES])
def test_all_reductions(name, rng):
    def program(x):
        y = x * x - 1
        return y + getattr(np, name)(y, axis=1, keepdims=True), getattr(np, name)(x, axis=1)

    check(program, random(rng, (200, 300)))


def test_layer_norm(rng):
    x = random(rng, (40, 25, 64))
    (names,) = check(layer_norm, x, random(rng, 64), random(rng, 64))
    assert "sqrt" in names


def test_rows_of_several_axes(rng):
    check(lambda x: x - np.mean(x, axis=(1, 2), keepdims=True), random(rng, (300, 5, 7)))
    check(lambda x: x / np.sum(x, axis=(-2, -1))[:, :, None, None], random(rng, (30, 40, 3, 9)))


def test_results_without_kept_axes(rng):
    check(lambda x: x - np.max(x, axis=1)[:, np.newaxis], random(rng, (300, 70)))


def test_results_that_are_kept(rng):
    def program(x):
        top = np.max(x, axis=1, keepdims=True)
        e = np.exp(x - top)
        total = np.sum(e, axis=1, keepdims=True)
        return top, e, total, np.log(total), e / total

    check(program, random(rng, (300, 70)))


def test_nan_and_infinite_rows(rng):
    x = random(rng, (300, 70))
    x[3, 5] = np.nan
    x[4] = np.nan
    x[5, 1], x[6, 2], x[7] = np.inf, -np.inf, -np.inf
    check(softmax, x)
    check(z_scores, x)


@pytest.mark.parametrize("shape", [(0, 5), (5, 1), (1, 5), (1, 1), (5,), (2, 2), (0, 1)])
def test_few_elements(shape, rng):
    check(lambda x: x - np.sum(x, axis=-1, keepdims=True), random(rng, shape), kernels=None)


def test_empty_rows():
    with pytest.raises(ValueError, match="zero-size"):
        softmax(gpunp.zeros((5, 0)))
    check(lambda x: x - np.sum(x, axis=1, keepdims=True), np.zeros((5, 0)), kernels=None)


# -- what must not be mixed up


def test_rows_written_in_place(rng):
    def program(x):
        x -= np.max(x, axis=1, keepdims=True)
        np.exp(x, out=x)
        x /= np.sum(x, axis=1, keepdims=True)
        return x

    check(program, random(rng, (300, 70)))


def test_rows_written_between_reductions(rng):
    def program(x):
        before = np.sum(x, axis=1, keepdims=True)
        x += 1
        x[:, 3] = 7
        after = np.sum(x, axis=1, keepdims=True)
        return x * before - after, before, after

    check(program, random(rng, (300, 70)), kernels=None)


def test_results_over_other_shapes(rng):
    def program(x):
        column = np.sum(x, axis=1, keepdims=True)
        return x + column.T, x * column, column + column.T

    check(program, random(rng, (80, 80)), kernels=None)


def test_result_is_written(rng):
    def program(x):
        total = np.sum(x, axis=1, keepdims=True)
        y = x / total
        total *= 2
        z = x / total
        total[:7] = 1
        return y, z, x / total, total

    check(program, random(rng, (300, 70)), kernels=None)


def test_reductions_with_out_and_where(rng):
    def program(x):
        out = np.empty((300, 1), "f", like=x)
        np.sum(x, axis=1, keepdims=True, out=out)
        y = x - out
        np.max(x, axis=1, keepdims=True, out=out)
        masked = np.sum(x, axis=1, keepdims=True, where=x > 0)
        return y, x - out, x * masked

    check(program, random(rng, (300, 70)), kernels=None)


def test_masked_operations(rng):
    def program(x):
        y = np.zeros_like(x)
        np.divide(x, np.sum(x, axis=1, keepdims=True), out=y, where=x > 0)
        return np.where(y > np.mean(y, axis=1, keepdims=True), y, x)

    check(program, random(rng, (300, 70)), kernels=None)


def test_overlapping_views(rng):
    def program(x):
        y = x[1:]
        y -= np.sum(x[:-1], axis=1, keepdims=True)
        x[:-1] += np.mean(y, axis=1, keepdims=True)
        return x

    check(program, random(rng, (300, 64)), kernels=None)
    check(program, random(rng, (300, 65)), kernels=None)


def test_views_that_are_not_rows(rng):
    def program(x):
        return (
            x[:, ::2] - np.sum(x[:, ::2], axis=1, keepdims=True),
            x.T - np.sum(x.T, axis=1, keepdims=True),
            x[:, 1:] - np.sum(x[:, 1:], axis=1, keepdims=True),
            x[::-1] - np.sum(x[::-1], axis=1, keepdims=True),
            np.sum(x, axis=0) - x,
        )

    check(program, random(rng, (300, 70)), kernels=None)


def test_leaves_of_columns_and_numbers(rng):
    def program(x, row, column, number):
        y = (x * row + column) * number
        return (y - np.max(y, axis=1, keepdims=True)) * column - row

    check(program, random(rng, (300, 70)), random(rng, 70), random(rng, (300, 1)), random(rng, ()))


def test_many_reductions(rng):
    def program(x):
        for _ in range(12):
            x = x - np.mean(x, axis=1, keepdims=True) * np.float32(0.5)
        return x

    check(program, random(rng, (300, 70)), kernels=None)


def test_long_rows(rng, device):
    length = 100_000 if device.is_cpu else 300_000
    check(softmax, random(rng, (3 if device.is_cpu else 1200, length)), kernels=None)


def test_results_that_nothing_needs(rng):
    def program(x):
        np.sum(x, axis=1, keepdims=True)
        y = x - np.max(x, axis=1, keepdims=True)
        del y
        return x * 2

    check(program, random(rng, (300, 70)), kernels=None)


def test_exceptions_leave_what_was_done(rng):
    x = gpunp.asarray(random(rng, (300, 70)))
    total = np.sum(x, axis=1, keepdims=True)
    with pytest.raises(ValueError, match="broadcast"):
        (x - total) + np.ones(5, like=x)
    with pytest.raises(np.exceptions.AxisError):
        np.sum(x, axis=7)
    np.testing.assert_allclose((x / total).get().sum(axis=1), 1, rtol=1e-3)


def has_kernels(compiled, call):
    """Whether a call has made a kernel, if kernels are compiled; a pause of a busy machine splits chains."""
    for _ in range(30):
        call()
        ready = [entry.ready for entry in row_kernels.row_kernels()]
        if ready or not compiled:
            break
    return all(ready) and len(ready) > 0


def test_check_compares_kernels_of_rows(rng, compiled):
    x = gpunp.asarray(random(rng, (300, 70)))
    with gpunp.config.using(fusion="check"):
        assert has_kernels(compiled, lambda: softmax(x).get()) == compiled
        found = softmax(x).get()
    with gpunp.config.using(fusion="off"):
        assert found.tobytes() == softmax(x).get().tobytes()


def test_check_of_elements_that_where_leaves_out(rng, device):
    """They have no value, and a kernel may store others than single operations leave in new memory."""
    host, mask = random(rng, (16, 16)), rng.random((16, 16)) < 0.5
    x, chosen = gpunp.asarray(host), gpunp.asarray(mask)
    # New arrays get this memory.
    used = [gpunp.full((16, 16), 9.5, "f") for _ in range(50)]
    device.synchronize()
    del used
    with gpunp.config.using(fusion="check"):
        fraction = x / x.sum(axis=-1, keepdims=True)
        product = np.multiply(x, 3, where=chosen)
        centered = fraction - fraction.max(axis=-1, keepdims=True)
        result = np.where(chosen, product, centered)
    np.testing.assert_array_equal(product.get()[mask], (host * np.float32(3))[mask])
    np.testing.assert_array_equal(result.get()[mask], (host * np.float32(3))[mask])


def test_decorated_functions_have_kernels_at_once(rng, compiled):
    x = gpunp.asarray(random(rng, (300, 70)))
    fused = gpunp.fuse(softmax)
    assert has_kernels(compiled, lambda: fused(x)) == compiled
    with gpunp.config.using(fusion="off"):
        assert fused(x).get().tobytes() == softmax(x).get().tobytes()


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
@pytest.mark.parametrize("length", [1024, 2048, 2051, 4100, 4096])
def test_rows_that_are_copied_whole(rng, length, dtype):
    # From 4 KiB on, by one copy for each row if it is aligned; blocks may have several rows.
    for shape in ((3, length), (700, length)):
        host = random(rng, shape).astype(dtype)
        check(softmax, host, kernels=None)
    check(z_scores, host, kernels=None)
