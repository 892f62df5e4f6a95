from .revision import StaleRevision
from .session import Session

__all__ = [
    "Session",
    "StaleRevision",
]
