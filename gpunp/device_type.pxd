"""What a call of the type `gpunp.Device` does: it looks up a device."""

cdef extern from *:
    """
    static newfunc gpunp_allocate_device = NULL;
    static PyTypeObject* gpunp_device_type = NULL;
    static PyObject* gpunp_find_device = NULL;

    // Device(...) looks up a device; only subclasses allocate an object.
    static PyObject* gpunp_new_device(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
        if (type == gpunp_device_type) return PyObject_Call(gpunp_find_device, args, kwargs);
        return gpunp_allocate_device(type, args, kwargs);
    }

    static void gpunp_install_new(PyObject* type, PyObject* find) {
        gpunp_device_type = (PyTypeObject*)type;
        gpunp_allocate_device = gpunp_device_type->tp_new;
        Py_INCREF(find);
        gpunp_find_device = find;
        gpunp_device_type->tp_new = gpunp_new_device;
        // Cython's vectorcall of the type would bypass tp_new.
        gpunp_device_type->tp_vectorcall = NULL;
    }
    """
    void gpunp_install_new(object type, object find)
