"""Distributions of rows: counts of categories, proportions, and correlated normal variates."""

import operator
import warnings

import numpy

from gpunp.array import layout
from gpunp.array.convert import asarray, joined
from gpunp.array.dtype import dtype_code
from gpunp.array.ndarray import ndarray
from gpunp.random.engine import Sampler
from gpunp.random.parameters import COUNT, check_words, common_shape, on_device, on_host
from gpunp.random.places import beside_operands

_FLOAT64 = numpy.dtype(numpy.float64)
_INT64 = dtype_code(numpy.dtype(numpy.int64))


def _rows(size):
    return () if size is None else (size,) if layout.is_integer(size) else tuple(size)


class MultivariateDraws(Sampler):
    """Multivariate distributions: the last axis of the result holds one draw."""

    def _one_row(self, weights):
        """The ``weights`` argument of `sample_rows` for weights shared by all rows."""
        array = asarray(weights, device=self.device)
        if array.dtype != _FLOAT64 or not array.flags.c_contiguous:
            array = layout.converted(array, _FLOAT64, "C")
        return array, 1, 1

    @beside_operands
    def multinomial(self, n, pvals, size=None):
        """Counts of categories in ``n`` trials; see `numpy.random.Generator.multinomial`.

        Parameters
        ----------
        n : int or array_like of ints
        pvals : array_like
            Probabilities, along the last axis.
        size : int or tuple of ints, optional

        Returns
        -------
        ndarray of int64
            The categories are the last axis.
        """
        check_words("multinomial", n=n)
        n = on_host(n)
        pvals = pvals if isinstance(pvals, ndarray) else on_host(pvals)
        if numpy.ndim(pvals) < 1 or pvals.shape[-1] == 0:
            raise ValueError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
            )
        if not isinstance(n, ndarray) and numpy.any(numpy.less(n, 0)):
            raise ValueError("n < 0")
        if not isinstance(pvals, ndarray):
            if not numpy.all((pvals >= 0) & (pvals <= 1)):
                raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
            if numpy.any(pvals[..., :-1].sum(axis=-1) > 1.0 + 1e-12):
                raise ValueError("sum(pvals[..., :-1]) > 1.0")
        batch = pvals.shape[:-1]
        n_shape = n.shape if isinstance(n, ndarray) else numpy.shape(n)
        shape = _rows(size) if not batch and not n_shape else common_shape([n_shape, batch], size)
        length = pvals.shape[-1]
        weights = self._one_row(pvals)
        if batch:
            whole = layout.converted(numpy.broadcast_to(weights[0], (*shape, length)), None, "C")
            weights = whole, 1, max(whole.size // length, 1)
        total = n if type(n) is float else on_device(n, _FLOAT64, shape, self.device)
        return self.sample_rows("random_multinomial", (total, COUNT), weights, _INT64, (*shape, length))

    @beside_operands
    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """Counts of colors in a sample without replacement.

        Parameters
        ----------
        colors : sequence of ints
            The number of elements of each color; the sum must be below 10**9.
        nsample : int
        size : int or tuple of ints, optional
        method : {"marginals", "count"}, optional
            Without effect here.

        Returns
        -------
        ndarray of int64
            The colors are the last axis.
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        try:
            nsample = operator.index(nsample)
        except TypeError:
            raise ValueError("nsample must be an integer") from None
        if nsample < 0:
            raise ValueError("nsample must be nonnegative.")
        if not isinstance(colors, ndarray):
            colors = numpy.asarray(colors)
            if colors.ndim != 1 or (colors.size and (colors.dtype.kind not in "biu" or colors.min() < 0)):
                raise ValueError(
                    "colors must be a one-dimensional sequence of nonnegative integers not exceeding "
                    f"{numpy.iinfo(numpy.int64).max}."
                )
            total = sum(map(int, colors))
            if total >= 10**9:
                raise ValueError('When method is "marginals", sum(colors) must be less than 1000000000.')
            if nsample > total:
                raise ValueError("nsample > sum(colors)")
        elif colors.ndim != 1 or colors.dtype.kind not in "biu":
            raise ValueError("colors must be a one-dimensional sequence of nonnegative integers.")
        return self.sample_rows(
            "random_multivariate_hypergeometric",
            (float(nsample), COUNT),
            self._one_row(colors),
            _INT64,
            (*_rows(size), colors.shape[0]),
        )

    @beside_operands
    def dirichlet(self, alpha, size=None):
        """Proportions that sum to 1; see `numpy.random.Generator.dirichlet`.

        Parameters
        ----------
        alpha : sequence of floats
        size : int or tuple of ints, optional

        Returns
        -------
        ndarray of float64
        """
        alpha = joined(alpha)
        alpha = alpha if isinstance(alpha, ndarray) else numpy.asarray(alpha, _FLOAT64)
        if alpha.ndim != 1:
            raise ValueError(f"alpha must be a one-dimensional sequence, got {alpha.ndim} dimensions")
        if not isinstance(alpha, ndarray) and numpy.any(~(alpha >= 0)):
            raise ValueError("alpha < 0")
        return self.sample_rows(
            "random_dirichlet",
            None,
            self._one_row(alpha),
            dtype_code(_FLOAT64),
            (*_rows(size), alpha.shape[0]),
        )

    @beside_operands
    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Correlated normal variates; see `numpy.random.Generator.multivariate_normal`.

        Parameters
        ----------
        mean : array_like
            One dimension.
        cov : array_like
            A symmetric positive-semidefinite matrix. A host matrix is factored on the host.
        size : int or tuple of ints, optional
        check_valid : {"warn", "raise", "ignore"}, optional
            What to do if ``cov`` is not positive semidefinite. A device matrix is checked only for "raise",
            which waits for the device.
        tol : float, optional
        method : {"svd", "eigh", "cholesky"}, optional

        Returns
        -------
        ndarray of float64
            Of shape ``(*size, len(mean))``.
        """
        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        mean, cov = joined(mean), joined(cov)
        mean = mean if isinstance(mean, ndarray) else numpy.asarray(mean)
        cov = cov if isinstance(cov, ndarray) else numpy.asarray(cov)
        if mean.dtype.kind == "c" or cov.dtype.kind == "c":
            raise TypeError("mean and cov must not be complex")
        mean, cov = mean.astype(_FLOAT64), cov.astype(_FLOAT64)
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        factor, valid = _factor(cov, method, tol)
        wanted = "ignore" if check_valid == "warn" and isinstance(cov, ndarray) else check_valid
        if wanted != "ignore" and not bool(valid()):
            if wanted == "raise":
                raise ValueError("covariance is not symmetric positive-semidefinite.")
            warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=2)
        shape = (*_rows(size), mean.shape[0])
        x = self._fill_normal(0.0, 1.0, shape, _FLOAT64, None, "multivariate_normal")
        x = numpy.matmul(x.reshape((-1, shape[-1])), asarray(factor, device=self.device))
        return x.reshape(shape) + asarray(mean, device=self.device)


def _factor(cov, method, tol):
    """Return the matrix that maps standard normal rows to correlated ones, and a test of the covariance."""
    if method == "cholesky":
        # cholesky itself raises for a matrix that is not positive definite.
        return numpy.linalg.cholesky(cov).T, lambda: True
    if method == "eigh":
        values, vectors = numpy.linalg.eigh(cov)
        return (vectors * numpy.sqrt(abs(values))).T, lambda: (values >= -tol).all()
    _, values, rows = numpy.linalg.svd(cov)
    factor = numpy.sqrt(values)[:, None] * rows
    return factor, lambda: (abs(factor.T @ factor - cov) <= tol + tol * abs(cov)).all()
