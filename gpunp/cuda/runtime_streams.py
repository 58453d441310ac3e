"""Streams, events and graphs, by the names of CUDA's runtime API; all are numbers.

A stream that is created here becomes one for arrays by ``gpunp.cuda.ExternalStream(stream)``.
"""

import os

from gpunp.cuda import driver
from gpunp.cuda.runtime_calls import bindings, call, handle
from gpunp.device import flush_devices
from gpunp.watching import expect_graphs

__all__ = [
    "eventCreate",
    "eventCreateWithFlags",
    "eventDestroy",
    "eventElapsedTime",
    "eventQuery",
    "eventRecord",
    "eventSynchronize",
    "graphDebugDotPrint",
    "graphDestroy",
    "graphExecDestroy",
    "graphInstantiate",
    "graphLaunch",
    "graphUpload",
    "launchHostFunc",
    "streamAddCallback",
    "streamBeginCapture",
    "streamCreate",
    "streamCreateWithFlags",
    "streamCreateWithPriority",
    "streamDestroy",
    "streamEndCapture",
    "streamIsCapturing",
    "streamQuery",
    "streamSynchronize",
    "streamWaitEvent",
]


def streamCreate():
    """Create a stream on the current device.

    Returns
    -------
    int
    """
    return streamCreateWithFlags(0)


def streamCreateWithFlags(flags):
    """Create a stream on the current device.

    Parameters
    ----------
    flags : int
        ``streamDefault`` or ``streamNonBlocking``.

    Returns
    -------
    int
    """
    expect_graphs()
    return int(call("cuStreamCreate", flags))


def streamCreateWithPriority(flags, priority):
    """Create a stream with a priority on the current device.

    Parameters
    ----------
    flags : int
        ``streamDefault`` or ``streamNonBlocking``.
    priority : int
        Lower numbers run first.

    Returns
    -------
    int
    """
    expect_graphs()
    return int(call("cuStreamCreateWithPriority", flags, priority))


def streamDestroy(stream):
    """Destroy a stream; what is queued on it still runs.

    Parameters
    ----------
    stream : int
    """
    call("cuStreamDestroy", handle("CUstream", stream), flush=True)


def streamSynchronize(stream):
    """Wait for what is queued on a stream.

    Parameters
    ----------
    stream : int
    """
    call("cuStreamSynchronize", handle("CUstream", stream), flush=True)


def _query(name, argument):
    """0, or ``errorNotReady``, from a query of the driver; raise for other results."""
    flush_devices()
    driver.make_current()
    (result,) = getattr(bindings(), name)(argument)
    if int(result) not in (0, 600):
        driver.raise_for(int(result), name)
    return int(result)


def streamQuery(stream):
    """Whether what is queued on a stream has run.

    Parameters
    ----------
    stream : int

    Returns
    -------
    int
        0 if it has, else ``errorNotReady``.
    """
    return _query("cuStreamQuery", handle("CUstream", stream))


def streamWaitEvent(stream, event, flags=0):
    """Let a stream wait for an event.

    Parameters
    ----------
    stream, event : int
    flags : int, optional
        0.
    """
    call("cuStreamWaitEvent", handle("CUstream", stream), handle("CUevent", event), flags, flush=True)


def streamAddCallback(stream, callback, arg, flags=0):
    """Call a Python function once what is queued on a stream has run.

    Parameters
    ----------
    stream : int
    callback : callable
        Called as ``callback(stream, status, arg)`` in a thread of the driver.
    arg : object
    flags : int, optional
        0.
    """
    from gpunp.cuda.host_calls import queue
    from gpunp.cuda.stream import ExternalStream

    queue(ExternalStream(stream), "streamAddCallback", callback, (stream, 0, arg))


def launchHostFunc(stream, callback, arg):
    """Call a Python function once what is queued on a stream has run.

    Parameters
    ----------
    stream : int
    callback : callable
        Called as ``callback(arg)`` in a thread of the driver.
    arg : object
    """
    from gpunp.cuda.host_calls import queue
    from gpunp.cuda.stream import ExternalStream

    queue(ExternalStream(stream), "launchHostFunc", callback, (arg,))


def streamBeginCapture(stream, mode=2):
    """Begin the capture of a stream as a graph; memory that gpunp allocates meanwhile is part of the graph.

    Prefer `gpunp.cuda.graph`, whose graph keeps what it needs.

    Parameters
    ----------
    stream : int
    mode : int, optional
        One of the numbers ``streamCaptureMode...``.
    """
    expect_graphs()
    mode = bindings().CUstreamCaptureMode(mode)
    call("cuStreamBeginCapture", handle("CUstream", stream), mode, flush=True)


def streamEndCapture(stream):
    """End the capture of a stream.

    Parameters
    ----------
    stream : int

    Returns
    -------
    int
        The graph.
    """
    return int(call("cuStreamEndCapture", handle("CUstream", stream), flush=True))


def streamIsCapturing(stream):
    """Whether a stream is being captured.

    Parameters
    ----------
    stream : int

    Returns
    -------
    bool
    """
    return int(call("cuStreamIsCapturing", handle("CUstream", stream))) != 0


def eventCreate():
    """Create an event that records the time, on the current device.

    Returns
    -------
    int
    """
    return eventCreateWithFlags(0)


def eventCreateWithFlags(flags):
    """Create an event on the current device.

    Parameters
    ----------
    flags : int
        The sum of numbers ``event...``.

    Returns
    -------
    int
    """
    return int(call("cuEventCreate", flags))


def eventDestroy(event):
    """Destroy an event.

    Parameters
    ----------
    event : int
    """
    call("cuEventDestroy", handle("CUevent", event))


def eventRecord(event, stream):
    """Record an event on a stream.

    Parameters
    ----------
    event, stream : int
    """
    call("cuEventRecord", handle("CUevent", event), handle("CUstream", stream), flush=True)


def eventSynchronize(event):
    """Wait until the work before an event has run.

    Parameters
    ----------
    event : int
    """
    call("cuEventSynchronize", handle("CUevent", event), flush=True)


def eventQuery(event):
    """Whether the work before an event has run.

    Parameters
    ----------
    event : int

    Returns
    -------
    int
        0 if it has, else ``errorNotReady``.
    """
    return _query("cuEventQuery", handle("CUevent", event))


def eventElapsedTime(start, end):
    """Milliseconds between two events.

    Parameters
    ----------
    start, end : int

    Returns
    -------
    float
    """
    return float(call("cuEventElapsedTime", handle("CUevent", start), handle("CUevent", end)))


def graphInstantiate(graph):
    """Make an executable graph.

    Parameters
    ----------
    graph : int

    Returns
    -------
    int
    """
    return int(call("cuGraphInstantiate", handle("CUgraph", graph), 0))


def graphLaunch(graphExec, stream):
    """Launch an executable graph on a stream.

    Parameters
    ----------
    graphExec, stream : int
    """
    call("cuGraphLaunch", handle("CUgraphExec", graphExec), handle("CUstream", stream), flush=True)


def graphUpload(graphExec, stream):
    """Prepare the device for the first launch of an executable graph.

    Parameters
    ----------
    graphExec, stream : int
    """
    call("cuGraphUpload", handle("CUgraphExec", graphExec), handle("CUstream", stream))


def graphDestroy(graph):
    """Destroy a graph.

    Parameters
    ----------
    graph : int
    """
    call("cuGraphDestroy", handle("CUgraph", graph))


def graphExecDestroy(graphExec):
    """Destroy an executable graph.

    Parameters
    ----------
    graphExec : int
    """
    call("cuGraphExecDestroy", handle("CUgraphExec", graphExec))


def graphDebugDotPrint(graph, path, flags=0):
    """Write a file that describes a graph in the language of Graphviz.

    Parameters
    ----------
    graph : int
    path : str
    flags : int, optional
        The sum of numbers of ``CUgraphDebugDot_flags``.
    """
    call("cuGraphDebugDotPrint", handle("CUgraph", graph), os.fsencode(path), flags)
