"""Write the generated kernel units, or list them or the files that generate them.

    generate.py list
    generate.py hosts
    generate.py sources
    generate.py write DIRECTORY

Every unit becomes ``UNIT.cu`` for nvcc. The host compiler gets the same sources, a few units in each
``host_N.cpp``, because parsing our headers takes longer than compiling many units.
"""

import importlib
import pathlib
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
HOST_FILES = 56


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


def host_files(units):
    """Map the names of files for the host compiler to sources.

    Units of a family may use the same names, so they go to different files. A new unit changes one file, and
    those of the later units of its family.
    """
    files = [[] for _ in range(HOST_FILES)]
    members = {}
    for name in sorted(units):
        family = name.partition("_")[0]
        rank = members[family] = members.get(family, -1) + 1
        if rank == HOST_FILES:
            raise SystemExit(f"generate.py: the family {family} has more than {HOST_FILES} units")
        files[(zlib.crc32(family.encode()) + rank) % HOST_FILES].append(name)
    include = '#undef GPUNP_UNIT\n#define GPUNP_UNIT "{name}"\n#include "{name}.cu"\n'
    return {
        f"host_{i}.cpp": "".join(include.format(name=name) for name in names) for i, names in enumerate(files)
    }


def write_if_changed(path, text):
    """Write only changed text, so that unchanged files keep their time stamps and are not rebuilt."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(argv):
    if argv[:1] == ["list"]:
        print("\n".join(sorted(collect())))
    elif argv[:1] == ["hosts"]:
        print("\n".join(host_files(collect())))
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
        for name, text in host_files(units).items():
            write_if_changed(target / name, text)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
