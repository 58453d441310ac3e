"""A bar of progress around a loop."""

# needs: tqdm
import io

import numpy as np
from tqdm import tqdm, trange

x = np.arange(2000.0)
total = 0.0
for i in trange(10, file=io.StringIO()):
    total += np.sin(x * i).sum()
for row in tqdm(x.reshape(20, 100), file=io.StringIO()):
    total += row.max()
print(f"{total:.6f}")
