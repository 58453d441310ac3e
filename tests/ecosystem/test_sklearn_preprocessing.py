"""scikit-learn's transformers on device arrays: scalers, label encoders, features, kernels."""

import functools

import numpy as np
import pytest
from estimators import Fit, assert_same, assert_same_model, dataset, dispatch, sklearn, to_device

import gpunp

preprocessing = sklearn.preprocessing
RECORDS = (
    Fit(preprocessing.StandardScaler(), "wine"),
    Fit(preprocessing.StandardScaler(with_mean=False), "digits"),
    Fit(preprocessing.StandardScaler(with_std=False), "diabetes", scaled=True),
    Fit(preprocessing.StandardScaler(), "iris", options={"sample_weight": np.linspace(0.5, 2, 150)}),
    Fit(preprocessing.MinMaxScaler(), "wine"),
    Fit(preprocessing.MinMaxScaler((-1, 2), clip=True), "breast_cancer"),
    Fit(preprocessing.MaxAbsScaler(), "digits"),
    Fit(preprocessing.MaxAbsScaler(clip=True), "iris"),
    Fit(preprocessing.Normalizer("l1"), "iris"),
    Fit(preprocessing.Normalizer("l2"), "digits"),
    Fit(preprocessing.Normalizer("max"), "wine"),
    Fit(preprocessing.Binarizer(threshold=3.0), "digits"),
    Fit(preprocessing.PolynomialFeatures(2), "iris"),
    Fit(preprocessing.PolynomialFeatures((2, 3), interaction_only=True), "iris"),
    Fit(preprocessing.PolynomialFeatures(3, include_bias=False), "iris"),
    Fit(preprocessing.FunctionTransformer(np.sqrt, np.square, check_inverse=False), "wine"),
)
LABELS = {
    "integers": (dataset("iris")[1] * 3 - 1, np.int64),
    "small integers": (dataset("digits")[1], np.int8),
    "floats": (dataset("wine")[1], np.float32),
    "two classes": (dataset("breast_cancer")[1], np.int32),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_transformers(record, dtype, device):
    assert_same_model(record, dtype, device)


@pytest.mark.parametrize("scaler", [preprocessing.StandardScaler(), preprocessing.MinMaxScaler()], ids=str)
def test_missing_values_and_parts(scaler, device):
    X = dataset("wine")[0].copy()
    X[::7, 2] = np.nan
    host, other = sklearn.clone(scaler), sklearn.clone(scaler)
    with dispatch():
        for rows in (slice(0, 50), slice(50, None)):
            host.partial_fit(X[rows])
            other.partial_fit(to_device(X[rows], device))
        assert_same(other.transform(to_device(X, device)), host.transform(X), device)


@pytest.mark.parametrize(
    ("function", "options"),
    [
        ("minmax_scale", {"feature_range": (1, 3)}),
        ("maxabs_scale", {"axis": 1}),
        ("normalize", {"norm": "l1", "axis": 0}),
        ("binarize", {"threshold": 2.0}),
    ],
)
def test_functions(function, options, device):
    X = dataset("wine")[0]
    function = getattr(preprocessing, function)
    with dispatch():
        result = function(to_device(X, device), **options)
    assert_same(result, function(X, **options), device)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_kernel_centerer(dtype, device):
    X = dataset("wine")[0].astype(dtype)
    x = to_device(X, device)
    linear = sklearn.metrics.pairwise.linear_kernel
    with dispatch():
        centerer = preprocessing.KernelCenterer().fit(linear(x))
        assert_same(centerer.K_fit_rows_, np.mean(X @ X.T, axis=0), device, 1e-5)
        result = centerer.transform(linear(x[:10], x))
    expected = preprocessing.KernelCenterer().fit(linear(X)).transform(linear(X[:10], X))
    assert_same(result, expected, device, 1e-9 if dtype == "float64" else 1e-4)


@pytest.mark.parametrize("encoder", [preprocessing.LabelEncoder(), preprocessing.LabelBinarizer()], ids=str)
@pytest.mark.parametrize("name", LABELS)
def test_encoders_of_labels(encoder, name, device):
    labels, dtype = LABELS[name]
    labels = labels.astype(dtype)
    y = to_device(labels, device)
    host = sklearn.clone(encoder).fit(labels)
    expected = host.transform(labels)
    with dispatch():
        other = sklearn.clone(encoder)
        codes = other.fit_transform(y)
        assert_same(codes, expected, device)
        assert_same(other.classes_, host.classes_, device)
        assert_same(other.transform(y[::3]), expected[::3], device)
        back = other.inverse_transform(codes)
    assert_same(back, host.inverse_transform(expected), device)


def test_label_encoder_refuses_unknown_labels(device):
    with dispatch():
        encoder = preprocessing.LabelEncoder().fit(gpunp.asarray([1, 2, 5], device=device))
        with pytest.raises(ValueError, match="previously unseen labels"):
            encoder.transform(gpunp.asarray([1, 3], device=device))


def test_target_encoder_before_the_step_to_the_device(device):
    """Strings are encoded on the host; a step of the pipeline moves the result to the device."""
    rng = np.random.default_rng(0)
    X = rng.choice(["red", "green", "blue"], (200, 2)).astype(object)
    y = (X[:, 0] == "red") * 2.0 + (X[:, 1] == "blue") + rng.normal(size=200)
    pipeline = sklearn.pipeline.make_pipeline(
        preprocessing.TargetEncoder(cv=sklearn.model_selection.KFold(5)),
        preprocessing.FunctionTransformer(functools.partial(gpunp.asarray, device=device)),
        sklearn.linear_model.Ridge(solver="svd"),
    )
    expected = sklearn.clone(pipeline).set_params(functiontransformer=None).fit(X, y)
    with dispatch():
        pipeline.fit(X, y)
        assert_same(pipeline[-1].coef_, expected[-1].coef_, device)
        assert_same(pipeline.predict(X), expected.predict(X), device)
        assert pipeline.score(X, y) == pytest.approx(expected.score(X, y))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_input_that_is_not_finite_is_refused(dtype, device):
    X = dataset("iris")[0].astype(dtype)
    if dtype == "int64":
        with dispatch():
            assert preprocessing.StandardScaler().fit_transform(to_device(X, device)).dtype == "float64"
        return
    for value in (np.nan, np.inf):
        X[3, 1] = value
        with dispatch(), pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
            preprocessing.Normalizer().fit_transform(to_device(X, device))
