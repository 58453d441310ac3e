"""Estimators of scikit-learn."""

# needs: sklearn
import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
y = X @ np.array([1.0, -2.0, 0.5, 0.0]) + 0.01 * rng.normal(size=300)
model = LinearRegression().fit(X, y)
print(model.coef_.round(3), model.score(X, y) > 0.999)
scaled = StandardScaler().fit_transform(X)
print(np.allclose(scaled.mean(axis=0), 0), np.allclose(scaled.std(axis=0), 1))
a, b, c, d = train_test_split(X, y > 0, random_state=0)
print(a.shape, LogisticRegression().fit(a, c).score(b, d) > 0.9)
print(KMeans(3, n_init=1, random_state=0).fit(X).labels_.shape)
