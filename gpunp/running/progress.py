"""A line on the standard error that says where a long program is, if that is a terminal."""

import sys
import threading
import time

# Seconds until the line appears, and between changes.
_FIRST, _EACH = 5.0, 1.0


class Progress:
    """Shows the time, the current line and the kernels so far, until `end`.

    Parameters
    ----------
    recorder : gpunp.running.lines.Recorder
    stream : file, optional
        By default the standard error.
    first, each : float, optional
        Seconds until the line appears, and between changes.
    """

    def __init__(self, recorder, stream=None, first=_FIRST, each=_EACH):
        self._recorder, self._stream, self._each = recorder, stream or sys.stderr, each
        self._ended, self._shown, self._started = threading.Event(), False, time.monotonic()
        self._thread = None
        if self._stream.isatty():
            self._thread = threading.Thread(target=self._show, args=(first,), daemon=True)
            self._thread.start()

    def _show(self, first):
        wait = first
        while not self._ended.wait(wait):
            wait, self._shown = self._each, True
            lines = [*self._recorder.lines.values()]
            kernels = sum(line.launches for line in lines)
            path, number = self._recorder.place or ("", 0)
            seconds = time.monotonic() - self._started
            name = path.rpartition("/")[2]
            self._stream.write(f"\r\033[Kgpunp: {seconds:.0f} s, {name}:{number}, {kernels} kernels")
            self._stream.flush()

    def end(self):
        """Remove the line."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
