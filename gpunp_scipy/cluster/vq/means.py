"""k-means: assignments by the kernel of nearest centroids, means by sums over the observations of a code.

What is random is drawn on the host, as SciPy draws it: the same seed gives the same clusters.
"""

import warnings

import numpy
from scipy.cluster.vq import ClusterError

import gpunp
from gpunp.array.convert import asarray, asnumpy, fetched
from gpunp_scipy.cluster.vq.codes import arrays_of, columns, nearest
from gpunp_scipy.spatial import pairs

_EMPTY = "One of the clusters is empty. Re-run kmeans with a different initialization."


def _generator(name, rng, seed):
    """The source of random numbers that SciPy makes of ``rng`` and of the older ``seed``."""
    if rng is not None:
        if seed is not None:
            raise TypeError(
                f"{name}() got multiple values for argument now known as `rng`. "
                "Specify one of `rng` or `seed`."
            )
        if isinstance(rng, numpy.random.RandomState):
            return rng
        return numpy.random.default_rng(rng)
    if seed is None or seed is numpy.random:
        # The generator behind numpy.random.seed.
        return numpy.random.mtrand._rand
    if isinstance(seed, int | numpy.integer):
        return numpy.random.RandomState(seed)
    if isinstance(seed, numpy.random.RandomState | numpy.random.Generator):
        return seed
    raise ValueError(f"'{seed}' cannot be used to seed a numpy.random.RandomState instance")


def _means(obs, code, k):
    """The means of the observations of each code, zero where there are none, and whether there are."""
    if obs.dtype.char not in "fd":
        raise TypeError("type other than float or double not supported")
    rows = columns(obs)
    n, step = rows.shape[1], pairs.code_columns(k)
    if step:
        parts = [
            pairs.code_sums(rows, code, k, first, min(step, n - first)).sum(axis=0)
            for first in range(0, n, step)
        ]
        counts = parts[0][:, -1]
        sums = numpy.concatenate([part[:, :-1] for part in parts], axis=1)
    else:
        sums = numpy.zeros((k, n), like=rows)
        numpy.add.at(sums, code, rows)
        counts = numpy.bincount(code, minlength=k)
    means = (sums / numpy.maximum(counts, 1)[:, None]).reshape((k, *obs.shape[1:]))
    return means.astype(obs.dtype, copy=False), counts > 0


def _converged(obs, code_book, thresh):
    """Means from a first guess, until the mean distance changes by no more than ``thresh``.

    Waits once in each step.
    """
    change = before = numpy.inf
    while change > thresh:
        code, distance = nearest(obs, code_book)
        mean = distance.mean()
        code_book, has_members = _means(obs, code, code_book.shape[0])
        now, complete = asnumpy(numpy.stack([mean.astype("f8"), has_members.all().astype("f8")])).tolist()
        if not complete:
            code_book = code_book[has_members]
        change, before = abs(before - now), now
    return code_book, nearest(obs, code_book)[1].mean()


def kmeans(obs, k_or_guess, iter=20, thresh=1e-05, check_finite=True, *, rng=None, seed=None):
    """Find centroids of clusters; see `scipy.cluster.vq.kmeans`.

    Waits for the device in each step, to see whether it was the last one.
    """
    (obs,) = arrays_of(obs, check_finite=check_finite)
    with obs.device:
        if isinstance(k_or_guess, gpunp.ndarray) or numpy.size(k_or_guess) != 1:
            (guess,) = arrays_of(k_or_guess, check_finite=check_finite)
        else:
            guess = numpy.asarray(k_or_guess)
        if iter < 1:
            raise ValueError(f"iter must be at least 1, got {iter}")
        if guess.size != 1:
            if guess.size < 1:
                raise ValueError(f"Asked for 0 clusters. Initial book was {guess}")
            return _converged(obs, guess, thresh)
        guess = fetched(guess)
        k = int(guess)
        if k != guess:
            raise ValueError("If k_or_guess is a scalar, it must be an integer.")
        if k < 1:
            raise ValueError(f"Asked for {k} clusters.")
        generator = _generator("kmeans", rng, seed)
        best = None
        for _ in range(iter):
            book, distortion = _converged(obs, _points(obs, k, generator), thresh)
            if best is None or distortion < best[1]:
                best = book, distortion
        return best


def _points(data, k, generator):
    """Some of the observations."""
    places = generator.choice(data.shape[0], size=k, replace=False)
    return numpy.take(data, asarray(places), axis=0)


def _normal(data, k, generator):
    """Normal random numbers with the mean and covariance of the observations."""
    mean = data.mean(axis=0)
    if data.ndim == 1:
        return asarray(generator.standard_normal(size=k)) * numpy.sqrt(numpy.cov(data)) + mean
    if data.shape[1] > data.shape[0]:
        _, s, vh = numpy.linalg.svd(data - mean, full_matrices=False)
        root = s[:, None] * vh / numpy.sqrt(data.shape[0] - 1.0)
    else:
        root = numpy.linalg.cholesky(numpy.atleast_2d(numpy.cov(data.T))).T
    return asarray(generator.standard_normal(size=(k, root.shape[0]))) @ root + mean


def _spread(data, k, generator):
    """Observations far from each other: the first ones of k-means++. Waits for each of them."""
    rows = data if data.ndim == 2 else data[:, None]
    rows = rows.astype("f8", copy=False)
    integers = getattr(generator, "integers", None) or generator.randint
    places = [int(integers(rows.shape[0]))]
    least = None
    for _ in range(1, k):
        squares = numpy.square(rows - rows[places[-1]]).sum(axis=1)
        least = squares if least is None else numpy.minimum(least, squares)
        shares = (least / least.sum()).cumsum()
        places.append(int(numpy.searchsorted(shares, generator.uniform())))
    return numpy.take(data, asarray(places), axis=0).astype("f8", copy=False)


_FIRST = {"random": _normal, "points": _points, "++": _spread}


def _first_book(data, k, minit, rng, seed):
    """The number of clusters, and their first centroids."""
    if isinstance(k, gpunp.ndarray) or numpy.size(k) != 1:
        (book,) = arrays_of(k)
    else:
        book = numpy.asarray(k)
    if data.size < 1 or book.size < 1:
        raise ValueError("Empty input is not supported.")
    if minit == "matrix" or book.size > 1:
        if data.ndim != book.ndim:
            raise ValueError("k array doesn't match data rank")
        if data.ndim > 1 and book.shape[1] != data.shape[1]:
            raise ValueError("k array doesn't match data dimension")
        return book.shape[0], asarray(book)
    count = int(book.item())
    if count < 1:
        raise ValueError(f"Cannot ask kmeans2 for {count} clusters (k was {book})")
    if count != book.item():
        warnings.warn("k was not an integer, was converted.", stacklevel=4)
    if minit not in _FIRST:
        raise ValueError(f"Unknown init method {minit!r}")
    return count, _FIRST[minit](data, count, _generator("kmeans2", rng, seed))


def kmeans2(
    data,
    k,
    iter=10,
    thresh=1e-05,
    minit="random",
    missing="warn",
    check_finite=True,
    *,
    rng=None,
    seed=None,
):
    """Classify observations into k clusters; see `scipy.cluster.vq.kmeans2`.

    Waits once in each iteration, to see whether a cluster is empty.
    """
    if int(iter) < 1:
        raise ValueError(f"Invalid iter ({iter}), must be a positive integer.")
    if missing not in ("warn", "raise"):
        raise ValueError(f"Unknown missing method {missing!r}")
    (data,) = arrays_of(data, check_finite=check_finite)
    if data.ndim not in (1, 2):
        raise ValueError("Input of rank > 2 is not supported.")
    with data.device:
        count, book = _first_book(data, k, minit, rng, seed)
        if check_finite:
            arrays_of(book, check_finite=True)
        for _ in range(int(iter)):
            label, _ = nearest(data, book)
            found, has_members = _means(data, label, count)
            if not has_members.all():
                if missing == "raise":
                    raise ClusterError(_EMPTY)
                warnings.warn(_EMPTY, stacklevel=2)
                keep = has_members.reshape((count,) + (1,) * (data.ndim - 1))
                found = numpy.where(keep, found, book.astype(found.dtype, copy=False))
            book = found
        return book, label
