"""The buffer protocol of device arrays, which hands out read-only host copies. Arrays lack it until `install`."""
from cpython.buffer cimport PyBUF_WRITABLE, PyObject_GetBuffer

from gpunp.array.ndarray cimport ndarray

from gpunp.array import host_copies
from gpunp.array.scalars import stays_on_device

cdef extern from *:
    """
    static PyBufferProcs gpunp_buffer_procs;

    static void gpunp_set_buffer(PyObject* type, void* get) {
        gpunp_buffer_procs.bf_getbuffer = (getbufferproc)get;
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
    if flags & PyBUF_WRITABLE:
        raise BufferError("a host copy of a gpunp array is read-only: what is written to it would be lost")
    # Other threads run during the copy, and may take the array out of the list in which the caller has found it.
    held = self
    return PyObject_GetBuffer(_taken(held), view, flags)


def install(taken):
    """Give device arrays the protocol; ``taken`` makes the copies."""
    global _taken
    _taken = taken
    gpunp_set_buffer(ndarray, <void*>_get)
