"""Mail as a stream of labelled word sets: read a folder tree, or generate one.

A tree is one user's mail: any folders, one file for each message, with or without the ``cur`` and
``new`` of a maildir. The preparation is that of the Enron folders of Bekkerman, McCallum and Huang
(2004): leave out folders that say nothing of a topic, flatten the tree, leave out folders with
fewer than three messages, ignore the header X-Folder, order by date.
"""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path

import numpy as np
import scipy.sparse as sp

NO_TOPIC = frozenset(
    "all_documents calendar contacts deleted_items discussion_threads inbox notes_inbox sent "
    "sent_items _sent_mail".split()
)
FEWEST = 3  # messages in a folder

_WORD = re.compile(r"[a-z][a-z']+")


@dataclass(frozen=True)
class Stream:
    """Messages of one user, in order.

    Attributes
    ----------
    name : str
    X : csr_array [shape=(m, n)]
        Word indicators, 0 and 1.
    Y : np.ndarray of bool [shape=(m, k)]
        Folders, or several labels, of each message.
    labels : list of str
    """

    name: str
    X: sp.csr_array
    Y: np.ndarray
    labels: list[str]

    def part(self, begin: int, end: int) -> "Stream":
        return Stream(self.name, self.X[begin:end], self.Y[begin:end], self.labels)


def folder_of(path: Path, root: Path) -> str | None:
    """Return the folder of a message, or None where it is to be left out."""
    parts = [part.lower() for part in path.relative_to(root).parts[:-1]]
    if parts and parts[-1] in ("cur", "new", "tmp"):
        if parts[-1] == "tmp":
            return None
        parts.pop()
    if not parts or NO_TOPIC.intersection(parts):
        return None
    return "/".join(parts)


def words_of(message: EmailMessage) -> frozenset[str]:
    """Return the words of subject and body."""
    body = message.get_body(preferencelist=("plain", "html"))
    try:
        text = body.get_content() if body is not None else ""
    except (LookupError, KeyError, UnicodeError):  # an unknown character set or content type
        payload = body.get_payload(decode=True)
        text = payload.decode("latin-1") if isinstance(payload, bytes) else ""
    return frozenset(_WORD.findall(f"{message.get('Subject', '')}\n{text}".lower()))


def time_of(message: EmailMessage) -> float:
    """Return when a message was sent, in seconds; 0 where it does not say."""
    try:
        sent = parsedate_to_datetime(str(message["Date"]))
    except ValueError:
        return 0.0
    return (sent if sent.tzinfo else sent.replace(tzinfo=UTC)).timestamp()


def read_user(root: Path, rarest: int = 2) -> Stream:
    """Read the mail of one user; words in fewer than `rarest` messages are left out."""
    found = []
    parser = BytesParser(policy=policy.default)
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        folder = folder_of(path, root)
        if folder is not None:
            message = parser.parsebytes(path.read_bytes())
            found.append((time_of(message), str(path), folder, words_of(message)))
    sizes = Counter(folder for _, _, folder, _ in found)
    found = sorted(m for m in found if sizes[m[2]] >= FEWEST)
    if not found:
        raise SystemExit(f"{root}: no folder of at least {FEWEST} messages that names a topic")
    counts = Counter(word for *_, words in found for word in words)
    vocabulary = {w: i for i, w in enumerate(sorted(w for w in counts if counts[w] >= rarest))}
    labels = sorted({folder for _, _, folder, _ in found})
    columns = [sorted(vocabulary[w] for w in words if w in vocabulary) for *_, words in found]
    ends = np.concatenate([[0], np.cumsum([len(c) for c in columns])])
    indices = np.concatenate([np.array(c, dtype=np.int64) for c in columns])
    X = sp.csr_array(
        (np.ones(ends[-1]), indices, ends), shape=(len(found), max(len(vocabulary), 1))
    )
    place = {label: i for i, label in enumerate(labels)}
    Y = np.zeros((len(found), len(labels)), dtype=bool)
    Y[np.arange(len(found)), [place[folder] for _, _, folder, _ in found]] = True
    return Stream(root.name, X, Y, labels)


def generate_user(root: Path, seed: int, messages: int = 1500, folders: int = 20) -> None:
    """Write mail of a made-up user: a stand-in where no real mail may be had.

    Words are those of a common Zipf vocabulary, of the folder, and of the group that the folder
    belongs to. Folders are of very unequal size and open one after the other; what a folder is
    about drifts; one message in fifty is misfiled.
    """
    rng = np.random.default_rng(seed)
    size = 6000
    spelt = [_spell(i) for i in rng.permutation(size)]
    common = 1.0 / np.arange(1, size + 1)
    common /= common.sum()
    groups = [rng.choice(size, 120, replace=False) for _ in range(max(folders // 4, 1))]
    topics = [rng.choice(size, 60, replace=False) for _ in range(folders)]
    opens = np.sort(rng.random(folders)) * 0.6
    opens[: max(folders // 5, 2)] = 0.0
    popular = rng.permutation(1.0 / np.arange(1, folders + 1) ** 0.8)
    begin = datetime(2001, 1, 1, 8, tzinfo=UTC)
    for t in range(messages):
        open_now = np.flatnonzero(opens <= t / messages)
        share = popular[open_now]
        topic = int(rng.choice(open_now, p=share / share.sum()))
        length = int(np.clip(rng.lognormal(4.2, 0.7), 8, 400))
        source = rng.choice(3, size=length, p=[0.78, 0.10, 0.12])
        window = 20 + int(40 * t / messages)  # a folder's words come into use one by one
        group = groups[topic % len(groups)]
        of_topic = topics[topic][rng.integers(window - 20, window, length)]
        words = np.choose(
            source, [rng.choice(size, length, p=common), rng.choice(group, length), of_topic]
        )
        text = [spelt[word] for word in words]
        filed = int(rng.choice(open_now)) if rng.random() < 0.02 else topic
        message = EmailMessage()
        message["Date"] = format_datetime(begin + timedelta(minutes=37 * t))
        message["From"], message["To"] = "someone@example.com", "user@example.com"
        message["X-Folder"] = f"folder-{filed:02d}"
        message["Subject"] = " ".join(text[:4])
        message.set_content(" ".join(text[4:]) + "\n")
        folder = root / f"group-{filed % len(groups)}" / f"folder-{filed:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{t + 1}.").write_bytes(bytes(message))


def _spell(number: int) -> str:
    """Return a pronounceable word for a number."""
    word = ""
    while number or not word:
        number, digit = divmod(number, 60)
        word += "bcdfglmnprst"[digit // 5] + "aeiou"[digit % 5]
    return word + "n"
