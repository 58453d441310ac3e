"""Distance transforms, compared with SciPy."""

import inspect

import numpy as np
import pytest

import gpunp

ndimage = pytest.importorskip("scipy.ndimage")
from gpunp_scipy import ndimage as ours  # noqa: E402 - after the check that SciPy is installed

SHAPES = (
    *((1,), (9,), (300,), (1, 7), (7, 1), (20, 30), (65, 130), (64, 64), (200, 3)),
    *((4, 5, 6), (2, 70, 66), (3, 4, 5, 6)),
)
# SciPy's functions without the wrapper, whose array API mode copies arrays for results.
EDT, CDT, BF = (
    inspect.unwrap(getattr(ndimage, f"distance_transform_{name}")) for name in ("edt", "cdt", "bf")
)


def images(rng, shape):
    """Images with much background, with little, and with one pixel or none of it."""
    for share in (0.3, 0.9, 0.99):
        yield rng.random(shape) < share
    image = np.ones(shape, int)
    yield image
    image = image.copy()
    image.flat[rng.integers(image.size)] = 0
    yield image


def lengths(places, metric, sampling=None):
    """The distance of each pixel from the place that a transform found for it."""
    scale = np.ones(len(places)) if sampling is None else np.broadcast_to(sampling, len(places))
    steps = np.abs(places - np.indices(places.shape[1:])) * scale.reshape((-1,) + (1,) * (places.ndim - 1))
    if metric == "euclidean":
        return np.sqrt((steps**2).sum(0))
    return steps.sum(0) if metric == "taxicab" else steps.max(0)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_euclidean(shape, rng):
    for image in images(rng, shape):
        device = gpunp.asarray(image)
        distances, places = ours.distance_transform_edt(device, return_indices=True)
        expected, expected_places = EDT(image, return_indices=True)
        assert (distances.dtype, places.dtype) == (expected.dtype, expected_places.dtype)
        np.testing.assert_array_equal(distances.get(), expected)
        np.testing.assert_array_equal(places.get(), expected_places)
        np.testing.assert_array_equal(ours.distance_transform_edt(device).get(), expected)
        places = ours.distance_transform_edt(device, return_distances=False, return_indices=True)
        np.testing.assert_array_equal(places.get(), expected_places)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sampling(shape, rng):
    for image in images(rng, shape):
        for sampling in (0.3, 2, list(rng.uniform(0.2, 3, len(shape))), np.full(len(shape), 4)):
            actual, places = ours.distance_transform_edt(gpunp.asarray(image), sampling, return_indices=True)
            expected = EDT(image, sampling)
            np.testing.assert_allclose(actual.get(), expected, rtol=1e-14)
            np.testing.assert_allclose(lengths(places.get(), "euclidean", sampling), expected, rtol=1e-14)
            if np.all(image):
                continue
            actual = ours.distance_transform_bf(gpunp.asarray(image), "Euclidean", sampling)
            np.testing.assert_allclose(actual.get(), expected, rtol=1e-14)


def test_long_lines(rng):
    for shape in ((40_000,), (1, 40_000), (2, 30_000), (33_000, 2)):
        image = rng.random(shape) < 0.9999
        image.flat[0] = 0
        expected, expected_places = EDT(image, return_indices=True)
        distances, places = ours.distance_transform_edt(gpunp.asarray(image), return_indices=True)
        np.testing.assert_array_equal(distances.get(), expected)
        np.testing.assert_array_equal(places.get(), expected_places)


@pytest.mark.parametrize("metric", ["taxicab", "chessboard"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_chamfer(shape, metric, rng):
    for image in images(rng, shape):
        device = gpunp.asarray(image)
        expected, expected_places = CDT(image, metric, return_indices=True)
        structure = ndimage.generate_binary_structure(len(shape), 1 if metric == "taxicab" else len(shape))
        for chosen in (metric, structure, gpunp.asarray(structure)):
            distances, places = ours.distance_transform_cdt(device, chosen, return_indices=True)
            assert (distances.dtype, places.dtype) == (expected.dtype, expected_places.dtype)
            np.testing.assert_array_equal(distances.get(), expected)
            found = lengths(places.get(), metric)
            np.testing.assert_array_equal(found, 0 * expected if np.all(image) else expected)
        np.testing.assert_array_equal(ours.distance_transform_cdt(device, metric).get(), expected)
    assert ours.distance_transform_cdt(device, "manhattan").get().tolist() == CDT(image, "cityblock").tolist()


@pytest.mark.parametrize("shape", [(30,), (12, 17), (5, 6, 7)], ids=str)
def test_chamfer_of_any_structure(shape, rng):
    for _ in range(8):
        structure = rng.random((3,) * len(shape)) < 0.4
        for image in images(rng, shape):
            distances, places = ours.distance_transform_cdt(
                gpunp.asarray(image), structure, return_indices=True
            )
            expected, expected_places = CDT(image, structure, return_indices=True)
            np.testing.assert_array_equal(distances.get(), expected)
            # Where there are several places, SciPy's depends on its order.
            there = tuple(places.get())
            reached = expected > 0
            assert not image[there][reached].any()
            np.testing.assert_array_equal(places.get()[:, ~reached], expected_places[:, ~reached])


@pytest.mark.parametrize("metric", ["euclidean", "taxicab", "chessboard"])
@pytest.mark.parametrize("shape", [(9,), (12, 17), (5, 6, 7)], ids=str)
def test_brute_force(shape, metric, rng):
    for image in images(rng, shape):
        for sampling in (None, 2.0, [1, 0.5, 1.5][: len(shape)]):
            expected = BF(image, metric, sampling)
            actual = ours.distance_transform_bf(gpunp.asarray(image), metric, sampling)
            assert actual.dtype == expected.dtype
            np.testing.assert_allclose(actual.get(), expected, rtol=1e-14)
        distances, places = ours.distance_transform_bf(gpunp.asarray(image), metric, return_indices=True)
        if np.all(image) or metric != "chessboard":
            np.testing.assert_array_equal(places.get(), BF(image, metric, return_indices=True)[1])
        else:
            np.testing.assert_allclose(lengths(places.get(), metric), distances.get(), rtol=1e-14)


@pytest.mark.parametrize("char", "?bBhHiIlLefdFD")
def test_dtypes_and_layouts(char, rng):
    image = (rng.integers(0, 4, (20, 30)) - 1).astype(char)
    image[image == 1] = 0
    device = gpunp.asarray(image)
    for arrange in (lambda a: a, lambda a: a.T, lambda a: a[::-1, ::3], lambda a: a.copy(order="F")):
        actual, expected = ours.distance_transform_edt(arrange(device)), EDT(arrange(image))
        np.testing.assert_array_equal(actual.get(), expected)
        np.testing.assert_array_equal(ours.distance_transform_cdt(arrange(device)).get(), CDT(arrange(image)))


def test_given_outputs(rng):
    image = rng.random((6, 7)) < 0.7
    device = gpunp.asarray(image)
    cases = (
        (ours.distance_transform_edt, EDT, np.float64),
        (ours.distance_transform_cdt, CDT, np.int32),
        (ours.distance_transform_bf, BF, np.float64),
    )
    for function, reference, dtype in cases:
        distances, places = gpunp.empty((6, 7), dtype), gpunp.empty((2, 6, 7), np.int32)
        assert function(device, distances=distances, return_indices=True, indices=places) is None
        np.testing.assert_array_equal(distances.get(), reference(image))
        distances[...] = 0
        result = function(device, distances=distances, return_indices=True)
        np.testing.assert_array_equal(result.get(), places.get())
        np.testing.assert_array_equal(distances.get(), reference(image))
        for name, shape, char in (
            ("distances", (6, 7), "f"),
            ("distances", (7, 6), dtype),
            ("indices", (2, 6, 7), "l"),
            ("indices", (6, 7), "i"),
        ):
            error = ValueError if reference is CDT else RuntimeError
            arguments = {name: gpunp.empty(shape, char), "return_indices": True}
            with pytest.raises(error, match=r"must be|wrong shape"):
                function(device, **arguments)
        with pytest.raises(RuntimeError, match="at least one"):
            function(device, return_distances=False)
        with pytest.raises(RuntimeError, match="return_indices must be True"):
            function(device, indices=places)
        with pytest.raises(RuntimeError, match="return_distances must be True"):
            function(device, return_distances=False, return_indices=True, distances=distances)
        with pytest.raises(TypeError, match="must be a device array"):
            function(device, distances=np.empty((6, 7)))


def test_refused_metrics_and_samplings():
    image = gpunp.ones((3, 4))
    with pytest.raises(ValueError, match="invalid metric"):
        ours.distance_transform_cdt(image, "euclidean")
    with pytest.raises(ValueError, match="equal to 3"):
        ours.distance_transform_cdt(image, np.ones((3, 2)))
    with pytest.raises(ValueError, match="dimensions"):
        ours.distance_transform_cdt(image, np.ones((3, 3, 3)))
    with pytest.raises(RuntimeError, match="not supported"):
        ours.distance_transform_bf(image, "other")
    with pytest.raises(RuntimeError, match="length equal to input rank"):
        ours.distance_transform_edt(image, (1, 2, 3))


def test_images_without_elements_or_dimensions():
    for shape in ((0,), (0, 3), (2, 0)):
        image = np.ones(shape)
        for function, reference in ((ours.distance_transform_edt, EDT), (ours.distance_transform_bf, BF)):
            for one, other in zip(
                function(gpunp.asarray(image), return_indices=True),
                reference(image, return_indices=True),
                strict=True,
            ):
                assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert ours.distance_transform_cdt(gpunp.asarray(image)).shape == shape
    for value in (0.0, 3.0):
        np.testing.assert_array_equal(
            ours.distance_transform_edt(gpunp.asarray(value)).get(), EDT(np.asarray(value))
        )
        np.testing.assert_allclose(
            ours.distance_transform_bf(gpunp.asarray(value)).get(), BF(np.asarray(value))
        )
