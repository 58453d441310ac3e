"""Calls of NVRTC, NVIDIA's run-time compiler, without the GIL and in any thread.

The library is opened here and not through ``cuda.bindings.cynvrtc``, which imports cuda.pathfinder: 30 to 110 ms.
"""
import atexit
import os
import time

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize

from gpunp.compiler.dynamic cimport file_of, open_library, symbol_or_null

from gpunp.compiler.toolkit import missing_library

cdef extern from *:
    """
    #include <atomic>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    typedef int (*gpunp_flow_callback)(void*, void*);

    // The functions of nvrtc.h that are used here; a program is a pointer.
    struct gpunp_nvrtc {
        const char* (*error_string)(int);
        int (*version)(int*, int*);
        int (*number_of_archs)(int*);
        int (*supported_archs)(int*);
        int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
        int (*destroy)(void**);
        int (*compile)(void*, int, const char* const*);
        int (*log_size)(void*, size_t*);
        int (*log)(void*, char*);
        int (*add_expression)(void*, const char*);
        int (*lowered_name)(void*, const char*, const char**);
        int (*set_flow_callback)(void*, gpunp_flow_callback, void*);
    };
    static gpunp_nvrtc nvrtc;

    typedef int (*gpunp_size_function)(void*, size_t*);
    typedef int (*gpunp_image_function)(void*, char*);

    static std::atomic<int> gpunp_leaving(0), gpunp_compiling(0);

    static int gpunp_cancel_at_exit(void*, void*) { return gpunp_leaving.load(); }

    #if defined(__GLIBC__)
    static void gpunp_leave(int status, void*) {
        if (gpunp_compiling.load() > 0) {
            fflush(NULL);
            _exit(status);
        }
    }
    // Called last, so that it runs before the destructors of NVRTC's objects, which its threads still use.
    static void gpunp_leave_at_once() { on_exit(gpunp_leave, NULL); }
    #else
    static void gpunp_leave_at_once() {}
    #endif
    """
    ctypedef int (*FlowCallback "gpunp_flow_callback")(void*, void*) noexcept nogil
    ctypedef int (*SizeFunction "gpunp_size_function")(void*, size_t*) noexcept nogil
    ctypedef int (*ImageFunction "gpunp_image_function")(void*, char*) noexcept nogil

    struct Nvrtc "gpunp_nvrtc":
        const char* (*error_string)(int) noexcept nogil
        int (*version)(int*, int*) noexcept nogil
        int (*number_of_archs)(int*) noexcept nogil
        int (*supported_archs)(int*) noexcept nogil
        int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) noexcept nogil
        int (*destroy)(void**) noexcept nogil
        int (*compile)(void*, int, const char* const*) noexcept nogil
        int (*log_size)(void*, size_t*) noexcept nogil
        int (*log)(void*, char*) noexcept nogil
        int (*add_expression)(void*, const char*) noexcept nogil
        int (*lowered_name)(void*, const char*, const char**) noexcept nogil
        int (*set_flow_callback)(void*, FlowCallback, void*) noexcept nogil

    Nvrtc nvrtc

    cppclass Counter "std::atomic<int>":
        int load() nogil
        void store(int) nogil
        int fetch_add(int) nogil
    Counter gpunp_leaving
    Counter gpunp_compiling
    int gpunp_cancel_at_exit(void*, void*) noexcept nogil
    void gpunp_leave_at_once() noexcept nogil

cdef extern from "<stdlib.h>" nogil:
    void* malloc(size_t)
    void free(void*)

cdef enum:
    SUCCESS = 0
    COMPILATION_FAILED = 6
    CANCELLED = 16
    # Seconds that the exit of the interpreter waits for compilations to notice that they are canceled. NVRTC asks
    # between the passes of its optimizer, of which one may take ten seconds for thousands of statements; a
    # compilation that has not noticed by then ends with the process.
    EXIT_PATIENCE = 1

cdef void* _library = NULL
cdef str _path = None
cdef tuple _archs = ()


class NVRTCError(RuntimeError):
    """Error of a call of NVRTC other than one in the source that it compiles."""


cdef int check(int result, str call) except -1:
    if result != SUCCESS:
        raise NVRTCError(f"{call} failed: {nvrtc.error_string(result).decode()}")
    return 0


cdef void* _function(void* library, str name) except NULL:
    cdef void* found = symbol_or_null(library, name)
    if found == NULL:
        raise RuntimeError(f"{_path} has no function {name}; gpunp needs NVRTC 13: "
                           "pip install gpunp[cuda13]")
    return found


cdef int load() except -1:
    """Open the library at its first use."""
    global _library, _path, _archs
    cdef void* library
    cdef int count = 0
    cdef int numbers[256]
    if _library != NULL:
        return 0
    from gpunp.compiler.toolkit import nvrtc_path
    _path = nvrtc_path()
    try:
        library = open_library(_path)
    except OSError as error:
        raise missing_library("NVRTC", error) from None
    nvrtc.error_string = <const char* (*)(int) noexcept nogil>_function(library, "nvrtcGetErrorString")
    nvrtc.version = <int (*)(int*, int*) noexcept nogil>_function(library, "nvrtcVersion")
    nvrtc.number_of_archs = <int (*)(int*) noexcept nogil>_function(library, "nvrtcGetNumSupportedArchs")
    nvrtc.supported_archs = <int (*)(int*) noexcept nogil>_function(library, "nvrtcGetSupportedArchs")
    nvrtc.create = <int (*)(void**, const char*, const char*, int, const char* const*,
                            const char* const*) noexcept nogil>_function(library, "nvrtcCreateProgram")
    nvrtc.destroy = <int (*)(void**) noexcept nogil>_function(library, "nvrtcDestroyProgram")
    nvrtc.compile = <int (*)(void*, int, const char* const*) noexcept nogil>_function(
        library, "nvrtcCompileProgram")
    nvrtc.log_size = <int (*)(void*, size_t*) noexcept nogil>_function(library, "nvrtcGetProgramLogSize")
    nvrtc.log = <int (*)(void*, char*) noexcept nogil>_function(library, "nvrtcGetProgramLog")
    nvrtc.add_expression = <int (*)(void*, const char*) noexcept nogil>_function(library, "nvrtcAddNameExpression")
    nvrtc.lowered_name = <int (*)(void*, const char*, const char**) noexcept nogil>_function(
        library, "nvrtcGetLoweredName")
    nvrtc.set_flow_callback = <int (*)(void*, FlowCallback, void*) noexcept nogil>_function(
        library, "nvrtcSetFlowCallback")
    check(nvrtc.number_of_archs(&count), "nvrtcGetNumSupportedArchs")
    if count > 256:
        raise NVRTCError(f"NVRTC knows {count} architectures, more than gpunp expects")
    check(nvrtc.supported_archs(numbers), "nvrtcGetSupportedArchs")
    _archs = tuple(sorted([numbers[i] for i in range(count)]))
    _path = file_of(<void*>nvrtc.version) or _path
    check(nvrtc.version(&numbers[0], &numbers[1]), "nvrtcVersion")
    # NVRTC opens this library by its bare name, which the loader finds if it is open already.
    builtins = os.path.join(os.path.dirname(os.path.realpath(_path)),
                            f"libnvrtc-builtins.so.{numbers[0]}.{numbers[1]}")
    if os.path.exists(builtins):
        open_library(builtins)
    _library = library
    return 0


@atexit.register
def cancel_all():
    """Cancel the compilations of other threads, and wait until they have left the library."""
    gpunp_leaving.store(1)
    deadline = time.monotonic() + EXIT_PATIENCE
    while gpunp_compiling.load() > 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    if gpunp_compiling.load() > 0:
        gpunp_leave_at_once()


def version():
    """The version of NVRTC, ``(13, 0)`` for example.

    Returns
    -------
    tuple of int
    """
    cdef int major = 0, minor = 0
    load()
    check(nvrtc.version(&major, &minor), "nvrtcVersion")
    return major, minor


def path():
    """The file of the library.

    Returns
    -------
    str
    """
    load()
    return _path


def supported_architectures():
    """The compute capabilities that NVRTC makes machine code for, 90 for 9.0, in ascending order.

    Returns
    -------
    tuple of int
    """
    load()
    return _archs


cdef class Program:
    """One compilation unit.

    Parameters
    ----------
    source : bytes
        CUDA C++.
    name : bytes
        The name of the source in messages.
    """

    cdef void* handle
    cdef readonly str log
    # Seconds in nvrtcCompileProgram.
    cdef readonly double seconds

    def __init__(self, bytes source not None, bytes name not None):
        load()
        cdef const char* text = source
        cdef const char* label = name
        cdef int result
        with nogil:
            result = nvrtc.create(&self.handle, text, label, 0, NULL, NULL)
        check(result, "nvrtcCreateProgram")
        check(nvrtc.set_flow_callback(self.handle, <FlowCallback>gpunp_cancel_at_exit, NULL),
              "nvrtcSetFlowCallback")
        self.log = ""

    def __dealloc__(self):
        if self.handle != NULL:
            # With the GIL: a thread that waits for it here while the interpreter exits would abort the process.
            nvrtc.destroy(&self.handle)

    def add_expression(self, str expression not None):
        """Instantiate what an expression such as ``"f<float>"`` names, and keep its lowered name.

        Parameters
        ----------
        expression : str
        """
        cdef bytes text = expression.encode()
        check(nvrtc.add_expression(self.handle, text), "nvrtcAddNameExpression")

    def compile(self, list options not None):
        """Compile, and set `log`.

        Parameters
        ----------
        options : list of bytes
            Options of NVRTC.

        Returns
        -------
        bool
            Whether the source compiled; if it did not, `log` says why.

        Raises
        ------
        NVRTCError
            If NVRTC could not run, or does not know an option.
        """
        cdef int i, count = len(options)
        cdef int result
        cdef const char** texts = <const char**>malloc((count + 1) * sizeof(char*))
        if texts == NULL:
            raise MemoryError("compile: no memory for the options")
        try:
            for i in range(count):
                texts[i] = PyBytes_AsString(options[i])
            start = time.perf_counter()
            gpunp_compiling.fetch_add(1)
            with nogil:
                result = nvrtc.compile(self.handle, count, texts)
                gpunp_compiling.fetch_add(-1)
            self.seconds = time.perf_counter() - start
        finally:
            free(texts)
        self.read_log()
        if result == CANCELLED:
            # Ends the thread without a message.
            raise SystemExit("the compilation was canceled because the interpreter exits")
        if result != SUCCESS and result != COMPILATION_FAILED:
            text = nvrtc.error_string(result).decode()
            raise NVRTCError(f"nvrtcCompileProgram failed: {text}" + (f"\n{self.log}" if self.log else ""))
        return result == SUCCESS

    cdef int read_log(self) except -1:
        cdef size_t nbytes = 0
        cdef bytearray text
        check(nvrtc.log_size(self.handle, &nbytes), "nvrtcGetProgramLogSize")
        text = bytearray(nbytes)
        if nbytes > 1:
            check(nvrtc.log(self.handle, text), "nvrtcGetProgramLog")
        self.log = text.rstrip(b"\0").decode(errors="replace").strip()
        return 0

    def image(self, str kind not None):
        """The result.

        Parameters
        ----------
        kind : {"CUBIN", "PTX", "LTOIR"}

        Returns
        -------
        bytes
        """
        cdef SizeFunction size_of = <SizeFunction>_function(_library, f"nvrtcGet{kind}Size")
        cdef ImageFunction get = <ImageFunction>_function(_library, f"nvrtcGet{kind}")
        cdef size_t nbytes = 0
        cdef bytes image
        check(size_of(self.handle, &nbytes), f"nvrtcGet{kind}Size")
        if nbytes == 0:
            raise NVRTCError(f"NVRTC made no {kind} with these options")
        # Not bytes(nbytes), which may be shared with others.
        image = PyBytes_FromStringAndSize(NULL, nbytes)
        check(get(self.handle, <char*>image), f"nvrtcGet{kind}")
        return image

    def lowered_name(self, str expression not None):
        """The symbol of an expression given to `add_expression`.

        Parameters
        ----------
        expression : str

        Returns
        -------
        str
        """
        cdef const char* found = NULL
        cdef bytes text = expression.encode()
        check(nvrtc.lowered_name(self.handle, text, &found), f"nvrtcGetLoweredName({expression!r})")
        return found.decode()
