"""Libraries of the CUDA toolkit, loaded at first use.

Their functions are looked up by name because nvmath's bindings take 200-300 ms to import.
"""
from libc.stdint cimport uintptr_t

cdef extern from "<dlfcn.h>" nogil:
    void* dlsym(void* library, const char* name)


cdef class Library:
    """A library of the CUDA toolkit, located by ``cuda.pathfinder`` at the first lookup of a function.

    Parameters
    ----------
    name : str
        Pathfinder's name of the library, such as ``"cublas"``.
    title : str
        The required library and its version for error messages, such as ``"cuBLAS 13"``.
    purpose : str
        Subject and verb of error messages, such as ``"matrix products on CUDA need"``.
    """

    def __init__(self, str name, str title, str purpose):
        self.name = name
        self.title = title
        self.purpose = purpose
        self.path = f"lib{name}"
        self.functions = {}

    cdef void* function(self, str name) except NULL:
        """Return the address of a function, loading the library if necessary."""
        cdef void* found
        known = self.functions.get(name)
        if known is not None:
            return <void*><uintptr_t>known
        if self.handle == NULL:
            self.load()
        found = dlsym(self.handle, name.encode())
        if found == NULL:
            raise RuntimeError(f"{self.path} has no function {name}; gpunp needs {self.title}: "
                               "pip install gpunp[cuda13]")
        self.functions[name] = <uintptr_t>found
        return found

    def load(self):
        """Open the library; raise RuntimeError if it is not installed."""
        from cuda.pathfinder import load_nvidia_dynamic_lib
        try:
            found = load_nvidia_dynamic_lib(self.name)
        except RuntimeError as error:
            raise RuntimeError(f"{self.purpose} {self.title.partition(' ')[0]}, which was not found: "
                               "pip install gpunp[cuda13], or install the CUDA toolkit") from error
        self.handle = <void*><uintptr_t>found._handle_uint
        self.path = found.abs_path or self.path
