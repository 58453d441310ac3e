"""Shared libraries opened at run time."""
# Open a shared library; raises OSError with the loader's message.
cdef void* open_library(str path) except NULL
# The address of a symbol, NULL if there is none.
cdef void* symbol_or_null(void* library, str name) noexcept
# The address and size of a symbol; raises KeyError.
cdef void* symbol_of(void* library, str name, size_t* nbytes) except NULL
cdef int close_library(void* library) except -1
# The file that holds the code at an address.
cdef str file_of(void* address)
