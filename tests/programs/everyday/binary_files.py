"""Arrays in files: npy, npz, memory maps, raw bytes and pickles."""

import os
import pickle
import tempfile
import zipfile

import numpy as np

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
a = np.arange(240.0).reshape(12, 20)
np.save("a.npy", a)
b = np.load("a.npy")
print(np.array_equal(a, b), b.dtype, b.flags.writeable)
np.savez("all.npz", a, first=a[0], flags=a > 100)
with np.load("all.npz") as archive:
    print(
        sorted(archive.files),
        archive["first"].sum(),
        archive["flags"].sum(),
        "arr_0" in archive,
        len(archive),
    )
    parts = {name: archive[name] for name in archive}
parts["first"] += 1
np.savez_compressed("more.npz", **parts)
print(zipfile.ZipFile("more.npz").namelist(), np.load("more.npz")["first"][:3])
m = np.memmap("map.dat", dtype="f8", mode="w+", shape=(30, 8))
m[:] = np.arange(240.0).reshape(30, 8)
m[3] *= 2
m.flush()
del m
r = np.memmap("map.dat", dtype="f8", mode="r", shape=(30, 8))
print(r[3], r.sum(), type(r).__name__, r.mean(axis=0)[:3], np.sqrt(r).max())
try:
    r[0] = 1
except ValueError as error:
    print("ValueError", str(error)[:30])
c = np.memmap("map.dat", dtype="f8", mode="c", shape=(30, 8))
c += 1
print(c.sum() - r.sum())
n = np.load("a.npy", mmap_mode="r+")
n[0, :5] = -1
n.flush()
print(np.load("a.npy")[0, :6], np.fromfile("map.dat")[:3], os.path.getsize("a.npy"))
a.tofile("raw.bin")
print(np.fromfile("raw.bin", dtype="<f8", count=5, offset=16), np.fromfile("raw.bin", np.uint8).size)
with open("two.npy", "wb") as file:
    np.save(file, a[:2])
    np.save(file, np.arange(50, dtype=np.int16))
with open("two.npy", "rb") as file:
    print(np.load(file).shape, np.load(file).dtype)
with open("x.pkl", "wb") as file:
    pickle.dump({"a": a, "sum": a.sum(), "shape": a.shape}, file)
with open("x.pkl", "rb") as file:
    back = pickle.load(file)
print(
    type(back["a"]) is np.ndarray,
    back["sum"],
    np.array_equal(back["a"], a),
    a.tobytes() == back["a"].tobytes(),
)
try:
    np.load("raw.bin")
except ValueError as error:
    print(type(error).__name__)
u = np.lib.format.open_memmap("open.npy", mode="w+", dtype=np.float32, shape=(40,))
u[:] = np.linspace(0, 1, 40)
u.flush()
print(np.load("open.npy")[-1], np.load("open.npy").dtype)
os.chdir("/")
folder.cleanup()
