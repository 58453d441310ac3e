"""Sparse arrays of PyTorch, both ways, and files."""

import scipy.sparse

import gpunp
from gpunp_scipy.sparse import classes
from gpunp_scipy.sparse.methods import DeviceSparse

# The names of the parts of PyTorch's layouts: methods of tensors.
_POINTERS = {
    "csr": ("crow_indices", "col_indices"),
    "bsr": ("crow_indices", "col_indices"),
    "csc": ("ccol_indices", "row_indices"),
}


def from_torch(tensor):
    """Make a sparse array of a sparse tensor of PyTorch.

    Parameters
    ----------
    tensor : torch.Tensor
        With the layout ``sparse_csr``, ``sparse_csc``, ``sparse_bsr`` or ``sparse_coo``, on a GPU or on the
        host. Its values share their memory with the result; indices do so if they are int32.

    Returns
    -------
    csr_array, csc_array, bsr_array or coo_array
        On the device of the tensor.

    Raises
    ------
    TypeError
        If it is no sparse tensor.
    ValueError
        If it has dimensions that are not sparse, as blocks of ``sparse_bsr`` alone may be.
    """
    layout = str(getattr(tensor, "layout", type(tensor).__name__)).removeprefix("torch.sparse_")
    if layout not in (*_POINTERS, "coo"):
        raise TypeError(f"from_torch: {layout} is not a sparse layout; gpunp.asarray takes dense tensors")
    if tensor.dense_dim() > 0 or (layout != "coo" and tensor.ndim != 2):
        raise ValueError(
            f"from_torch: a tensor with {tensor.dense_dim()} dense of {tensor.ndim} dimensions has no sparse "
            "array; convert its parts one by one"
        )
    tensor = tensor.detach()
    shape = tuple(tensor.shape)
    cls = classes.device_class(f"{layout}_array")
    if layout == "coo":
        # Also of tensors that are not coalesced: entries at one place are added up where that matters.
        coordinates = gpunp.from_dlpack(tensor._indices())
        return cls((gpunp.from_dlpack(tensor._values()), tuple(coordinates)), shape=shape)
    pointer, indices = (gpunp.from_dlpack(getattr(tensor, name)()) for name in _POINTERS[layout])
    return cls((gpunp.from_dlpack(tensor.values()), indices, pointer), shape=shape)


def to_torch(array):
    """Make a sparse tensor of PyTorch of a sparse array on the device.

    Parameters
    ----------
    array : sparse array or matrix
        In the format ``csr``, ``csc``, ``bsr`` or ``coo``. The tensor shares the memory of its parts, but
        coordinates are copied, as PyTorch's are int64 and in one tensor.

    Returns
    -------
    torch.Tensor

    Raises
    ------
    TypeError
        If the array is on the host or has another format.
    """
    import torch

    if not isinstance(array, DeviceSparse) or array.format not in (*_POINTERS, "coo"):
        what = array.format if scipy.sparse.issparse(array) else type(array).__name__
        raise TypeError(f"to_torch: it takes csr, csc, bsr and coo arrays on the device, not {what}")
    values = torch.from_dlpack(array.data)
    if array.format == "coo":
        coordinates = gpunp.stack([gpunp.asarray(each, dtype="i8") for each in array.coords])
        return torch.sparse_coo_tensor(torch.from_dlpack(coordinates), values, array.shape)
    make = getattr(torch, f"sparse_{array.format}_tensor")
    parts = torch.from_dlpack(array.indptr), torch.from_dlpack(array.indices), values
    return make(*parts, size=array.shape)


def save_npz(file, matrix, compressed=True):
    """Save a sparse array, of which a copy is downloaded, to a file; see `scipy.sparse.save_npz`."""
    scipy.sparse.save_npz(file, matrix.get() if isinstance(matrix, DeviceSparse) else matrix, compressed)


def load_npz(file):
    """Load a sparse array from a file onto the current device; see `scipy.sparse.load_npz`."""
    host = scipy.sparse.load_npz(file)
    kind = "array" if isinstance(host, scipy.sparse.sparray) else "matrix"
    return classes.device_class(f"{host.format}_{kind}")(host)
