"""Conway's game of life."""

import numpy as np

rng = np.random.default_rng(1)
board = (rng.random((64, 64)) < 0.3).astype(np.int8)
for generation in range(30):
    neighbours = sum(
        np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
    )
    board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(np.int8)
    if generation % 10 == 9:
        print(generation + 1, int(board.sum()))
print("\n".join("".join(".#"[c] for c in row[:30]) for row in board[:5].tolist()))
