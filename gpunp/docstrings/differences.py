"""How functions differ from NumPy's, for their docstrings; docs/differences.md has the complete list."""

# Entries are separated by blank lines: names, then the indented text for each. A name may occur repeatedly.
TEXT = """
sum nansum prod nanprod mean nanmean var std nanvar nanstd trace linalg.trace
    The order in which elements are combined is fixed but not NumPy's: floats may differ in the last
    digits, but every run gives the same bits.

cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod
    The order in which elements are combined is fixed but not NumPy's: floats may differ in the last
    digits, but every run gives the same bits.

sum nansum
    The sum of only -0.0 is 0.0.

max min amax amin nanmax nanmin sort
    0.0 and -0.0 are equal: if both occur, the result may differ from NumPy's in the sign of a zero.

sort argsort
    Every sort is stable: `kind` is checked but has no effect.

sort
    All NaNs in the result have the same bits; NumPy keeps their signs and payloads.

lexsort
    NumPy does not dispatch on the arrays in a list: pass a tuple of keys, or call ``gpunp.lexsort``.

partition argpartition
    The elements on either side of a rank are in an order other than NumPy's, the same in every run.
    Several ranks give a sorted array. Ranks on the device are copied to the host. `kind` is checked
    but has no effect.

nanargmax nanargmin
    The result is never the position of a NaN; NumPy may return one if all other elements are infinite.
    The call waits for the device, to raise the ValueError for an all-NaN slice.

searchsorted
    An out-of-bounds index in a `sorter` on the device raises an IndexError in a later call.

digitize
    NaN in `bins` counts as the greatest value.

unique unique_all unique_counts unique_inverse unique_values union1d intersect1d setdiff1d setxor1d nonzero
argwhere flatnonzero compress extract linalg.eig linalg.eigvals lib.scimath.sqrt lib.scimath.log
lib.scimath.log2 lib.scimath.log10 lib.scimath.logn lib.scimath.power lib.scimath.arccos lib.scimath.arcsin
lib.scimath.arctanh bincount trim_zeros
    The call waits for the device: the shape or the dtype of the result depends on the data.

unique unique_all unique_inverse
    If indices or an inverse are requested, the first of equal elements represents them.

unique
    With `axis`, NaN of float16 is last, as for the other dtypes; NumPy 2.5 puts it first.

intersect1d
    64-bit integers that convert to the same float, when the other array has floats, are one element.

isin
    64-bit integers are compared exactly, also signed with unsigned ones. ``kind='table'`` raises for
    dtypes other than bool and integers, and has no effect otherwise.

median nanmedian
    With an empty tuple of axes and an empty array the result is empty, as in NumPy 2.5.5.

quantile percentile nanquantile nanpercentile
    The dtype of the result does not depend on the data. An out-of-range `q` on the device raises in a
    later call. Negative weights on the device give meaningless results; those on the host raise.

nanquantile nanpercentile
    `weights` may be given along an axis, for which NumPy raises, and the axes of a two-dimensional `q`
    come first.

average cov
    Weights on the device that are negative or add up to zero give NaN or another meaningless number:
    the call does not wait to check them. Weights on the host are checked.

bincount histogram histogramdd histogram2d
    Weights are summed as integers, scaled by the largest weight of a bin: the sums have the same bits
    in every run and on every device, but differ from NumPy's in the last digits.

histogram histogram_bin_edges histogramdd histogram2d
    Complex values raise a TypeError. There are at most 2^31 - 1 bins in all.

histogram histogram_bin_edges
    A `range` of device scalars is copied to the host. Decreasing edges on the device raise in a later
    call.

geomspace
    End points on the device are not checked, to avoid a wait: a zero there gives NaN, not an error.

arange
    Bounds and steps on the device are copied to the host, since they determine the result's length.

interp
    `xp` must increase and have no NaN: otherwise results between and beyond NaN differ from NumPy's,
    which are mostly NaN.

repeat take roll pad
    NumPy dispatches on the first argument only. If that is on the host and the other argument on the
    device, call gpunp's function.

roll pad
    Shifts and widths on the device are copied to the host.

take take_along_axis put_along_axis put choose unravel_index ravel_multi_index
    Out-of-bounds indices on the device are found by the kernel: on a GPU a later call raises the
    error, which names the call that caused it.

lib.stride_tricks.as_strided
    A view that reaches outside the memory of the array raises, unless ``check_bounds=False``, and so
    does a view with elements that are not aligned to their size.

astype
    Floats out of range of an integer dtype, including NaN and infinities, become the same integer on
    every device: the one that NumPy gives for a single element on x86-64.

tril triu concatenate stack vstack hstack dstack column_stack block piecewise
    The result is in C order; NumPy keeps the memory order of a transposed operand.

i0
    float16 is computed in float32 and rounded once: it overflows later than NumPy's.

unpackbits
    With an empty array, `count` elements are filled with zeros; NumPy leaves them uninitialized.

cross linalg.cross
    Vectors of two components raise, as in NumPy 2.5.

linalg.cholesky linalg.qr linalg.eigh linalg.eigvalsh linalg.eig linalg.eigvals linalg.svd linalg.svdvals
linalg.inv linalg.solve linalg.det linalg.slogdet linalg.lstsq linalg.matrix_rank linalg.pinv
    float16 is computed in float32, and real results are rounded to float16; NumPy raises.

linalg.cholesky linalg.eigh linalg.eigvalsh linalg.svd linalg.svdvals linalg.inv linalg.solve
    On a GPU a LinAlgError is raised by a later call, or when a value is copied to the host. The
    result of the failed call is unspecified.

linalg.eigh linalg.svd
    The signs (phases) of vectors may differ from LAPACK's but are the same in every run.

linalg.svd linalg.svdvals
    On a GPU a matrix with infinities or NaN raises a LinAlgError.

einsum
    Pairs of operands are contracted by matrix products, even with ``optimize=False``. More than two
    operands then follow the greedy path, where NumPy loops over all indices: sums of floats differ in
    the last digits. A single operand without a sum gives a view regardless of `dtype` and `order`.

fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2
    `s` without `axes`, and None in `s`, give no warning. On CUDA the factor of `norm` is applied once
    for all axes: floats may differ in the last digits.

fft.irfft fft.hfft
    An empty axis gives zeros; NumPy leaves the result uninitialized.

roots poly
    NumPy dispatches on the elements of the argument: for an empty one call gpunp's function.

loadtxt genfromtxt
    Columns of different dtypes and masked results raise.

array2string array_repr array_str
    The call waits for the device. Only the edges of a long array are copied to the host.

apply_along_axis
    The function receives device arrays, and each call launches its own kernels: functions of whole
    arrays are much faster.
"""


def _parse(text):
    found = {}
    for entry in text.strip("\n").split("\n\n"):
        named, _, said = entry.partition("\n    ")
        for name in named.split():
            found.setdefault(name, []).append(said.replace("\n    ", "\n"))
    return found


DIFFERENCES = {name: "\n\n".join(said) for name, said in _parse(TEXT).items()}
