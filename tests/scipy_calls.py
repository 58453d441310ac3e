"""Calls of the functions that SciPy's capability table lists for any array library, for tests/ecosystem."""

import numpy as np

_RANDOM = np.random.default_rng(7)
A = _RANDOM.normal(size=(40, 3))
B = _RANDOM.normal(0.3, 1.2, size=(40, 3))
POSITIVE = _RANDOM.gamma(2.0, size=(40, 3))
SMALL = np.array([8.0, 2.5, 3.25, 3.0, 1.125, 4.5, 0.5, 6.0, 7.5, 2.0])
COUNTS = np.array([[16.0, 18, 16, 14, 12, 12], [32, 24, 16, 28, 20, 24]])
INTEGERS = _RANDOM.integers(0, 5, (30, 2))
PVALUES = np.array([0.01, 0.2, 0.04, 0.5, 0.001])
TIME = np.linspace(0, 1, 65)
SIGNAL = np.sin(20 * TIME) + 0.25 * np.cos(90 * TIME)
COMPLEX = A + 1j * B
X = np.array([0.25, 0.5, 1.5, 3.0])
Y = np.array([1.0, 0.75, 2.0, 2.5])
LINKAGE = np.array([[0.0, 1, 0.5, 2], [2, 3, 0.75, 2], [4, 5, 1.5, 4]])


class Call:
    """Arguments of a call; with `xp` the function creates arrays and receives the library as an argument."""

    def __init__(self, *args, xp=False, **kwargs):
        self.args, self.kwargs, self.xp = args, kwargs, xp


def _all(names, *args, **kwargs):
    return {name: Call(*args, **kwargs) for name in names.split()}


def _mean(x, axis=-1):
    from scipy._lib._array_api import array_namespace

    return array_namespace(x).mean(x, axis=axis)


def _difference(x, y, axis=-1):
    return _mean(x, axis) - _mean(y, axis)


_STATS = {
    **_all(
        "circmean circstd circvar describe differential_entropy directional_stats iqr kstat kstatvar "
        "kurtosis median_abs_deviation moment sem skew tmean tstd tvar tsem variation zscore jarque_bera "
        "kurtosistest normaltest skewtest rankdata obrientransform",
        A,
    ),
    **_all(
        "alexandergovern bartlett fligner friedmanchisquare kruskal", *SMALL.reshape(2, 5), SMALL[:5] ** 2
    ),
    **_all("gmean gstd gzscore hmean", POSITIVE),
    **_all("epps_singleton_2samp mood cramervonmises_2samp", A[:, 0], B[:, 0]),
    "cramervonmises": Call(SMALL, "norm"),
    **_all("siegelslopes theilslopes chatterjeexi", A[:12, 0], B[:12, 0]),
    **_all("chisquare power_divergence", COUNTS, axis=1),
    **_all("cumfreq relfreq", SMALL, numbins=4),
    **_all("tmin tmax", A, 0.1),
    "bootstrap": Call((SMALL,), _mean, n_resamples=50, batch=25, rng=1, method="percentile"),
    "bws_test": Call(SMALL[:5], SMALL[5:]),
    "boxcox_llf": Call(0.5, POSITIVE),
    "yeojohnson_llf": Call(0.5, A),
    "entropy": Call(POSITIVE, POSITIVE[::-1]),
    "estimated_cdf": Call(A[:, 0], B[:5, 0]),
    "expectile": Call(SMALL, 0.25),
    "false_discovery_control": Call(PVALUES),
    "mode": Call(INTEGERS),
    "monte_carlo_test": Call(SMALL, lambda size: np.zeros(size), _mean, n_resamples=9),
    "permutation_test": Call((SMALL[:5], SMALL[5:]), _difference, n_resamples=60, rng=1, vectorized=True),
    "pmean": Call(POSITIVE, 1.5),
    "quantile": Call(A, np.array([[0.25], [0.75]]), axis=0),
    "shapiro": Call(SMALL),
    "sigmaclip": Call(np.concatenate([SMALL, [400.0]]), 2.0, 2.0),
    "trim_mean": Call(A, 0.1),
    "zmap": Call(A, B),
}
_SIGNAL = {
    **_all(
        "barthann bartlett blackman blackmanharris bohman boxcar cosine exponential flattop hamming hann "
        "lanczos nuttall parzen taylor triang tukey",
        16,
        xp=True,
    ),
    **_all("buttap besselap", 3, xp=True),
    **_all("iirnotch iirpeak iircomb", 0.25, 30.0, xp=True),
    **_all("envelope hilbert", SIGNAL),
    "abcd_normalize": Call(A[:3], A[:3, :1], A[:2], A[:2, :1]),
    "cheb1ap": Call(3, 1.0, xp=True),
    "cheb2ap": Call(3, 30.0, xp=True),
    "chebwin": Call(16, 60.0, xp=True),
    "choose_conv_method": Call(SIGNAL, SMALL),
    "ellipap": Call(3, 1.0, 30.0, xp=True),
    "freqz_zpk": Call(np.array([0.5]), np.array([0.25, -0.25]), 1.0, 32),
    "gammatone": Call(440, "iir", fs=16000, xp=True),
    "gauss_spline": Call(X, 3),
    "gaussian": Call(16, 3.0, xp=True),
    "general_cosine": Call(16, np.array([0.5, 0.3, 0.2])),
    "general_gaussian": Call(16, 1.5, 3.0, xp=True),
    "general_hamming": Call(16, 0.6, xp=True),
    "get_window": Call(("kaiser", 4.0), 16, xp=True),
    "hilbert2": Call(A),
    "kaiser": Call(16, 5.0, xp=True),
    "kaiser_bessel_derived": Call(16, 5.0, xp=True),
    "savgol_coeffs": Call(7, 2, xp=True),
    "sawtooth": Call(TIME, 0.5),
    "square": Call(TIME * 20, 0.3),
}
_FFT = {
    **_all("fft ifft fft2 ifft2 fftn ifftn hfft hfft2 hfftn irfft irfft2 irfftn fftshift ifftshift", COMPLEX),
    **_all("rfft rfft2 rfftn ihfft ihfft2 ihfftn", A),
    **_all("fftfreq rfftfreq", 9, 0.5, xp=True),
    **_all("fht ifht", SMALL[:8], 0.1, 0.5),
}
_SPECIAL = {
    **_all(
        "entr erf erfc expit gammaln i0 i0e i1 i1e log_ndtr ndtr psi zeta softmax log_softmax logsumexp",
        POSITIVE,
    ),
    **_all("erfinv logit ndtri", PVALUES),
    **_all("chdtr chdtrc gammainc gammaincc rel_entr xlogy xlog1py", X, Y),
    "multigammaln": Call(X + 2, 3),
    "polygamma": Call(np.array([0, 1, 2, 3]), X),
}
_INTEGRATE = {
    **_all("cumulative_simpson cumulative_trapezoid simpson trapezoid romb", SIGNAL, dx=0.5),
    "cubature": Call(lambda x: x[:, 0] * x[:, 1] ** 2, np.zeros(2), np.ones(2)),
    "fixed_quad": Call(lambda x: x**3, np.array(0.0), np.array(2.0), n=4),
    "nsum": Call(lambda k: 1 / k**2, np.array(1.0), np.array(np.inf)),
    "tanhsinh": Call(lambda x: x**2, np.zeros(4), X),
}


def _cubic(x):
    return x**3 - 2 * x - 5


def _paraboloid(x):
    return x[0, ...] ** 2 + 3 * x[0, ...] * x[1, ...]


_OTHER = {
    "differentiate.derivative": Call(lambda x: x**4, X),
    # Without a tolerance, rounding errors determine when these stop.
    "differentiate.jacobian": Call(lambda x: x**2, X, tolerances={"atol": 1e-6, "rtol": 1e-6}),
    "differentiate.hessian": Call(_paraboloid, X[:2], tolerances={"atol": 1e-6, "rtol": 1e-6}),
    "optimize.elementwise.bracket_minimum": Call(lambda x: (x - 2) ** 2, X),
    "optimize.elementwise.bracket_root": Call(_cubic, X - 9),
    "optimize.elementwise.find_minimum": Call(lambda x: (x - 2) ** 2, (-X, X, X + 8)),
    "optimize.elementwise.find_root": Call(_cubic, (X - 4, X + 8)),
    "signal.get_window": Call("hann", 16, xp=True),
    "optimize.rosen": Call(A.T),
    "optimize.rosen_der": Call(A.T),
    "optimize.rosen_hess": Call(X),
    "optimize.rosen_hess_prod": Call(X, Y),
    "linalg.block_diag": Call(A[:2], B[:3, :2]),
    "linalg.fiedler": Call(X),
    "constants.convert_temperature": Call(X, "Celsius", "Kelvin"),
    "constants.lambda2nu": Call(X),
    "constants.nu2lambda": Call(X),
    "cluster.hierarchy.correspond": Call(LINKAGE, np.zeros(6)),
    "cluster.hierarchy.is_isomorphic": Call(np.array([1, 2, 2]), np.array([2, 1, 1])),
    "cluster.hierarchy.is_monotonic": Call(LINKAGE),
    "cluster.hierarchy.is_valid_im": Call(np.array([[1.0, 0, 1, 0], [2, 0.5, 2, 0]])),
    "cluster.hierarchy.is_valid_linkage": Call(LINKAGE),
    "cluster.hierarchy.num_obs_linkage": Call(LINKAGE),
    "cluster.hierarchy.to_mlab_linkage": Call(LINKAGE),
    "cluster.vq.whiten": Call(A),
}
_WINDOWS = frozenset(
    [
        "barthann",
        "bartlett",
        "blackman",
        "blackmanharris",
        "bohman",
        "boxcar",
        "chebwin",
        "cosine",
        "exponential",
        "flattop",
        "gaussian",
        "general_cosine",
        "general_gaussian",
        "general_hamming",
        "hamming",
        "hann",
        "kaiser",
        "kaiser_bessel_derived",
        "lanczos",
        "nuttall",
        "parzen",
        "taylor",
        "triang",
        "tukey",
        "get_window",
    ]
)
CALLS = {
    **{f"stats.{name}": call for name, call in _STATS.items()},
    **{f"signal.{'windows.' * (name in _WINDOWS)}{name}": call for name, call in _SIGNAL.items()},
    **{f"fft.{name}": call for name, call in _FFT.items()},
    **{f"special.{name}": call for name, call in _SPECIAL.items()},
    **{f"integrate.{name}": call for name, call in _INTEGRATE.items()},
    **_OTHER,
}
# Calls that the table restricts to libraries with certain special functions, which gpunp has.
BEYOND = {
    **_all("stats.brunnermunzel stats.f_oneway stats.pearsonr stats.ttest_ind stats.ttest_rel", A, B),
    **_all("stats.linregress stats.spearmanrho", A[:, 0], B[:, 0]),
    **_all("stats.mannwhitneyu stats.wilcoxon", A, B, method="asymptotic"),
    **_all("signal.fftconvolve signal.oaconvolve", SIGNAL, SMALL),
    "signal.freqz": Call(SMALL, worN=16),
    "signal.resample": Call(SIGNAL, 32),
    "signal.zpk2tf": Call(SMALL[:2], SMALL[2:4], 1.5),
    "stats.combine_pvalues": Call(PVALUES),
    "stats.levene": Call(SMALL, SMALL**2),
    "stats.pointbiserialr": Call(A[:, 0] > 0, B[:, 0]),
    "stats.ttest_1samp": Call(A, 0.1),
    "stats.ttest_ind_from_stats": Call(X, Y, 5, X + 1, Y, 6),
}
_SECTIONS = np.array([[1.0, 2.0, 1.0, 1.0, 0.5, 0.25]])
# Functions that the table does not allow, or lists not at all, and whose code runs all the same.
UNLISTED = {
    **_all("stats.ansari stats.spearmanr", A[:, 0], B[:, 0]),
    "stats.ks_1samp": Call(PVALUES, lambda x: x),
    "stats.contingency.margins": Call(COUNTS),
    "special.softplus": Call(SMALL),
    "linalg.solve_circulant": Call(SMALL, SMALL[::-1]),
    "spatial.distance.sqeuclidean": Call(X, Y),
    **_all(
        "sparse.issparse sparse.isspmatrix sparse.isspmatrix_bsr sparse.isspmatrix_coo "
        "sparse.isspmatrix_csc sparse.isspmatrix_csr sparse.isspmatrix_dia sparse.isspmatrix_dok "
        "sparse.isspmatrix_lil",
        A,
    ),
    **_all("signal.tf2zpk signal.normalize", SMALL[:3], SMALL[3:6]),
    **_all("signal.lp2bp signal.lp2bs signal.lp2hp signal.lp2lp", SMALL[:3], SMALL[3:6]),
    **_all("signal.lp2bp_zpk signal.lp2bs_zpk signal.lp2hp_zpk signal.lp2lp_zpk", SMALL[:2], SMALL[3:6], 1.5),
    **_all("signal.freqz_sos signal.sosfreqz", _SECTIONS, 8),
    **_all("signal.sos2tf signal.sos2zpk", _SECTIONS),
    "signal.bilinear_zpk": Call(SMALL[:2], SMALL[3:6], 1.5, 2.0),
    "signal.findfreqs": Call(X, Y, 5),
    "signal.firwin": Call(5, np.array([0.25, 0.5])),
    "signal.freqs": Call(SMALL[:3], SMALL[3:6], X),
    "signal.freqs_zpk": Call(SMALL[:2], SMALL[3:6], 1.5, X),
    "signal.gausspulse": Call(TIME),
    "signal.group_delay": Call((SMALL[:3], SMALL[3:6]), 8),
    "signal.sweep_poly": Call(TIME, SMALL[:3]),
    "signal.vectorstrength": Call(TIME, 0.5),
}
