"""Many calls with small arrays, which belong on the host."""

import numpy as np

total = 0.0
point = np.array([1.0, 2.0, 3.0])
rotation = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
for i in range(3000):
    point = rotation @ point
    point = point + np.array([0.001, 0.0, -0.001])
    if i % 100 == 0:
        point = point / np.linalg.norm(point)
    total += float(np.dot(point, np.ones(3)))
print(f"{total:.6f}", point.round(8))
