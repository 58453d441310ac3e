"""Import this to import the tables of gpunp by their names before gpunp is built.

The name ``gpunp`` then stands for the folder alone: ``gpunp/__init__.py``, which needs compiled modules, is never run.
"""

import sys
import types
from pathlib import Path

package = types.ModuleType("gpunp")
package.__path__ = [str(Path(__file__).parents[1])]
sys.modules["gpunp"] = package
