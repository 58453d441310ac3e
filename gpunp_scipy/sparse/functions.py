"""Functions of ``scipy.sparse`` that make or take sparse arrays on the device: twins of SciPy's code."""

import scipy.sparse

from gpunp_scipy.rebinding import presented
from gpunp_scipy.sparse import classes

_HOMES = {
    "_construct": (
        "block_array block_diag bmat diags diags_array expand_dims eye eye_array hstack identity kron "
        "kronsum matrix_transpose permute_dims rand random random_array spdiags swapaxes vstack"
    ),
    "_extract": "find tril triu",
    "_sputils": "get_index_dtype safely_cast_index_arrays",
}


def _function(module, name):
    def call(*args, **kwargs):
        with classes.device_of_parts(*args, *kwargs.values()):
            return getattr(classes.twins()[f"scipy.sparse.{module}"], name)(*args, **kwargs)

    return presented(call, getattr(scipy.sparse, name), __name__)


for _module, _names in _HOMES.items():
    for _name in _names.split():
        # Older releases of SciPy lack some of them.
        if hasattr(scipy.sparse, _name):
            globals()[_name] = _function(_module, _name)
