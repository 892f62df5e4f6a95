"""Make recordings with known times of phones: sentences said by free voices of Festival.

::

    apt-get install festival festvox-italp16k festvox-itapc16k festival-czech \\
        festvox-czech-dita festvox-czech-krb festvox-czech-machac festvox-czech-ph \\
        festvox-suopuhe-lj festvox-suopuhe-mv festival-hi festvox-hi-nsk festival-mr \\
        festvox-mr-nsk festival-te festvox-te-nsk festival-ca festvox-ca-ona-hts \\
        festvox-kdlpc16k festvox-kallpc16k festvox-us-slt-hts
    pip install wordfreq
    python recipes/voxangeles/made_speech.py MADE [--sentences 25] [--seed 0] [--voices NAME ...]

Each voice was made of one person's recordings, cut in the middle of phones: what lies around a
boundary was said. Sentences are frequent words in any order, one to eight of them, lengths of
phones, tempo and pitch are drawn anew for each, and a floor of noise is added. MADE has a folder
for each voice, with a TextGrid (tier ``phones``, in the IPA, pauses empty) beside each recording,
as `align.read_corpus` reads it. The same seed says the same sentences.

The Russian voice of Debian is left out: its boundaries are 20 ms and
more from where they are heard.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.signal
import soundfile

from align.features.sound.audio import read_audio
from align.formats.phone_map import read_phone_map
from align.formats.tiers.textgrid import format_textgrid

RATE = 16000
PAUSES = {"#", "##", "pau", "h#", "brth"}


def _map(table: str) -> dict[str, str]:
    """Read pairs of a voice's phone and that of the IPA."""
    return dict(pair.split("=") for pair in table.split())


def _long(phones: Mapping[str, str], letters: str) -> dict[str, str]:
    return {f"{letter}:": f"{phones[letter]}ː" for letter in letters}


def _stressed(phones: Mapping[str, str], vowels: str) -> dict[str, str]:
    return {f"{vowel}1": phones[vowel] for vowel in vowels if vowel in phones}


_ITALIAN = _map(
    "i=i e=e E=ɛ a=a o=o O=ɔ u=u j=j w=w p=p t=t k=k b=b d=d g=ɡ f=f s=s S=ʃ v=v z=z Z=ʒ "
    "ts=t͡s tS=t͡ʃ dz=d͡z dZ=d͡ʒ m=m n=n J=ɲ ng=ŋ nf=ɱ l=l L=ʎ r=r"
)
_CZECH = _map(
    "_=ʔ a=a b=b c=t͡s c~=t͡ʃ ch=x d=d d~=ɟ dz=d͡z dz~=d͡ʒ e=ɛ f=f g=ɡ h=ɦ i=ɪ j=j k=k l=l "
    "m=m n=n n*=ŋ n~=ɲ o=o p=p r=r r~=r̝ r~*=r̝ s=s s~=ʃ t=t t~=c u=u v=v z=z z~=ʒ i:=iː"
)
_FINNISH = _map(
    "a=ɑ e=e i=i o=o u=u y=y @=æ 7=ø p=p t=t k=k b=b d=d g=ɡ f=f s=s S=ʃ h=h v=ʋ m=m n=n N=ŋ l=l "
    "r=r j=j w=w"
)
_INDIAN = _map(
    "a=ə aa=aː ih=ɪ iy=iː uh=ʊ uw=uː eh=eː ee=ɛː ay=æː oh=oː oo=ɔː aw=ɔː f=f k=k g=ɡ ch=t͡ʃ "
    "T=ʈ D=ɖ N=ɳ th=t̪ dh=d̪ n=n p=p b=b m=m y=j r=r v=ʋ l=l L=ɭ R=ɽ s=s sh=ʃ j=d͡ʒ h=ɦ "
    "kh=kʰ gh=ɡʱ td=ʈʰ tth=t̪ʰ ddh=d̪ʱ bh=bʱ zh=ʒ w=w"
)
_CATALAN = _map(
    "ax=ə a=a b=b d=d e=e E=ɛ f=f g=ɡ i=i j=j J=ɲ k=k l=l L=ʎ m=m n=n o=o O=ɔ p=p r=ɾ rr=r "
    "s=s S=ʃ t=t u=u w=w z=z Z=ʒ"
)
PHONES: Mapping[str, Mapping[str, str]] = {
    "it": {**_ITALIAN, **_stressed(_ITALIAN, "ieEaoOu")},
    "cs": {**_long(_CZECH, "aeou"), **_CZECH},
    "fi": {**_FINNISH, **_long(_FINNISH, "".join(_FINNISH))},
    "hi": _INDIAN,
    "mr": _INDIAN,
    "te": _INDIAN,
    "ca": {**_CATALAN, **_stressed(_CATALAN, "ieEaoOu")},
    "en": read_phone_map("timit_ipa"),
}
ENCODINGS = {"it": "iso-8859-15", "fi": "iso-8859-15", "ca": "iso-8859-15", "cs": "iso-8859-2"}
"""Of texts; others are in UTF-8."""

TELUGU = (
    "నేను మీరు వారు ఇది అది ఏమిటి ఎక్కడ ఎప్పుడు ఎందుకు నీరు అన్నం పాలు "
    "చెట్టు పువ్వు ఇల్లు తలుపు గ్రామం నగరం దేశం భాష తెలుగు పాట కథ "
    "పుస్తకం బడి గురువు తల్లి తండ్రి అన్న తమ్ముడు అక్క చెల్లి రాజు రాణి "
    "సూర్యుడు చంద్రుడు ఆకాశం భూమి నది సముద్రం కొండ అడవి పక్షి కుక్క "
    "పిల్లి ఆవు గుర్రం ఏనుగు పులి చేప మంచి చెడు పెద్ద చిన్న కొత్త పాత "
    "ఎరుపు నలుపు తెలుపు పచ్చ ఒకటి రెండు మూడు నాలుగు ఐదు ఆరు ఏడు ఎనిమిది "
    "తొమ్మిది పది రోజు రాత్రి ఉదయం సాయంత్రం వారం నెల వచ్చాడు వెళ్ళాడు "
    "చూశాను చెప్పాను తిన్నాను చేశాను చదివాను వస్తాను చేస్తారు"
)
"""Common words, since wordfreq has none; Marathi is given those of Hindi."""


@dataclass(frozen=True)
class Voice:
    """A voice: its language, and how late its boundaries are heard, in seconds.

    Late by the median of a model that heard none of it (`run.py --timit`, fold 0).
    """

    language: str
    late: float
    prosody: bool = True  # lengths and pitch can be set

    @property
    def encoding(self) -> str:
        return ENCODINGS.get(self.language, "utf-8")


VOICES = {
    "lp_diphone": Voice("it", 0.0001),
    "pc_diphone": Voice("it", 0.0),
    "czech_dita": Voice("cs", 0.0034),
    "czech_krb": Voice("cs", 0.0030),
    "czech_machac": Voice("cs", 0.0048),
    "czech_ph": Voice("cs", 0.0025),
    "suo_fi_lj_diphone": Voice("fi", 0.0085),
    "hy_fi_mv_diphone": Voice("fi", 0.0042),
    "hindi_NSK_diphone": Voice("hi", -0.0009),
    "marathi_NSK_diphone": Voice("mr", -0.0010),
    "telugu_NSK_diphone": Voice("te", 0.0),
    "upc_ca_ona_hts": Voice("ca", 0.0067, prosody=False),
    "kal_diphone": Voice("en", 0.0080),
    "ked_diphone": Voice("en", 0.0053),
    "cmu_us_slt_arctic_hts": Voice("en", 0.0068, prosody=False),
}

SAY = """
(voice_{voice})
(define lengths '({lengths}))
(define (next_length)
  (set! lengths (append (cdr lengths) (list (car lengths))))
  (car lengths))
(Param.set 'Duration_Stretch {stretch:.3f})
(define utt (Utterance Text "{text}"))
(if {prosody}
  (let ((before 0) (now 0))
    (mapcar (lambda (module) ((eval module) utt))
      '(Initialize Text Token_POS Token POS Phrasify Word Pauses Intonation PostLex Duration))
    (mapcar (lambda (phone)
        (let ((end (item.feat phone 'end)))
          (set! now (+ now (* (- end before) (next_length))))
          (set! before end)
          (item.set_feat phone 'end now)))
      (utt.relation.items utt 'Segment))
    (Int_Targets utt)
    (mapcar (lambda (target)
        (if (> (item.feat target 'f0) 0)
          (item.set_feat target 'f0 (* {pitch:.3f} (item.feat target 'f0)))))
      (utt.relation.items utt 'Target))
    (Wave_Synth utt))
  (utt.synth utt))
(utt.save.wave utt "{stem}.wav" 'riff)
(utt.save.segs utt "{stem}.segs")
"""


def words_of(language: str, encoding: str) -> list[str]:
    """Return words that a voice can read, frequent ones first."""
    if language == "te":
        return TELUGU.split()
    from wordfreq import top_n_list

    words = top_n_list("hi" if language == "mr" else language, 3000)
    if language in ("hi", "mr"):
        return [word for word in words if all("\u0900" <= c < "\u0964" for c in word)]
    ascii_only = "ascii" if language == "en" else encoding
    known = [word for word in words if word.isalpha()]
    return [word for word in known if word.encode(ascii_only, "ignore").decode(ascii_only) == word]


def sentence(words: Sequence[str], rng: random.Random) -> str:
    """Draw words, frequent ones rather, and a comma in some that are long.

    Examples
    --------
    >>> sentence(["one"], random.Random(1))
    'one one one.'
    """
    chosen = [words[int(len(words) ** rng.uniform(0.3, 1)) - 1] for _ in range(rng.randint(1, 8))]
    if len(chosen) > 4 and rng.random() < 0.5:
        chosen[len(chosen) // 2] += ","
    return " ".join(chosen) + "."


def labelled(
    segments: str, phones: Mapping[str, str], late: float
) -> tuple[list[str], list[float]]:
    """Return phones in the IPA and where they begin, of what Festival says of its segments.

    Two equal ones are one long phone, and pauses beside each other are one.

    Examples
    --------
    >>> told = "#\\n0.1 100 #\\n0.2 100 t\\n0.3 100 t\\n0.4 100 a\\n0.5 100 #"
    >>> labelled(told, {"t": "t", "a": "ɑ"}, 0.01)
    (['', 'tː', 'ɑ', ''], [0.0, 0.11, 0.31, 0.41])
    """
    labels: list[str] = []
    onsets: list[float] = []
    begin = 0.0
    for line in segments.splitlines():
        if len(fields := line.split()) != 3:
            continue
        end, label = float(fields[0]), "" if fields[2] in PAUSES else phones[fields[2]]
        if end <= begin + 1e-4:
            continue
        if labels and labels[-1].rstrip("ː") == label.rstrip("ː"):
            labels[-1] = label and label.rstrip("ː") + "ː"
        else:
            labels.append(label)
            onsets.append(round(begin + late, 4) if begin else 0.0)
        begin = end
    return labels, onsets


def say(name: str, text: str, rng: random.Random, stem: Path) -> bool:
    """Let a voice say a text to `stem`.wav and .segs, and tell whether all went well.

    Festival puts silence in where a voice lacks a pair of phones, and says so.
    """
    voice = VOICES[name]
    lengths = " ".join(f"{2 ** rng.gauss(0, 0.3):.3f}" for _ in range(16))
    script = SAY.format(
        voice=name,
        text=text,
        lengths=lengths,
        stretch=rng.uniform(0.7, 1.3),
        pitch=2 ** rng.uniform(-0.35, 0.35),
        prosody="t" if voice.prosody else "nil",
        stem=stem,
    )
    path = stem.with_suffix(".scm")
    path.write_text(script, encoding=voice.encoding)
    done = subprocess.run(["festival", "-b", str(path)], capture_output=True, check=False)
    told = done.stdout + done.stderr
    return done.returncode == 0 and b"default diphone" not in told and b"Warning" not in told


def with_noise(samples: npt.NDArray[np.float32], rng: random.Random) -> npt.NDArray[np.float64]:
    """Return samples at a level that is drawn, above a floor of noise."""
    noise = np.random.default_rng(rng.getrandbits(32)).normal(size=len(samples))
    noise = scipy.signal.lfilter([1], [1, -0.9 * rng.random()], noise)
    level, floor = (10 ** (rng.uniform(*between) / 20) for between in ((-20, -3), (-75, -50)))
    said = samples / np.abs(samples).max() * level
    return np.asarray(said + noise / noise.std() * floor)


def make(name: str, n_sentences: int, seed: int, folder: Path) -> float:
    """Write what a voice says, and return its seconds."""
    voice, rng = VOICES[name], random.Random(f"{name} {seed}")
    words, phones = words_of(voice.language, voice.encoding), PHONES[voice.language]
    folder.mkdir(parents=True)
    seconds = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        for number in range(n_sentences):
            stem = Path(temporary) / f"{name}-{number:03d}"
            if not say(name, sentence(words, rng), rng, stem):
                continue
            samples, _ = read_audio(stem.with_suffix(".wav"), RATE)
            segments = stem.with_suffix(".segs").read_text(encoding="ascii")
            labels, onsets = labelled(segments, phones, voice.late)
            duration = len(samples) / RATE
            if not any(labels) or onsets[-1] >= duration:
                continue
            intervals = np.array([onsets, [*onsets[1:], duration]]).T
            text = format_textgrid({"phones": (labels, intervals)}, duration)
            soundfile.write(folder / f"{stem.name}.flac", with_noise(samples, rng), RATE)
            (folder / f"{stem.name}.TextGrid").write_text(text, encoding="utf-8")
            seconds += duration
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("made", type=Path, help="folder that is made")
    parser.add_argument("--sentences", type=int, default=25, help="of each voice")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--voices", nargs="+", choices=VOICES, default=[*VOICES])
    options = parser.parse_args()
    if shutil.which("festival") is None:
        sys.exit("festival was not found; this recipe's first lines say what to install.")
    for name in options.voices:
        seconds = make(name, options.sentences, options.seed, options.made / name)
        print(f"{name:<24}{seconds:6.0f} s", flush=True)


if __name__ == "__main__":
    main()
