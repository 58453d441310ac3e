"""Small programs whose order of reads and writes must be kept."""

import numpy as np

import gpunp


def _inputs():
    """Multiples of 1/2: two arrays of shape (4, 6) and a vector of 24 elements."""
    a = np.arange(24.0).reshape(4, 6) % 7 - 1.5
    return a, a[::-1] % 5 + 0.5, np.arange(24.0) % 11 + 0.5


class Hazards(dict):
    """Programs by name: each takes two arrays of shape (4, 6) and a vector, and returns results.

    They compute with small multiples of 1/2, so that all results are exact.
    """

    def __call__(self, program):
        """Register a program."""
        self[program.__name__] = program
        return program

    def run(self, name, arrays):
        """The results of a program, as a tuple."""
        with np.errstate(all="ignore"):
            results = self[name](*arrays)
        return results if isinstance(results, tuple) else (results,)

    def check(self, name):
        """Compare the bits of a program's results with NumPy's."""
        expected = self.run(name, _inputs())
        # A second and a third run find what the first has left, such as kernels.
        for _ in range(3):
            found = self.run(name, [gpunp.asarray(each) for each in _inputs()])
            assert len(found) == len(expected)
            for first, second in zip(expected, found, strict=True):
                if isinstance(first, np.ndarray | np.generic):
                    host = gpunp.asnumpy(second)
                    assert (host.dtype, host.shape) == (first.dtype, first.shape)
                    assert host.tobytes() == np.asarray(first).tobytes(), (host, first)
                else:
                    assert first == second
