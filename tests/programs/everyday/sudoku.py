"""A puzzle by backtracking, with a board of nine by nine."""

import numpy as np

board = np.array(
    [
        [int(c) for c in row]
        for row in [
            "530070000",
            "600195000",
            "098000060",
            "800060003",
            "400803001",
            "700020006",
            "060000280",
            "000419005",
            "000080079",
        ]
    ]
)


def possible(r, c):
    used = np.union1d(np.union1d(board[r], board[:, c]), board[r // 3 * 3 :, c // 3 * 3 :][:3, :3])
    return np.setdiff1d(np.arange(1, 10), used)


def solve():
    empty = np.argwhere(board == 0)
    if not len(empty):
        return True
    choices = [(len(p), r, c, p) for r, c in empty for p in (possible(r, c),)]
    _, r, c, numbers = min(choices, key=lambda each: each[:3])
    for number in numbers:
        board[r, c] = number
        if solve():
            return True
    board[r, c] = 0
    return False


print(solve())
print("\n".join("".join(map(str, row)) for row in board))
