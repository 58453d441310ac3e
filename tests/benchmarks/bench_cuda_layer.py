"""Memory, streams, events, graphs and textures: what they cost beside the driver and other libraries."""

import ctypes
import importlib

import driver_costs
import numpy as np
from rows import Above, row

CHAPTER = "CUDA: memory, streams, graphs, textures"


def cuda_of(lib):
    """The module of CUDA objects of gpunp or CuPy."""
    if lib.name not in ("gpunp", "CuPy"):
        raise NotImplementedError("it has no such objects")
    return importlib.import_module("gpunp.cuda" if lib.name == "gpunp" else "cupy.cuda")


def allocate_of(cuda, name):
    """A function that allocates memory by an allocator."""
    if name == "pool":
        return cuda.MemoryPool().malloc
    if name == "async_pool":
        return cuda.MemoryAsyncPool().malloc
    if name in ("rmm", "torch"):
        importlib.import_module(name)
        if hasattr(cuda, "torch_allocator"):
            return getattr(cuda, f"{name}_allocator")
        if name == "rmm":
            return importlib.import_module("rmm.allocators.cupy").rmm_cupy_allocator
        return cuda.PythonFunctionAllocator(*torch_functions()).malloc
    return getattr(cuda, f"malloc_{name}")


def torch_functions():
    """PyTorch's own functions, as `PythonFunctionAllocator` takes them."""
    calls = importlib.import_module("torch").cuda
    return calls.caching_allocator_alloc, lambda pointer, device: calls.caching_allocator_delete(pointer)


def own_of_driver(name, count=200):
    """The cost of the driver's own calls, measured in this process."""
    return lambda lib: {DRIVER: driver_costs.seconds(name, count)}


def own_of_rmm(lib):
    """The cost of RMM's own buffers."""
    rmm = importlib.import_module("rmm")
    return {"RMM's own": lib.host_seconds("buffer(size=1000)", {"buffer": rmm.DeviceBuffer})}


def own_of_torch(lib):
    """The cost of PyTorch's own functions."""
    torch = importlib.import_module("torch")
    names = {"new": torch.cuda.caching_allocator_alloc, "delete": torch.cuda.caching_allocator_delete}
    return {"PyTorch's own": lib.host_seconds("delete(new(1000, 0, 0))", names)}


DRIVER = "the driver's own"
# What an allocator costs without gpunp, and the name of that.
OWN = {
    "pool": (None, None),
    "async": (own_of_driver("async"), DRIVER),
    "async_pool": (own_of_driver("async"), DRIVER),
    "managed": (own_of_driver("managed"), DRIVER),
    "rmm": (own_of_rmm, "RMM's own"),
    "torch": (own_of_torch, "PyTorch's own"),
}


def allocation(name):
    own, ceiling = OWN[name]
    limit = 0.5e-6 if own else 0.3e-6

    @row(
        f"allocate_{name}",
        f"`malloc(1000)` and free, {name.replace('_', ' ')}",
        CHAPTER,
        Above(limit, ceiling),
        "host",
        needs_gpu=True,
        own=own,
    )
    def own_cost(lib, size):
        cuda = cuda_of(lib)
        if name == "pool" and lib.name == "gpunp":
            return "allocate(1000)", {"allocate": cuda.get_default_memory_pool().malloc}
        return "allocate(1000)", {"allocate": allocate_of(cuda, name)}

    @row(
        f"arrays_{name}",
        f"`with using_allocator(f): alloc(1000)`, {name.replace('_', ' ')}",
        CHAPTER,
        Above(limit + 1.5e-6, ceiling),
        "host",
        needs_gpu=True,
        own=own,
    )
    def through(lib, size):
        """Subtract the row above and the next one."""
        cuda = cuda_of(lib)
        allocator = cuda.get_allocator() if name == "pool" else allocate_of(cuda, name)
        names = {"using": cuda.using_allocator, "f": allocator, "alloc": cuda.alloc}
        return "with using(f): alloc(1000)", names


for _name in OWN:
    allocation(_name)


@row("using_allocator", "`with using_allocator(f): pass`", CHAPTER, Above(1e-6), "host", needs_gpu=True)
def using_allocator(lib, size):
    cuda = cuda_of(lib)
    return "with using(f): pass", {"using": cuda.using_allocator, "f": cuda.malloc_async}


def small_calls(xp, x):
    """Twenty small ufuncs."""
    for _ in range(10):
        x = xp.sin(x) + 0.5
    return x


def captured(lib, function):
    """A graph of a function, and what it writes."""
    cuda = cuda_of(lib)
    function()
    if lib.name == "gpunp":
        with cuda.graph() as graph:
            result = function()
        return graph, result
    stream = cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        result = function()
        graph = stream.end_capture()
    return graph, result


@row(
    "graph_replay",
    "launch of a graph of 20 small ufuncs",
    CHAPTER,
    Above(20e-6),
    "host",
    needs_gpu=True,
)
def graph_replay(lib, size):
    x = lib.values(1000)
    graph, result = captured(lib, lambda: small_calls(lib.xp, x))
    return "launch()", {"launch": graph.launch, "result": result}


@row(
    "graph_replay_bare",
    "the same graph by the driver's cuGraphLaunch",
    CHAPTER,
    Above(20e-6),
    "host",
    needs_gpu=True,
)
def graph_replay_bare(lib, size):
    """Divide the row above by this one: 1.2 is the goal."""
    x = lib.values(1000)
    graph, result = captured(lib, lambda: small_calls(lib.xp, x))
    launch = ctypes.CDLL("libcuda.so.1").cuGraphLaunch
    executable = ctypes.c_void_p(graph.graphExec)
    return "launch(executable, None)", {"launch": launch, "executable": executable, "result": (graph, result)}


def jacobi(u, f):
    """One step of Jacobi's iteration, in place."""
    u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])


def jacobi_arrays(lib):
    return lib.values(1 << 20).reshape(1024, 1024), lib.values(1 << 20).reshape(1024, 1024)


@row("step_eager", "100 steps of Jacobi, 1024 x 1024, called", CHAPTER, Above(5e-3), "wall", needs_gpu=True)
def step_eager(lib, size):
    u, f = jacobi_arrays(lib)

    def run():
        for _ in range(100):
            jacobi(u, f)

    return run


@row(
    "step_graph",
    "the same, the step captured as a graph",
    CHAPTER,
    Above(1e-3),
    "wall",
    needs_gpu=True,
)
def step_graph(lib, size):
    # The row above, divided by this one: 5 is the goal, 1.5 to 4 are reached, as the calls are fused, too.
    u, f = jacobi_arrays(lib)
    graph, _ = captured(lib, lambda: jacobi(u, f))

    def run():
        for _ in range(100):
            graph.launch()

    return run


@row("stream_switch", "`with stream: pass`", CHAPTER, Above(0.3e-6), "host", needs_gpu=True)
def stream_switch(lib, size):
    return "with stream: pass", {"stream": cuda_of(lib).Stream(non_blocking=True)}


@row(
    "event_record",
    "`stream.record(event)`",
    CHAPTER,
    Above(0.3e-6, DRIVER),
    "host",
    needs_gpu=True,
    own=own_of_driver("record"),
)
def event_record(lib, size):
    cuda = cuda_of(lib)
    names = {"stream": cuda.Stream(non_blocking=True), "event": cuda.Event(disable_timing=True)}
    return "stream.record(event)", names


@row(
    "event_wait",
    "`stream.wait_event(event)`",
    CHAPTER,
    Above(0.3e-6, DRIVER),
    "host",
    needs_gpu=True,
    own=own_of_driver("wait"),
)
def event_wait(lib, size):
    cuda = cuda_of(lib)
    event = cuda.Event(disable_timing=True)
    event.record(cuda.Stream(non_blocking=True))
    return "stream.wait_event(event)", {"stream": cuda.Stream(non_blocking=True), "event": event}


@row(
    "host_function",
    "`stream.launch_host_func(f)`",
    CHAPTER,
    Above(0.3e-6, DRIVER),
    "host",
    needs_gpu=True,
    own=own_of_driver("function"),
)
def host_function_call(lib, size):
    stream = cuda_of(lib).Stream(non_blocking=True)
    return "stream.launch_host_func(id, None)", {"stream": stream}


@row(
    "host_function_wait",
    "`stream.launch_host_func(f); stream.synchronize()`",
    CHAPTER,
    Above(0.3e-6, DRIVER),
    "host",
    needs_gpu=True,
    own=own_of_driver("function and wait"),
)
def host_function_wait(lib, size):
    # Python's lock goes to another thread and back, which the driver's own function does not need.
    stream = cuda_of(lib).Stream(non_blocking=True)
    return "stream.launch_host_func(id, None); stream.synchronize()", {"stream": stream}


FETCH = r"""
extern "C" __global__ void fetch(cudaTextureObject_t image, const float* at, float* out, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size * size) out[i] = tex2D<float>(image, at[2 * i], at[2 * i + 1]);
}
extern "C" __global__ void gather(const float* image, const float* at, float* out, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size * size) return;
    float x = at[2 * i] - 0.5f, y = at[2 * i + 1] - 0.5f, left = floorf(x), top = floorf(y);
    int x0 = min(max((int)left, 0), size - 1), y0 = min(max((int)top, 0), size - 1);
    int x1 = min(x0 + 1, size - 1), y1 = min(y0 + 1, size - 1);
    float fx = x - left, fy = y - top;
    float upper = image[y0 * size + x0] * (1 - fx) + image[y0 * size + x1] * fx;
    float lower = image[y1 * size + x0] * (1 - fx) + image[y1 * size + x1] * fx;
    out[i] = upper * (1 - fy) + lower * fy;
}
"""


def sampled(lib, name, turned):
    """A call of a kernel that interpolates an image at positions along its rows, or across them."""
    cuda_of(lib)
    module = lib.module if hasattr(lib, "module") else lib.xp
    root = lib.name.lower()
    runtime = importlib.import_module(f"{root}.cuda.runtime")
    texture = importlib.import_module(f"{root}.cuda.texture")
    size = 4096
    image = lib.values(size * size).reshape(size, size)
    y, x = np.mgrid[:size, :size].astype(np.float32) + np.float32(0.8)
    at = lib.upload(np.ascontiguousarray(np.stack((y, x) if turned else (x, y), axis=-1)))
    out = lib.values(size * size)
    kernel = module.RawModule(code=FETCH).get_function(name)
    source = image
    if name == "fetch":
        channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
        memory = texture.CUDAarray(channels, size, size)
        memory.copy_from(image)
        source = texture.TextureObject(
            texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=memory),
            texture.TextureDescriptor((1, 1), runtime.cudaFilterModeLinear),
        )
    blocks = size * size // 256
    return lambda: kernel((blocks,), (256,), (source, at, out, np.int32(size)))


def sampling(name, title, turned):
    where = "across rows" if turned else "along rows"

    @row(
        f"sample_{name}{'_turned' if turned else ''}",
        f"bilinear interpolation {where}, 4096 x 4096, {title}",
        CHAPTER,
        Above(1e-3),
        "device",
        needs_gpu=True,
    )
    def build(lib, size):
        return sampled(lib, name, turned)

    return build


for _turned in (False, True):
    sampling("fetch", "by a texture", _turned)
    sampling("gather", "by four loads", _turned)
