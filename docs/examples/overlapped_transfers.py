"""A long signal in host memory is filtered piece by piece; copies and work overlap on several streams.

python overlapped_transfers.py --size 100000000
"""

import numpy as np
from side_by_side import check, measure, options, report

import gpunp

PIECES = 16
STREAMS = 4


def work(x):
    """What is computed of each piece."""
    return np.tanh(np.sin(x) * 1.5) + np.sqrt(np.abs(x))


def one_after_the_other(signal, result):
    """Copy a piece, compute, and copy the result back; the device waits for copies."""
    for piece, target in zip(np.split(signal, PIECES), np.split(result, PIECES), strict=True):
        gpunp.asnumpy(work(gpunp.asarray(piece)), out=target)
    return result


def overlapped(signal, result):
    """The same on several streams: while one copies, others compute. The memory is page-locked."""
    if gpunp.get_device().is_cpu:
        # There are streams on CUDA devices only.
        return one_after_the_other(signal, result)
    cuda = gpunp.cuda
    streams = [cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
    pieces, targets = np.split(signal, PIECES), np.split(result, PIECES)
    for i, (piece, target) in enumerate(zip(pieces, targets, strict=True)):
        with streams[i % STREAMS] as stream:
            memory = cuda.alloc(piece.nbytes)
            memory.copy_from_host_async(piece.ctypes.data, piece.nbytes, stream)
            found = work(gpunp.ndarray(piece.shape, piece.dtype, memptr=memory))
            (found.data + 0).copy_to_host_async(target.ctypes.data, target.nbytes, stream)
    for stream in streams:
        stream.synchronize()
    return result


def main():
    arguments = options(__doc__, 1 << 18, "samples")
    size = arguments.size // PIECES * PIECES
    signal, result = gpunp.cuda.pinned_empty(size), gpunp.cuda.pinned_empty(size)
    signal[...] = np.random.default_rng(0).normal(size=size)
    expected, numpys = measure(work, np.array(signal), repeats=arguments.repeats)
    _, plain = measure(one_after_the_other, signal, result, repeats=arguments.repeats)
    result[...] = 0
    found, streams = measure(overlapped, signal, result, repeats=arguments.repeats)
    report(
        f"{size} samples of the host in {PIECES} pieces",
        {"NumPy": numpys, "gpunp, in turn": plain, "gpunp, overlapped": streams},
        difference_from_NumPy=check(gpunp.asarray(found), expected, 1e-12),
    )


if __name__ == "__main__":
    main()
