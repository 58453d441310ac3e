"""The steps of the demo, in order, each with its function and its inputs."""

from dataclasses import dataclass, field

import numpy as np

from gpunp.demo import finance, imaging

GAMMA = 2.2
RATE = 0.03
YEARS = 1.0
STEPS_PER_YEAR = 256


@dataclass(frozen=True)
class Step:
    """``result = function(*inputs, **options)``, where inputs and result are names."""

    title: str
    result: str
    function: object
    inputs: tuple
    options: dict = field(default_factory=dict)


def photo_steps(size):
    """The photo program for a photo enlarged ``size`` times."""
    return (
        Step("enlarge the photo", "large", imaging.enlarge, ("photo",), {"factor": size}),
        Step("to linear light", "light", imaging.to_linear_light, ("large",), {"gamma": GAMMA}),
        Step("grayscale", "grey", imaging.to_grey, ("light",)),
        Step("Gaussian blur", "soft", imaging.gaussian_blur, ("light",), {"sigma": 2.5}),
        Step("Sobel edges", "edges", imaging.sobel_edges, ("grey",)),
        Step("unsharp mask", "sharp", imaging.unsharp_mask, ("light", "soft"), {"amount": 0.8}),
        Step(
            "local contrast",
            "contrast",
            imaging.local_contrast,
            ("sharp", "grey"),
            {"sigma": 6.0, "strength": 0.35},
        ),
        Step("vignette", "dark", imaging.vignette, ("contrast",), {"strength": 0.4}),
        Step("to display", "after", imaging.to_display, ("dark",), {"gamma": GAMMA}),
        Step("color statistics", "statistics", imaging.colour_statistics, ("after",)),
        Step("color covariance", "covariance", imaging.colour_covariance, ("after",)),
    )


def finance_steps():
    """The finance program."""
    market = ("spot", "strike", "years")
    rate = {"rate": RATE}
    return (
        Step("Black-Scholes prices", "price", _price, (*market, "volatility"), rate),
        Step("implied volatility", "implied", _implied, ("price", *market), {**rate, "steps": 4}),
        Step(
            "Monte Carlo paths",
            "paths",
            finance.asset_paths,
            ("normals",),
            {"start": 100.0, "rate": RATE, "volatility": 0.25, "years": YEARS},
        ),
        Step(
            "Asian option",
            "asian",
            finance.asian_call,
            ("paths",),
            {"strike": 100.0, "rate": RATE, "years": YEARS},
        ),
        Step("largest drawdown", "drawdown", finance.largest_drawdown, ("paths",)),
        Step("value at risk", "risk", finance.value_at_risk, ("paths",)),
        Step("portfolio risk", "portfolio", finance.portfolio_risk, ("normals", "loadings")),
    )


def _price(spot, strike, years, volatility, rate):
    return finance.call_price(spot, strike, years, rate, volatility)


def _implied(price, spot, strike, years, rate, steps):
    return finance.implied_volatility(price, spot, strike, years, rate, steps)


def make_market(size, seed=2024):
    """Host arrays for the finance program: ``size**2 * 65536`` options and ``size**2 * 1024`` paths."""
    generator = np.random.default_rng(seed)
    options = size * size << 16
    paths = size * size << 10
    # One factor common to all assets, and one per asset.
    loadings = np.diag(generator.uniform(0.005, 0.02, STEPS_PER_YEAR))
    loadings[:, 0] += 0.01
    return {
        "spot": generator.uniform(80, 120, options),
        "strike": generator.uniform(80, 120, options),
        "years": generator.uniform(0.25, 2, options),
        "volatility": generator.uniform(0.1, 0.5, options),
        "normals": generator.standard_normal((paths, STEPS_PER_YEAR)),
        "loadings": loadings,
    }
