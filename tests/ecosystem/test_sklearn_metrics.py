"""scikit-learn's metrics that support the array API: scalars are Python floats, arrays stay on the device."""

import functools

import numpy as np
import pytest
from estimators import assert_same, dataset, dispatch, scaled, sklearn, to_device

import gpunp

metrics = sklearn.metrics
partial = functools.partial
# Metrics of classes that also accept label indicators.
LABELS = (
    metrics.accuracy_score,
    metrics.hamming_loss,
    metrics.multilabel_confusion_matrix,
    metrics.zero_one_loss,
    *(
        partial(metric, average=average)
        for metric in (
            metrics.f1_score,
            metrics.jaccard_score,
            metrics.precision_score,
            metrics.recall_score,
            partial(metrics.fbeta_score, beta=0.5),
        )
        for average in ("macro", "micro", "weighted", None)
    ),
    partial(metrics.precision_recall_fscore_support, average="macro"),
)
CLASSES = (
    *LABELS,
    metrics.balanced_accuracy_score,
    metrics.cohen_kappa_score,
    metrics.confusion_matrix,
    partial(metrics.confusion_matrix, normalize="true"),
)
PROBABILITIES = (
    metrics.brier_score_loss,
    metrics.d2_brier_score,
    metrics.d2_log_loss_score,
    metrics.log_loss,
    partial(metrics.log_loss, normalize=False),
)
SCORES = (
    metrics.average_precision_score,
    metrics.det_curve,
    metrics.confusion_matrix_at_thresholds,
    metrics.precision_recall_curve,
    metrics.roc_curve,
    partial(metrics.roc_curve, drop_intermediate=False),
)
REGRESSION = (
    metrics.d2_absolute_error_score,
    partial(metrics.d2_pinball_score, alpha=0.9),
    metrics.explained_variance_score,
    metrics.mean_absolute_error,
    metrics.mean_absolute_percentage_error,
    metrics.mean_pinball_loss,
    metrics.mean_squared_error,
    metrics.mean_squared_log_error,
    metrics.median_absolute_error,
    metrics.r2_score,
    metrics.root_mean_squared_error,
    metrics.root_mean_squared_log_error,
)
DEVIANCES = (
    metrics.d2_tweedie_score,
    metrics.max_error,
    metrics.mean_gamma_deviance,
    metrics.mean_poisson_deviance,
    partial(metrics.mean_tweedie_deviance, power=-0.5),
    partial(metrics.mean_tweedie_deviance, power=1.5),
)
PAIRWISE = (
    metrics.pairwise.additive_chi2_kernel,
    metrics.pairwise.chi2_kernel,
    metrics.pairwise.cosine_distances,
    metrics.pairwise.cosine_similarity,
    metrics.pairwise.euclidean_distances,
    metrics.pairwise.linear_kernel,
    metrics.pairwise.polynomial_kernel,
    metrics.pairwise.rbf_kernel,
    metrics.pairwise.sigmoid_kernel,
    metrics.pairwise.pairwise_distances_argmin,
    *(partial(metrics.pairwise_distances, metric=name) for name in ("cosine", "euclidean")),
    *(partial(metrics.pairwise.pairwise_kernels, metric=name) for name in ("rbf", "poly", "cosine")),
)
# For float32 input scikit-learn returns float64 if it is NumPy's, and float32 otherwise.
MANHATTAN = (
    metrics.pairwise.laplacian_kernel,
    metrics.pairwise.manhattan_distances,
    partial(metrics.pairwise_distances, metric="manhattan"),
)
PAIRED = (
    metrics.pairwise.paired_cosine_distances,
    metrics.pairwise.paired_euclidean_distances,
    metrics.pairwise.paired_manhattan_distances,
)


def name_of(metric):
    """Return the name of a metric with its bound arguments."""
    if not isinstance(metric, partial):
        return metric.__name__
    return f"{metric.func.__name__}-{'-'.join(map(str, metric.keywords.values()))}"


def assert_same_metric(metric, device, *arrays, rtol=1e-9, **options):
    """Assert that the metrics of device and host arrays agree, and that a float stays a Python float."""
    expected = metric(*arrays, **options)
    with dispatch():
        actual = metric(*(to_device(array, device) for array in arrays), **to_device(options, device))
    if isinstance(expected, float):
        assert isinstance(actual, float)
    assert_same(actual, expected, device, rtol, name_of(metric))


@functools.cache
def predictions():
    """Return true classes of wine, predictions of which 30 % are wrong, and sample weights."""
    rng = np.random.default_rng(0)
    truth = dataset("wine")[1]
    wrong = rng.random(truth.size) < 0.3
    return truth, np.where(wrong, (truth + 1) % 3, truth), rng.uniform(0.5, 2, truth.size)


@functools.cache
def probabilities(name):
    """Return classes and the probabilities that a model predicts."""
    X, y = scaled(name)
    model = sklearn.linear_model.LogisticRegression(C=0.001).fit(X, y)
    return y, model.predict_proba(X)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", CLASSES, ids=name_of)
def test_classes(metric, weighted, device):
    truth, predicted, weights = predictions()
    options = {"sample_weight": weights} if weighted else {}
    assert_same_metric(metric, device, truth, predicted, **options)


@pytest.mark.parametrize("metric", LABELS, ids=name_of)
def test_label_indicators(metric, device):
    truth, predicted, _ = predictions()
    indicators = np.stack([truth == 0, truth > 0, truth == 2], 1).astype(int)
    others = np.stack([predicted == 0, predicted > 0, predicted == 1], 1).astype(int)
    assert_same_metric(metric, device, indicators, others)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("metric", PROBABILITIES, ids=name_of)
def test_probabilities(metric, dtype, device):
    rtol = 1e-9 if dtype == "float64" else 1e-5
    y, p = probabilities("wine")
    assert_same_metric(metric, device, y, p.astype(dtype), rtol=rtol)
    y, p = probabilities("breast_cancer")
    weights = np.linspace(0.5, 2, y.size).astype(dtype)
    assert_same_metric(metric, device, y, p[:, 1].astype(dtype), rtol=rtol, sample_weight=weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", SCORES, ids=name_of)
def test_scores(metric, weighted, device):
    y, p = probabilities("breast_cancer")
    options = {"sample_weight": np.linspace(0.5, 2, y.size)} if weighted else {}
    assert_same_metric(metric, device, y, p[:, 1].round(2), **options)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("metric", REGRESSION + DEVIANCES, ids=name_of)
def test_regression(metric, dtype, device):
    rtol = 1e-9 if dtype == "float64" else 1e-5
    y = dataset("diabetes")[1].astype(dtype)
    guess = (y + 20 * np.cos(y)).astype(dtype)
    assert_same_metric(metric, device, y, guess, rtol=rtol)
    if metric is not metrics.max_error:
        weights = np.linspace(0.5, 2, y.size).astype(dtype)
        assert_same_metric(metric, device, y, guess, rtol=rtol, sample_weight=weights)


@pytest.mark.parametrize("multioutput", ["raw_values", "uniform_average"])
@pytest.mark.parametrize("metric", REGRESSION, ids=name_of)
def test_regression_of_several_outputs(metric, multioutput, device):
    X = dataset("wine")[0][:, :4]
    assert_same_metric(metric, device, X, np.abs(X + np.sin(X)), multioutput=multioutput)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("metric", PAIRWISE, ids=name_of)
def test_pairwise(metric, dtype, device):
    X = dataset("iris")[0].astype(dtype)
    rtol = 1e-7 if dtype == "float64" else 2e-3
    assert_same_metric(metric, device, X[:40], X[50:80], rtol=rtol)
    if "argmin" not in name_of(metric):
        assert_same_metric(metric, device, X[:60:3], rtol=rtol)


@pytest.mark.parametrize("metric", PAIRED + MANHATTAN, ids=name_of)
def test_paired_and_manhattan(metric, device):
    X = dataset("iris")[0]
    assert_same_metric(metric, device, X[:50], X[50:100], rtol=1e-7)


def test_clusterings(device):
    X, _ = dataset("iris")
    clusters = (X[:, 2] > 2.5).astype(int) + (X[:, 3] > 1.7)
    assert_same_metric(metrics.calinski_harabasz_score, device, X, clusters)
    assert_same_metric(metrics.davies_bouldin_score, device, X, clusters)


def test_everything_follows_the_predictions(device):
    truth, predicted, weights = predictions()
    expected = metrics.f1_score(truth, predicted, average=None, sample_weight=weights)
    with dispatch():
        moved = metrics.f1_score(truth, to_device(predicted, device), average=None, sample_weight=weights)
        assert_same(moved, expected, device)
        host = metrics.f1_score(to_device(truth, device), predicted, average=None, sample_weight=weights)
    assert type(host) is np.ndarray
    np.testing.assert_allclose(host, expected)


def test_scorers(device):
    X, y = scaled("wine")
    model = sklearn.discriminant_analysis.LinearDiscriminantAnalysis()
    names = ["accuracy", "balanced_accuracy", "f1_macro", "neg_log_loss"]
    with dispatch():
        x, labels = to_device(X, device), to_device(y, device)
        other = sklearn.clone(model).fit(x, labels)
        actual = {name: metrics.get_scorer(name)(other, x, labels) for name in names}
    model.fit(X, y)
    expected = {name: metrics.get_scorer(name)(model, X, y) for name in names}
    assert actual == pytest.approx(expected)
    assert not any(isinstance(value, gpunp.ndarray) for value in actual.values())
