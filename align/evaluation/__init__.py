"""How far onsets are from the truth, and how two systems differ.

`report`        errors of many recordings as tables
`comparison`    two reports side by side, with intervals of confidence
`matching`      labels of a result and of the truth that belong together
`mir_metrics`   the measures of onset detection and of score following
"""

from typing import TYPE_CHECKING

from align._lazy import lazy_names

if TYPE_CHECKING:
    from align.evaluation.report import FileResult, Report

__all__ = [
    "FileResult",
    "Report",
]

__getattr__, __dir__ = lazy_names(__name__, {"align.evaluation.report": "FileResult Report"})
