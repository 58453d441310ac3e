"""What happens to SciPy's functions that this package does not implement: by name, with reasons.

Functions in no table are tried: SciPy's code runs with the device arrays, and an error that they cause
becomes one that names the function and what to do.
"""

# Functions and classes whose own code was seen to run on device arrays: tests/scipy_calls.py has a call of
# each.
GENERIC = {
    "scipy.cluster.hierarchy": (
        "correspond is_isomorphic is_monotonic is_valid_im is_valid_linkage num_obs_linkage to_mlab_linkage"
    ),
    "scipy.cluster.vq": "whiten",
    "scipy.constants": "convert_temperature lambda2nu nu2lambda",
    "scipy.differentiate": "derivative hessian jacobian",
    "scipy.integrate": (
        "cumulative_simpson cumulative_trapezoid fixed_quad nsum qmc_quad quad_vec romb simpson tanhsinh "
        "trapezoid"
    ),
    "scipy.interpolate": ("barycentric_interpolate interp2d krogh_interpolate pchip_interpolate"),
    "scipy.linalg": "block_diag fiedler solve_circulant",
    "scipy.optimize": ("OptimizeResult rosen rosen_der rosen_hess rosen_hess_prod"),
    "scipy.optimize.elementwise": "bracket_minimum bracket_root find_minimum find_root",
    "scipy.signal": (
        "abcd_normalize besselap bilinear_zpk buttap cheb1ap cheb2ap choose_conv_method dlti ellipap "
        "envelope fftconvolve findfreqs firwin gammatone gauss_spline gausspulse get_window hilbert "
        "hilbert2 iircomb iirnotch iirpeak lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk "
        "lti normalize oaconvolve resample savgol_coeffs sawtooth sos2tf sos2zpk square sweep_poly tf2zpk "
        "vectorstrength zpk2tf"
    ),
    "scipy.signal.windows": (
        "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine dpss exponential flattop "
        "gaussian general_cosine general_gaussian general_hamming get_window hamming hann kaiser "
        "kaiser_bessel_derived lanczos nuttall parzen taylor triang tukey"
    ),
    "scipy.sparse": (
        "issparse isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia "
        "isspmatrix_dok isspmatrix_lil"
    ),
    "scipy.sparse.linalg": "LinearOperator aslinearoperator",
    "scipy.spatial": "Rectangle",
    "scipy.special": "log_softmax logsumexp softmax softplus",
    "scipy.stats": (
        "CensoredData alexandergovern ansari bartlett bayes_mvs binomtest bootstrap boxcox_llf "
        "brunnermunzel bws_test chatterjeexi chisquare circmean circstd circvar combine_pvalues "
        "cramervonmises cramervonmises_2samp cumfreq "
        "describe differential_entropy directional_stats ecdf entropy epps_singleton_2samp estimated_cdf "
        "expectile f_oneway false_discovery_control fligner friedmanchisquare gmean gstd gzscore hmean "
        "iqr jarque_bera kruskal ks_1samp ks_2samp kstat kstatvar kstest kurtosis kurtosistest levene "
        "linregress lmoment logrank mannwhitneyu median_abs_deviation mode moment monte_carlo_test mood "
        "mvsdist normaltest obrientransform pearsonr permutation_test pmean pointbiserialr "
        "power_divergence quantile quantile_test rankdata ranksums relfreq sem shapiro siegelslopes "
        "sigmaclip skew skewtest spearmanr spearmanrho theilslopes tmax tmean tmin trim_mean tsem tstd "
        "ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel tvar variation wilcoxon yeojohnson_llf zmap "
        "zscore"
    ),
    "scipy.stats.contingency": "margins",
}
GENERIC = {module: frozenset(names.split()) for module, names in GENERIC.items()}

_ALL_DEGREES = "it computes functions of all degrees by recurrences on the host"
_ASSIGNMENT = "it finds augmenting paths one after another"
_COMPLEX_PAIRS = "it looks for pairs of complex eigenvalues on the host"
_DRAWING = "it draws with Matplotlib"
_FITPACK = "it is FITPACK's legacy interface; make_interp_spline and BSpline replace it"
_KNOTS = "it inserts one knot after another, by FITPACK's rules"
_POLY1D = "its result is a numpy.poly1d, which is on the host"
_HIGHS = "HiGHS and other solvers of integer and linear programs run on the host"
_MASKED = "masked arrays are on the host; scipy.stats has the function for other arrays"
_FLOODING = "it floods an image pixel by pixel, in the order of a queue"
_NO_ARRAYS = "it takes no arrays"
_ODEPACK = "ODEPACK and VODE step on the host; solve_ivp has RK45, DOP853, Radau and BDF on the device"
_POOLING = "it pools neighbouring values one after another"
_POLES = "it places poles step by step, for matrices of a few numbers"
_QHULL = "Qhull runs on the host"
_QUADPACK = "QUADPACK integrates number by number on the host"
_LAPACK_LOOPS = "it steps through rows or rotations one after another, as LAPACK does on the host"
_SCHUR = "the Schur decomposition and its relatives run on the host"
_INTERPOLATIVE = "interpolative decompositions run on the host"
_ROTATION_RATES = "it iterates band systems for the rates of a few rotations on the host"
_ENGINES = "engines of quasi-Monte Carlo make their points on the host, from generators of NumPy"
_ONE_BY_ONE = "its values are computed one by one on the host, by integrals or equations"
_ORDERED_PAIRS = "it is solved on the host, by a linear program or by merging"
_RANDOM_MATRICES = "it makes one table or matrix after another on the host"
_SIMULATED = "it compares with simulated samples, or searches for parameters, on the host"
_SMALL_TABLE = "it computes with the counts of a small table on the host"
_LISTS = "its rows or items are Python objects on the host"
_UPDATES = "trust-constr updates its matrix on the host"
_UNURAN = "UNU.RAN runs on the host"

# Reasons by module and name; "*" stands for all names of a module that are not handled otherwise.
_HOST = {
    "scipy.cluster.hierarchy": {
        _DRAWING: "set_link_color_palette",
        _NO_ARRAYS: "ClusterNode DisjointSet",
    },
    "scipy.constants": {_NO_ARRAYS: "find precision unit value"},
    "scipy.fft": {
        _NO_ARRAYS: "get_workers register_backend set_backend set_global_backend set_workers skip_backend"
    },
    "scipy.integrate": {
        _NO_ARRAYS: "lebedev_rule newton_cotes",
        _ODEPACK: "LSODA complex_ode ode odeint",
        _QUADPACK: "dblquad nquad quad tplquad",
        "the systems of its collocation method are sparse, which SuperLU solves on the host": "solve_bvp",
    },
    "scipy.interpolate": {
        _FITPACK: (
            "BivariateSpline InterpolatedUnivariateSpline LSQBivariateSpline LSQSphereBivariateSpline "
            "LSQUnivariateSpline RectBivariateSpline RectSphereBivariateSpline SmoothBivariateSpline "
            "SmoothSphereBivariateSpline UnivariateSpline bisplev bisplrep insert spalde splantider splder "
            "splev splint splprep splrep sproot"
        ),
        _KNOTS: "generate_knots make_splprep make_splrep",
        _POLY1D: "approximate_taylor_polynomial lagrange pade",
        _QHULL: "CloughTocher2DInterpolator LinearNDInterpolator",
    },
    "scipy.linalg": {
        "it concerns BLAS and LAPACK on the host": "find_best_blas_type get_blas_funcs get_lapack_funcs",
        _COMPLEX_PAIRS: "cdf2rdf",
        _LAPACK_LOOPS: "cossin matrix_balance qr_delete qr_insert qr_update",
        _SCHUR: (
            "ordqz qz rsf2csf schur solve_continuous_are solve_continuous_lyapunov solve_discrete_are "
            "solve_discrete_lyapunov solve_lyapunov solve_sylvester"
        ),
        _NO_ARRAYS: "dft hadamard helmert hilbert invhilbert invpascal pascal",
    },
    "scipy.ndimage": {_FLOODING: "watershed_ift"},
    "scipy.linalg.interpolative": {_INTERPOLATIVE: "*"},
    "scipy.optimize": {
        _ASSIGNMENT: "linear_sum_assignment",
        _HIGHS: "linprog linprog_verbose_callback milp",
        _NO_ARRAYS: "BroydenFirst InverseJacobian KrylovJacobian RootResults show_options",
        _POOLING: "isotonic_regression",
        _UPDATES: "BFGS HessianUpdateStrategy SR1",
    },
    "scipy.signal": {
        _POLES: "place_poles",
        _NO_ARRAYS: "correlation_lags czt_points kaiser_atten kaiser_beta kaiserord unit_impulse",
    },
    "scipy.sparse": {
        _NO_ARRAYS: "sparray spmatrix",
        _LISTS: "dok_array dok_matrix lil_array lil_matrix",
    },
    "scipy.sparse.linalg": {_NO_ARRAYS: "use_solver LaplacianNd SuperLU"},
    "scipy.spatial": {
        _DRAWING: "convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d",
        _QHULL: "ConvexHull Delaunay HalfspaceIntersection SphericalVoronoi Voronoi tsearch",
    },
    "scipy.spatial.transform": {_ROTATION_RATES: "RotationSpline"},
    "scipy.special": {
        _NO_ARRAYS: (
            "ai_zeros bei_zeros beip_zeros ber_zeros bernoulli berp_zeros bi_zeros c_roots cg_roots chebyc "
            "chebys chebyt chebyu erf_zeros errstate euler fresnel_zeros fresnelc_zeros fresnels_zeros "
            "gegenbauer genlaguerre geterr h_roots he_roots hermite hermitenorm j_roots jacobi jn_zeros "
            "jnjnp_zeros jnp_zeros jnyn_zeros js_roots kei_zeros keip_zeros kelvin_zeros ker_zeros "
            "kerp_zeros l_roots la_roots laguerre legendre lmbda mathieu_even_coef "
            "mathieu_odd_coef obl_cv_seq p_roots pbdn_seq pbdv_seq pbvv_seq pro_cv_seq ps_roots riccati_jn "
            "riccati_yn roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer "
            "roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre "
            "roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre s_roots seterr sh_chebyt "
            "sh_chebyu sh_jacobi sh_legendre t_roots ts_roots u_roots us_roots y0_zeros y1_zeros y1p_zeros "
            "yn_zeros ynp_zeros"
        ),
        _QUADPACK: "ellip_harm_2 ellip_normal",
        _ALL_DEGREES: "lqmn lqn",
    },
    "scipy.stats": {
        _NO_ARRAYS: (
            "BootstrapMethod MonteCarloMethod PermutationMethod abs exp log make_distribution "
            "poisson_means_test"
        ),
        _ONE_BY_ONE: (
            "irwinhall kstwo levy_stable nchypergeom_fisher nchypergeom_wallenius studentized_range"
        ),
        _RANDOM_MATRICES: "random_correlation random_table",
        _SIMULATED: "dunnett fit goodness_of_fit multiscale_graphcorr power sobol_indices",
        _SMALL_TABLE: "barnard_exact boschloo_exact fisher_exact median_test somersd",
        _ORDERED_PAIRS: "wasserstein_distance_nd weightedtau",
    },
    "scipy.stats.contingency": {_NO_ARRAYS: "relative_risk", _SMALL_TABLE: "odds_ratio"},
    "scipy.stats.qmc": {
        _ENGINES: ("Halton LatinHypercube MultinomialQMC MultivariateNormalQMC PoissonDisk QMCEngine Sobol"),
    },
    "scipy.stats.mstats": {_MASKED: "*"},
    "scipy.stats.sampling": {_UNURAN: "*"},
}
HOST = {
    f"{module}.{name}": reason
    for module, reasons in _HOST.items()
    for reason, names in reasons.items()
    for name in names.split()
}
# Modules that are not routed at all. Their functions that convert arrays raise for device arrays.
UNROUTED = {
    "scipy.datasets": "example data are on the host",
    "scipy.io": "files are read and written on the host",
    "scipy.io.arff": "files are read and written on the host",
    "scipy.io.matlab": "files are read and written on the host",
    "scipy.io.wavfile": "files are read and written on the host",
    "scipy.linalg.blas": "it has the host's BLAS; gpunp calls cuBLAS itself",
    "scipy.linalg.lapack": "it has the host's LAPACK; gpunp calls cuSOLVER itself",
    "scipy.odr": "ODRPACK runs on the host, and SciPy removes it",
}


def is_generic(module, name):
    """Whether SciPy's own code runs on device arrays in a function."""
    return name in GENERIC.get(module, ())


def host_reason(module, name):
    """Why a function stays on the host, or None if that was not decided."""
    return HOST.get(f"{module}.{name}", HOST.get(f"{module}.*"))
