"""opt_einsum on device arrays: backend="auto" finds gpunp by the module of the array type."""

import numpy as np
import pytest

import gpunp

opt_einsum = pytest.importorskip("opt_einsum")

RANDOM = np.random.default_rng(3)
HOST = [RANDOM.random(shape) for shape in ((8, 9), (9, 10), (10, 8))]
SQUARE = RANDOM.random((6, 6))


@pytest.fixture
def operands(device):
    return [gpunp.asarray(each, device=device) for each in HOST]


def assert_same(actual, expected, device):
    assert isinstance(actual, gpunp.ndarray)
    assert actual.device == device
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-12)


@pytest.mark.parametrize("subscripts", ["ij,jk,ki->", "ij,jk,kl->il", "ij,jk,kl->lj", "...j,jk,kl->...l"])
def test_contract(subscripts, operands, device):
    expected = np.asarray(opt_einsum.contract(subscripts, *HOST))
    assert_same(opt_einsum.contract(subscripts, *operands), expected, device)
    assert_same(opt_einsum.contract(subscripts, *operands, backend="gpunp"), expected, device)
    assert_same(opt_einsum.contract(subscripts, *operands, use_blas=False), expected, device)


@pytest.mark.parametrize(
    "subscripts", ["ii->i", "ii->", "ij->ji", "ij->", "ij,ij->ij", "ij,ji->", "ij,kl->ijkl"]
)
def test_two_operands_or_one(subscripts, device):
    host = [SQUARE] * (subscripts.count(",") + 1)
    device_arrays = [gpunp.asarray(each, device=device) for each in host]
    expected = np.asarray(opt_einsum.contract(subscripts, *host))
    assert_same(opt_einsum.contract(subscripts, *device_arrays), expected, device)


@pytest.mark.parametrize("optimize", ["optimal", "greedy", "branch-2", "dp", "auto-hq", [(0, 1), (0, 1)]])
def test_paths(optimize, operands, device):
    path, _ = opt_einsum.contract_path("ij,jk,kl->il", *operands, optimize=optimize)
    host_path, _ = opt_einsum.contract_path("ij,jk,kl->il", *HOST, optimize=optimize)
    assert path == host_path
    actual = opt_einsum.contract("ij,jk,kl->il", *operands, optimize=optimize)
    assert_same(actual, np.linalg.multi_dot(HOST), device)


def test_paths_do_not_wait(operands, device):
    before = device.transfer_counts
    opt_einsum.contract_path("ij,jk,ki->", *operands)
    assert device.transfer_counts == before
    opt_einsum.contract("ij,jk,ki->i", *operands)
    # On the CPU device NumPy multiplies matrices, after a wait for queued work.
    counted = slice(device.kind == "cpu", None)
    assert device.transfer_counts[counted] == before[counted]


def test_interleaved_and_out(operands, device):
    a, b, _ = operands
    out = gpunp.zeros((8, 10), device=device)
    result = opt_einsum.contract(a, [0, 1], b, [1, 2], [0, 2], out=out)
    assert result is out
    assert_same(out, HOST[0] @ HOST[1], device)


def test_expressions(operands, device):
    shapes = [each.shape for each in HOST]
    expected = np.einsum("ij,jk,ki->i", *HOST)
    expression = opt_einsum.contract_expression("ij,jk,ki->i", *shapes)
    assert_same(expression(*operands), expected, device)
    with_constant = opt_einsum.contract_expression("ij,jk,ki->i", operands[0], *shapes[1:], constants=[0])
    assert_same(with_constant(*operands[1:]), expected, device)
    with_constant.evaluate_constants(backend="gpunp")
    assert_same(with_constant(*operands[1:]), expected, device)


def test_shared_intermediates(operands):
    with opt_einsum.shared_intermediates() as cache:
        first = opt_einsum.contract("ij,jk,kl->il", *operands)
        count = len(cache)
        second = opt_einsum.contract("ij,jk,kl->li", *operands)
    # The second contraction adds at most a transposition, no matrix product.
    assert len(cache) <= count + 1
    np.testing.assert_array_equal(first.T.get(), second.get())


def test_mixed_with_the_host(operands, device):
    actual = opt_einsum.contract("ij,jk,kl->il", operands[0], HOST[1], operands[2])
    assert_same(actual, np.linalg.multi_dot(HOST), device)
