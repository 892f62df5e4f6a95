"""Remarks in round brackets, which otherwise hold words: ``(laughs)``, ``(unverständlich)``.

Of English, German, French, Spanish, Italian and Portuguese those are known that transcribers write
most. A remark may go on, with a time for example: ``(inaudible 00:12)``.
"""

import re

_GO_ON = (
    r"inaudible|unintelligible|indistinct|unclear|incomprehensible|laugh(?:s|ter|ing)?|noise|"
    r"cough(?:s|ing)?|breath(?:s|e|es|ing)?|sigh(?:s|ing)?|sneezes?|sniffs?|clicks?|applause|"
    r"music|cross-?talk|chuckles?|giggles?|clears (?:(?:his|her|their|the) )?throat|"
    r"unverst(?:\.|ändlich)?|unv\.?|incompréhensible|ininteligible|incomprensibile|ininteligível|inaudível"
)
_ALONE = (
    r"pauses?|silence|overlap(?:s|ping)?|gasps?|yawns?|sobs?|sic|"
    r"lach(?:t|en|end)|gelächter|seufz(?:t|en|end)|hust(?:et|en|end)|atmet|räusper(?:t|n)|schnieft|"
    r"schmunzelt|kichert|weint|gähnt|schweigt|schweigen|geräusche?|stille|musik|applaus|"
    r"rires?|rit|tousse|soupirs?|soupire|bruits?|musique|applaudissements|"
    r"risas?|ríe|tose|suspira|pausa|silenci?o|ruido|música|aplausos?|"
    r"risat[ae]|ride|tossisce|sospira|silenzio|rumore|musica|applausi|risos?"
)
_LENGTH = r"(?:long|short|brief|lange|kurze|longue|courte|larga|lunga|breve)"
REMARK = re.compile(
    rf"(?:{_GO_ON})(?!\w)[^()\[\]\n]{{0,40}}"
    rf"|(?:{_LENGTH} )?(?:{_ALONE})(?: [\w.:,]{{1,12}}){{0,2}}",
    re.IGNORECASE,
)
"""What a remark says."""

REMARKED = re.compile(rf"\((?:{REMARK.pattern}|\([^()\n]{{0,40}})\)+", re.IGNORECASE)
"""A remark in its brackets; ``(())`` of the LDC is one."""
