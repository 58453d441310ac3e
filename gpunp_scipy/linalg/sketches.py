"""Random projections."""

import numpy

from gpunp.array import layout
from gpunp_scipy.linalg.calls import arrays_of, linalg


@linalg
def clarkson_woodruff_transform(input_matrix, sketch_size, rng=None, *, seed=None):
    """Sketch of a matrix: signed sums of its rows; see `scipy.linalg.clarkson_woodruff_transform`.

    The rows and signs are drawn on the host, as SciPy draws them.
    """
    from scipy.linalg._sketches import cwt_matrix

    a = arrays_of(input_matrix)
    if rng is None and seed is not None:
        rng = seed
    sketch = cwt_matrix(sketch_size, a.shape[-2], rng=rng).tocoo()
    columns = numpy.argsort(sketch.coords[1], kind="stable")
    rows, signs = sketch.coords[0][columns], sketch.data[columns]
    dtype = numpy.result_type(a.dtype, signs.dtype)
    batch = a.shape[:-2]
    found = layout.zeros((sketch_size, *batch, a.shape[-1]), dtype, device=a.device)
    terms = numpy.moveaxis(a, -2, 0) * signs.reshape((-1,) + (1,) * (a.ndim - 1))
    numpy.add.at(found, numpy.asarray(rows, like=found), terms.astype(dtype))
    return layout.converted(numpy.moveaxis(found, 0, -2), order="C")
