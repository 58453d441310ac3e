"""Write the generated kernel units, or list them or the files that generate them.

    generate.py list
    generate.py hosts
    generate.py levels
    generate.py sources
    generate.py write DIRECTORY

Every unit becomes ``UNIT.cu`` for nvcc. The host compiler gets the same sources, a few units in each
``host_N.cpp``, because parsing our headers takes longer than compiling many units. Those in ``level_N.cpp``
are compiled once for each level of vector instructions.
"""

import importlib
import pathlib
import re
import sys
import zlib

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "gpunp" / "_build")]
importlib.import_module("package_folder")

# Each module's units() maps unit names to sources.
GENERATORS = (
    "elementwise",
    "creation",
    "reductions",
    "scans",
    "products",
    "indexing",
    "manipulation",
    "packing",
    "sorting",
    "selection",
    "searching",
    "sets",
    "histograms",
    "statistics",
    "samples",
    "special_matrices",
    "closeness",
    "random_numbers",
    "linalg",
    "fft",
    "ndimage_filters",
    "ndimage_morphology",
    "ndimage_measurements",
    "ndimage_interpolation",
    "signal_filters",
    "interpolation",
    "spatial",
    "sparse",
)
# Files for the host compiler: each has a few units, and compiles in 5 to 20 s.
HOST_FILES = 48
# Units whose loops measurably gain from wider vectors, and the number of files that they share. Others would
# cost compile time only: scans, gathers, searches and functions that call the C library for each element.
LEVEL_UNITS = re.compile(
    "arithmetic_(f|c|int32|int64)|comparison_(f|int32|int64)|bitwise|logical_(f|wide)|cast_(f|int64)|"
    "rounding_f|floating_(f|complex)|(exponential|hyperbolic|trigonometric)_f|internal_(f|narrow)|"
    "reduce_(f|i4|i8)|special_error_f|histogram_values"
)
LEVEL_FILES = 12
# GCC 12 fuses products of complex numbers for AVX-512, whatever -ffp-contract says, which changes bits. There
# the kernels of the level below serve.
BELOW_AVX512 = re.compile("arithmetic_c")


def collect():
    """Map unit names to sources, over all generators."""
    units = {}
    for name in GENERATORS:
        if not (HERE / f"{name}.py").exists():
            continue
        for unit, text in importlib.import_module(name).units().items():
            if unit in units:
                raise SystemExit(f"generate.py: two generators define the unit {unit}")
            units[unit] = text
    return units


def spread(names, count):
    """Divide units among files.

    Units of a family may use the same names, so they go to different files. A new unit changes one file, and
    those of the later units of its family.
    """
    files = [[] for _ in range(count)]
    members = {}
    for name in sorted(names):
        family = name.partition("_")[0]
        rank = members[family] = members.get(family, -1) + 1
        if rank == count:
            raise SystemExit(f"generate.py: the family {family} has more than {count} units")
        files[(zlib.crc32(family.encode()) + rank) % count].append(name)
    return files


def own_names(text):
    """Return the source of a unit with its structs and functions in a namespace of the file's own.

    Otherwise the linker would keep only one of the functions that several levels have under the same name.
    """
    if "\nnamespace gpunp {" in text:
        return text
    head = re.match(r"(\s*(#include .*|using namespace .*)?\n)*", text).end()
    return f"{text[:head]}namespace {{\n{text[head:]}}}  // namespace\n"


def host_files(units):
    """Map the names of files for the host compiler, but for those of `level_files`, to sources."""
    include = '#undef GPUNP_UNIT\n#define GPUNP_UNIT "{name}"\n#include "{name}.cu"\n'
    files = spread([name for name in units if not LEVEL_UNITS.match(name)], HOST_FILES)
    sources = ["".join(include.format(name=name) for name in names) for names in files]
    return {f"host_{i}.cpp": source for i, source in enumerate(sources)}


def level_files(units):
    """Map the names of files that are compiled for each level of vector instructions to sources."""

    def source(name):
        text = f'#undef GPUNP_UNIT\n#define GPUNP_UNIT "{name}"\n{own_names(units[name])}'
        return f"#if !__AVX512F__\n{text}#endif\n" if BELOW_AVX512.match(name) else text

    files = spread(filter(LEVEL_UNITS.match, units), LEVEL_FILES)
    return {f"level_{i}.cpp": "".join(map(source, names)) for i, names in enumerate(files)}


def write_if_changed(path, text):
    """Write only changed text, so that unchanged files keep their time stamps and are not rebuilt."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(argv):
    if argv[:1] == ["list"]:
        print("\n".join(sorted(collect())))
    elif argv[:1] == ["hosts"]:
        print("\n".join(host_files(collect())))
    elif argv[:1] == ["levels"]:
        print("\n".join(level_files(collect())))
    elif argv[:1] == ["sources"]:
        folders = [HERE, ROOT / "gpunp" / "ufunc" / "table", ROOT / "gpunp" / "reduction"]
        files = [path for folder in folders for path in sorted(folder.glob("*.py"))]
        files += [ROOT / "gpunp" / "dtype_codes.py", ROOT / "kernels/include/gpunp/fft/params.h"]
        print("\n".join(map(str, files)))
    elif argv[:1] == ["write"] and len(argv) == 2:
        target = pathlib.Path(argv[1])
        units = collect()
        for unit, text in units.items():
            write_if_changed(target / f"{unit}.cu", text)
        for name, text in {**host_files(units), **level_files(units)}.items():
            write_if_changed(target / name, text)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
