"""Copies between host memory and a CUDA device, and from one device to another.

Pinned host memory is copied directly. Pageable memory goes through a ring of pinned chunks: a team of
threads copies between one chunk and the caller's memory while the copy engine moves other chunks. Small
copies are left to the driver, which stages them itself.
"""
import _thread
import os
import weakref

from libc.stdint cimport uintptr_t
from libc.string cimport memset
from cuda.bindings.cydriver cimport (
    CUcontext, CUdeviceptr, CUevent, CUmemAccess_flags, CUmemAccessDesc, CUmemLocationType,
    CUpointer_attribute, CUresult, CUstream, cuCtxEnablePeerAccess, cuDeviceCanAccessPeer, cuEventCreate,
    cuEventQuery, cuEventRecord, cuMemcpyDtoHAsync, cuMemcpyHtoDAsync, cuMemcpyPeerAsync, cuMemHostAlloc,
    cuMemPoolSetAccess, cuPointerGetAttribute, cuStreamSynchronize)

from gpunp.cuda.driver cimport MAX_DEVICES, check, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.pool cimport CudaBuffer, Pool
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport Stream, current_stream, refuse_capture
from gpunp.device cimport Buffer

cdef extern from "copy_team.h" namespace "gpunp" nogil:
    bint is_fresh(const char* memory, size_t nbytes)
    cppclass Backoff:
        void wait()
        void reset()
    cppclass CopyTeam:
        CopyTeam(int workers) except +
        int workers()
        void lock()
        void begin(char* host, char** slots, int num_slots, int first, size_t nbytes, size_t chunk,
                   size_t piece, bint upload, bint fresh, int workers)
        void release(long chunks)
        bint done(long chunk)
        bint help()
        void finish_chunk(long chunk)
        void end()

cdef enum:
    # The driver stages uploads of up to this many bytes without waiting for the stream.
    DRIVER_STAGES = 64 << 10
    # Small enough that the ring stays in the last-level cache; the copy engine takes about 75 us per chunk.
    CHUNK = 4 << 20
    PIECE = 256 << 10
    SLOTS = 8
    # How many chunks the threads fill ahead of the copy engine, or empty behind it.
    AHEAD = 2
    BEHIND = 4
    # In smaller transfers, the threads would wake too late to help.
    WAKE_FROM = 1 << 20
    # More than eight threads contend where the host's pages are mapped, but pay off where they must be faulted in.
    COPY_THREADS = 8
    COPY_THREADS_FRESH = 16


cdef struct Ring:
    char* slots[SLOTS]
    CUevent events[SLOTS]   # behind the GPU's last copy from or to each slot
    bint recorded[SLOTS]
    int cursor              # the slot of the next transfer's first chunk
    bint ready

cdef Ring _rings[MAX_DEVICES]
cdef CopyTeam* _team = NULL
cdef object _making = _thread.RLock()
# Number of copying threads, and the number where the host's pages must still be faulted in.
cdef int _threads = 1, _threads_fresh = 1


cdef CopyTeam* _make_team() except NULL:
    global _team, _threads, _threads_fresh
    with _making:
        # The team's lock guards the rings too, so there must be only one team.
        if _team != NULL:
            return _team
        wanted = os.environ.get("GPUNP_COPY_THREADS", "").strip()
        if wanted:
            _threads = _threads_fresh = max(int(wanted), 1)
        else:
            threads = len(os.sched_getaffinity(0))
            _threads = min(threads, <int>COPY_THREADS)
            _threads_fresh = min(threads, <int>COPY_THREADS_FRESH)
        # The calling thread copies too.
        _team = new CopyTeam(_threads_fresh - 1)
        return _team


cdef Ring* _make_ring(int index) except NULL:
    cdef Ring* ring = &_rings[index]
    cdef void* memory = NULL
    cdef int i
    with _making:
        if not ring.ready:
            check(unlocked(host_calls.existing, cuMemHostAlloc, &memory, SLOTS * <size_t>CHUNK, 1), "cuMemHostAlloc")
            for i in range(SLOTS):
                ring.slots[i] = <char*>memory + i * <size_t>CHUNK
                check(unlocked(host_calls.existing, cuEventCreate, &ring.events[i], 2), "cuEventCreate")
            ring.ready = True
    return ring


cdef bint _is_pinned(const void* pointer, size_t nbytes) except -1:
    """Whether both ends of the memory are page-locked and known to the driver."""
    cdef int kind = 0
    cdef CUpointer_attribute attribute = CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    # The driver returns an error for memory unknown to it; such memory is not pinned.
    if cuPointerGetAttribute(&kind, attribute, <CUdeviceptr><uintptr_t>pointer) != 0 or kind != 1:
        return False
    pointer = <const char*>pointer + nbytes - 1
    return cuPointerGetAttribute(&kind, attribute, <CUdeviceptr><uintptr_t>pointer) == 0 and kind == 1


cdef CUresult _wait_slot(CopyTeam* team, Ring* ring, int slot) noexcept nogil:
    """Wait until the GPU is done with a slot, copying pieces meanwhile."""
    cdef CUresult result
    cdef Backoff backoff
    if not ring.recorded[slot]:
        return <CUresult>0
    while True:
        result = cuEventQuery(ring.events[slot])
        if result != CUresult.CUDA_ERROR_NOT_READY:
            return result
        if team.help():
            backoff.reset()
        else:
            backoff.wait()


cdef CUresult _upload_staged(CopyTeam* team, Ring* ring, CUstream stream, CUdeviceptr target,
                             size_t nbytes, long chunks) noexcept nogil:
    cdef CUresult result
    cdef long step, chunk
    cdef size_t start
    cdef int slot
    for step in range(chunks + AHEAD):
        if step < chunks:
            result = _wait_slot(team, ring, <int>((ring.cursor + step) % SLOTS))
            if result != 0:
                return result
            team.release(step + 1)
        chunk = step - AHEAD
        if 0 <= chunk < chunks:
            team.finish_chunk(chunk)
            slot = <int>((ring.cursor + chunk) % SLOTS)
            start = <size_t>chunk * CHUNK
            result = cuMemcpyHtoDAsync(target + start, ring.slots[slot], min(<size_t>CHUNK, nbytes - start),
                                       stream)
            if result == 0:
                result = cuEventRecord(ring.events[slot], stream)
                ring.recorded[slot] = True
            if result != 0:
                return result
    return <CUresult>0


cdef CUresult _download_staged(CopyTeam* team, Ring* ring, CUstream stream, CUdeviceptr source,
                               size_t nbytes, long chunks) noexcept nogil:
    cdef CUresult result
    cdef long step, chunk
    cdef size_t start
    cdef int slot
    for step in range(chunks + BEHIND):
        if step < chunks:
            slot = <int>((ring.cursor + step) % SLOTS)
            if step >= SLOTS:
                team.finish_chunk(step - SLOTS)
            else:
                result = _wait_slot(team, ring, slot)
                if result != 0:
                    return result
            start = <size_t>step * CHUNK
            result = cuMemcpyDtoHAsync(ring.slots[slot], source + start, min(<size_t>CHUNK, nbytes - start),
                                       stream)
            if result == 0:
                result = cuEventRecord(ring.events[slot], stream)
                ring.recorded[slot] = True
            if result != 0:
                return result
        chunk = step - BEHIND
        if 0 <= chunk < chunks:
            result = _wait_slot(team, ring, <int>((ring.cursor + chunk) % SLOTS))
            if result != 0:
                return result
            team.release(chunk + 1)
    # Earlier chunks were finished before their slots were refilled.
    for chunk in range(max(0, chunks - SLOTS), chunks):
        team.finish_chunk(chunk)
    return <CUresult>0


cdef int _copy_staged(int index, CUstream stream, char* host, CUdeviceptr pointer, size_t nbytes,
                      bint up) except -1:
    cdef CopyTeam* team = _team if _team != NULL else _make_team()
    cdef Ring* ring = &_rings[index] if _rings[index].ready else _make_ring(index)
    cdef long chunks = <long>((nbytes + CHUNK - 1) // CHUNK)
    cdef CUresult result
    cdef bint fresh = False
    cdef int workers = 0
    with nogil:
        team.lock()
        if nbytes >= WAKE_FROM:
            fresh = not up and is_fresh(host, nbytes)
            workers = (_threads_fresh if fresh else _threads) - 1
        team.begin(host, ring.slots, SLOTS, ring.cursor, nbytes, CHUNK, PIECE, up, fresh, workers)
        if up:
            result = _upload_staged(team, ring, stream, pointer, nbytes, chunks)
        else:
            result = _download_staged(team, ring, stream, pointer, nbytes, chunks)
        ring.cursor = <int>((ring.cursor + chunks) % SLOTS)
        team.end()
    return check(result, "cuMemcpyHtoDAsync" if up else "cuMemcpyDtoHAsync")


cdef int upload(int device_index, CUcontext context, CUstream stream,
                void* target, const void* source, size_t nbytes) except -1:
    cdef CUdeviceptr pointer = <CUdeviceptr>target
    cdef CUresult result
    if nbytes == 0:
        return 0
    use_context(context)
    if _is_pinned(source, nbytes):
        with nogil:
            result = cuMemcpyHtoDAsync(pointer, source, nbytes, stream)
            if result == 0:
                # The copy engine reads the caller's own memory, which may change after the return.
                result = cuStreamSynchronize(stream)
        return check(result, "cuMemcpyHtoDAsync")
    if nbytes <= DRIVER_STAGES:
        return check(unlocked(host_calls.existing, cuMemcpyHtoDAsync, pointer, source, nbytes, stream),
                     "cuMemcpyHtoDAsync")
    return _copy_staged(device_index, stream, <char*>source, pointer, nbytes, True)


cdef int download(int device_index, CUcontext context, CUstream stream,
                  void* target, const void* source, size_t nbytes) except -1:
    cdef CUdeviceptr pointer = <CUdeviceptr>source
    cdef CUresult result
    if nbytes == 0:
        return 0
    use_context(context)
    if nbytes <= DRIVER_STAGES or _is_pinned(target, nbytes):
        with nogil:
            result = cuMemcpyDtoHAsync(target, pointer, nbytes, stream)
            if result == 0:
                result = cuStreamSynchronize(stream)
        return check(result, "cuMemcpyDtoHAsync")
    return _copy_staged(device_index, stream, <char*>target, pointer, nbytes, False)


# Per pool: the indices of the devices granted peer access, and whether they have it.
cdef object _shared = weakref.WeakKeyDictionary()
# Pairs of devices between which memory of no pool, such as that of other libraries, is copied directly.
cdef set _peers = set()


cdef int _enable_peers(int here, int there) except -1:
    """Let a device access all memory of another one that is of no pool."""
    cdef int possible = 0
    if here == there or (here, there) in _peers:
        return 0
    _peers.add((here, there))
    if cuDeviceCanAccessPeer(&possible, here, there) == 0 and possible:
        use_context(primary_context(here))
        # Another library may have done it before: that is an error of the driver, but none here.
        cuCtxEnablePeerAccess(primary_context(there), 0)
    return 0


cdef bint _share(Buffer buffer, int other) except -1:
    """Grant another device peer access to a buffer's pool, so that copies are not staged through the host.

    Returns whether kernels of the other device can use the memory, as far as that is known.
    """
    cdef CUmemAccessDesc access
    cdef Pool pool
    cdef int possible = 0
    if buffer.memory is not None:
        buffer = buffer.memory
    if not isinstance(buffer, CudaBuffer) or (<CudaBuffer>buffer).pool is None:
        _enable_peers(other, buffer.device.index)
        return False
    pool = (<CudaBuffer>buffer).pool
    if pool.handle == NULL:
        _enable_peers(other, pool.device_index)
        return False
    reached = _shared.setdefault(pool, {})
    if other in reached:
        return reached[other]
    reached[other] = False
    # Without peer access, the driver stages the copy through the host.
    if cuDeviceCanAccessPeer(&possible, other, pool.device_index) == 0 and possible:
        memset(&access, 0, sizeof(access))
        access.location.type = CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        access.location.id = other
        access.flags = CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        reached[other] = cuMemPoolSetAccess(pool.handle, &access, 1) == 0
    return reached[other]


def reaches(device, Buffer buffer not None):
    """Whether kernels of a CUDA device can use the memory of a buffer of another one."""
    return _share(buffer, device.index)


cdef int to_peer(Buffer source, const void* first, Buffer target, void* to, size_t nbytes) except -1:
    cdef int home = source.device.index, away = target.device.index
    cdef Stream here = current_stream(home)
    cdef Stream there = current_stream(away)
    cdef CUcontext context = primary_context(home)
    if nbytes == 0:
        return 0
    for stream in (here, there):
        if (<Stream>stream).capture is not None:
            refuse_capture(stream, "copy to another device", "orders streams of two devices")
    _share(source, away)
    _share(target, home)
    # The target was allocated in the order of `there`, so the copy must wait for that stream.
    here.wait_event(there.record())
    use_context(context)
    check(unlocked(host_calls.existing, cuMemcpyPeerAsync, <CUdeviceptr>to, primary_context(away), <CUdeviceptr>first,
                   context, nbytes, here.handle), "cuMemcpyPeerAsync")
    there.wait_event(here.record())
    return 0
