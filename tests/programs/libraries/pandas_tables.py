"""Data frames from arrays, and arrays from data frames."""

# needs: pandas
import numpy as np
import pandas as pd

rng = np.random.default_rng(1)
n = 500
frame = pd.DataFrame({"group": rng.integers(0, 4, n), "x": rng.normal(size=n), "y": np.linspace(0, 1, n)})
frame["z"] = np.sqrt(np.abs(frame["x"].to_numpy())) + frame["y"].values
print(frame.groupby("group")["z"].mean().round(6).tolist())
print(frame.describe().loc[["mean", "std"]].round(5).to_string())
matrix = frame[["x", "y", "z"]].to_numpy()
print(matrix.shape, np.linalg.norm(matrix, axis=0).round(5))
series = pd.Series(np.arange(600.0), index=np.arange(600) * 2)
print(series.rolling(5).mean().iloc[-1], (series * np.ones(600)).sum(), series[series > np.float64(590)].size)
x = np.linspace(0, 10, 500)
losses = [np.sum((x - k) ** 2) for k in range(3)]
print(
    pd.DataFrame({"loss": losses, "n": [x.argmax()] * 3}).dtypes.astype(str).tolist(),
    pd.cut(x, 4).codes.sum(),
)
print(
    np.asarray(frame["x"])[:2].round(6),
    pd.Index(np.arange(300)).size,
    pd.Series([1, 2]).add(np.ones(2)).tolist(),
)
