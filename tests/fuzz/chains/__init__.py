"""Random programs whose calls gpunp defers, compared bit by bit with the same programs without fusion.

The interface is that of the module ``program``: `run`, `replay`, `shorten`, `script` and `Failure`.
"""

from chains.running import Failure, replay, run, script, shorten

__all__ = ["Failure", "replay", "run", "script", "shorten"]
