"""Adds Parameters, Returns and Raises to the distributions' docstrings, from the parameters' names."""

import inspect
import types

from gpunp.array.signatures import parameters

_FLOATS = "float or array_like of floats"
_PARAMETERS = {
    "low": f"{_FLOATS}, optional\n    The lower bound, included.",
    "high": f"{_FLOATS}, optional\n    The upper bound, excluded.",
    "loc": f"{_FLOATS}, optional\n    The location: the mean or, for `gumbel`, the mode.",
    "scale": f"{_FLOATS}, optional\n    The scale, not negative.",
    "shape": f"{_FLOATS}\n    The shape of the distribution, not negative.",
    "mean": f"{_FLOATS}, optional\n    The mean; for `lognormal`, that of the logarithm.",
    "sigma": f"{_FLOATS}, optional\n    The standard deviation of the logarithm, not negative.",
    "a": f"{_FLOATS}\n    The parameter of the distribution, positive; for `zipf` above 1.",
    "b": f"{_FLOATS}\n    The second parameter, positive.",
    "df": f"{_FLOATS}\n    Degrees of freedom, positive.",
    "dfnum": f"{_FLOATS}\n    Degrees of freedom of the numerator, positive.",
    "dfden": f"{_FLOATS}\n    Degrees of freedom of the denominator, positive.",
    "nonc": f"{_FLOATS}\n    Noncentrality, not negative.",
    "left": f"{_FLOATS}\n    The lower end of the interval.",
    "mode": f"{_FLOATS}\n    Where the density is highest, between the ends.",
    "right": f"{_FLOATS}\n    The upper end of the interval.",
    "mu": f"{_FLOATS}\n    The mode in radians.",
    "kappa": f"{_FLOATS}\n    The concentration, not negative.",
    "lam": f"{_FLOATS}, optional\n    The mean, not negative.",
    "n": "int or array_like of ints\n    Number of trials or successes, not negative.",
    "p": f"{_FLOATS}\n    A probability between 0 and 1.",
    "ngood": "int or array_like of ints\n    The number of good elements in the population.",
    "nbad": "int or array_like of ints\n    The number of bad elements in the population.",
    "nsample": "int or array_like of ints\n    The number of elements drawn, at most ngood + nbad.",
    "alpha": "sequence of floats, shape (k,)\n    Positive parameters, one for each category.",
    "pvals": "sequence of floats, shape (k,)\n    Probabilities of the categories; the last gets the rest.",
    "cov": "array_like, shape (k, k)\n    The covariance matrix, symmetric and positive semidefinite.",
    "check_valid": "{'warn', 'raise', 'ignore'}, optional\n    What to do if `cov` is invalid.",
    "tol": "float, optional\n    The tolerance of that check.",
    "replace": "bool, optional\n    Whether an element may be chosen more than once.",
    "x": "int or array_like\n    The number of integers, or an array; `shuffle` modifies a device array.",
    "args": "int\n    The shape of the result; a scalar if omitted.",
    "method": "str, optional\n    Checked, but without effect.",
    "size": "int or tuple of ints, optional\n    The shape; by default that of the parameters, or a scalar.",
    "dtype": (
        "data-type, optional\n    float64 (the default) or float32; in `RandomState` any floating or integer."
    ),
    "out": "gpunp.ndarray, optional\n    A contiguous array to fill and return.",
}
# Parameters that have a different meaning in one method.
_OF_METHODS = {
    (
        "RandomState.randint",
        "low",
    ): "int or array_like of ints\n    The lowest integer; without `high`, the excluded end.",
    ("RandomState.randint", "high"): "int or array_like of ints, optional\n    The end, excluded.",
    ("RandomState.randint", "dtype"): "data-type, optional\n    An integer dtype or bool; int64 by default.",
    ("RandomState.random_integers", "low"): "int\n    The lowest integer; without `high`, the greatest.",
    ("RandomState.random_integers", "high"): "int, optional\n    The greatest integer.",
    (
        "RandomState.choice",
        "a",
    ): "int or array_like of one dimension\n    The number of integers, or the array to choose from.",
    ("RandomState.choice", "p"): (
        "array_like of floats, optional\n    Probabilities of the elements; equal by default."
    ),
    ("RandomState.multivariate_normal", "mean"): "array_like, shape (k,)\n    The mean.",
}
_COUNTS = "data-type, optional\n    A dtype to which the counts, int64, are converted."
_RETURNS = "gpunp.ndarray\n    The draws; a scalar if `size` is None and the parameters are scalars."
_ORDERS = "gpunp.ndarray\n    The integers or the parts of the array in random order."
_RAISES = (
    "ValueError\n    If a parameter is out of range; for one in a device array on a GPU, by a later call."
)
_BARE = frozenset({"rand", "randn", "random_sample", "tomaxint", "permutation"})


def describe(cls):
    """Complete the docstrings of those methods of a class that lack a Parameters section.

    Parameters
    ----------
    cls : type
        A class of distributions.

    Returns
    -------
    type
        The class itself.
    """
    for name, method in vars(cls).items():
        own = getattr(method, "__doc__", None)
        if type(method) is not types.FunctionType or name[0] == "_" or own is None or "----" in own:
            continue
        lines = [inspect.cleandoc(own) if "\n" in own else own, "", "Parameters", "----------"]
        for parameter in parameters(method)[1:]:
            text = _OF_METHODS.get((method.__qualname__, parameter)) or _PARAMETERS[parameter]
            if parameter == "dtype" and cls.__name__ == "DiscreteDraws":
                text = _COUNTS
            lines.append(f"{'*' * (parameter == 'args')}{parameter} : {text}")
        if name != "shuffle":
            lines += ["", "Returns", "-------", _ORDERS if name == "permutation" else _RETURNS]
        if name not in _BARE:
            lines += ["", "Raises", "------", _RAISES]
        method.__doc__ = "\n".join(lines) + "\n"
    return cls
