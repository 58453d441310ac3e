"""Objects of C types that are created at every call: those that were freed last serve again, with most of their fields.

The interpreter's lock protects the list. Subclasses have allocators of their own.
"""

cdef extern from *:
    """
    #ifndef GPUNP_RECYCLING
    #define GPUNP_RECYCLING

    // One type per module that includes this. Objects in the list have their old fields, but for those that
    // `gpunp_clear` has changed. The garbage collector does not know them.
    static PyTypeObject* gpunp_recycled_type = NULL;
    static PyObject* gpunp_recycled[64];
    static int gpunp_recycled_count = 0;
    static destructor gpunp_dealloc = NULL;
    static int (*gpunp_clear)(PyObject*) = NULL;

    static void gpunp_recycled_dealloc(PyObject* object) {
        const Py_ssize_t weak = gpunp_recycled_type->tp_weaklistoffset;
        if (Py_TYPE(object) == gpunp_recycled_type && gpunp_recycled_count < 64
                && (weak <= 0 || *(PyObject**)((char*)object + weak) == NULL)) {
            PyObject_GC_UnTrack(object);
            if (gpunp_clear(object)) {
                // Others may have been freed meanwhile.
                if (gpunp_recycled_count < 64) gpunp_recycled[gpunp_recycled_count++] = object;
                else PyObject_GC_Del(object);
                return;
            }
        }
        gpunp_dealloc(object);
    }

    // A new object that the garbage collector does not know.
    static PyObject* gpunp_take(PyObject* type) {
        PyTypeObject* const t = (PyTypeObject*)type;
        if (t == gpunp_recycled_type && gpunp_recycled_count > 0) {
            PyObject* const object = gpunp_recycled[--gpunp_recycled_count];
            _Py_NewReference(object);
            return object;
        }
        PyObject* const arguments = PyTuple_New(0);
        PyObject* const object = arguments ? t->tp_new(t, arguments, NULL) : NULL;
        Py_XDECREF(arguments);
        if (object) PyObject_GC_UnTrack(object);
        return object;
    }

    // For a static type whose objects have places in the garbage collector. `clear` is called with an object to which
    // there are no references, and drops those that it has, except to what lives as long as the process anyway; or it
    // returns 0 and leaves the object as it is.
    static void gpunp_recycle(PyObject* type, void* clear) {
    #if !defined(Py_GIL_DISABLED) && !defined(PYPY_VERSION)
        PyTypeObject* const t = (PyTypeObject*)type;
        if (!PyType_HasFeature(t, Py_TPFLAGS_HAVE_GC) || PyType_HasFeature(t, Py_TPFLAGS_HEAPTYPE)) return;
        gpunp_recycled_type = t;
        gpunp_clear = (int (*)(PyObject*))clear;
        gpunp_dealloc = t->tp_dealloc;
        t->tp_dealloc = gpunp_recycled_dealloc;
    #endif
    }

    // A variable's object, which leaves None there: to return it without counting references up and down.
    template <class T> static inline T* gpunp_released(T*& variable) {
        T* const object = variable;
        Py_INCREF(Py_None);
        variable = (T*)Py_None;
        return object;
    }

    // A new object as a pointer of the type that it is assigned to.
    struct gpunp_taken {
        PyObject* object;
        template <class T> operator T*() const { return (T*)object; }
    };
    #define gpunp_take_as(type) gpunp_taken{gpunp_take(type)}
    #endif
    """
    # `take` and `released` have to be declared for each type:
    #     X take "gpunp_take_as" (object type)
    #     X released "gpunp_released" (X variable)
    void recycle "gpunp_recycle" (object type, void* clear)
