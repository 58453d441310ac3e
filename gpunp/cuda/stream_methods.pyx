"""Methods of streams that are needed less often: default streams, host functions and captures.

What they call is imported when they are used.
"""
from cuda.bindings.cydriver cimport cuCtxGetStreamPriorityRange

from gpunp.cuda.driver cimport check, index_of, primary_context, use_context

# `gpunp.cuda.host_calls.queue`, once it was used.
cdef object _queue_call = None


cdef int _queue(stream, str who, function, tuple args) except -1:
    global _queue_call
    if _queue_call is None:
        from gpunp.cuda.host_calls import queue
        _queue_call = queue
    _queue_call(stream, who, function, args)
    return 0


cdef class _DefaultStream:
    """Descriptor of ``Stream.null`` and ``Stream.ptds``: a default stream of the current device."""

    cdef bint per_thread

    def __cinit__(self, bint per_thread):
        self.per_thread = per_thread

    def __get__(self, instance, owner):
        return owner.per_thread_default() if self.per_thread else owner.legacy_default()


cdef class StreamMethods:
    """What `gpunp.cuda.Stream` inherits."""

    null = _DefaultStream(False)
    ptds = _DefaultStream(True)

    def add_callback(self, callback, arg=None):
        """Call a Python function once everything queued so far has run.

        Parameters
        ----------
        callback : callable
            Called as ``callback(stream, status, arg)`` in a thread of the driver; the status is 0. It must not call
            functions of CUDA, nor those of gpunp that use a device. Exceptions that it raises are printed.
        arg : object, optional
            Its last argument.

        Raises
        ------
        TypeError
            If ``callback`` is not callable.
        """
        _queue(self, "add_callback", callback, (self, 0, arg))

    def launch_host_func(self, callback, arg=None):
        """Call a Python function once everything queued so far has run; a graph repeats the call.

        Parameters
        ----------
        callback : callable
            Called as ``callback(arg)`` in a thread of the driver. It must not call functions of CUDA, nor those of
            gpunp that use a device. Exceptions that it raises are printed.
        arg : object, optional

        Raises
        ------
        TypeError
            If ``callback`` is not callable.
        """
        _queue(self, "launch_host_func", callback, (arg,))

    def begin_capture(self, mode=None):
        """Record what is queued on the stream from now on, instead of running it, until `end_capture`.

        Parameters
        ----------
        mode : int, optional
            One of ``gpunp.cuda.runtime.streamCaptureModeGlobal`` (0), ``...ThreadLocal`` (1) and ``...Relaxed`` (2,
            the default): what other calls of CUDA are refused meanwhile.

        Raises
        ------
        RuntimeError
            If the stream is the legacy default stream or is being captured already.
        """
        from gpunp.cuda.capture import begin_capture
        begin_capture(self, mode)

    def end_capture(self):
        """End what `begin_capture` began, and return the graph.

        Returns
        -------
        Graph

        Raises
        ------
        RuntimeError
            If the stream is not being captured, or the capture failed. The stream is usable afterwards.
        """
        from gpunp.cuda.graphs import end_capture
        return end_capture(self)

    def is_capturing(self):
        """Whether the stream is being captured, by gpunp or another library.

        Returns
        -------
        bool
        """
        from gpunp.cuda.capture import is_capturing
        return is_capturing(self)

    @staticmethod
    def priority_range(device=None):
        """The lowest and the highest priority, ``(0, -5)`` for example.

        Parameters
        ----------
        device : Device or int, optional
            A CUDA device; by default the current one.

        Returns
        -------
        tuple of int
        """
        cdef int least = 0, greatest = 0
        use_context(primary_context(index_of(device)))
        check(cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange")
        return least, greatest
