"""The CUDA device: kernels, launches, memory and copies."""
import os

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint32_t
from cuda.bindings.cydriver cimport (
    CUdeviceptr, CUdevice_attribute, CUfunction, CUfunction_attribute, CUmodule, CUresult, CUstream, cuCtxSynchronize,
    cuDeviceGet, cuDeviceGetAttribute, cuDeviceGetName, cuDeviceGetPCIBusId, cuFuncSetAttribute, cuLaunchKernel,
    cuMemcpyDtoDAsync, cuMemGetInfo, cuMemsetD8Async, cuModuleGetFunction, cuModuleLoadData, cuModuleUnload,
    cuStreamSynchronize)

from gpunp.cuda.allocator cimport allocate_on, open_pool, room_on
from gpunp.cuda.driver cimport check, index_of, primary_context, refuse_wait, use_context, waits_forbidden
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.memory cimport default_pool
from gpunp.cuda.pinned cimport host_array
from gpunp.cuda.pool cimport captures
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.reports cimport raise_oldest, settle_ended, take_word
from gpunp.cuda.stream cimport (
    Stream, current_stream, exchange_stream, is_per_thread, refuse_capture, stream_hooks)
from gpunp.cuda.transfer cimport download, to_peer, upload
from gpunp.device cimport BY_MEMORY, BY_READ, BY_WAIT, Buffer, Device, Kernel, check_status, flush_because

from gpunp.device import get_device
from gpunp.tuning import tuning_of

cdef extern from *:
    """
    #include <sched.h>
    // Called without the interpreter's lock, until the driver's threads that want it have it; see host_calls.pyx.
    // At most a while, as they may be slow.
    static void gpunp_give_way(const int* wanting) {
        for (int i = 0; i < 10000 && __atomic_load_n(wanting, __ATOMIC_ACQUIRE) > 0; i++) sched_yield();
    }
    """
    void gpunp_give_way(const int* wanting) noexcept nogil

cdef size_t _synchronisations = 0, _uploads = 0, _downloads = 0

# Searched for fatbins; a development install has them beside the built extension.
kernel_directories = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels")]


cdef bytes _read_unit(str unit):
    """The bytes of ``<unit>.fatbin``."""
    for directory in kernel_directories:
        try:
            with open(os.path.join(directory, f"{unit}.fatbin"), "rb") as file:
                return file.read()
        except FileNotFoundError:
            continue
    from importlib.resources import files
    resource = files("gpunp.cuda").joinpath("kernels", f"{unit}.fatbin")
    if resource.is_file():
        return resource.read_bytes()
    raise RuntimeError(f"the kernel unit {unit}.fatbin was not found in {', '.join(kernel_directories)}: "
                       "gpunp was built without it; reinstall gpunp with CUDA (-Dcuda=enabled)")


cdef class CudaKernel(Kernel):
    """An entry point of a fatbin, loaded on one device."""


cdef class CudaDevice(Device):
    """A CUDA device; made by ``gpunp.Device("cuda", index)``.

    Parameters
    ----------
    index : int
        Index of the device in the driver's order.
    """

    def __cinit__(self, int index=0, *ignored):
        self.context = primary_context(index)
        self.kind = "cuda"
        self.index = index
        self.is_cpu = False
        self.kernels = {}
        self.modules = {}
        use_context(self.context)
        check(cuDeviceGet(&self.handle, index), "cuDeviceGet")
        self.multiprocessors = self.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
        self.architecture = (
            10 * self.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
            + self.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))
        self.l2_bytes = self.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
        self.threads_per_multiprocessor = self.attribute(
            CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
        self.shared_memory_per_block = self.attribute(
            CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        self.tuning = tuning_of(
            self.architecture, self.l2_bytes,
            self.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
            self.threads_per_multiprocessor)
        if not self.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED):
            raise RuntimeError(f"the driver does not support memory pools on cuda:{index}, which gpunp needs")
        open_pool(index)

    cdef Buffer allocate(self, size_t nbytes):
        try:
            return allocate_on(self, nbytes)
        except MemoryError:
            if not self.pending:
                raise
            # Deferred operations keep their inputs alive.
            flush_because(self, BY_MEMORY)
            return allocate_on(self, nbytes)

    def lasting_memory(self, size_t nbytes):
        """A buffer of the default pool: a program may count what an allocator of its own gave."""
        return default_pool(self.index).allocate(self, nbytes)

    cdef size_t room(self) except? 0:
        return room_on(self)

    cdef Kernel kernel(self, str unit, str name):
        cdef object found = self.kernels.get((unit, name))
        if found is None:
            found = self.load(unit, name)
        return <Kernel>found

    cdef CudaKernel load(self, str unit, str name):
        """Load the unit unless it is loaded, and look up the function in it."""
        cdef CudaKernel kernel
        cdef CUmodule module = NULL
        cdef CUfunction function = NULL
        cdef CUresult result
        cdef bytes image, label = name.encode()
        cdef const char* data
        cdef const char* symbol = label
        use_context(self.context)
        if unit not in self.modules:
            image = _read_unit(unit)
        # Another thread may load it while this one reads the file, or while it loads it.
        if unit not in self.modules:
            data = image
            result = unlocked(host_calls.existing, cuModuleLoadData, &module, data)
            if result in (CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU, CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION):
                raise RuntimeError(
                    f"the kernel unit {unit} was not built for {self.name} (compute capability "
                    f"{self.architecture // 10}.{self.architecture % 10}); build gpunp with "
                    "-Dcuda-archs=native or -Dcuda-archs=all")
            check(result, "cuModuleLoadData")
            if self.modules.setdefault(unit, <size_t>module) != <size_t>module:
                cuModuleUnload(module)
        module = <CUmodule><size_t>self.modules[unit]
        result = unlocked(host_calls.existing, cuModuleGetFunction, &function, module, symbol)
        if result == CUresult.CUDA_ERROR_NOT_FOUND:
            raise RuntimeError(f"the kernel unit {unit} has no kernel {name}; reinstall gpunp")
        check(result, "cuModuleGetFunction")
        kernel = CudaKernel.__new__(CudaKernel)
        kernel.unit = unit
        kernel.name = name
        kernel.function = <void*>function
        kernel.shared_limit = 0
        # One object per kernel, as it holds the shared memory limit set on its function.
        return self.kernels.setdefault((unit, name), kernel)

    cdef int start(self, Kernel kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                   unsigned int block, unsigned int shared_bytes,
                   const void* params, size_t params_nbytes) except -1:
        cdef void* arguments[1]
        cdef CUresult result
        cdef CUstream handle
        arguments[0] = <void*>params
        if shared_bytes > (<CudaKernel>kernel).shared_limit:
            self.allow_shared(<CudaKernel>kernel, shared_bytes)
        use_context(self.context)
        handle = current_stream(self.index).handle
        result = unlocked(host_calls.existing, cuLaunchKernel, <CUfunction>kernel.function, grid_x, grid_y, grid_z,
                          block, 1, 1, shared_bytes, handle, arguments, NULL)
        if result != 0:
            self.launch_failed(result, kernel, (grid_x, grid_y, grid_z), block, shared_bytes)
        return 0

    cdef object queue(self):
        cdef Stream stream = current_stream(self.index)
        return None if is_per_thread(stream) else stream

    cdef object exchange_queue(self, object queue):
        return exchange_stream(self.index, queue)

    cdef uint32_t* report_word(self, str call) except NULL:
        return take_word(self, call)

    cdef int raise_report(self) except -1:
        if host_calls.wanting:
            with nogil:
                gpunp_give_way(&host_calls.wanting)
        return raise_oldest(self)

    def launch_failed(self, result, kernel, grid, block, shared_bytes):
        """Raise the error that a launch returned, with the launch's configuration as a note."""
        try:
            check(<CUresult><int>result, "cuLaunchKernel")
        except RuntimeError as error:
            error.add_note(f"{kernel} on {self}, grid {grid}, block {block}, {shared_bytes} bytes shared")
            raise

    cdef int allow_shared(self, CudaKernel kernel, unsigned int shared_bytes) except -1:
        if shared_bytes > self.shared_memory_per_block:
            raise RuntimeError(f"{kernel} needs {shared_bytes} bytes of shared memory, {self.name} has "
                               f"{self.shared_memory_per_block} per block")
        use_context(self.context)
        # The usual limit counts the kernel's static shared memory, too; one that is set does not.
        shared_bytes = max(shared_bytes, <unsigned int>USUAL_SHARED)
        check(cuFuncSetAttribute(<CUfunction>kernel.function,
                                 CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 <int>shared_bytes), "cuFuncSetAttribute")
        kernel.shared_limit = shared_bytes
        return 0

    cdef int copy_from_host(self, void* target, const void* source, size_t nbytes) except -1:
        global _uploads
        cdef Stream stream = current_stream(self.index)
        _uploads += 1
        if stream.capture is not None:
            return stream_hooks.upload(stream, target, source, nbytes) if nbytes else 0
        return upload(self.index, self.context, stream.handle, target, source, nbytes)

    cdef int copy_to_host(self, void* target, const void* source, size_t nbytes) except -1:
        global _downloads
        cdef Stream stream = current_stream(self.index)
        if stream.capture is not None:
            refuse_capture(stream, "copy to the host", "reads values of the device")
        if waits_forbidden:
            refuse_wait("copy to the host")
        _downloads += 1
        flush_because(self, BY_READ)
        download(self.index, self.context, stream.handle, target, source, nbytes)
        return check_status(self)

    cdef int copy_within(self, void* target, const void* source, size_t nbytes) except -1:
        if nbytes == 0:
            return 0
        use_context(self.context)
        return check(unlocked(host_calls.existing, cuMemcpyDtoDAsync, <CUdeviceptr>target, <CUdeviceptr>source, nbytes,
                              current_stream(self.index).handle), "cuMemcpyDtoDAsync")

    cdef int copy_to_peer(self, Buffer source, const void* first, Buffer target, void* to, size_t nbytes) except -1:
        self.flush()
        target.device.flush()
        return to_peer(source, first, target, to, nbytes)

    cdef int fill_bytes(self, void* target, int value, size_t nbytes) except -1:
        if nbytes == 0:
            return 0
        use_context(self.context)
        return check(unlocked(host_calls.existing, cuMemsetD8Async, <CUdeviceptr>target, <unsigned char>value, nbytes,
                              current_stream(self.index).handle), "cuMemsetD8Async")

    cdef int synchronize_stream(self) except -1:
        global _synchronisations
        cdef Stream stream = current_stream(self.index)
        cdef CUresult result
        if stream.capture is not None:
            refuse_capture(stream, "Device.synchronize", "waits for the device")
        if waits_forbidden:
            refuse_wait("Device.synchronize")
        _synchronisations += 1
        flush_because(self, BY_WAIT)
        use_context(self.context)
        with nogil:
            host_calls.waiting = 1
            result = cuStreamSynchronize(stream.handle)
        host_calls.waiting = 0
        check(result, "cuStreamSynchronize")
        settle_ended(self)
        return check_status(self)

    def synchronize(self):
        """Wait until everything queued on this device is done, on all streams."""
        cdef CUresult result
        self.synchronize_stream()
        # The capture of a graph ends with an error if anybody waits for the device.
        if captures:
            return
        # Reporting errors may have run calls on other devices.
        use_context(self.context)
        with nogil:
            host_calls.waiting = 1
            result = cuCtxSynchronize()
        host_calls.waiting = 0
        # Another library captures.
        if result != CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
            check(result, "cuCtxSynchronize")
        check_status(self)

    cdef object host_empty(self, tuple shape, object dtype):
        return host_array(shape, dtype, False)

    def attribute(self, int number):
        """An integer attribute of the device, by its CU_DEVICE_ATTRIBUTE number."""
        cdef int value = 0
        check(cuDeviceGetAttribute(&value, <CUdevice_attribute>number, self.handle), "cuDeviceGetAttribute")
        return value

    @property
    def transfer_counts(self):
        """Numbers of synchronizations, uploads and downloads of this process on devices of this kind.

        A download also waits, but counts only as a download.
        """
        return _synchronisations, _uploads, _downloads

    def leave_out_downloads(self, size_t count):
        """Take downloads out of the counts that the program did not ask for, as those of a check."""
        global _downloads
        _downloads -= count

    @property
    def name(self):
        """The product name, such as ``"NVIDIA H100 80GB HBM3"``."""
        cdef char text[256]
        check(cuDeviceGetName(text, sizeof(text), self.handle), "cuDeviceGetName")
        return (<bytes>text).decode()

    @property
    def compute_capability(self):
        """The compute capability, ``(9, 0)`` for example."""
        return self.architecture // 10, self.architecture % 10

    @property
    def pci_bus_id(self):
        """The address on the PCI bus."""
        cdef char text[64]
        check(cuDeviceGetPCIBusId(text, sizeof(text), self.handle), "cuDeviceGetPCIBusId")
        return (<bytes>text).decode()

    @property
    def memory_info(self):
        """Free and total device memory in bytes."""
        cdef size_t free_bytes = 0, total = 0
        use_context(self.context)
        check(cuMemGetInfo(&free_bytes, &total), "cuMemGetInfo")
        return free_bytes, total

    @property
    def mem_info(self):
        """The same, under CUDA's name."""
        return self.memory_info

    @property
    def attributes(self):
        """All attributes that the driver knows, a dict of numbers by names such as ``"WarpSize"``."""
        from gpunp.cuda.runtime_devices import device_attributes
        return device_attributes(self.index)

    @staticmethod
    def from_pci_id(pci_id):
        """The device at an address of the PCI bus, such as ``"0000:3b:00.0"``.

        Parameters
        ----------
        pci_id : str

        Returns
        -------
        Device
        """
        from gpunp.cuda.runtime_devices import deviceGetByPCIBusId
        return get_device(f"cuda:{deviceGetByPCIBusId(pci_id)}")

    def can_access_peer(self, other):
        """Whether kernels on this device can use the memory of another CUDA device.

        Parameters
        ----------
        other : Device or int

        Returns
        -------
        bool
        """
        from gpunp.cuda.runtime_devices import deviceCanAccessPeer
        return bool(deviceCanAccessPeer(self.index, index_of(other)))

    def set_tuning(self, record):
        """Replace the thresholds of `tuning`, a dict of all of them."""
        self.tuning = record

    @property
    def stream(self):
        """The current stream of this thread on the device."""
        return current_stream(self.index)

    @property
    def status_address(self):
        """Address of a word for a parameter struct, in which this thread's next launch reports data errors.

        Every launch needs a word of its own.
        """
        return <size_t>self.report_word("launch_kernel")

    def get_kernel(self, str unit not None, str name not None):
        """A precompiled kernel by unit and symbol, loaded at its first use."""
        return self.kernel(unit, name)

    def launch_kernel(self, CudaKernel kernel not None, grid, unsigned int block, params,
                      unsigned int shared_bytes=0):
        """Launch a kernel on the current stream with a packed parameter struct.

        Parameters
        ----------
        kernel : Kernel
            From `get_kernel`.
        grid : tuple of three int
            Blocks in x, y and z.
        block : int
            Threads per block.
        params : bytes-like
            The kernel's one parameter struct.
        shared_bytes : int, default 0
            Dynamic shared memory per block, in bytes.
        """
        cdef Py_buffer view
        cdef unsigned int grid_x, grid_y, grid_z
        grid_x, grid_y, grid_z = grid
        check_status(self)
        PyObject_GetBuffer(params, &view, PyBUF_SIMPLE)
        try:
            self.launch(kernel, grid_x, grid_y, grid_z, block, shared_bytes, view.buf, view.len)
        finally:
            PyBuffer_Release(&view)
