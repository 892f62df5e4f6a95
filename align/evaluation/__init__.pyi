from .report import FileResult, Report

__all__ = [
    "FileResult",
    "Report",
]
