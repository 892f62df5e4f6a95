"""TIMIT's labels in the IPA: closures join their releases, silences one another."""

import numpy as np
import pytest

from align import Example
from align.corpus.ipa import to_ipa
from align.errors import DataError
from align.features.phones.articulatory import articulation


def relabelled(*labels):
    onsets = np.arange(len(labels), dtype=float)
    [found] = to_ipa([Example("a.wav", labels, onsets, end=float(len(labels)), group="ann")])
    return found


def test_a_stop_begins_with_its_closure():
    found = relabelled("h#", "bcl", "b", "iy", "dcl", "jh", "h#")
    assert found.events == ("sil", "b", "i", "d͡ʒ", "sil")
    assert found.onsets.tolist() == [0, 1, 3, 4, 6]
    assert (found.end, found.group) == (7, "ann")


def test_a_closure_alone_and_a_release_alone_remain():
    found = relabelled("h#", "tcl", "k", "kcl", "t", "h#")
    assert found.events == ("sil", "t̚", "k", "k̚", "t", "sil")
    assert articulation("t̚").opening == "voiceless stop"


def test_neighbouring_silences_are_one():
    found = relabelled("h#", "pau", "s", "epi", "l", "pau", "h#")
    assert found.events == ("sil", "s", "sil", "l", "sil")
    assert found.onsets.tolist() == [0, 2, 3, 4, 5]


def test_an_unknown_label_is_named():
    with pytest.raises(DataError, match="'xx'"):
        relabelled("h#", "xx", "h#")


def test_onsets_are_needed():
    with pytest.raises(DataError, match="no onsets"):
        to_ipa([Example("a.wav", ("h#",))])


def test_the_sample_keeps_its_boundaries(timit_sample):
    import align

    corpus = align.read_corpus(timit_sample)
    for old, new in zip(corpus, to_ipa(corpus), strict=True):
        assert set(new.onsets) <= set(old.onsets)
        assert (np.diff(new.onsets) > 0).all()
        assert new.events[0] == new.events[-1] == "sil"
