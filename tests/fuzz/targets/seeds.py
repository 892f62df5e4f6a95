"""Small whole files of every format, for the long runs to begin with."""

import io
import struct
import zipfile
from pathlib import Path

import numpy as np

__all__ = ["seeds"]

_DATA = Path(__file__).resolve().parents[3] / "align" / "data"
_GOLDEN = Path(__file__).resolve().parents[2] / "golden_models"

TEXTGRID = (
    'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 1\ntiers? <exists>\n'
    'size = 2\nitem []:\n item [1]:\n  class = "IntervalTier"\n  name = "phones"\n  xmin = 0\n'
    "  xmax = 1\n  intervals: size = 2\n  intervals [1]:\n   xmin = 0\n   xmax = 0.5\n"
    '   text = "a"\n  intervals [2]:\n   xmin = 0.5\n   xmax = 1\n   text = "b""c"\n'
    ' item [2]:\n  class = "TextTier"\n  name = "p"\n  xmin = 0\n  xmax = 1\n'
    '  points: size = 1\n  points [1]:\n   number = 0.5\n   mark = "x"\n'
)
SHORT_TEXTGRID = (
    'File type = "ooTextFile"\n"TextGrid"\n\n0\n1\n<exists>\n1\n"IntervalTier"\n"Mary"\n0\n1\n1\n'
    '0\n1\n"hello 12 worlds, it\'s $3.50"\n'
)
BINARY_TEXTGRID = (
    b"ooBinaryFile\x08TextGrid"
    + struct.pack(">dd?i", 0.0, 1.0, True, 2)
    + b"\x0cIntervalTier\0\x05words"
    + struct.pack(">ddidd", 0.0, 1.0, 1, 0.0, 1.0)
    + struct.pack(">HH", 0xFFFF, 2)
    + "k\u00e9".encode("utf-16-be")
    + b"\x08TextTier\0\1t"
    + struct.pack(">ddid", 0.0, 1.0, 1, 0.5)
    + b"\0\2H*"
)
CUES = (
    "1\n00:00:00,100 --> 00:00:00,500\nhello <i>you</i>\n\n2\n00:00:00,600 --> 00:00:01,000\nah\n"
)
EAF = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT AUTHOR="" VERSION="3.0" FORMAT='
    '"3.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:noNamespaceSchemaLocation="x">'
    '<HEADER><PROPERTY NAME="align:duration">900</PROPERTY></HEADER><TIME_ORDER><TIME_SLOT '
    'TIME_SLOT_ID="ts1" TIME_VALUE="100"/><TIME_SLOT TIME_SLOT_ID="ts2"/><TIME_SLOT TIME_SLOT_ID='
    '"ts3" TIME_VALUE="800"/></TIME_ORDER><TIER TIER_ID="words" LINGUISTIC_TYPE_REF="l">'
    '<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2='
    '"ts2"><ANNOTATION_VALUE>no</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION><ANNOTATION>'
    '<ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts2" TIME_SLOT_REF2="ts3">'
    "<ANNOTATION_VALUE>key</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
    '<TIER TIER_ID="phones" LINGUISTIC_TYPE_REF="l" PARENT_REF="words"><ANNOTATION>'
    '<REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a1"><ANNOTATION_VALUE>n</ANNOTATION_VALUE>'
    '</REF_ANNOTATION></ANNOTATION><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a4" ANNOTATION_REF='
    '"a1" PREVIOUS_ANNOTATION="a3"><ANNOTATION_VALUE>ow</ANNOTATION_VALUE></REF_ANNOTATION>'
    '</ANNOTATION></TIER><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="l"/></ANNOTATION_DOCUMENT>'
)
EXB = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<basic-transcription><head><meta-information>'
    '<ud-meta-information><ud-information attribute-name="align:duration">2.0</ud-information>'
    "</ud-meta-information></meta-information></head><basic-body><common-timeline>"
    '<tli id="T0" time="0.5"/><tli id="T1"/><tli id="T2" time="1.5"/></common-timeline>'
    '<tier id="TIE0" category="v" display-name="words"><event start="T0" end="T2">no</event>'
    "</tier>"
    '<tier id="TIE1" category="a" display-name="phones"><event start="T0" end="T1">n</event>'
    '<event start="T1" end="T2">ow</event></tier></basic-body></basic-transcription>'
)
MUSICXML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 3.1 Partwise//EN" '
    '"http://www.musicxml.org/dtds/partwise.dtd">\n'
    '<score-partwise version="3.1"><part-list><score-part id="P1"><part-name>x</part-name>'
    '</score-part></part-list><part id="P1"><measure number="1"><attributes><divisions>2'
    "</divisions><key><fifths>0</fifths></key><time><beats>4</beats><beat-type>4</beat-type>"
    '</time></attributes><barline location="left"><repeat direction="forward"/></barline>'
    '<direction><sound tempo="100"/></direction><note><pitch><step>C</step><octave>4</octave>'
    "</pitch><duration>2</duration><voice>1</voice><type>quarter</type></note><note><chord/>"
    "<pitch><step>E</step><alter>-1</alter><octave>4</octave></pitch><duration>2</duration>"
    "<voice>1</voice><type>quarter</type></note><note><grace/><pitch><step>G</step><octave>4"
    "</octave></pitch><voice>1</voice></note><note><rest/><duration>4</duration></note>"
    '<barline location="right"><repeat direction="backward"/></barline></measure></part>'
    "</score-partwise>"
)
MEI = (
    '<?xml version="1.0"?><mei xmlns="http://www.music-encoding.org/ns/mei" meiversion="4.0.0">'
    '<music><body><mdiv><score><scoreDef meter.count="4" meter.unit="4"><staffGrp><staffDef n="1" '
    'xml:id="s" lines="5" clef.shape="G" clef.line="2"/></staffGrp></scoreDef><section><measure '
    'n="1" xml:id="m"><staff n="1" xml:id="t"><layer n="1" xml:id="l"><note xml:id="a" dur="4" '
    'oct="4" pname="c"/><note xml:id="b" dur="2" dots="1" oct="4" pname="d" accid="f"/></layer>'
    "</staff></measure></section></score></mdiv></body></music></mei>"
)
KERN = (
    "**kern\t**kern\n*clefF4\t*clefG2\n*k[]\t*k[]\n*M4/4\t*M4/4\n=1-\t=1-\n4C\t4c\n4D\t8d\n.\t8e\n"
    "2r\t2f#\n==\t==\n*-\t*-\n"
)


def _wav(rate: int = 8000) -> bytes:
    samples = (np.sin(np.arange(200) / 7) * 20000).astype("<i2").tobytes()
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, 1, 1,
                       rate, 2 * rate, 2, 16)  # fmt: skip
    return head + struct.pack("<4sI", b"data", len(samples)) + samples


def _sphere() -> bytes:
    samples = (np.sin(np.arange(200) / 7) * 20000).astype("<i2").tobytes()
    head = (
        "NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i 200\nsample_rate -i 16000\n"
        "sample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_sig_bits -i 16\n"
        "sample_coding -s3 pcm\nend_head\n"
    )
    return head.encode().ljust(1024, b" ") + samples


def _coded(kind: str, subtype: str | None = None) -> bytes:
    import soundfile

    stream = io.BytesIO()
    tone = 0.5 * np.sin(np.arange(400) / 7)
    soundfile.write(stream, tone, 16000, format=kind, subtype=subtype)
    return stream.getvalue()


def _film(kind: str, coding: str) -> bytes:
    """Return a tone as FFmpeg stores it."""
    import av

    stream = io.BytesIO()
    with av.open(stream, "w", format=kind) as container:
        sound = container.add_stream(coding, rate=16000)
        sound.layout = "mono"
        size = sound.codec_context.frame_size or 1024
        for n in range(2):
            tone = 0.5 * np.sin((n * size + np.arange(size)) / 7)
            name = sound.codec_context.format.name
            frame = av.AudioFrame.from_ndarray(
                tone.astype(np.float32)[None]
                if name == "fltp"
                else (32767 * tone).astype("i2")[None],
                "fltp" if name == "fltp" else "s16",
                "mono",
            )
            frame.sample_rate, frame.pts = 16000, n * size
            container.mux(sound.encode(frame))
        container.mux(sound.encode(None))
    return stream.getvalue()


def _mxl() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="s.xml"/></rootfiles></container>',
        )
        archive.writestr("s.xml", MUSICXML)
    return stream.getvalue()


def _midi() -> list[bytes]:
    import mido

    out = []
    for kind in (0, 1):
        file = mido.MidiFile(type=kind, ticks_per_beat=96)
        file.tracks.append(
            mido.MidiTrack(
                [
                    mido.MetaMessage("set_tempo", tempo=400000),
                    mido.MetaMessage("time_signature", numerator=3, denominator=4),
                    mido.Message("note_on", note=60, time=0),
                    mido.Message("note_on", note=64, time=0),
                    mido.Message("note_off", note=60, time=96),
                    mido.Message("sysex", data=(1, 2, 3)),
                    mido.Message("note_on", note=64, velocity=0, time=5),
                ]
            )
        )
        stream = io.BytesIO()
        file.save(file=stream)
        out.append(stream.getvalue())
    return out


def _layer() -> bytes:
    return (
        b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE sonic-visualiser>\n<sv><data>'
        b'<model id="1" sampleRate="44100" type="sparse"/><dataset id="0" dimensions="3">'
        b'<point frame="1000" value="60" duration="1" level="1" label="C4 n0" /></dataset>'
        b"</data></sv>"
    )


def _match() -> bytes:
    return (
        b"info(matchFileVersion,1.0.0).\ninfo(piece,x).\ninfo(composer,x).\ninfo(performer,x).\n"
        b"info(midiClockUnits,4000).\ninfo(midiClockRate,500000).\n"
        b"scoreprop(timeSignature,4/4,1:1,0,0.0000).\nscoreprop(keySignature,C,1:1,0,0.0000).\n"
        b"snote(n1,[C,n],4,1:1,0,1/4,0.0000,1.0000,[v1])-note(0,60,0,500,64,0,1).\n"
        b"snote(n2,[E,b],4,1:2,0,1/4,1.0000,2.0000,[v1])-deletion.\n"
    )


def _json_notes() -> bytes:
    import json
    import tempfile

    from align.formats import write_music
    from align.formats.scores import Score
    from align.results.music import MusicAlignment
    from align.types import Note

    score = Score.of([Note(60, 0.0), Note(64, 0.0), Note(67, 0.5)])
    alignment = MusicAlignment.from_score(score, [0.1, 0.11, 0.7], duration=3.0)
    with tempfile.TemporaryDirectory() as folder:
        write_music(Path(folder) / "a.json", alignment)
        text = (Path(folder) / "a.json").read_text()
    return json.dumps(json.loads(text)).encode()


def _parangonada() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("ppart.csv", "onset_sec,pitch,id\n0.5,60,p0\n")
        archive.writestr(
            "align.csv", "idx,matchtype,partid,ppartid\n0,0,n0,p0\n1,1,n1,undefined\n"
        )
    return stream.getvalue()


def _document() -> bytes:
    import docx

    document, stream = docx.Document(), io.BytesIO()
    document.add_paragraph("Ann: hello world")
    cells = document.add_table(rows=1, cols=3).rows[0].cells
    for cell, text in zip(cells, ("00:04", "Bob", "no"), strict=True):
        cell.text = text
    document.save(stream)
    return stream.getvalue()


def _sheet() -> bytes:
    import openpyxl

    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in (("file", "text", "n"), ("a.wav", "Hello.", 1), (2.0, "no", None)):
        book.active.append(row)
    book.save(stream)
    return stream.getvalue()


def _chosen(*files: bytes) -> list[bytes]:
    return [bytes([k]) + data for k, data in enumerate(files)]


def seeds(target: str) -> list[bytes]:
    """Return the inputs a run begins with."""
    table = b"start,end,label\n0,0.5,a\n0.5,1.25,b\n"
    notes = (
        b"score_onset_s,pitch,performed_onset_s,id,duration_s\n0,60,0.1,n0,0.5\n.5,64,.7,n1,1\n"
    )
    points = b"0.1\t0.1\tC4 n0\n0.7\t0.7\tG4 n2\n"
    made = {
        "textgrid": lambda: [
            TEXTGRID.encode(),
            SHORT_TEXTGRID.encode("utf-16"),
            BINARY_TEXTGRID,
        ],
        "phn": lambda: [b"0 2250 h#\n2250 2924 iy\n2924 4000 s\n"],
        "lab": lambda: [b'0 1406250 sil\n1406250 1827500 "iy" -12.5\n'],
        "labels_table": lambda: _chosen(table, table.replace(b",", b"\t")),
        "ctm": lambda: [b";; c\nkiwi 1 0.0 0.14 sil 0.98\nkiwi 1 0.14 0.04 k\n"],
        "rttm": lambda: [
            b";; c\nSPEAKER t 1 0.1 0.5 <NA> <NA> Ann <NA> <NA>\n"
            b"SPEAKER t 1 0.4 1 <NA> <NA> Bob <NA> <NA>\n"
        ],
        "eaf": lambda: [EAF.encode()],
        "exb": lambda: [EXB.encode()],
        "emu": lambda: [
            b'{"name": "k", "annotates": "k.wav", "sampleRate": 8000, "levels": [{"name": '
            b'"words", "type": "ITEM", "items": [{"id": 1, "labels": [{"name": "words", "value": '
            b'"w"}]}]}, {"name": "phones", "type": "SEGMENT", "items": [{"id": 2, "sampleStart": '
            b'100, "sampleDur": 899, "labels": [{"name": "phones", "value": "a"}]}]}, {"name": '
            b'"t", "type": "EVENT", "items": [{"id": 3, "samplePoint": 200, "labels": [{"name": '
            b'"t", "value": "H*"}]}]}], "links": [{"fromID": 1, "toID": 2}]}'
        ],
        "subtitles": lambda: _chosen(
            CUES.encode(), b"WEBVTT\n\nNOTE x\n\n" + CUES.replace(",", ".").encode()
        ),
        "anchors": lambda: _chosen(
            b"time,label,index\n0.5,a,2\n1.25,b,4\n",
            b"time\tlabel\n0.5\ta\n",
            TEXTGRID.encode(),
        ),
        "beats": lambda: _chosen(
            b"performed_s,score_s,bar,beat\n0.5,0,1,1\n1.0,0.5,1,2\n", b"# x\n0.5 1\n1.25,2\n"
        ),
        "audacity": lambda: [b"0.0\t0.5\ta\n\\\t10\t20\n0.5\t1e0\tb\n", b"0\t0\ta\n1\t1\tb\n"],
        "json": lambda: [
            b'{"audio": "k.wav", "rate": 16000, "duration": 1, "score": 2.5, "events": '
            b'[{"label": "a", "start": 0.0, "end": 0.5, "confidence": null}]}',
            b'{"duration": 1, "events": [{"label": "a", "start": 0.0, "end": 0.5}], "words": '
            b'[{"label": "w", "start": 0.0, "end": 0.5}], "tiers": [{"name": "word", "in": '
            b'"words"}, {"name": "t", "kind": "point", "points": '
            b'[{"label": "H*", "time": 0.3}]}]}',
            b'{"speakers": {"x": {"duration": 1, "events": [{"label": "a", "start": 0.0, "end": '
            b'0.5}], "words": []}, "y": {"events": [{"label": "b", "start": 0, "end": 1}]}}}',
        ],
        "midi": _midi,
        "notation": lambda: [
            *_chosen(MUSICXML.encode(), _mxl(), MEI.encode(), KERN.encode(), _match()),
            b"\0" + MUSICXML.encode("utf-16"),
        ],
        "score_table": lambda: _chosen(notes, notes.replace(b",", b"\t")),
        "notes": lambda: _chosen(
            notes,
            _json_notes(),
            points,
            b"TIME,LABEL\n0.5,C4 n0\n",
            _layer(),
            _midi()[1],
            notes.replace(b",", b"\t"),
            b'{"annotations": [{"namespace": "note_midi", "data": [{"time": 0.5, "duration": 0.1, '
            b'"value": 60, "confidence": null}]}]}',
            b"xml_id\tmidi_id\ttrack\tchannel\tpitch\tonset\nn0\tp0\t0\t0\t60\t0.5\nn1\tdeletion\n",
            _parangonada(),
        ),
        "sphere": lambda: [_sphere()],
        "wav": lambda: [_wav(), _coded("WAV", "FLOAT"), _coded("WAVEX"), _coded("RF64")],
        "flac": lambda: [_coded("FLAC")],
        "audio": lambda: _chosen(
            _wav(),
            _coded("FLAC"),
            _sphere(),
            _coded("OGG"),
            _coded("MP3"),
            _coded("AIFF"),
            _coded("W64"),
            _coded("CAF"),
            _coded("AU"),
        ),
        "media": lambda: _chosen(
            _film("ipod", "aac"), _film("matroska", "flac"), _film("mov", "pcm_s16le")
        ),
        "model": lambda: [p.read_bytes() for p in sorted(_GOLDEN.rglob("*.align"))],
        "dictionary": lambda: [
            b";;; c\nhello HH AH0 L OW1\nhello(2) 0.5 HH EH L OW\n",
            b"a\t1 a\n",
        ],
        "transcript": lambda: _chosen(
            b"It's 10:30 on May 5th, 1999; he paid $3.50 (50%) [noise] for 1,000.5 U.S. 1980s\n",
            b"[00:00:04] Ann: hello world\n0:06 Bob: [no]\n\nAnn  0:09\nso #00:00:10-5# what\n",
            b"0 2250 she\n2250 2924 had\n",
            b'{"segments": [{"start": 0.0, "end": 1.5, "text": " hi", "speaker": "A"}, '
            b'{"start": 1.2, "end": 2, "text": "ho"}], "text": "hi", "transcription": '
            b'[{"offsets": {"from": 0, "to": 900}, "text": "hi"}]}',
            b"@Begin\n*CHI:\twant it . \x15100_1200\x15\n%mor:\tv|want\n"
            b"*MOT:\tyes . \x151300_2000\x15\n",
            b"0:00:00.200,0:00:01.400\nThe kiwi\n\n0:00:01.400,0:00:02.500\nThe kiwi\nis\n",
        ),
        "document": lambda: [_document()],
        "sheet": lambda: [_sheet()],
        "texts": lambda: _chosen(
            b'file,text\na.wav,"Hello, you."\nb,no\n', b'( a "Hello." )\n( b "no" )\n'
        ),
        "manifest": lambda: [
            b"audio,labels,group\nin.wav,in.phn,x\n",
            b"audio,score,truth,group\na.wav,s.mid,t.csv,x\n",
        ],
        "phone_map": lambda: [b"from,to\na,b\n", b"a b\nc d\n"],
        "ipa": lambda: ["h\u0259\u02c8lo\u028a \u02a7a\u026a\u02d0t".encode()],
        "signed_model": lambda: [bytes([k]) + bytes(range(9)) for k in range(4)],
    }
    return made[target]()
