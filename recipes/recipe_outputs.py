"""Where the recipes of the flat learners write: numbers as JSON, and a picture."""

import argparse
import json
from pathlib import Path
from typing import Any


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` and ``--plot``."""
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    parser.add_argument("--plot", type=Path, help="where to write a picture")


def write_numbers(found: Any, path: Path | None) -> None:
    """Write numbers where a path is given."""
    if path is not None:
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def new_figure(*rows_and_columns: int, **options: Any) -> tuple[Any, Any]:
    """Return a figure and its axes, drawn without a screen; arguments are those of `subplots`."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt.subplots(*rows_and_columns, **options)


def save_figure(figure: Any, path: Path, **layout: Any) -> None:
    """Arrange a figure, write it and close it."""
    import matplotlib.pyplot as plt

    figure.tight_layout(**layout)
    figure.savefig(path)
    plt.close(figure)
