"""Import this module first to import tables such as ``gpunp.dtype_codes`` before gpunp is built.

``gpunp`` is then a namespace for the folder: ``gpunp/__init__.py``, which needs compiled modules, never runs.
"""

import sys
import types
from pathlib import Path

package = types.ModuleType("gpunp")
package.__path__ = [str(Path(__file__).parents[1])]
sys.modules["gpunp"] = package
