"""How functions differ from NumPy's, for their docstrings; docs/differences.md has the whole picture."""

# Names, and below them what holds for each; a name may be in several entries.
TEXT = """
sum nansum prod nanprod mean nanmean var std nanvar nanstd trace linalg.trace
    The order in which elements are combined is fixed, but is not NumPy's: floats may differ in the last
    digits. They are the same bits in every run.

cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod
    The order in which elements are combined is fixed, but is not NumPy's: floats may differ in the last
    digits. They are the same bits in every run.

sum nansum
    A sum of nothing but -0.0 is 0.0.

max min amax amin nanmax nanmin sort
    0.0 and -0.0 are equal: where both occur, the result may have the other one than NumPy's.

sort argsort
    Every sort is stable, whatever `kind` says.

sort
    NaNs come out with one bit pattern; NumPy keeps their signs and payloads.

lexsort
    NumPy does not look for arrays in a list: give a tuple of keys, or call ``gpunp.lexsort``.

partition argpartition
    The elements on the two sides of a rank are in another order than NumPy's, the same in every run.
    Several ranks give a sorted array. Ranks on the device are fetched. `kind` is checked and has no
    effect.

nanargmax nanargmin
    The result is never the position of a NaN; NumPy gives one where only infinities are beside it. The
    call waits for the device, to raise the ValueError of a slice of NaNs.

searchsorted
    An index in a `sorter` on the device that is out of bounds is an IndexError of a later call.

digitize
    NaN among the bins counts as the greatest.

unique unique_all unique_counts unique_inverse unique_values union1d intersect1d setdiff1d setxor1d nonzero
argwhere flatnonzero compress extract linalg.eig linalg.eigvals lib.scimath.sqrt lib.scimath.log
lib.scimath.log2 lib.scimath.log10 lib.scimath.logn lib.scimath.power lib.scimath.arccos lib.scimath.arcsin
lib.scimath.arctanh bincount trim_zeros
    The call waits for the device: the shape or the dtype of the result depends on the data.

unique unique_all unique_inverse
    The first of equal elements stands for them where indices or an inverse are asked for.

unique
    With `axis`, NaN of float16 is last, as for the other dtypes; NumPy 2.5 puts it first.

intersect1d
    Integers of 64 bits that become the same float beside the floats of the other array are one element.

isin
    Integers of 64 bits are compared exactly, also signed with unsigned ones. ``kind='table'`` is
    refused for other dtypes than integers, and has no effect otherwise.

median nanmedian
    Over no axes of an array without elements the result is empty, as in NumPy 2.5.5.

quantile percentile nanquantile nanpercentile
    The dtype of the result does not depend on the data. A `q` on the device that is out of range is
    reported by a later call. Negative weights on the device give meaningless numbers; those on the host
    raise.

nanquantile nanpercentile
    `weights` may lie along an axis, for which NumPy raises, and the axes of a two-dimensional `q` come
    first.

average cov
    Weights on the device that are negative, or add up to zero, give NaN or another meaningless number:
    they are not waited for. Weights on the host are checked.

bincount histogram histogramdd histogram2d
    Weights are summed as integers, relative to the largest weight of a bin: the sums are the same bits
    in every run and on every device, and differ from NumPy's in the last digits.

histogram histogram_bin_edges histogramdd histogram2d
    Complex values raise a TypeError. There are at most 2^31 - 1 bins in all.

histogram histogram_bin_edges
    A `range` of device scalars is fetched. Edges on the device that fall are reported by a later call.

geomspace
    End points on the device are not waited for: a zero there gives NaN, not an error.

arange
    Bounds and steps on the device are fetched: the length of the result depends on them.

interp
    `xp` must increase and have no NaN: between and beyond NaN the numbers are others than NumPy's,
    which are NaN in most places.

repeat take roll pad
    NumPy asks only the first array who handles the call. Where that is on the host and the other
    argument on the device, call gpunp's function.

roll pad
    Shifts and widths on the device are fetched.

take take_along_axis put_along_axis put choose unravel_index ravel_multi_index
    Indices on the device that are out of bounds are found by the kernel: on a GPU the error is raised
    by a later call, and names the call that caused it.

lib.stride_tricks.as_strided
    A view that reaches outside the memory of the array is refused, unless ``check_bounds=False``, and
    so are elements that are not aligned to their size.

astype
    Floats that an integer dtype has no room for, NaN and infinities too, become the same integer on
    every device: what NumPy makes of a single element on x86-64.

tril triu concatenate stack vstack hstack dstack column_stack block piecewise
    The result is in C order; NumPy keeps the order of a transposed operand.

i0
    float16 is computed in float32 and rounded once: it overflows later than NumPy's.

unpackbits
    Beyond an array without elements it fills with zeros; NumPy leaves that memory as it is.

cross linalg.cross
    Vectors of two components are refused, as in NumPy 2.5.

linalg.cholesky linalg.qr linalg.eigh linalg.eigvalsh linalg.eig linalg.eigvals linalg.svd linalg.svdvals
linalg.inv linalg.solve linalg.det linalg.slogdet linalg.lstsq linalg.matrix_rank linalg.pinv
    float16 is computed in float32, and real results are float16 again; NumPy refuses it.

linalg.cholesky linalg.eigh linalg.eigvalsh linalg.svd linalg.svdvals linalg.inv linalg.solve
    On a GPU a LinAlgError is raised by a later call, or when a value is fetched. What the failed call
    returned is not specified.

linalg.eigh linalg.svd
    The signs (phases) of vectors may differ from LAPACK's; they are the same in every run.

linalg.svd linalg.svdvals
    A matrix with infinities or NaN is a LinAlgError on a GPU.

einsum
    Pairs of operands are contracted by matrix products, also with ``optimize=False``. More than two
    operands follow the greedy path then, where NumPy makes one loop over all indices: sums of floats
    differ in the last digits. The result of one operand without a sum is a view, whatever `dtype` and
    `order` say.

fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2
    `s` without `axes`, and None in `s`, work without a warning. On CUDA the factor of `norm` is applied
    once for all axes: floats may differ in the last digits.

fft.irfft fft.hfft
    An axis without elements gives zeros; NumPy leaves the result as it finds it.

roots poly
    NumPy looks for arrays among the elements of the argument: for an empty one call gpunp's function.

loadtxt genfromtxt
    Columns with dtypes of their own, and masked results, are refused.

array2string array_repr array_str
    The call waits for the device. Of a long array only the edges are copied to the host.

apply_along_axis
    The function gets device arrays, and every call of it launches kernels of its own: functions of
    whole arrays are much faster.
"""


def _parse(text):
    found = {}
    for entry in text.strip("\n").split("\n\n"):
        named, _, said = entry.partition("\n    ")
        for name in named.split():
            found.setdefault(name, []).append(said.replace("\n    ", "\n"))
    return found


DIFFERENCES = {name: "\n\n".join(said) for name, said in _parse(TEXT).items()}
