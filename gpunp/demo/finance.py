"""Option prices and risk in plain NumPy and SciPy; the code does not depend on the device of its arrays."""

import numpy as np
from scipy.special import ndtr

# The 95 % quantile of the standard normal distribution.
QUANTILE_95 = 1.6448536269514722


def call_price(spot, strike, years, rate, volatility):
    """The Black-Scholes price of European call options."""
    total_volatility = volatility * np.sqrt(years)
    d1 = np.log(spot / strike) + (rate + 0.5 * volatility**2) * years
    d1 = d1 / total_volatility
    return spot * ndtr(d1) - strike * np.exp(-rate * years) * ndtr(d1 - total_volatility)


def vega(spot, strike, years, rate, volatility):
    """The derivative of an option's price with respect to volatility."""
    root = np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / (volatility * root)
    return spot * root * np.exp(-0.5 * d1**2) / np.sqrt(2 * np.pi)


def implied_volatility(price, spot, strike, years, rate, steps):
    """The volatility at which Black-Scholes gives ``price``, by Newton's method."""
    volatility = np.full_like(price, 0.3)
    for _ in range(steps):
        error = call_price(spot, strike, years, rate, volatility) - price
        volatility -= error / vega(spot, strike, years, rate, volatility)
    return volatility


def asset_paths(normals, start, rate, volatility, years):
    """Simulated prices, one path per row: geometric Brownian motion driven by given normal variates."""
    interval = years / normals.shape[1]
    growth = (rate - 0.5 * volatility**2) * interval + volatility * np.sqrt(interval) * normals
    return start * np.exp(np.cumsum(growth, axis=1))


def asian_call(paths, strike, rate, years):
    """Price and standard error of an option on the mean price along a path."""
    payoff = np.exp(-rate * years) * np.maximum(paths.mean(axis=1) - strike, 0)
    result = np.empty_like(payoff, shape=2)
    result[0] = payoff.mean()
    result[1] = payoff.std(ddof=1) / np.sqrt(payoff.size)
    return result


def largest_drawdown(paths):
    """The largest loss from an earlier peak along each path, from 0 to 1."""
    peak = np.maximum.accumulate(paths, axis=1)
    return (1 - paths / peak).max(axis=1)


def value_at_risk(paths):
    """The loss in one step that each path exceeds with a probability of 5 %, for normal returns."""
    returns = paths[:, 1:] / paths[:, :-1] - 1
    return QUANTILE_95 * returns.std(axis=1, ddof=1) - returns.mean(axis=1)


def portfolio_risk(normals, loadings):
    """Volatility of equally weighted portfolios: correlated returns, their covariance, its quadratic form.

    Row i of the result is the risk of a portfolio of assets 0 to i.
    """
    returns = np.matmul(normals, loadings.T)
    centred = returns - returns.mean(axis=0)
    covariance = np.matmul(centred.T, centred) / (returns.shape[0] - 1)
    # Sums over the leading principal submatrices, for all sizes at once.
    squares = np.cumsum(np.cumsum(covariance, axis=0), axis=1)
    count = np.arange(1, covariance.shape[0] + 1, like=covariance)
    diagonal = squares.reshape(-1)[:: covariance.shape[0] + 1]
    return np.sqrt(diagonal) / count
