"""Graphs: recorded work that is launched as a whole."""
import os
import tempfile

cimport cython
from libc.stdint cimport uintptr_t
from cuda.bindings.cydriver cimport (
    CUgraph, CUgraphNode, CUresult, cuCtxPopCurrent, cuCtxPushCurrent, cuGraphDebugDotPrint, cuGraphDestroy,
    cuGraphExecDestroy, cuGraphGetNodes, cuGraphInstantiate, cuGraphLaunch, cuGraphUpload)

from gpunp.cuda.capture cimport Capture, finish_capture
from gpunp.cuda.driver cimport check, is_exiting, primary_context, use_context
from gpunp.cuda.event cimport host_calls
from gpunp.cuda.queueing cimport unlocked
from gpunp.cuda.stream cimport Stream, current_stream, device_at
from gpunp.device cimport BY_STREAM, Device, check_status, flush_because

from gpunp.cuda.capture import abandon_capture, begin_capture
from gpunp.cuda.stream import Stream as make_stream
from gpunp.cuda.stream import as_stream


@cython.no_gc_clear
cdef class Graph:
    """Recorded work, launched as a whole; made by `gpunp.cuda.graph` and `Stream.end_capture`.

    Notes
    -----
    A launch repeats the recorded kernels and copies on the same addresses. The memory of arrays that were made or
    dropped during the capture lives as long as the graph. Arrays from before the capture must be kept by the program.
    """

    def __dealloc__(self):
        if is_exiting() or self.handle == NULL:
            return
        if self.capture.calls:
            from gpunp.cuda.host_calls import keep_until_run
            keep_until_run(self.capture.calls, self.capture.following.everywhere())
        cuCtxPushCurrent(self.context)
        # A launch that is running ends before the driver frees what it needs. If the driver waits for that, functions
        # of the host in the graph need the interpreter's lock.
        with nogil:
            if self.executable != NULL:
                cuGraphExecDestroy(self.executable)
            cuGraphDestroy(self.handle)
        cuCtxPopCurrent(&self.context)

    cdef int fill(self, CUgraph handle, Capture capture) except -1:
        """Become the graph of a capture."""
        cdef CUresult result
        self.index = capture.stream.device_index
        self.context = primary_context(self.index)
        self.handle, self.capture = handle, capture
        use_context(self.context)
        with nogil:
            result = cuGraphInstantiate(&self.executable, handle, 0)
        return check(result, "cuGraphInstantiate")

    cdef Stream queue(self, object stream, str call):
        """The stream for a call, on the device of the graph."""
        cdef Stream found
        if self.executable == NULL:
            raise RuntimeError(f"Graph.{call}: the graph has not been captured; leave the block of gpunp.cuda.graph() "
                               "first")
        found = current_stream(self.index) if stream is None else as_stream(stream, self.index)
        if found.device_index != self.index:
            raise ValueError(f"Graph.{call}: the stream is on cuda:{found.device_index} and the graph on "
                             f"cuda:{self.index}; launch it on a stream of that device")
        return found

    def launch(self, stream=None):
        """Run the recorded work once, in the order of a stream.

        Parameters
        ----------
        stream : Stream, optional
            The current one by default.

        Raises
        ------
        RuntimeError
            If the capture has not ended.
        ValueError
            If the stream is on another device.
        """
        cdef Stream found = self.queue(stream, "launch")
        cdef Device device = device_at(found.device_index)
        cdef CUresult result
        check_status(device)
        # Deferred calls came before.
        flush_because(device, BY_STREAM)
        use_context(self.context)
        if found.capture is not None:
            found.capture.keep(self)
            self.capture.following.outer.append((<Capture>found.capture).following)
        self.capture.following.add(found)
        self.capture.words.launched()
        with nogil:
            result = cuGraphLaunch(self.executable, found.handle)
        check(result, "cuGraphLaunch")

    def upload(self, stream=None):
        """Prepare the device for the first launch, without running anything.

        Parameters
        ----------
        stream : Stream, optional
            The current one by default.
        """
        cdef Stream found = self.queue(stream, "upload")
        use_context(self.context)
        check(unlocked(host_calls.existing, cuGraphUpload, self.executable, found.handle), "cuGraphUpload")

    def debug_dot_str(self, flags=0):
        """Describe the nodes in the language of Graphviz.

        Parameters
        ----------
        flags : int, default 0
            What is told of the nodes: the sum of numbers of the driver's ``CU_GRAPH_DEBUG_DOT_FLAGS``; 1 is all.

        Returns
        -------
        str
        """
        self.queue(None, "debug_dot_str")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph.dot")
            use_context(self.context)
            check(cuGraphDebugDotPrint(self.handle, os.fsencode(path), flags), "cuGraphDebugDotPrint")
            with open(path) as file:
                return file.read()

    @property
    def device(self):
        """The device that the graph runs on."""
        return device_at(self.index)

    @property
    def graph(self):
        """The CUgraph handle, an integer."""
        return <uintptr_t>self.handle

    @property
    def graphExec(self):
        """The CUgraphExec handle, an integer."""
        return <uintptr_t>self.executable

    def __len__(self):
        """The number of nodes: kernels, copies and other work."""
        cdef size_t count = 0
        self.queue(None, "__len__")
        check(cuGraphGetNodes(self.handle, <CUgraphNode*>NULL, &count), "cuGraphGetNodes")
        return count

    def __bool__(self):
        return True

    def __repr__(self):
        if self.executable == NULL:
            return "<Graph that has not been captured>"
        return f"<Graph of {len(self)} nodes on cuda:{self.index}>"


def end_capture(Stream stream not None, Graph graph=None):
    """End a capture and return its graph, which may be given empty."""
    cdef object capture = stream.capture
    cdef CUgraph handle = finish_capture(stream)
    graph = Graph.__new__(Graph) if graph is None else graph
    graph.fill(handle, <Capture>capture)
    return graph


class graph:
    """Context manager that captures the work of a block as a graph, instead of running it.

    Parameters
    ----------
    stream : Stream, optional
        The stream that is captured; by default a new one. It is the current stream in the block, and its device
        the current device.
    mode : int, optional
        As for `Stream.begin_capture`.

    Returns
    -------
    Graph
        By ``with``. It can be launched once the block has ended.

    Raises
    ------
    RuntimeError
        If the block does what a graph cannot repeat: waiting for the device, or reading its values on the host. The
        streams are usable afterwards.

    Examples
    --------
    ::

        with gpunp.cuda.graph() as step:
            u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        for _ in range(1000):
            step.launch()
    """

    def __init__(self, stream=None, mode=None):
        self._stream, self._mode = stream, mode

    def __enter__(self):
        if self._stream is None:
            self._stream = make_stream(non_blocking=True)
        self._graph = Graph()
        begin_capture(self._stream, self._mode)
        self._stream.device.__enter__()
        self._stream.__enter__()
        return self._graph

    def __exit__(self, kind, *error):
        try:
            try:
                # Runs what was deferred, which may fail.
                self._stream.__exit__(kind, *error)
            finally:
                self._stream.device.__exit__(kind, *error)
            if kind is None:
                end_capture(self._stream, self._graph)
        finally:
            # After an error the stream must be usable, unless the block has ended the capture itself.
            if (<Stream>self._stream).capture is not None:
                abandon_capture(self._stream)
