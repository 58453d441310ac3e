"""Modules of CUDA devices."""
cimport cython
from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUcontext, CUdeviceptr, CUfunction, CUjit_option, CUmodule, CUresult, CUstreamCaptureMode, cuCtxPopCurrent,
    cuCtxPushCurrent, cuModuleGetFunction, cuModuleGetGlobal, cuModuleLoadDataEx, cuModuleUnload,
    cuThreadExchangeStreamCaptureMode)

from gpunp.compiler.module cimport Module
from gpunp.cuda.device cimport CudaDevice, CudaKernel
from gpunp.cuda.driver cimport check, is_exiting, use_context
from gpunp.device cimport Kernel

from gpunp.compiler.module import missing

cdef enum:
    # Bytes for what the driver's compiler of PTX says.
    LOG_BYTES = 8 << 10


# The garbage collector must not clear `device` before __dealloc__, which needs its context.
@cython.no_gc_clear
cdef class Code:
    """A loaded module of the driver, unloaded when freed."""

    cdef CUmodule handle
    cdef CudaDevice device

    def __dealloc__(self):
        cdef CUstreamCaptureMode mode = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        cdef CUcontext context = NULL
        # At exit the driver may be gone.
        if self.handle == NULL or is_exiting():
            return
        # Deallocation may run while the context of another device is current.
        cuCtxPushCurrent(self.device.context)
        cuThreadExchangeStreamCaptureMode(&mode)
        cuModuleUnload(self.handle)
        cuThreadExchangeStreamCaptureMode(&mode)
        cuCtxPopCurrent(&context)


cdef class ModuleKernel(CudaKernel):
    """An entry point of a module, which it keeps loaded."""

    cdef Code code


cdef class CudaModule(Module):
    """A module of a CUDA device.

    Parameters
    ----------
    image : bytes
        A cubin, fatbin or PTX.
    names : dict of str to str
        The symbol of each name expression.
    device : CudaDevice
    """

    cdef Code code

    def __init__(self, bytes image not None, dict names not None, CudaDevice device not None):
        cdef const char* data = image
        cdef char log[LOG_BYTES]
        cdef CUjit_option options[2]
        cdef void* values[2]
        cdef CUmodule handle = NULL
        cdef CUstreamCaptureMode mode = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        cdef CUresult result
        cdef Code code = Code.__new__(Code)
        self.device = device
        self.names = names
        self.kernels = {}
        log[0] = 0
        options[0] = CUjit_option.CU_JIT_ERROR_LOG_BUFFER
        values[0] = <void*>log
        options[1] = CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
        values[1] = <void*><uintptr_t>(LOG_BYTES - 1)
        use_context(device.context)
        with nogil:
            # Loading allocates memory, which would break the capture of a graph in another mode.
            cuThreadExchangeStreamCaptureMode(&mode)
            result = cuModuleLoadDataEx(&handle, data, 2, options, values)
            cuThreadExchangeStreamCaptureMode(&mode)
        if result != 0:
            log[LOG_BYTES - 1] = 0
            load_failed(result, device, (<bytes>log).decode(errors="replace"))
        code.device = device
        code.handle = handle
        self.code = code

    cdef Kernel find(self, str symbol):
        cdef CUfunction function = NULL
        cdef CUresult result
        cdef ModuleKernel kernel
        cdef bytes text = symbol.encode()
        cdef const char* name = text
        cdef CUmodule handle = self.code.handle
        use_context((<CudaDevice>self.device).context)
        with nogil:
            # The driver may load the function only now.
            result = cuModuleGetFunction(&function, handle, name)
        if result == CUresult.CUDA_ERROR_NOT_FOUND:
            raise ValueError(missing("kernel", symbol))
        check(result, "cuModuleGetFunction")
        kernel = ModuleKernel.__new__(ModuleKernel)
        kernel.unit = "module"
        kernel.name = symbol
        kernel.function = <void*>function
        kernel.shared_limit = 0
        kernel.code = self.code
        return kernel

    cdef tuple address(self, str symbol):
        cdef CUdeviceptr pointer = 0
        cdef size_t nbytes = 0
        cdef CUresult result
        cdef bytes text = symbol.encode()
        use_context((<CudaDevice>self.device).context)
        result = cuModuleGetGlobal(&pointer, &nbytes, self.code.handle, text)
        if result == CUresult.CUDA_ERROR_NOT_FOUND:
            raise ValueError(missing("variable", symbol))
        check(result, "cuModuleGetGlobal")
        return int(pointer), int(nbytes)


def load_failed(result, device, log):
    """Raise the error of a module that the driver does not load, with what its compiler wrote.

    Parameters
    ----------
    result : int
        What cuModuleLoadDataEx returned.
    device : CudaDevice
    log : str

    Raises
    ------
    RuntimeError
        Always.
    """
    try:
        check(<CUresult><int>result, "cuModuleLoadDataEx")
    except RuntimeError as error:
        if result == CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU:
            error.add_note(f"The code was not compiled for {device.name} (compute capability "
                           f"{device.architecture // 10}.{device.architecture % 10}).")
        elif result == CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
            error.add_note("The PTX is newer than the driver: update the driver, or compile with an older toolkit.")
        if log:
            error.add_note(log)
        raise
