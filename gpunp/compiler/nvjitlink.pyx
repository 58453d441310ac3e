"""Calls of nvJitLink, NVIDIA's linker of device code, without the GIL."""
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from gpunp.compiler.dynamic cimport open_library, symbol_or_null

from gpunp.compiler.toolkit import missing_library, nvjitlink_path

cdef extern from *:
    """
    // The functions of nvJitLink.h that are used here; a link is a pointer.
    struct gpunp_nvjitlink {
        int (*create)(void**, uint32_t, const char**);
        int (*destroy)(void**);
        int (*add_data)(void*, int, const void*, size_t, const char*);
        int (*complete)(void*);
        int (*cubin_size)(void*, size_t*);
        int (*cubin)(void*, void*);
        int (*error_log_size)(void*, size_t*);
        int (*error_log)(void*, char*);
    };
    static gpunp_nvjitlink nvjitlink;
    """
    struct NvJitLink "gpunp_nvjitlink":
        int (*create)(void**, uint32_t, const char**) noexcept nogil
        int (*destroy)(void**) noexcept nogil
        int (*add_data)(void*, int, const void*, size_t, const char*) noexcept nogil
        int (*complete)(void*) noexcept nogil
        int (*cubin_size)(void*, size_t*) noexcept nogil
        int (*cubin)(void*, void*) noexcept nogil
        int (*error_log_size)(void*, size_t*) noexcept nogil
        int (*error_log)(void*, char*) noexcept nogil

    NvJitLink nvjitlink

# nvJitLinkInputType of nvJitLink.h.
cdef dict KINDS = {"cubin": 1, "ptx": 2, "ltoir": 3, "fatbin": 4}

cdef void* _library = NULL


class LinkError(RuntimeError):
    """Error of a link, with the log of nvJitLink."""


cdef void* _function(void* library, str name) except NULL:
    cdef void* found = symbol_or_null(library, name)
    if found == NULL:
        raise RuntimeError(f"{nvjitlink_path()} has no function {name}; gpunp needs nvJitLink 13: "
                           "pip install gpunp[cuda13]")
    return found


cdef int load() except -1:
    """Open the library at its first use."""
    global _library
    cdef void* library
    if _library != NULL:
        return 0
    try:
        library = open_library(nvjitlink_path())
    except OSError as error:
        raise missing_library("nvJitLink", error) from None
    nvjitlink.create = <int (*)(void**, uint32_t, const char**) noexcept nogil>_function(library, "nvJitLinkCreate")
    nvjitlink.destroy = <int (*)(void**) noexcept nogil>_function(library, "nvJitLinkDestroy")
    nvjitlink.add_data = <int (*)(void*, int, const void*, size_t, const char*) noexcept nogil>_function(
        library, "nvJitLinkAddData")
    nvjitlink.complete = <int (*)(void*) noexcept nogil>_function(library, "nvJitLinkComplete")
    nvjitlink.cubin_size = <int (*)(void*, size_t*) noexcept nogil>_function(library, "nvJitLinkGetLinkedCubinSize")
    nvjitlink.cubin = <int (*)(void*, void*) noexcept nogil>_function(library, "nvJitLinkGetLinkedCubin")
    nvjitlink.error_log_size = <int (*)(void*, size_t*) noexcept nogil>_function(
        library, "nvJitLinkGetErrorLogSize")
    nvjitlink.error_log = <int (*)(void*, char*) noexcept nogil>_function(library, "nvJitLinkGetErrorLog")
    _library = library
    return 0


cdef class Link:
    """One link.

    Parameters
    ----------
    options : list of bytes
        Options of nvJitLink.
    """

    cdef void* handle

    def __init__(self, list options not None):
        cdef int i, result
        cdef uint32_t count = len(options)
        cdef const char** texts
        load()
        texts = <const char**>malloc((count + 1) * sizeof(char*))
        if texts == NULL:
            raise MemoryError("link: no memory for the options")
        try:
            for i in range(<int>count):
                texts[i] = PyBytes_AsString(options[i])
            result = nvjitlink.create(&self.handle, count, texts)
        finally:
            free(texts)
        self.check(result, "nvJitLinkCreate")

    def __dealloc__(self):
        if self.handle != NULL:
            nvjitlink.destroy(&self.handle)

    cdef int check(self, int result, str call) except -1:
        cdef size_t nbytes = 0
        cdef bytearray text
        if result == 0:
            return 0
        log = ""
        if self.handle != NULL and nvjitlink.error_log_size(self.handle, &nbytes) == 0 and nbytes > 1:
            text = bytearray(nbytes)
            nvjitlink.error_log(self.handle, text)
            log = text.rstrip(b"\0").decode(errors="replace").strip()
        raise LinkError(log or f"{call} failed with status {result}")

    def add(self, bytes data not None, str kind not None, str name not None):
        """Add code.

        Parameters
        ----------
        data : bytes
        kind : {"ltoir", "ptx", "cubin", "fatbin"}
        name : str
            The name of the code in messages.
        """
        cdef bytes label = name.encode()
        cdef const char* text = label
        cdef const char* image = data
        cdef size_t nbytes = len(data)
        cdef int number = KINDS[kind]
        cdef int result
        with nogil:
            result = nvjitlink.add_data(self.handle, number, image, nbytes, text)
        self.check(result, "nvJitLinkAddData")

    def complete(self):
        """Link.

        Returns
        -------
        bytes
            A cubin.
        """
        cdef size_t nbytes = 0
        cdef bytes image
        cdef int result
        with nogil:
            result = nvjitlink.complete(self.handle)
        self.check(result, "nvJitLinkComplete")
        self.check(nvjitlink.cubin_size(self.handle, &nbytes), "nvJitLinkGetLinkedCubinSize")
        image = PyBytes_FromStringAndSize(NULL, nbytes)
        self.check(nvjitlink.cubin(self.handle, <char*>image), "nvJitLinkGetLinkedCubin")
        return image
