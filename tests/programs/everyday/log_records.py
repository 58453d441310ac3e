"""A log file read by np.genfromtxt and np.char, sorted and grouped as records."""

import io

import numpy as np

lines = "\n".join(
    f"host{i % 7},2024-03-{1 + i % 28:02d},{i * 37 % 101},{'ok' if i % 3 else 'fail'}" for i in range(200)
)
kind = np.dtype([("host", "U8"), ("day", "M8[D]"), ("ms", "f8"), ("state", "U4")])
table = np.loadtxt(io.StringIO(lines), delimiter=",", dtype=kind)
print(table.shape, table.dtype.names, table[3], table["ms"].mean())
failed = table[table["state"] == "fail"]
print(len(failed), np.unique(failed["host"]), failed["ms"].max(), failed["day"].min())
for host in np.unique(table["host"]):
    mine = table["ms"][table["host"] == host]
    print(
        f"{host:>8} {mine.size:4d} {np.median(mine):8.2f} {np.percentile(mine, 90):8.2f} {np.std(mine):8.3f}"
    )
table.sort(order=["host", "ms"])
print(table[:2], table["ms"][:5])
table["ms"] *= 2
table["state"][table["ms"] > 150] = "slow"
names, counts = np.unique(table["state"], return_counts=True)
print(dict(zip(names.tolist(), counts.tolist())), table["ms"].sum())
upper = np.char.upper(table["host"])
print(
    upper[:2],
    np.char.str_len(upper).sum(),
    np.char.add(upper[:2], "!"),
    np.strings.find(table["host"], "3").max(),
)
months = table["day"].astype("M8[M]")
print(
    np.unique(months),
    (table["day"][1:] - table["day"][:-1]).sum(),
    np.busday_count("2024-03-01", "2024-03-31"),
)
text = io.StringIO()
np.savetxt(text, table["ms"][:40].reshape(8, 5), fmt="%7.2f", header="ms", footer="end")
print(text.getvalue()[:60], np.genfromtxt(io.StringIO(text.getvalue())).sum())
gaps = np.genfromtxt(io.StringIO("1,2,\n4,,6\n7,8,9"), delimiter=",")
print(np.isnan(gaps).sum(), np.nanmean(gaps, axis=0), np.nan_to_num(gaps).sum())
