"""What shows two windows that they do not see the same."""

from align.errors import DataError


class StaleRevision(DataError):
    """A change is of an older state of a recording than the newest; it was not made."""
