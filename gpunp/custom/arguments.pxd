"""Arguments of raw kernels: Python objects to the bytes of a kernel's parameters."""
from gpunp.device cimport Device


cdef struct Layout:
    # The parameters of a kernel: where each begins in the buffer of all, and its bytes.
    int count
    size_t* offsets
    size_t* sizes
    size_t nbytes


# Write the arguments to ``target``, which has ``layout.nbytes``. Returns what must live until the launch, or None.
cdef object pack(const Layout* layout, tuple args, Device device, str kernel, char* target)
# The device of the first gpunp array on a GPU among the arguments, or None.
cdef Device device_of(tuple args)
