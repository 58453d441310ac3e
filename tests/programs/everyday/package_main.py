"""A program with modules and a package of its own beside it."""

import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
(folder / "shapes").mkdir()
(folder / "shapes" / "__init__.py").write_text("from .areas import disc\nfrom . import areas\n")
(folder / "shapes" / "areas.py").write_text(
    "import numpy as np\n\n\ndef disc(n):\n    y, x = np.ogrid[-1:1:n*1j, -1:1:n*1j]\n"
    "    return 4 * np.mean(x**2 + y**2 <= 1)\n"
)
sys.path.insert(0, str(folder))
import shapes  # noqa: E402

print(f"{shapes.disc(101):.6f}", shapes.areas.__name__, shapes.disc(51) == shapes.areas.disc(51))
