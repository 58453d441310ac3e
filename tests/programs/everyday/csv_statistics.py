"""A table in a file: written, read, grouped, written again."""

import csv
import io

import numpy as np

rng = np.random.default_rng(3)
names = ["north", "south", "west"]
with open("table.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["station", "day", "value"])
    for day in range(100):
        for name in names:
            writer.writerow([name, day, round(rng.normal(10 + len(name)), 3)])
with open("table.csv", newline="") as file:
    rows = list(csv.DictReader(file))
station = np.array([row["station"] for row in rows])
value = np.array([row["value"] for row in rows], dtype=float)
for name in np.unique(station):
    chosen = value[station == name]
    print(f"{name:>6} {chosen.mean():8.4f} {chosen.std(ddof=1):8.4f} {len(chosen)}")
text = io.StringIO()
np.savetxt(text, value.reshape(-1, 3)[:3], fmt="%.3f", delimiter=";")
print(text.getvalue().strip())
