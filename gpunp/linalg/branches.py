"""Concurrent work on a second stream beside the caller's."""

import threading

_local = threading.local()


class Branch:
    """A ``with`` block whose first part runs on a second stream, concurrently with the rest.

    The block begins on the second stream, which waits for the work queued on the caller's stream. `leave`
    makes the caller's stream current again; `join` makes it wait for the second stream. At the end of the
    block the second stream waits for the caller's, so that memory allocated on the second stream and freed
    now is not reused before the caller's queued work is done with it. Until then the block must keep
    references to all arrays that both streams use.

    On the CPU device both parts run one after the other.

    Parameters
    ----------
    device : Device
    """

    def __init__(self, device):
        self._inside, self._stream = False, None
        if device.is_cpu:
            return
        from gpunp.cuda.stream import Stream, get_current_stream

        streams = _local.__dict__.setdefault("streams", {})
        # One second stream per thread and device, so that no other thread allocates from its pool.
        if device.index not in streams:
            streams[device.index] = Stream(non_blocking=True, device=device)
        self._caller, self._stream = get_current_stream(device), streams[device.index]

    def __enter__(self):
        if self._stream is None:
            return self
        self._stream.wait_stream(self._caller)
        self._stream.__enter__()
        self._inside = True
        return self

    def leave(self):
        """Make the caller's stream current again."""
        if self._inside:
            self._inside = False
            self._stream.__exit__()

    def join(self):
        """Make the caller's stream wait for the second one."""
        if self._stream is not None:
            self._caller.wait_stream(self._stream)

    def __exit__(self, *exc):
        if self._stream is None:
            return
        self.leave()
        # An error may have left the block before `join`.
        self._caller.wait_stream(self._stream)
        self._stream.wait_stream(self._caller)
