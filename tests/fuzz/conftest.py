"""The targets of the long runs, and the golden models, can be imported by the tests here."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for _folder in (TESTS / "fuzz" / "targets", TESTS / "golden_models"):
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))
