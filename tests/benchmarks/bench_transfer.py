"""Copies of 256 MiB between ordinary NumPy arrays and the device."""

import numpy as np
from libraries import host_values
from rows import Rate, Share, row

CHAPTER = "Transfers, 256 MiB"


def transfer(name, title, goal):
    return row(name, title, CHAPTER, goal, "wall", lambda size: size.transfer)


@transfer("upload", "host to device: `gpunp.asarray(host)`", Share(0.60, "pinned up"))
def upload(lib, size):
    host = host_values(size.transfer // 4)
    return lambda: lib.upload(host)


@transfer("download", "device to host: `gpunp.asnumpy(a)`, result dropped", Share(0.60, "pinned down"))
def download(lib, size):
    a = lib.values(size.transfer // 4)
    return lambda: lib.download(a)


@transfer("download_out", "device to host: `gpunp.asnumpy(a, out=host)`", Share(0.60, "pinned down"))
def download_out(lib, size):
    a = lib.values(size.transfer // 4)
    # Written once, so that its pages are mapped.
    host = np.ones(size.transfer // 4, dtype=np.float32)
    if lib.dialect == "torch":
        target = lib.xp.from_numpy(host)
        return lambda: target.copy_(a)
    if lib.dialect == "cupy":
        return lambda: a.get(out=host)
    return lambda: lib.download(a, out=host)


@transfer("download_fresh", "device to host: `gpunp.asnumpy(a)`, results kept", Rate(17e9))
def download_fresh(lib, size):
    a = lib.values(size.transfer // 4)
    kept = []
    return lambda: kept.append(lib.download(a))
