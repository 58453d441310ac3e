"""``numpy.vectorize`` objects that are called with device arrays.

NumPy does not dispatch these calls. With a hook on the class's ``__call__``, they do what `gpunp.vectorize`
does with the same function and options; calls without a device array go on to NumPy. ``import gpunp`` sets
the hook.
"""

from gpunp.dispatch.registry import find_by_name


def call(self, *args, **kwargs):
    """Handle `numpy.vectorize.__call__`."""
    ours = find_by_name("vectorize")(
        self.pyfunc, self.otypes, excluded=self.excluded, cache=self.cache, signature=self.signature
    )
    return ours(*args, **kwargs)
