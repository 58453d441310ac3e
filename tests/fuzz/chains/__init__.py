"""Random programs whose calls gpunp defers, compared bit by bit with the same programs without fusion.

The interface is that of the module ``program``: `run`, `replay`, `shorten`, `script` and `Failure`; and
`place_of` for programs that are visited several times.
"""

from chains.running import Failure, replay, run, script, shorten
from chains.visiting import place_of

__all__ = ["Failure", "place_of", "replay", "run", "script", "shorten"]
