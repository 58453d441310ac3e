"""scikit-learn's estimators that support the array API, on its bundled datasets."""

import pytest
from estimators import Fit, assert_same_model, sklearn

PCA = sklearn.decomposition.PCA
Ridge = sklearn.linear_model.Ridge
RidgeCV = sklearn.linear_model.RidgeCV
RidgeClassifier = sklearn.linear_model.RidgeClassifier
RidgeClassifierCV = sklearn.linear_model.RidgeClassifierCV
LinearDiscriminantAnalysis = sklearn.discriminant_analysis.LinearDiscriminantAnalysis
GaussianNB = sklearn.naive_bayes.GaussianNB
LogisticRegression = sklearn.linear_model.LogisticRegression
PoissonRegressor = sklearn.linear_model.PoissonRegressor
Nystroem = sklearn.kernel_approximation.Nystroem


def mixture(components, covariance="full", start="random", seed=0):
    """Make a Gaussian mixture whose initial random numbers are the host's."""
    return sklearn.mixture.GaussianMixture(
        components, covariance_type=covariance, init_params=start, random_state=seed
    )


# Iterations that round differently converge to within their own tolerance.
ITERATED = {"rtol": (1e-5, 1e-2), "iterations": True}

RECORDS = (
    Fit(PCA(svd_solver="full"), "wine", scaled=True),
    Fit(PCA(3, svd_solver="full", whiten=True), "iris"),
    Fit(PCA(10, svd_solver="full"), "digits"),
    Fit(PCA(0.9, svd_solver="full"), "breast_cancer", scaled=True),
    Fit(PCA("mle", svd_solver="full"), "iris"),
    Fit(PCA(3, svd_solver="covariance_eigh"), "iris"),
    Fit(PCA(5, svd_solver="covariance_eigh", whiten=True), "wine", scaled=True),
    Fit(PCA(3, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0), "iris"),
    Fit(Ridge(alpha=0.5, solver="svd"), "diabetes"),
    Fit(Ridge(alpha=[2.0], solver="svd", fit_intercept=False), "diabetes"),
    Fit(RidgeCV(alphas=[0.01, 0.1, 1.0, 10.0]), "diabetes"),
    Fit(RidgeCV(alphas=[0.1, 1.0], gcv_mode="svd", store_cv_results=True, alpha_per_target=True), "diabetes"),
    Fit(RidgeClassifier(solver="svd"), "breast_cancer", scaled=True),
    Fit(RidgeClassifier(solver="svd"), "iris"),
    Fit(RidgeClassifierCV(alphas=[0.1, 1.0, 10.0]), "wine", scaled=True),
    Fit(LinearDiscriminantAnalysis(), "iris", signs=("scalings_", "transform")),
    Fit(LinearDiscriminantAnalysis(n_components=2), "wine", signs=("scalings_", "transform"), scaled=True),
    Fit(LinearDiscriminantAnalysis(), "breast_cancer", signs=("scalings_", "transform"), scaled=True),
    Fit(GaussianNB(), "iris"),
    Fit(GaussianNB(var_smoothing=1e-3), "digits"),
    Fit(GaussianNB(priors=[0.2, 0.3, 0.5]), "wine"),
    Fit(LogisticRegression(C=0.01, tol=1e-8), "breast_cancer", scaled=True, **ITERATED),
    Fit(LogisticRegression(tol=1e-8), "iris", scaled=True, **ITERATED),
    Fit(LogisticRegression(C=0.1, class_weight="balanced", tol=1e-8), "wine", scaled=True, **ITERATED),
    Fit(PoissonRegressor(alpha=1.0, tol=1e-6), "diabetes", scaled=True, **ITERATED),
    Fit(Nystroem(gamma=0.1, n_components=20, random_state=0), "wine", scaled=True),
    Fit(Nystroem("polynomial", degree=2, n_components=4, random_state=0), "iris"),
    Fit(mixture(3), "iris", **ITERATED),
    Fit(mixture(3, "tied", "random_from_data", 1), "iris", **ITERATED),
    Fit(mixture(2, "diag"), "wine", scaled=True, **ITERATED),
    Fit(mixture(2, "spherical"), "iris", **ITERATED),
)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_estimators(record, dtype, device):
    assert_same_model(record, dtype, device)
