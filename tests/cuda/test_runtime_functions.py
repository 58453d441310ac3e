"""Functions by the names of CUDA's runtime API, on the stand-in driver."""

import ctypes

import numpy as np
import pytest

pytestmark = [pytest.mark.fake_driver(), pytest.mark.usefixtures("current_cuda_device")]


@pytest.fixture
def runtime(cuda_device):
    if cuda_device is None:
        return None
    from gpunp.cuda import runtime

    return runtime


def address(array):
    return array.ctypes.data


def test_memory(runtime, fake):
    before = fake.fake_living_blocks()
    source, target = np.arange(10.0), np.zeros(10)
    for pointer in (runtime.malloc(80), runtime.mallocManaged(80)):
        runtime.memcpy(pointer, address(source), 80, runtime.memcpyHostToDevice)
        runtime.memcpyAsync(address(target), pointer, 80, runtime.memcpyDeviceToHost, 0)
        runtime.streamSynchronize(0)
        assert target.tolist() == source.tolist()
        runtime.memset(pointer, 0, 8)
        runtime.memsetAsync(pointer + 8, 0, 8, 0)
        runtime.memcpy(address(target), pointer, 80, runtime.memcpyDefault)
        assert target.tolist() == [0, 0, *range(2, 10)]
        runtime.free(pointer)
    pool = runtime.deviceGetDefaultMemPool(0)
    assert runtime.deviceGetMemPool(0) == pool
    own = runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0))
    for pointer in (runtime.mallocAsync(80, 0), runtime.mallocFromPoolAsync(80, own, 0)):
        runtime.freeAsync(pointer, 0)
    runtime.deviceSynchronize()
    assert runtime.memPoolGetAttribute(own, runtime.cudaMemPoolAttrUsedMemCurrent) == 0
    runtime.memPoolSetAttribute(own, runtime.cudaMemPoolAttrReleaseThreshold, 1 << 20)
    runtime.memPoolTrimTo(own, 0)
    runtime.deviceSetMemPool(0, own)
    assert runtime.deviceGetMemPool(0) == own
    runtime.deviceSetMemPool(0, pool)
    runtime.memPoolDestroy(own)
    assert fake.fake_living_blocks() == before
    assert runtime.malloc(0) == runtime.mallocAsync(0, 0) == runtime.hostAlloc(0, 0) == 0
    runtime.free(0)
    runtime.freeAsync(0, 0)
    runtime.freeHost(0)


def test_host_memory(runtime):
    pointer = runtime.hostAlloc(100, runtime.hostAllocPortable)
    found = runtime.pointerGetAttributes(pointer)
    assert (found.type, found.hostPointer) == (runtime.memoryTypeHost, pointer)
    runtime.freeHost(pointer)
    host = np.zeros(100)
    runtime.hostRegister(address(host), host.nbytes, 0)
    runtime.hostUnregister(address(host))
    found = runtime.pointerGetAttributes(12345)
    assert (found.type, found.device) == (runtime.memoryTypeUnregistered, -2)
    pointer = runtime.malloc(100)
    found = runtime.pointerGetAttributes(pointer)
    assert (found.device, found.devicePointer) == (0, pointer)
    assert "PointerAttributes(device=0" in repr(found)
    managed = runtime.mallocManaged(100)
    runtime.memAdvise(managed, 100, runtime.cudaMemAdviseSetReadMostly, 0)
    runtime.memPrefetchAsync(managed, 100, runtime.cudaCpuDeviceId, 0)
    runtime.free(managed)
    runtime.free(pointer)


def test_copies_of_rows(runtime):
    source = np.arange(24, dtype=np.uint8).reshape(4, 6)
    target = np.zeros((4, 6), np.uint8)
    pointer = runtime.malloc(64)
    runtime.memcpy2D(pointer, 16, address(source), 6, 6, 4, runtime.memcpyHostToDevice)
    runtime.memcpy2DAsync(address(target), 6, pointer, 16, 6, 4, runtime.memcpyDeviceToHost, 0)
    runtime.streamSynchronize(0)
    assert target.tolist() == source.tolist()
    runtime.free(pointer)
    with pytest.raises(ValueError, match="memcpy2D: kind"):
        runtime.memcpy2D(0, 1, 0, 1, 1, 1, 7)
    with pytest.raises(ValueError, match="memcpy: kind"):
        runtime.memcpy(0, 0, 1, "x")


def test_arrays(runtime, fake):
    from gpunp.cuda.runtime_arrays import Copy3D
    from gpunp.cuda.texture import ChannelFormatDescriptor

    before = fake.fake_living_objects()
    desc = ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    source = np.arange(12, dtype=np.float32).reshape(3, 4)
    target = np.zeros((3, 4), np.float32)
    array = runtime.mallocArray(desc.ptr, 4, 3)
    kinds = runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost
    runtime.memcpy2DToArray(array, 0, 0, address(source), 16, 16, 3, kinds[0])
    runtime.memcpy2DFromArray(address(target), 16, array, 0, 0, 16, 3, kinds[1])
    assert target.tolist() == source.tolist()
    runtime.memcpy2DToArrayAsync(array, 4, 1, address(source), 16, 12, 2, kinds[0], 0)
    runtime.memcpy2DFromArrayAsync(address(target), 16, array, 0, 0, 16, 3, kinds[1], 0)
    runtime.streamSynchronize(0)
    assert target.tolist() == [[0, 1, 2, 3], [4, 0, 1, 2], [8, 4, 5, 6]]
    runtime.freeArray(array)
    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    result = np.zeros_like(cube)
    array = runtime.malloc3DArray(desc.ptr, 4, 3, 2)
    copy = Copy3D(kind=kinds[0], dstArray=array)
    copy.srcPtr.ptr, copy.srcPtr.pitch, copy.srcPtr.xsize, copy.srcPtr.ysize = address(cube), 16, 4, 3
    copy.extent.x, copy.extent.y, copy.extent.z = 4, 3, 2
    runtime.memcpy3D(ctypes.addressof(copy))
    back = Copy3D(kind=kinds[1], srcArray=array, extent=copy.extent)
    back.dstPtr.ptr, back.dstPtr.pitch, back.dstPtr.xsize, back.dstPtr.ysize = address(result), 16, 4, 3
    runtime.memcpy3DAsync(ctypes.addressof(back), 0)
    runtime.streamSynchronize(0)
    assert result.tolist() == cube.tolist()
    runtime.freeArray(array)
    assert fake.fake_living_objects() == before
    with pytest.raises(ValueError, match="width must be positive"):
        runtime.mallocArray(desc.ptr, 0, 0)


def test_devices(runtime, cuda_device):
    assert runtime.deviceCanAccessPeer(0, 1) == 1
    assert cuda_device.can_access_peer(1)
    runtime.deviceEnablePeerAccess(1)
    runtime.deviceDisablePeerAccess(1)
    assert runtime.deviceGetAttribute(16, 0) == cuda_device.multiprocessors
    address = runtime.deviceGetPCIBusId(1)
    assert runtime.deviceGetByPCIBusId(address) == 1
    assert cuda_device.from_pci_id(address).id == 1
    assert runtime.deviceGetLimit(runtime.cudaLimitStackSize) == 1024
    runtime.deviceSetLimit(runtime.cudaLimitStackSize, 2048)
    assert cuda_device.attributes["MultiprocessorCount"] == cuda_device.multiprocessors
    assert cuda_device.mem_info == runtime.memGetInfo()
    properties = runtime.getDeviceProperties(0)
    assert properties["maxThreadsDim"] == (1024, 1024, 64)
    assert properties["l2CacheSize"] == cuda_device.l2_bytes
    assert runtime.runtimeGetVersion() // 1000 == 13
    with pytest.raises(ValueError, match="no CUDA device 9"):
        runtime.setDevice(9)


def test_peers(runtime):
    source, target = runtime.malloc(80), runtime.malloc(80)
    runtime.memset(source, 5, 80)
    runtime.memcpyPeer(target, 0, source, 0, 80)
    host = np.zeros(80, np.uint8)
    runtime.memcpy(address(host), target, 80, runtime.memcpyDeviceToHost)
    assert (host == 5).all()


def test_streams_and_events(runtime, fake):
    calls = []
    streams = [
        runtime.streamCreate(),
        runtime.streamCreateWithFlags(runtime.streamNonBlocking),
        runtime.streamCreateWithPriority(runtime.streamNonBlocking, -1),
    ]
    start, end = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventBlockingSync)
    for stream in streams:
        runtime.eventRecord(start, stream)
        fake.fake_hold(1)
        runtime.eventRecord(end, stream)
        assert runtime.eventQuery(end) == runtime.streamQuery(stream) == runtime.errorNotReady
        fake.fake_hold(0)
        runtime.streamWaitEvent(stream, end)
        runtime.launchHostFunc(stream, calls.append, 1)
        runtime.streamAddCallback(stream, lambda *args: calls.append(args), 2)
        runtime.eventSynchronize(end)
        runtime.streamSynchronize(stream)
        assert runtime.eventQuery(end) == runtime.streamQuery(stream) == 0
        assert runtime.eventElapsedTime(start, end) >= 0
        runtime.streamDestroy(stream)
    assert calls == [call for stream in streams for call in (1, (stream, 0, 2))]
    runtime.eventDestroy(start)
    runtime.eventDestroy(end)
    with pytest.raises(runtime.CUDARuntimeError, match="cuStreamSynchronize"):
        runtime.streamSynchronize(12345)


def test_graphs(runtime, tmp_path):
    pointer = runtime.malloc(8)
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    runtime.memset(pointer, 0, 8)
    runtime.streamBeginCapture(stream)
    assert runtime.streamIsCapturing(stream)
    runtime.memsetAsync(pointer, 3, 8, stream)
    graph = runtime.streamEndCapture(stream)
    executable = runtime.graphInstantiate(graph)
    runtime.graphUpload(executable, stream)
    runtime.graphLaunch(executable, stream)
    runtime.streamSynchronize(stream)
    host = np.zeros(8, np.uint8)
    runtime.memcpy(address(host), pointer, 8, runtime.memcpyDeviceToHost)
    assert host.tolist() == [3] * 8
    path = tmp_path / "graph.dot"
    runtime.graphDebugDotPrint(graph, str(path), 0)
    assert path.read_text().startswith("digraph")
    runtime.graphExecDestroy(executable)
    runtime.graphDestroy(graph)


def test_profiler(runtime, fake):
    import gpunp.profiler
    from gpunp import cuda

    for block in (cuda.profile, gpunp.profiler.profile):
        with block():
            assert fake.fake_calls(b"cuProfilerStart") == fake.fake_calls(b"cuProfilerStop") + 1
    cuda.profiler.start()
    cuda.profiler.stop()
    assert fake.fake_calls(b"cuProfilerStop") == 3
    with pytest.raises(RuntimeError, match="nsys"):
        cuda.profiler.initialize("", "", 0)


def test_waits_are_refused(cuda_device):
    import gpunp
    from gpunp import cuda

    array = gpunp.asarray(np.arange(3))
    event = cuda.Event().record()
    waits = [
        array.tolist,
        cuda_device.synchronize,
        cuda.get_current_stream().synchronize,
        event.synchronize,
    ]
    for wait in waits:
        with gpunp.allow_synchronize(False):
            with pytest.raises(gpunp.DeviceSynchronized, match="waits for the device"):
                wait()
            with gpunp.allow_synchronize(True):
                wait()
        wait()


def test_arguments_of_streams_and_events(cuda_device):
    from gpunp import cuda

    assert cuda.Stream(null=True) == cuda.Stream.null
    assert cuda.Stream(ptds=True) == cuda.Stream.ptds
    assert cuda.Stream(non_blocking=True, priority=-1).ptr
    for arguments in ({"null": True, "ptds": True}, {"null": True, "non_blocking": True}):
        with pytest.raises(ValueError, match="default stream"):
            cuda.Stream(**arguments)
    start, end = cuda.Event().record(), cuda.Event(block=True).record()
    end.synchronize()
    assert cuda.get_elapsed_time(start, end) >= 0
    assert not cuda.Event(interprocess=True, disable_timing=True).timing
    for arguments in ({"interprocess": True, "timing": True}, {"timing": True, "disable_timing": True}):
        with pytest.raises(ValueError, match="Event"):
            cuda.Event(**arguments)
