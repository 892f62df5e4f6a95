"""Tables whose columns have names of other languages than English."""

import pytest

from align.errors import DataError
from align.formats import read_labels


@pytest.mark.parametrize(
    "head",
    [
        "Beginn;Ende;Laut",
        "Début;Fin;Étiquette",
        "Inicio;Fin;Etiqueta",
        "Inizio;Fine;Etichetta",
        "Início;Fim;Texto",
        "begin;end;label",
    ],
)
def test_labels_under_headings_of_six_languages(tmp_path, head):
    path = tmp_path / "kiwi.csv"
    path.write_text(f"{head}\n0,1;0,25;k\n0,25;0,5;iy\n", encoding="utf-8")
    labels = read_labels(path, silence="")
    assert [label for label in labels.labels if label] == ["k", "iy"]
    assert labels.intervals[-1].tolist() == [0.25, 0.5]


def test_speakers_under_a_heading_of_another_language(tmp_path):
    path = tmp_path / "kiwi.csv"
    path.write_text("Anfang,Ende,Laut,Sprecher\n0,.2,k,Ann\n.1,.3,iy,Bob\n", encoding="utf-8")
    with pytest.raises(DataError, match="phones of 2 speakers"):
        read_labels(path)


def test_words_for_ends_that_are_english_too_count_beside_names_of_that_language(tmp_path):
    path = tmp_path / "kiwi.csv"
    for head, last in (
        ("start,final,label", 2.0),
        ("onset,fine,phone", 2.0),
        ("inicio,final,label", 1.5),
    ):
        path.write_text(f"{head}\n0,0.5,k\n0.5,1.5,iy\n", encoding="utf-8")
        assert read_labels(path, duration=2.0, silence="").end == last
