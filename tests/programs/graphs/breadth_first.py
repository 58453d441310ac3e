"""A search in breadth with a queue of Python, on an adjacency matrix."""

from collections import deque

import numpy as np

np.random.seed(5)
n = 100
adjacency = np.random.rand(n, n) < 0.03
adjacency |= adjacency.T
depth = np.full(n, -1)
depth[0] = 0
queue = deque([0])
while queue:
    node = queue.popleft()
    for neighbour in np.nonzero(adjacency[node])[0]:
        if depth[neighbour] < 0:
            depth[neighbour] = depth[node] + 1
            queue.append(neighbour)
print(np.bincount(depth + 1), depth.max())
