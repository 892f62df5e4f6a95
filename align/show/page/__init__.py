"""A page to check and correct alignments by ear and eye: one HTML file, without a network.

`document`     the page as text, and its writing
`recordings`   what is shown: alignments with their recordings, read from files
`confidence`   how sure each onset is, as the files say it
`uncertainty`  which boundaries deserve a look first, and why
`parts`        the scripts and the style, shared with other pages
`sound`        recordings as a browser plays them

The template is ``page.html`` with ``page.css`` and the scripts ``*.js`` of this folder.
"""

from align.show.page.document import PageSummary, format_page, write_page
from align.show.page.recordings import Recording, read_recordings

__all__ = ["PageSummary", "Recording", "format_page", "read_recordings", "write_page"]
