"""The names that align.learners offers."""

import pytest

import align.learners


def test_every_name_is_there_once():
    assert len(set(align.learners.__all__)) == len(align.learners.__all__)
    assert dir(align.learners) == sorted(align.learners.__all__)
    for name in align.learners.__all__:
        assert getattr(align.learners, name).__name__ == name
    with pytest.raises(AttributeError, match=r"No .* attribute Percptron"):
        align.learners.Percptron  # noqa: B018
