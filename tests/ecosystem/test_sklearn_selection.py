"""Pipelines, searches, cross-validation and calibration of scikit-learn on device arrays."""

import importlib
import pickle

import numpy as np
import pytest
from estimators import (
    Fit,
    assert_same,
    assert_same_model,
    dataset,
    dispatch,
    scaled,
    sklearn,
    to_device,
    to_host,
)

import gpunp

importlib.import_module("sklearn.experimental.enable_halving_search_cv")
model_selection = sklearn.model_selection
joblib = pytest.importorskip("joblib")
make_pipeline = sklearn.pipeline.make_pipeline
StandardScaler = sklearn.preprocessing.StandardScaler
PCA = sklearn.decomposition.PCA
Ridge = sklearn.linear_model.Ridge
LogisticRegression = sklearn.linear_model.LogisticRegression
LinearDiscriminantAnalysis = sklearn.discriminant_analysis.LinearDiscriminantAnalysis

ITERATED = {"rtol": (1e-5, 1e-2), "iterations": True}
PIPELINES = (
    Fit(make_pipeline(StandardScaler(), PCA(4, svd_solver="full"), Ridge(solver="svd")), "diabetes"),
    Fit(make_pipeline(StandardScaler(), LogisticRegression(C=0.1, tol=1e-8)), "wine", **ITERATED),
    Fit(
        make_pipeline(
            sklearn.preprocessing.MinMaxScaler(),
            sklearn.preprocessing.PolynomialFeatures(2),
            sklearn.linear_model.RidgeClassifier(solver="svd"),
        ),
        "iris",
    ),
    Fit(
        make_pipeline(
            sklearn.preprocessing.MaxAbsScaler(),
            sklearn.kernel_approximation.Nystroem(gamma=0.2, n_components=10, random_state=0),
            LinearDiscriminantAnalysis(),
        ),
        "iris",
        rtol=(1e-6, 2e-2),
        signs=("transform",),
    ),
    Fit(
        sklearn.pipeline.FeatureUnion([("scale", StandardScaler()), ("pca", PCA(2, svd_solver="full"))]),
        "iris",
    ),
)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("record", PIPELINES, ids=["regression", "logistic", "ridge", "kernel", "union"])
def test_pipelines(record, dtype, device):
    assert_same_model(record, dtype, device)


@pytest.mark.parametrize("data", ["breast_cancer", "iris"])
def test_calibration(data, device):
    calibrated = sklearn.calibration.CalibratedClassifierCV(
        LinearDiscriminantAnalysis(), method="temperature", cv=3
    )
    assert_same_model(Fit(calibrated, data, rtol=(1e-5, 1e-2), scaled=True), "float64", device)


def test_calibration_of_a_fitted_model(device):
    X, y = scaled("wine")
    frozen = sklearn.frozen.FrozenEstimator
    expected = sklearn.calibration.CalibratedClassifierCV(
        frozen(LinearDiscriminantAnalysis().fit(X[::2], y[::2])), method="temperature"
    ).fit(X[1::2], y[1::2])
    x, labels = to_device(X, device), to_device(y, device)
    with dispatch():
        model = sklearn.calibration.CalibratedClassifierCV(
            frozen(LinearDiscriminantAnalysis().fit(x[::2], labels[::2])), method="temperature"
        ).fit(x[1::2], labels[1::2])
        result = model.predict_proba(x)
    assert_same(result, expected.predict_proba(X), device, 1e-5)


SEARCHES = {
    "GridSearchCV": lambda: model_selection.GridSearchCV(
        Ridge(solver="svd"), {"alpha": [0.01, 0.1, 1.0, 10.0]}, cv=3
    ),
    "RandomizedSearchCV": lambda: model_selection.RandomizedSearchCV(
        Ridge(solver="svd"), {"alpha": [0.01, 0.1, 1.0, 10.0]}, n_iter=3, cv=3, random_state=0
    ),
    "HalvingGridSearchCV": lambda: model_selection.HalvingGridSearchCV(
        Ridge(solver="svd"), {"alpha": [0.01, 0.1, 1.0, 10.0]}, cv=3, random_state=0
    ),
    "pipeline": lambda: model_selection.GridSearchCV(
        make_pipeline(StandardScaler(), PCA(svd_solver="full"), Ridge(solver="svd")),
        {"pca__n_components": [2, 5], "ridge__alpha": [0.1, 1.0]},
        scoring=["r2", "neg_mean_squared_error"],
        refit="r2",
        cv=3,
    ),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_searches(name, device):
    X, y = dataset("diabetes")
    host, other = SEARCHES[name]().fit(X, y), SEARCHES[name]()
    with dispatch():
        x, target = to_device(X, device), to_device(y, device)
        other.fit(x, target)
        assert_same(other.predict(x), host.predict(X), device)
        assert_same(other.score(x, target), host.score(X, y), device)
    assert other.best_params_ == host.best_params_
    for key, values in host.cv_results_.items():
        if "time" not in key and key != "params":
            np.testing.assert_allclose(np.asarray(other.cv_results_[key], float), np.asarray(values, float))


def test_search_of_a_classifier(device):
    X, y = scaled("wine")
    search = model_selection.GridSearchCV(LogisticRegression(), {"C": [1e-4, 0.1]}, cv=3, scoring="f1_macro")
    expected = sklearn.clone(search).fit(X, y)
    with dispatch():
        x, labels = to_device(X, device), to_device(y, device)
        search.fit(x, labels)
        assert_same(search.predict(x), expected.predict(X), device)
    assert search.best_params_ == expected.best_params_
    assert search.best_score_ == pytest.approx(expected.best_score_)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_val_predict(method, device):
    X, y = scaled("iris")
    model = LinearDiscriminantAnalysis()
    expected = model_selection.cross_val_predict(model, X, y, cv=4, method=method)
    with dispatch():
        x, labels = to_device(X, device), to_device(y, device)
        result = model_selection.cross_val_predict(model, x, labels, cv=4, method=method)
    assert_same(result, expected, device)


def test_cross_validate(device):
    X, y = dataset("diabetes")
    expected = model_selection.cross_validate(Ridge(solver="svd"), X, y, cv=4, return_train_score=True)
    with dispatch():
        x, target = to_device(X, device), to_device(y, device)
        result = model_selection.cross_validate(Ridge(solver="svd"), x, target, cv=4, return_train_score=True)
        scores = model_selection.cross_val_score(Ridge(solver="svd"), x, target, cv=4)
    for key in ("test_score", "train_score"):
        np.testing.assert_allclose(result[key], expected[key])
    np.testing.assert_allclose(scores, expected["test_score"])


@pytest.mark.parametrize("options", [{}, {"shuffle": False}, {"stratify": True}], ids=str)
def test_train_test_split(options, device):
    X, y = dataset("wine")
    x, labels = to_device(X, device), to_device(y, device)
    stratify = "stratify" in options
    options = {"random_state": None if "shuffle" in options else 0, **options}
    host = {**options, "stratify": y} if stratify else options
    expected = model_selection.train_test_split(X, y, test_size=0.3, **host)
    with dispatch():
        if stratify:
            options["stratify"] = labels
        result = model_selection.train_test_split(x, labels, test_size=0.3, **options)
    assert_same(result, expected, device)


@pytest.mark.parametrize(
    "splitter", [model_selection.KFold(3), model_selection.StratifiedKFold(3, shuffle=True, random_state=0)]
)
def test_splitters(splitter, device):
    X, y = dataset("iris")
    expected = list(splitter.split(X, y))
    with dispatch():
        result = list(splitter.split(to_device(X, device), to_device(y, device)))
    for parts, others in zip(result, expected, strict=True):
        for part, other in zip(parts, others, strict=True):
            np.testing.assert_array_equal(to_host(part), other)


def test_curves(device):
    X, y = dataset("diabetes")
    for curve, options in (
        (model_selection.learning_curve, {"train_sizes": [0.3, 1.0]}),
        (model_selection.validation_curve, {"param_name": "alpha", "param_range": [0.01, 1.0]}),
    ):
        expected = curve(Ridge(solver="svd"), X, y, cv=3, **options)
        with dispatch():
            actual = curve(Ridge(solver="svd"), to_device(X, device), to_device(y, device), cv=3, **options)
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, other)


def test_models_are_saved_and_loaded(device, tmp_path):
    X, y = scaled("wine")
    x = to_device(X, device)
    with dispatch():
        model = LinearDiscriminantAnalysis().fit(x, to_device(y, device))
        expected = gpunp.asnumpy(model.predict_proba(x))
        joblib.dump(model, tmp_path / "model")
        for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model")):
            assert_same(copy.predict_proba(x), expected, device)


def test_steps_of_a_pipeline_are_cached(device, tmp_path):
    X, y = dataset("diabetes")
    x, target = to_device(X, device), to_device(y, device)
    steps = [("pca", PCA(3, svd_solver="full")), ("ridge", Ridge(solver="svd"))]
    with dispatch():
        expected = gpunp.asnumpy(sklearn.pipeline.Pipeline(steps).fit(x, target).predict(x))
        cached = sklearn.pipeline.Pipeline(steps, memory=str(tmp_path))
        for _ in range(2):
            assert_same(cached.fit(x, target).predict(x), expected, device)
