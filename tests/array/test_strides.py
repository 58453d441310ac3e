"""Strides of new arrays: dense in the requested order; those of empty arrays are NumPy's."""

import numpy as np
import pytest

import gpunp

MAKERS = {
    "empty": lambda x: np.empty(x.shape, like=x),
    "empty in order F": lambda x: np.empty(x.shape, order="F", like=x),
    "empty_like": np.empty_like,
    "empty_like of the transpose": lambda x: np.empty_like(x.T),
    "empty_like in order F": lambda x: np.empty_like(x, order="F"),
    "zeros_like of another shape": lambda x: np.zeros_like(x.T, shape=x.shape),
    "ndarray": lambda x: type(x)(x.shape),
    "ndarray in order F": lambda x: type(x)(x.shape, order="F"),
    "ndarray over memory": lambda x: type(x)(x.shape, buffer=np.zeros(200, like=x)),
    "ndarray over memory in order F": lambda x: type(x)(x.shape, buffer=np.zeros(200, like=x), order="F"),
    "copy": lambda x: x.copy(),
    "copy in order F": lambda x: x.copy("F"),
    "copy of the transpose": lambda x: x.T.copy("K"),
    "copy of moved axes": lambda x: np.moveaxis(x, 0, -1).copy("K"),
    "astype": lambda x: x.T.astype("f4"),
    "reshape": lambda x: x.reshape((*x.shape[::-1], 1)),
    "reshape in order F": lambda x: x.reshape((*x.shape[::-1], 1), order="F"),
    "add": lambda x: x + 1,
    "add of the transpose": lambda x: x.T + x.T,
    "add of moved axes": lambda x: np.moveaxis(x, 0, -1) + 1,
    "add in order F": lambda x: np.add(x, x, order="F"),
    "sum": lambda x: x.sum(0),
    "sum over moved axes": lambda x: np.moveaxis(x, 0, -1).sum(-1),
    "cumsum": lambda x: x.cumsum(0),
    "concatenate": lambda x: np.concatenate((x, x)),
    "take": lambda x: x.take([], axis=0),
    "index": lambda x: x[np.array([], int)],
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    "shape", [(0,), (3, 0), (2, 0, 3), (0, 4, 5), (2, 3, 0), (5, 0, 0, 2), (2, 3, 4), (1, 4)]
)
def test_new_arrays(maker, shape):
    make = MAKERS[maker]
    assert make(gpunp.zeros(shape)).strides == make(np.zeros(shape)).strides


@pytest.mark.parametrize("shape", [(3, 0), (2, 0, 3), (2, 3)])
@pytest.mark.parametrize("order", "CF")
def test_host_arrays(shape, order):
    host = np.empty(shape, order=order)
    assert gpunp.asarray(host).strides == host.strides
    assert gpunp.asarray(host.T).strides == host.T.strides


def test_sums_over_more_axes_than_a_launch_takes():
    host = np.arange(3.0**12).reshape((3,) * 12)[(slice(None, None, 2),) * 12]
    ours = gpunp.arange(3.0**12).reshape((3,) * 12)[(slice(None, None, 2),) * 12]
    for axis in (0, 5, (1, 4, 7), (0, 2, 4, 6, 8, 10)):
        np.testing.assert_array_equal(gpunp.asnumpy(ours.sum(axis)), host.sum(axis))
        for keepdims in (False, True):
            empty = ours[..., :0].sum(axis, keepdims=keepdims)
            assert empty.shape == host[..., :0].sum(axis, keepdims=keepdims).shape
            assert not any(empty.strides)
