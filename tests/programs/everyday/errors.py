"""Exceptions have the types that NumPy's have."""

import numpy as np

a, b = np.zeros((30, 40)), np.ones((40, 30))


def attempt(label, function):
    try:
        function()
    except Exception as error:
        print(label, type(error).__name__)
    else:
        print(label, "no error")


attempt("shapes", lambda: a + b)
attempt("matmul", lambda: a @ a)
attempt("reshape", lambda: a.reshape(7, 7))
attempt("axis", lambda: a.sum(axis=5))
attempt("concatenate", lambda: np.concatenate([a, b]))
attempt("index", lambda: a[100])
attempt("truth", lambda: bool(a))
attempt("float", lambda: float(a))
attempt("int of text", lambda: np.array(["x"]).astype(int))
attempt("name", lambda: np.no_such_function)
attempt("broadcast", lambda: np.broadcast_to(a, (3, 3)))
attempt("squeeze", lambda: np.squeeze(a, axis=0))
attempt("solve", lambda: np.linalg.solve(a, np.ones(30)))
attempt("keyword", lambda: np.zeros(3, nonsense=1))
attempt("split", lambda: np.split(a, 7))
attempt("dtype", lambda: np.zeros(300, dtype="nonsense"))
