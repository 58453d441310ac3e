"""Datasets in a file, written and read in parts."""

# needs: h5py
import h5py
import numpy as np

with h5py.File("data.h5", "w") as file:
    file["x"] = np.linspace(0, 1, 1000)
    table = file.create_dataset("table", data=np.arange(1200.0).reshape(30, 40), chunks=True)
    table[3] = np.ones(40) * 5
    table.attrs["scale"] = np.float64(2.5)
with h5py.File("data.h5") as file:
    x = file["x"][:]
    part = file["table"][2:5, ::2]
    print(x.sum(), part.shape, part[1].sum(), file["table"].attrs["scale"], type(x).__name__)
