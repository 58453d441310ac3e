"""Sparse arrays from and to PyTorch, other libraries' parts, files, and formats of the host."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from sparse_arrays import FORMATS, KINDS, host_sparse, on_device

import gpunp
import gpunp_scipy


class Tensor:
    """What `from_torch` uses of a sparse tensor."""

    def __init__(self, host, device, dense=0):
        self.host, self.layout, self.shape, self.ndim = (
            host,
            f"torch.sparse_{host.format}",
            host.shape,
            host.ndim,
        )
        self.device, self.dense = device, dense

    def detach(self):
        return self

    def dense_dim(self):
        return self.dense

    def __getattr__(self, name):
        coordinates = {"_indices": lambda: np.stack(self.host.coords), "_values": lambda: self.host.data}
        parts = (
            coordinates
            if self.host.format == "coo"
            else {
                "crow_indices": lambda: self.host.indptr,
                "ccol_indices": lambda: self.host.indptr,
                "col_indices": lambda: self.host.indices,
                "row_indices": lambda: self.host.indices,
                "values": lambda: self.host.data,
            }
        )
        return lambda: gpunp.asarray(parts[name](), device=self.device)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo"])
def test_from_tensors(device, form, dtype):
    host = host_sparse(f"{form}_array", dtype=dtype)
    found = gpunp_scipy.sparse.from_torch(Tensor(host, device))
    assert type(found) is getattr(gpunp_scipy.sparse, f"{form}_array")
    assert found.device == device
    assert found.dtype == host.dtype
    np.testing.assert_array_equal(found.get().toarray(), host.toarray())


def test_tensors_without_an_array(device):
    with pytest.raises(TypeError, match="not a sparse layout"):
        gpunp_scipy.sparse.from_torch(np.ones(3))
    with pytest.raises(ValueError, match="1 dense of 2 dimensions"):
        gpunp_scipy.sparse.from_torch(Tensor(host_sparse(), device, dense=1))


@pytest.mark.filterwarnings("ignore:Sparse:UserWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_tensors_there_and_back(device, form, dtype):
    torch = pytest.importorskip("torch")
    host = host_sparse(f"{form}_array", dtype=dtype)
    tensor = gpunp_scipy.sparse.to_torch(on_device(host))
    assert tensor.layout == getattr(torch, f"sparse_{form}")
    assert tensor.device.type == ("cpu" if device.is_cpu else "cuda")
    np.testing.assert_array_equal(tensor.to_dense().cpu().numpy(), host.toarray())
    found = gpunp_scipy.sparse.from_torch(tensor)
    np.testing.assert_array_equal(found.get().toarray(), host.toarray())
    if form != "coo":
        found.data[...] = 3
        assert (tensor.values() == 3).all()


def test_what_has_no_tensor(device):
    pytest.importorskip("torch")
    for value in (host_sparse(), on_device(host_sparse("dia_array")), np.ones(3)):
        with pytest.raises(TypeError, match="to_torch: it takes csr"):
            gpunp_scipy.sparse.to_torch(value)


class Foreign:
    """An array of another library, known by DLPack only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_parts_of_other_libraries(device):
    host = host_sparse("coo_array")
    data, row, column = (Foreign(gpunp.asarray(each)) for each in (host.data, *host.coords))
    for form in ("coo", "csr", "csc"):
        made = getattr(gpunp_scipy.sparse, f"{form}_array")((data, (row, column)), shape=host.shape)
        assert made.device == device
        np.testing.assert_array_equal(made.get().toarray(), host.toarray())
    host = host_sparse()
    parts = tuple(Foreign(gpunp.asarray(each)) for each in (host.data, host.indices, host.indptr))
    made = gpunp_scipy.sparse.csr_matrix(parts, shape=host.shape)
    np.testing.assert_array_equal(made.get().toarray(), host.toarray())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMATS)
def test_npz_files(device, form, kind, tmp_path):
    host = host_sparse(f"{form}_{kind}")
    path = tmp_path / "array.npz"
    for save in (sp.save_npz, gpunp_scipy.sparse.save_npz):
        save(path, on_device(host), compressed=False)
        assert type(sp.load_npz(path)) is type(host)
        np.testing.assert_array_equal(sp.load_npz(path).toarray(), host.toarray())
    found = gpunp_scipy.sparse.load_npz(path)
    assert type(found) is getattr(gpunp_scipy.sparse, f"{form}_{kind}")
    assert found.device == device
    np.testing.assert_array_equal(found.get().toarray(), host.toarray())


@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`")
def test_matrix_market_files(device, tmp_path):
    host = host_sparse()
    scipy.io.mmwrite(tmp_path / "array.mtx", on_device(host).get())
    found = gpunp_scipy.sparse.csr_array(scipy.io.mmread(tmp_path / "array.mtx"))
    assert found.device == device
    np.testing.assert_array_equal(found.get().toarray(), host.toarray())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["lil", "dok"])
def test_formats_of_the_host(device, form, kind):
    host = getattr(sp, f"{form}_{kind}")((5, 6))
    host[1, 2], host[4, 0] = 3.0, -1.0
    for name in FORMATS:
        found = getattr(gpunp_scipy.sparse, f"{name}_{kind}")(host)
        assert found.device == device
        np.testing.assert_array_equal(found.get().toarray(), host.toarray())
        back = getattr(found, f"to{form}")()
        assert type(back) is type(host)
        np.testing.assert_array_equal(back.toarray(), host.toarray())
