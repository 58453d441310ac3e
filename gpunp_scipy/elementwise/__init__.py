"""SciPy's elementwise solvers on device arrays, with one wait in each iteration.

`scipy.optimize.elementwise`, `scipy.differentiate`, `scipy.integrate.tanhsinh` and their relatives share one
loop. SciPy's functions check the arguments and prepare the work; the loop and the steps of the algorithms
that select elements by masks are here.
"""
