"""Sphinx configuration. The reference is generated from gpunp's registry and op table."""

import os
import sys
from pathlib import Path

# The documentation is built without a GPU as well, so it never looks for one.
os.environ.setdefault("GPUNP_DEVICE", "cpu")
sys.path.insert(0, str(Path(__file__).parent))

from generate_reference import write_pages

import gpunp

project = "gpunp"
author = "gpunp developers"
copyright = "gpunp developers"
version = release = gpunp.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {"description": "NumPy on GPUs", "fixed_sidebar": True, "page_width": "1060px"}
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "none"
add_module_names = False


def setup(app):
    """Write the reference pages before Sphinx looks for sources."""
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / "reference" / "generated"))
