"""Sizes at which the programs of ``tests/programs`` are worth a GPU."""

# By program: pairs of a text, which may occur several times, and the text in its place.
LARGE = {
    "everyday/monte_carlo_pi": [("5000", "5_000_000")],
    "finance/binomial_tree": [("n, s0, k, r, sigma, T = 300", "n, s0, k, r, sigma, T = 4000")],
    "finance/black_scholes": [("150, 800)", "150, 4_000_000)")],
    "finance/monte_carlo_option": [("paths, steps = 2000", "paths, steps = 200_000")],
    "finance/moving_averages": [("0.01, 1500)", "0.01, 5_000_000)"), ("0.0002, 0.01", "0.0, 0.0001")],
    "finance/portfolio": [("size=1000", "size=2_000_000")],
    "graphs/floyd_warshall": [("n = 60", "n = 600")],
    "graphs/pagerank": [("n = 120", "n = 4000")],
    "graphs/spectral_clustering": [("60", "1500"), (">= 30", ">= 750")],
    "images/blur_and_edges": [("[:70, :90]", "[:1400, :1800]")],
    "images/colour_kmeans": [("1500", "500_000")],
    "images/equalize": [
        ("60, 60", "2500, 2500"),
        ("np.arange(60)", "np.arange(2500)"),
        ("::15, ::3", "::500, ::50"),
    ],
    "images/ndimage_pipeline": [("(80, 80)", "(1200, 1200)")],
    "images/rotate_bilinear": [("50.0", "1500.0"), ("60.0", "2000.0")],
    "images/seam_carving": [("(30, 40)", "(400, 600)")],
    "learning/em_mixture": [("0.5, 300)", "0.5, 60_000)"), ("1.0, 700)", "1.0, 140_000)")],
    "learning/gaussian_process": [("40", "1200"), ("3, 120)", "3, 2000)")],
    "learning/linear_regression": [("500", "500_000")],
    "learning/logistic_regression": [("300", "500_000")],
    "learning/nearest_neighbours": [
        ("300", "3000"),
        ("200", "2000"),
        ("np.arange(3), 100", "np.arange(3), 1000"),
    ],
    "learning/neural_network": [
        ("(400, 2)", "(20_000, 2)"),
        ("len(x), 50)", "len(x), 5000)"),
        ("start + 50", "start + 5000"),
        ("24", "256"),
        ("range(60)", "range(10)"),
    ],
    "learning/principal_components": [
        ("(300, 6)", "(200_000, 32)"),
        ("(6, 6)", "(32, 32)"),
        ("arange(6)", "arange(32)"),
    ],
    "learning/scipy_statistics": [("400", "200_000")],
    "numerics/conjugate_gradient": [("n = 40", "n = 700")],
    "numerics/fft_poisson": [("n = 48", "n = 2048")],
    "numerics/heat_equation": [("n, steps, dt = 401, 200, 2e-6", "n, steps, dt = 2501, 200, 2e-8")],
    "numerics/least_squares": [("10, 600)", "10, 600_000)")],
    "numerics/mandelbrot": [
        ("60, 24, 40", "1500, 1000, 40"),
        ("row in count:", "row in count[::100, ::25]:"),
    ],
    "numerics/matrix_exponential": [("n = 30", "n = 1000")],
    "numerics/newton_fractal": [("80j", "500j")],
    "numerics/poisson_jacobi": [("laplace(60)", "laplace(800)")],
    "numerics/power_iteration": [("80", "1500")],
    "numerics/runge_kutta": [
        ("2.5, 500)", "2.5, 200_000)"),
        ("zeros(500)", "zeros(200_000)"),
        (":, ::100", ":, ::40_000"),
    ],
    "numerics/scipy_optimize": [("1, 400)", "1, 400_000)")],
    "numerics/spline": [("np.pi, 1000)", "np.pi, 3_000_000)")],
    "signals/autocorrelation": [("n, period = 1200", "n, period = 30_000")],
    "signals/filter_design": [("0, 1, 1500", "0, 1, 1_500_000"), ("fs=1500", "fs=1_500_000")],
    "signals/spectrum": [("rate, seconds = 800, 2", "rate, seconds = 800, 4000")],
    "signals/stft_vocoder": [
        ("size, hop = 64, 16", "size, hop = 1024, 256"),
        ("2048", "1_000_000"),
        ("::20]", "::400]"),
    ],
    "signals/wavelet": [("1024", "4_194_304")],
    "simulation/boids": [("n = 80", "n = 1000")],
    "simulation/diffusion_limited": [("n = 50", "n = 1000")],
    "simulation/game_of_life": [("64, 64", "1500, 1500")],
    "simulation/ising": [("n, beta = 48", "n, beta = 500")],
    "simulation/lattice_boltzmann": [("nx, ny, tau = 60, 24", "nx, ny, tau = 400, 100")],
    "simulation/lid_driven_cavity": [
        ("nx = ny = 31", "nx = ny = 401"),
        ("dt = 1.0, 0.1, 0.001", "dt = 1.0, 0.1, 0.00002"),
    ],
    "simulation/n_body": [("N, dt, softening = 60", "N, dt, softening = 700")],
    "simulation/random_walk": [("walks, steps = 200, 300", "walks, steps = 20_000, 500")],
    "simulation/wave": [("n = 64", "n = 1000")],
}


def enlarged(name, text):
    """The source of a program with its large sizes.

    Parameters
    ----------
    name : str
        Folder and name of the program.
    text : str
        The source as it is.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the program has no such text.
    """
    for old, new in LARGE[name]:
        if old not in text:
            raise ValueError(f"enlarged: {name} has no {old!r}: correct LARGE")
        text = text.replace(old, new)
    return text
