"""What takes the place of ARPACK in SciPy's code: eigenvalues of operators on the device."""

import numpy

import gpunp
from gpunp_scipy.sparse.linalg.krylov import Breakdown, Krylov, reordered

# The order in which eigenvalues of Hermitian operators are wanted.
_HERMITIAN = {
    "LM": lambda w: numpy.argsort(-abs(w), kind="stable"),
    "SM": lambda w: numpy.argsort(abs(w), kind="stable"),
    "LA": lambda w: numpy.argsort(-w, kind="stable"),
    "SA": lambda w: numpy.argsort(w, kind="stable"),
    "BE": lambda w: _from_both_ends(numpy.argsort(w, kind="stable")),
}
# That of others. The imaginary part of real matrices' eigenvalues counts without its sign.
_KEYS = {
    "LM": lambda w: -abs(w),
    "SM": abs,
    "LR": lambda w: -w.real,
    "SR": lambda w: w.real,
    "LI": lambda w: -w.imag,
    "SI": lambda w: w.imag,
}


def _from_both_ends(order):
    """The last, the first, the last but one, and so on."""
    result = numpy.empty_like(order)
    half = (len(order) + 1) // 2
    result[::2], result[1::2] = order[::-1][:half], order[: len(order) // 2]
    return result


def ranked(w, which, real):
    """The order in which eigenvalues are wanted; rounding errors do not part conjugate pairs."""
    key = _KEYS[which](w.real + 1j * abs(w.imag) if real else w)
    scale = numpy.max(abs(key), initial=0) or 1.0
    return numpy.lexsort((-w.imag, -w.real, numpy.round(key / scale, 12)))


class Iteration:
    """The part that both kinds of problems have in common; a base beside SciPy's class of parameters.

    Subclasses have `_decomposed`, `_restarted` and `_extracted`.
    """

    def _start(self):
        """Free what ARPACK would work with, and make the basis."""
        self.v = self.workd = self.workl = None
        start = gpunp.asarray(self.resid).ravel().astype(self.tp, copy=False)
        inner = self.B if self.bmat == "G" else None
        if inner is not None:
            # The first vector has no part that the inner product does not see.
            start = self._step(start, inner(start)).astype(self.tp, copy=False)
        try:
            self.basis = Krylov(self._step, inner, start, self.ncv, self.rng)
        except Breakdown:
            self._fail(-9)

    def _fail(self, info):
        from scipy.sparse.linalg import ArpackError

        raise ArpackError(info, infodict=self.iterate_infodict) from None

    def _step(self, v, image):
        if self.mode == 1:
            return self.OP(v)
        if self.mode == 2:
            return self.OPa(self.OPb(v))
        if self.mode == 5:
            return self.OPa(self.A_matvec(v) + self.sigma * image)
        return self.OPa(image)

    def iterate(self):
        """Extend the basis and restart until the wanted eigenvalues have converged."""
        self._start()
        self.converged = True
        k, size, state = self.k, self.ncv, self.arpack_dict
        tol, eps = state["tol"] if state["tol"] > 0 else self.basis.eps, self.basis.eps
        kept = 0
        for iteration in range(state["maxiter"]):
            try:
                h = self.basis.extend(kept)
            except Breakdown:
                self._fail(-9999)
            self.h, self.coupling = h[:size], h[size, size - 1]
            self._decomposed()
            # Residuals cannot be smaller than the rounding errors of the projection.
            least = 4 * eps * numpy.linalg.norm(self.h)
            limit = numpy.maximum(tol * numpy.maximum(eps ** (2 / 3), abs(self.theta)), least)
            good = self.residuals <= limit
            state["iter"], state["nconv"] = iteration + 1, int(good[:k].sum())
            self.good = good[:k]
            if state["nconv"] == k:
                return
            kept = self._restarted(self._count_kept(int(good[:k].sum())))
        self._raise_no_convergence()

    def _count_kept(self, converged):
        """How many vectors a restart keeps: as ARPACK, more than are wanted once some have converged."""
        return min(self.k + min(converged, (self.ncv - self.k) // 2), self.ncv - 1)

    def extract(self, return_eigenvectors):
        """The converged eigenvalues, and their vectors in columns."""
        chosen = numpy.flatnonzero(self.good)
        values, vectors = self._extracted(chosen, return_eigenvectors)
        return (gpunp.asarray(values), vectors) if return_eigenvectors else gpunp.asarray(values)

    def _after(self, weights, theta):
        """The weights of the vector after the basis that make a step of inverse iteration, or None.

        It removes what the inner product does not see.
        """
        if self.bmat != "G" or self.mode in (1, 2, 5):
            return None
        return self.coupling * weights[-1] / theta


class Hermitian(Iteration):
    """Hermitian operators: the projection is an arrow's head and a tridiagonal matrix."""

    orders = _HERMITIAN

    def _decomposed(self):
        theta, weights = numpy.linalg.eigh(self.h, UPLO="L")
        order = self.orders[self.which](theta)
        self.theta, self.weights = theta[order], weights[:, order]
        self.residuals = abs(self.coupling * self.weights[-1])

    def _restarted(self, count):
        kept = self.weights[:, :count]
        self.basis.restart(kept, self.coupling * kept[-1], numpy.diag(self.theta[:count]))
        return count

    def _values(self, theta):
        sigma = self.sigma
        if self.mode == 3:
            return 1 / theta + sigma
        if self.mode == 4:
            return sigma * theta / (theta - 1)
        if self.mode == 5:
            return sigma * (theta + 1) / (theta - 1)
        return theta

    def _extracted(self, chosen, return_eigenvectors):
        theta, weights = self.theta[chosen], self.weights[:, chosen]
        values = self._values(theta)
        if return_eigenvectors:
            order = numpy.argsort(values, kind="stable")
            weights = weights[:, order]
            vectors = self.basis.combined(weights, self._after(weights, theta[order]))
            return values[order].astype(self.tp), vectors
        if self.mode in (1, 2) and self.which != "BE":
            # ARPACK's order, from the least wanted one.
            return values[::-1].astype(self.tp), None
        return numpy.sort(values).astype(self.tp), None


class ComplexHermitian(Hermitian):
    """The same with the names of parts of the spectrum that general operators have."""

    orders = _HERMITIAN | {"LR": _HERMITIAN["LA"], "SR": _HERMITIAN["SA"]}

    def _values(self, theta):
        return 1 / theta + numpy.real(self.sigma) if self.mode == 3 else theta


class General(Iteration):
    """Other operators: the projection has a Schur form."""

    def _decomposed(self):
        theta, weights = numpy.linalg.eig(self.h)
        theta = theta.astype(complex)
        order = ranked(theta, self.which, self.tp in "fd")
        self.theta, self.weights = theta[order], weights[:, order]
        self.residuals = abs(self.coupling * self.weights[-1])

    def _restarted(self, count):
        def wanted(values):
            chosen = numpy.zeros(len(values), bool)
            chosen[ranked(values, self.which, self.tp in "fd")[:count]] = True
            return chosen

        t, z, count = reordered(self.h, wanted)
        if count == self.ncv:
            count = self._fewer(t, count)
        kept = z[:, :count]
        self.basis.restart(kept, self.coupling * kept[-1], t[:count, :count])
        return count

    @staticmethod
    def _fewer(t, count):
        """One or two vectors fewer, so that a pair is not parted."""
        return count - (2 if t[count - 1, count - 2] != 0 else 1)

    def _extracted(self, chosen, return_eigenvectors):
        theta, weights = self.theta[chosen], self.weights[:, chosen]
        real = self.tp in "fd"
        by_quotient = real and self.mode in (3, 4) and numpy.imag(self.sigma) != 0
        vectors = None
        if return_eigenvectors or by_quotient:
            after = self._after(weights, theta)
            vectors = self.basis.combined(weights.astype(complex), after)
        if by_quotient:
            values = self._quotients(vectors)
        else:
            values = 1 / theta + self.sigma if self.mode == 3 else theta
        return values.astype(self.tp.upper()), vectors

    def _quotients(self, vectors):
        """The Rayleigh quotients of vectors, in columns; waits for the device once."""
        found = []
        for x in vectors.T:
            parts = x.real.copy(), x.imag.copy()
            ax = self.matvec(parts[0]) + 1j * self.matvec(parts[1])
            bx = x if self.bmat == "I" else self.B(parts[0]) + 1j * self.B(parts[1])
            found += [numpy.vdot(x, ax), numpy.vdot(x, bx)]
        found = gpunp.asnumpy(numpy.stack(found)).reshape(-1, 2)
        return found[:, 0] / found[:, 1]
