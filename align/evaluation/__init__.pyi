from .file_result import FileResult
from .report import Report

__all__ = [
    "FileResult",
    "Report",
]
