"""Work on a stream of its own beside that of the caller."""

import threading

_local = threading.local()


class Branch:
    """Work of a ``with`` block that runs beside the rest of the block, on a second stream.

    The block begins on the second stream, which waits for what the caller's has queued. After `leave` the
    caller's stream is the current one, and after `join` it waits for the second one. At the end the second
    stream waits for the caller's: memory that was allocated there and is freed now is not used again before
    all that the caller has queued is done with it. Until then the block keeps all arrays that both use.

    On the CPU device one follows the other.

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
        # A thread has one of its own, whose memory no other thread hands out.
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
        """Go on on the caller's stream."""
        if self._inside:
            self._inside = False
            self._stream.__exit__()

    def join(self):
        """Let the caller's stream wait for the second one."""
        if self._stream is not None:
            self._caller.wait_stream(self._stream)

    def __exit__(self, *exc):
        if self._stream is None:
            return
        self.leave()
        # After an error the streams may not have been joined.
        self._caller.wait_stream(self._stream)
        self._stream.wait_stream(self._caller)
