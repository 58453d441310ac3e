"""Densities and variates of the distributions of Wishart: all matrices of a call together."""

import numpy
import scipy.special as sc

import gpunp


def _factors(x):
    """Cholesky factors of points, which are along the last axis, and the logarithms of their determinants."""
    factors = numpy.linalg.cholesky(numpy.moveaxis(x, -1, 0))
    diagonals = numpy.diagonal(factors, axis1=-2, axis2=-1)
    return factors, 2 * numpy.log(diagonals).sum(axis=-1)


def _squared_norms(matrices):
    return (matrices * matrices).sum(axis=(-2, -1))


def wishart_logpdf(self, x, dim, df, *rest):
    """Logarithms of the density; SciPy 1.17 has the scale among the parameters."""
    log_det_scale, factor = rest[-2:]
    factors, log_det = _factors(x)
    trace = _squared_norms(numpy.linalg.solve(gpunp.asarray(factor), factors))
    constant = 0.5 * df * (dim * numpy.log(2) + log_det_scale) + sc.multigammaln(0.5 * df, dim)
    return 0.5 * (df - dim - 1) * log_det - 0.5 * trace - constant


def invwishart_logpdf(self, x, dim, df, log_det_scale, C):
    """Logarithms of the density of the inverse matrices."""
    factors, log_det = _factors(x)
    trace = _squared_norms(numpy.linalg.solve(factors, gpunp.asarray(C)))
    constant = 0.5 * df * (dim * numpy.log(2) - log_det_scale) + sc.multigammaln(0.5 * df, dim)
    return -0.5 * (df + dim + 1) * log_det - 0.5 * trace - constant


def _triangles(shape, dim, degrees, generator):
    """Lower triangular matrices: normal variates, and roots of chi-square variates on the diagonal."""
    lower = numpy.tril(generator.standard_normal((*shape, dim, dim)), -1)
    diagonal = numpy.sqrt(generator.chisquare(gpunp.asarray(degrees, dtype=float), size=(*shape, dim)))
    places = gpunp.arange(dim)
    lower[..., places, places] = diagonal
    return lower


def _squares(matrices):
    return matrices @ numpy.swapaxes(matrices, -1, -2)


def wishart_rvs(self, n, shape, dim, df, C, random_state):
    """Variates by Bartlett's decomposition."""
    generator = self._get_random_state(random_state)
    return _squares(gpunp.asarray(C) @ _triangles(shape, dim, df - numpy.arange(dim), generator))


def invwishart_rvs(self, n, shape, dim, df, C, random_state):
    """Variates by the decomposition of Bartlett, of the inverse matrices."""
    generator = self._get_random_state(random_state)
    factors = _triangles(shape, dim, df - dim + 1 + numpy.arange(dim), generator)
    transposed = numpy.linalg.solve(numpy.swapaxes(factors, -1, -2), gpunp.asarray(C).T)
    return _squares(numpy.swapaxes(transposed, -1, -2))


def cholesky_invwishart_rvs(df, scale, size, random_state):
    """Cholesky factors of variates of the inverse Wishart distribution, for those of a matrix t."""
    from scipy.stats import invwishart

    found = invwishart.rvs(df + scale.shape[0] - 1, scale, size, random_state)
    return numpy.linalg.cholesky(found.reshape(size, *scale.shape))


METHODS = {
    "invwishart_gen": {"_logpdf": invwishart_logpdf, "_rvs": invwishart_rvs},
    "wishart_gen": {"_logpdf": wishart_logpdf, "_rvs": wishart_rvs},
}
