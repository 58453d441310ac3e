"""Dates, records, text, objects and masks stay NumPy's."""

from datetime import datetime

import numpy as np

days = np.arange("2024-01-01", "2025-01-01", dtype="datetime64[D]")
weekday = (days.view("int64") - 4) % 7
print(len(days), days[59], (days[1:] - days[:-1]).max(), np.bincount(weekday))
people = np.array(
    [("Ada", 36, 1.65), ("Alan", 41, 1.78)], dtype=[("name", "U10"), ("age", "i4"), ("height", "f8")]
)
print(people["name"], people["age"].mean(), np.sort(people, order="age")[-1])
values = np.linspace(0, 1, 300)
masked = np.ma.masked_where(values > 0.5, values)
print(masked.count(), masked.mean().round(6))
mixed = np.array([1, "two", datetime(2024, 1, 1)], dtype=object)
print(mixed[1], len(mixed), np.char.upper(np.array(["a", "b"])), np.array([1, 2, 3]).astype(str))
temperature = 10 + 8 * np.sin(2 * np.pi * (np.arange(days.size) - 100) / 365)
month = days.astype("datetime64[M]").astype(int) % 12
print([round(float(temperature[month == m].mean()), 3) for m in (0, 6)])
