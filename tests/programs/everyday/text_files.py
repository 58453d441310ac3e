"""loadtxt, genfromtxt, save, load and savez."""

import numpy as np

np.savetxt("numbers.txt", np.arange(600.0).reshape(200, 3) / 7, header="a b c")
table = np.loadtxt("numbers.txt")
a, b, c = np.loadtxt("numbers.txt", unpack=True)
print(table.shape, np.array_equal(table[:, 1], b), type(a).__name__)
with open("holes.csv", "w") as file:
    file.write("1,2,3\n4,,6\n7,8,\n")
holes = np.genfromtxt("holes.csv", delimiter=",")
print(np.isnan(holes).sum(), np.nanmean(holes, axis=0))
np.save("table.npy", table)
np.savez("both.npz", table=table, small=np.arange(3))
again = np.load("table.npy")
with np.load("both.npz") as archive:
    print(sorted(archive.files), np.array_equal(again, archive["table"]), archive["small"])
table.tofile("raw.bin")
print(np.fromfile("raw.bin").sum() == table.sum(), np.memmap("raw.bin", dtype=float, mode="r").shape)
