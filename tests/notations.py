"""Small scores in notation, to be read in tests."""

from collections.abc import Sequence

__all__ = ["KERN", "MEI", "musicxml"]

KERN = "**kern\n*clefG2\n*k[b-e-a-]\n*M4/4\n=1\n4c\n4d-\n4g-\n4b#\n==\n*-\n"
MEI = (
    '<?xml version="1.0"?><mei xmlns="http://www.music-encoding.org/ns/mei" meiversion="4.0.0">'
    '<music><body><mdiv><score><scoreDef meter.count="4" meter.unit="4" key.sig="3f"><staffGrp>'
    '<staffDef xml:id="s" n="1" lines="5" clef.shape="G" clef.line="2"/></staffGrp></scoreDef>'
    '<section><measure n="1" xml:id="m"><staff n="1" xml:id="t"><layer n="1" xml:id="l"><note '
    'xml:id="first" dur="4" oct="4" pname="c"/><note xml:id="note-0000001234567890-long" dur="4" '
    'oct="4" pname="g" accid.ges="f"/><note xml:id="z" dur="2" oct="4" pname="b" accid="s"/>'
    "</layer></staff></measure></section></score></mdiv></body></music></mei>"
)


def musicxml(
    notes: Sequence[tuple[str, int, int]],
    *,
    ids: Sequence[str] = (),
    move: tuple[int, int] | None = None,
    repeated: bool = False,
) -> str:
    """Return quarter notes (step, alteration, octave), to be moved by steps and semitones."""
    written = ""
    for k, (step, alter, octave) in enumerate(notes):
        name = f' id="{ids[k]}"' if ids else ""
        written += (
            f"<note{name}><pitch><step>{step}</step><alter>{alter}</alter><octave>{octave}"
            "</octave></pitch><duration>1</duration><voice>1</voice><type>quarter</type></note>"
        )
    moved = ""
    if move is not None:
        steps, semitones = move
        moved = (
            f"<transpose><diatonic>{steps}</diatonic><chromatic>{semitones}</chromatic>"
            "</transpose>"
        )
    left = '<barline location="left"><repeat direction="forward"/></barline>'
    right = '<barline location="right"><repeat direction="backward"/></barline>'
    return (
        '<score-partwise version="3.1"><part-list><score-part id="P1"><part-name>x</part-name>'
        '</score-part></part-list><part id="P1"><measure number="1"><attributes><divisions>1'
        f"</divisions><time><beats>{len(notes)}</beats><beat-type>4</beat-type></time>{moved}"
        f"</attributes>{left if repeated else ''}{written}{right if repeated else ''}</measure>"
        "</part></score-partwise>"
    )
