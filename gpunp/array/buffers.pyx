"""The buffer protocol of device arrays: read-only host copies, or shared memory. Arrays lack it until `install`."""
from cpython.buffer cimport PyBUF_ANY_CONTIGUOUS, PyBUF_WRITABLE, PyObject_GetBuffer

from gpunp.array.ndarray cimport ndarray
from gpunp.watching cimport shared_of

from gpunp.array import host_copies
from gpunp.array.scalars import stays_on_device

cdef extern from *:
    """
    static PyBufferProcs gpunp_buffer_procs;

    // Never called, as views belong to the host copy. With it NumPy knows that the memory ends with the view.
    static void gpunp_release_buffer(PyObject* self, Py_buffer* view) {}

    static void gpunp_set_buffer(PyObject* type, void* get) {
        gpunp_buffer_procs.bf_getbuffer = (getbufferproc)get;
        gpunp_buffer_procs.bf_releasebuffer = gpunp_release_buffer;
        ((PyTypeObject*)type)->tp_as_buffer = &gpunp_buffer_procs;
        PyType_Modified((PyTypeObject*)type);
    }

    static void gpunp_clear_view(Py_buffer* view) { view->obj = NULL; }
    """
    void gpunp_set_buffer(object type, void* get)
    void gpunp_clear_view(Py_buffer* view)

cdef object _taken = None


cdef int _get(object self, Py_buffer* view, int flags) except -1:
    gpunp_clear_view(view)
    # Scalars give their number by other protocols.
    if (<ndarray>self).scalar or stays_on_device() or not host_copies.permitted(self):
        raise TypeError("a bytes-like object is required, not 'gpunp.ndarray': device memory is no host buffer; copy "
                        "the array with gpunp.asnumpy(array), or set gpunp.config.host_copies = 'allow'")
    # Other threads run during the copy, and may take the array out of the list in which the caller has found it.
    held = self
    host = _taken(held, flags=flags)
    if flags & PyBUF_WRITABLE and not host.flags.writeable:
        raise BufferError("a host copy of a gpunp array is read-only: what is written to it would be lost")
    if flags & PyBUF_ANY_CONTIGUOUS == PyBUF_ANY_CONTIGUOUS and shared_of((<ndarray>held).buffer) is None:
        # `numpy.ndarray(buffer=array)` releases the view at once, and keeps the address.
        raise BufferError("a host copy of a gpunp array does not live as long as the array")
    return PyObject_GetBuffer(host, view, flags)


def install(taken):
    """Give device arrays the protocol; ``taken`` makes the copies."""
    global _taken
    _taken = taken
    gpunp_set_buffer(ndarray, <void*>_get)
