"""What scikit-learn requires of an array library: namespaces, devices, conversions; its array API checks."""

import contextlib
import inspect
import warnings

import numpy as np
import pytest
from estimators import assert_same, dataset, dispatch, scaled, sklearn, to_device

import gpunp

array_api = pytest.importorskip("sklearn.utils._array_api")
checks = pytest.importorskip("sklearn.utils.estimator_checks")

PCA = sklearn.decomposition.PCA
Ridge = sklearn.linear_model.Ridge
LinearDiscriminantAnalysis = sklearn.discriminant_analysis.LinearDiscriminantAnalysis
CHECKED = (
    PCA(n_components=2, svd_solver="full"),
    PCA(n_components=0.1, svd_solver="full", whiten=True),
    PCA(n_components=2, svd_solver="covariance_eigh"),
    PCA(n_components=2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0),
    Ridge(solver="svd"),
    sklearn.linear_model.RidgeCV(alphas=[0.1, 1.0]),
    sklearn.linear_model.RidgeClassifier(solver="svd"),
    sklearn.linear_model.RidgeClassifierCV(alphas=[0.1, 1.0]),
    sklearn.linear_model.LogisticRegression(tol=1e-6),
    sklearn.linear_model.PoissonRegressor(),
    LinearDiscriminantAnalysis(),
    sklearn.naive_bayes.GaussianNB(),
    sklearn.kernel_approximation.Nystroem(n_components=5, random_state=0),
    sklearn.mixture.GaussianMixture(init_params="random", random_state=0),
    sklearn.preprocessing.Binarizer(),
    sklearn.preprocessing.KernelCenterer(),
    sklearn.preprocessing.MaxAbsScaler(),
    sklearn.preprocessing.MinMaxScaler(),
    sklearn.preprocessing.Normalizer(),
    sklearn.preprocessing.PolynomialFeatures(),
    sklearn.preprocessing.StandardScaler(),
    sklearn.calibration.CalibratedClassifierCV(sklearn.naive_bayes.GaussianNB(), method="temperature"),
    sklearn.pipeline.make_pipeline(sklearn.preprocessing.StandardScaler(), Ridge(solver="svd")),
    sklearn.model_selection.GridSearchCV(Ridge(solver="svd"), {"alpha": [0.1, 1.0]}, cv=2),
)
ITERATED = ("CalibratedClassifierCV", "GaussianMixture", "LogisticRegression", "PoissonRegressor")
# In scikit-learn 1.9 all array arguments of these must come from one library.
UNMIXED = ("CalibratedClassifierCV", "GaussianNB", "LinearDiscriminantAnalysis")


def name_of(estimator):
    """Return the name of an estimator's class with its parameters."""
    return "".join(repr(estimator).split())


def test_namespace_and_device(device):
    x = gpunp.ones((2, 3), device=device)
    with dispatch():
        assert array_api.get_namespace(x, None, "text") == (gpunp, True)
        assert array_api.device(x, x) == device
        assert array_api.get_namespace_and_device(x) == (gpunp, True, device)
        assert array_api.indexing_dtype(gpunp) == np.int64
        assert array_api.supported_float_dtypes(gpunp, device=device) == (
            gpunp.float64,
            gpunp.float32,
            gpunp.float16,
        )
        assert sklearn.utils.check_array(x) is x
        sklearn.utils.check_consistent_length(x, gpunp.zeros(2, device=device))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            sklearn.utils.check_consistent_length(x, gpunp.zeros(3, device=device))


@pytest.mark.parametrize("char", "?bBhiqQfd")
def test_move_to(char, device):
    host = np.arange(12).reshape(3, 4).astype(char)
    with dispatch():
        moved = array_api.move_to(host, xp=gpunp, device=device)
        assert_same(moved, host, device)
        assert array_api.move_to(moved, xp=gpunp, device=device) is moved
        for view in (moved, moved.T, moved[::-1, ::2], moved[1, 2], moved[:0]):
            back = array_api.move_to(view, xp=np, device="cpu")
            assert type(back) is np.ndarray
            np.testing.assert_array_equal(back, gpunp.asnumpy(view), strict=True)
        first, nothing, last = array_api.move_to(host, None, moved, xp=gpunp, device=device)
    assert nothing is None
    assert last is moved
    assert_same(first, host, device)


def test_read_only_arrays_move(device):
    """Such arrays occur because joblib memory-maps large arrays read-only in its workers."""
    host = np.arange(4.0)
    host.flags.writeable = False
    with dispatch():
        assert_same(array_api.move_to(host, xp=gpunp, device=device), host, device)


def test_move_a_fitted_estimator(device):
    X, y = dataset("iris")
    x, labels = to_device(X, device), to_device(y, device)
    with dispatch():
        model = sklearn.pipeline.make_pipeline(
            sklearn.preprocessing.StandardScaler(), LinearDiscriminantAnalysis()
        ).fit(x, labels)
        expected = gpunp.asnumpy(model.predict_proba(x))
        host = array_api._estimator_with_converted_arrays(model, gpunp.asnumpy)
        assert type(host[-1].coef_) is np.ndarray
        np.testing.assert_allclose(host.predict_proba(X), expected)
        with pytest.raises(ValueError, match="must use the same namespace"):
            host.predict(x)
        back = array_api.move_estimator_to(host, gpunp, device)
        assert back[-1].coef_.device == device
        assert_same(back.predict_proba(x), expected, device)
    # Without array API dispatch it works as a model of NumPy arrays.
    np.testing.assert_allclose(host.predict_proba(X), expected)


def test_without_dispatch_device_arrays_are_refused(device):
    X, y = dataset("iris")
    with pytest.raises(TypeError, match="asnumpy"):
        Ridge().fit(to_device(X, device), to_device(y, device))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("estimator", CHECKED, ids=name_of)
def test_checks_of_scikit_learn(estimator, dtype, device):
    name = type(estimator).__name__
    # The tolerances of that check are too tight for single precision and for iterative solvers.
    values = dtype == "float64" and name not in ITERATED
    checks.check_array_api_input(
        name, estimator, "gpunp", str(device), dtype_name=dtype, check_values=values, check_sample_weight=True
    )


@pytest.mark.parametrize(
    "estimator", [model for model in CHECKED if type(model).__name__ not in UNMIXED], ids=name_of
)
def test_everything_follows_X(estimator, device):
    """Targets and weights are moved to the samples' library and device, in both directions."""
    here = array_api.NamespaceAndDevice("gpunp", str(device))
    host = array_api.NamespaceAndDevice("numpy", None)
    for samples, others in ((here, host), (host, here)):
        checks.check_array_api_mixed_inputs(
            type(estimator).__name__, estimator, X_ns_and_device=samples, other_ns_and_device=others
        )


def test_transfers(device):
    """Models of device arrays refuse host arrays; a prediction fetches one bool, the check for finiteness."""
    X, y = scaled("breast_cancer")
    x, labels = to_device(X, device), to_device(y, device)
    models = (
        PCA(3, svd_solver="full"),
        LinearDiscriminantAnalysis(),
        sklearn.naive_bayes.GaussianNB(),
        sklearn.preprocessing.StandardScaler(),
        sklearn.linear_model.LogisticRegression(C=0.01),
    )
    with dispatch(), gpunp.config.using(host_operands="error"):
        for model in models:
            model.fit(x, labels)
            method = "transform" if hasattr(model, "transform") else "predict_proba"
            before = device.transfer_counts
            getattr(model, method)(x)
            after = device.transfer_counts
            assert after[2] - before[2] == 1, model
            with sklearn.config_context(assume_finite=True):
                getattr(model, method)(x)
            assert device.transfer_counts[2] == after[2], model


def test_every_estimator_that_declares_support_is_checked():
    """Fails if a new version of scikit-learn supports estimators that have no test here."""
    declared = set()
    for name, kind in sklearn.utils.discovery.all_estimators():
        parameters = inspect.signature(kind).parameters.values()
        if any(parameter.default is inspect.Parameter.empty for parameter in parameters):
            continue
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Class .* is deprecated", FutureWarning)
            estimator = kind()
        # Some meta-estimators have no tags unless they wrap an estimator.
        with contextlib.suppress(AttributeError):
            if sklearn.utils.get_tags(estimator).array_api_support:
                declared.add(name)
    assert "PCA" in declared
    # These two accept labels only; test_sklearn_preprocessing.py tests them.
    checked = {type(estimator).__name__ for estimator in CHECKED} | {"LabelEncoder", "LabelBinarizer"}
    assert declared <= checked
