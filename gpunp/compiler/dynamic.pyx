"""Shared libraries opened at run time.

Not through cuda.pathfinder, whose import takes 30 to 110 ms.
"""
import os

cdef extern from *:
    """
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE
    #endif
    #include <dlfcn.h>
    #include <link.h>

    // The size that the symbol table gives for the object at an address, 0 if there is no entry.
    static size_t gpunp_symbol_size(void* address) {
        Dl_info info;
    #if defined(__GLIBC__)
        const ElfW(Sym)* entry = NULL;
        if (dladdr1(address, &info, (void**)&entry, RTLD_DL_SYMENT) && entry) return entry->st_size;
    #endif
        return 0;
    }

    static const char* gpunp_file_of(void* address) {
        Dl_info info;
        return dladdr(address, &info) ? info.dli_fname : NULL;
    }
    """
    size_t gpunp_symbol_size(void* address) nogil
    const char* gpunp_file_of(void* address) nogil

cdef extern from "<dlfcn.h>" nogil:
    void* dlopen(const char* path, int flags)
    void* dlsym(void* library, const char* name)
    int dlclose(void* library)
    char* dlerror()
    enum:
        RTLD_NOW
        RTLD_LOCAL


cdef void* open_library(str path) except NULL:
    cdef bytes encoded = os.fsencode(path)
    cdef const char* text = encoded
    cdef void* library
    cdef const char* message
    with nogil:
        library = dlopen(text, RTLD_NOW | RTLD_LOCAL)
    if library == NULL:
        message = dlerror()
        raise OSError(message.decode(errors="replace") if message != NULL else f"{path} cannot be loaded")
    return library


cdef void* symbol_or_null(void* library, str name) noexcept:
    cdef bytes encoded = name.encode()
    return dlsym(library, encoded)


cdef void* symbol_of(void* library, str name, size_t* nbytes) except NULL:
    cdef void* found = symbol_or_null(library, name)
    if found == NULL:
        raise KeyError(name)
    nbytes[0] = gpunp_symbol_size(found)
    return found


cdef int close_library(void* library) except -1:
    dlclose(library)
    return 0


cdef str file_of(void* address):
    cdef const char* path = gpunp_file_of(address)
    return None if path == NULL else os.fsdecode(path)
