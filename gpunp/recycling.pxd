"""Objects of C types that are created at every call: the memory of the ones freed last serves the next ones."""

cdef extern from *:
    """
    #ifndef GPUNP_RECYCLING
    #define GPUNP_RECYCLING
    #include <string.h>

    // One type per module that includes this. The interpreter's lock protects the list; subclasses have allocators of
    // their own.
    static PyTypeObject* gpunp_recycled_type = NULL;
    static PyObject* gpunp_recycled[64];
    static int gpunp_recycled_count = 0;

    static PyObject* gpunp_recycled_alloc(PyTypeObject* type, Py_ssize_t items) {
        if (type != gpunp_recycled_type || gpunp_recycled_count == 0) return PyType_GenericAlloc(type, items);
        PyObject* const object = gpunp_recycled[--gpunp_recycled_count];
        memset((char*)object + sizeof(PyObject), 0, type->tp_basicsize - sizeof(PyObject));
        (void)PyObject_Init(object, type);
        PyObject_GC_Track(object);
        return object;
    }

    static void gpunp_recycled_free(void* object) {
        if (Py_TYPE(object) == gpunp_recycled_type && gpunp_recycled_count < 64)
            gpunp_recycled[gpunp_recycled_count++] = (PyObject*)object;
        else
            PyObject_GC_Del(object);
    }

    // For a static type whose objects the garbage collector knows.
    static void gpunp_recycle(PyObject* type) {
    #if !defined(Py_GIL_DISABLED) && !defined(PYPY_VERSION)
        PyTypeObject* const t = (PyTypeObject*)type;
        if (!PyType_HasFeature(t, Py_TPFLAGS_HAVE_GC) || PyType_HasFeature(t, Py_TPFLAGS_HEAPTYPE)) return;
        gpunp_recycled_type = t;
        t->tp_alloc = gpunp_recycled_alloc;
        t->tp_free = gpunp_recycled_free;
    #endif
    }
    #endif
    """
    void recycle "gpunp_recycle" (object type)
