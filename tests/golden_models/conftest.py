"""The script that makes the golden models can be imported by their test."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))
