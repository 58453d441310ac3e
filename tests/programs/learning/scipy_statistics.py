"""Tests and distributions of scipy.stats."""

# needs: scipy
import numpy as np
from scipy import spatial, stats

rng = np.random.default_rng(77)
a, b = rng.normal(0, 1, 400), rng.normal(0.3, 1, 400)
t = stats.ttest_ind(a, b)
print(f"{t.statistic:.6f} {t.pvalue:.3e}")
print(f"{stats.pearsonr(a, b).statistic:.6f} {stats.skew(a):.6f} {stats.kurtosis(b):.6f}")
print(stats.norm.cdf(np.linspace(-2, 2, 5)).round(6))
tree = spatial.cKDTree(np.column_stack([a, b]))
distance, index = tree.query([[0.0, 0.0], [1.0, 1.0]], k=2)
print(distance.round(6), index)
