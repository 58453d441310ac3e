"""joblib's processes get functions by their value."""

# needs: joblib
# runs: alone
import numpy as np
from joblib import Parallel, delayed


def work(seed, data):
    rng = np.random.default_rng(seed)
    made = np.zeros(500) + rng.random(500)
    return float(made.sum() + data.sum()), isinstance(data, np.ndarray), type(data).__name__


if __name__ == "__main__":
    data = np.linspace(0, 1, 3000)
    for result in Parallel(n_jobs=2)(delayed(work)(seed, data) for seed in range(3)):
        print(result)
