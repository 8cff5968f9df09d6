"""Held-out text and the sources of its lines."""

from pathlib import Path

import pytest
from tiny_runs import config, write_text
from typer.testing import CliRunner

from elmo_bench.bilm.model import BACKWARD, FORWARD
from elmo_bench.bilm.pretrain.heldout import Heldout
from elmo_bench.bilm.pretrain.language_model import LanguageModel
from elmo_bench.bilm.pretrain.perplexity import measure
from elmo_bench.bilm.pretrain.run import pretrain
from elmo_bench.cli import app
from elmo_bench.errors import TextError

TEXT = b"a b\n\n \xff\nc\nd e f\n"
SOURCES = "news\nweb\nweb\nnews\nold books\n"


def read(folder: Path, text: bytes, sources: bytes) -> Heldout:
    (folder / "text").write_bytes(text)
    (folder / "sources").write_bytes(sources)
    return Heldout.read([folder / "text"], folder / "sources")


def test_lines_keep_their_sources_where_others_cannot_be_used(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT, SOURCES.encode())
    assert found.sentences == [["a", "b"], ["c"], ["d", "e", "f"]]
    assert found.sources == ["news", "news", "old books"]


@pytest.mark.parametrize(
    ("sources", "complaint"),
    [
        (b"", "0 lines, but the text has 5; expected one for each"),
        (b"news\nweb\nnews\n", "3 lines, but the text has 5"),
        (b"news\n" * 6, "6 lines, but the text has 5"),
        (b"news\n\n\n\nweb\n", "line 4: nothing; expected the name of that sentence's source"),
        (b"news\n\n\nn\xff\nweb\n", "line 4: not UTF-8; expected the name"),
    ],
    ids=["empty", "too few", "too many", "nameless", "not UTF-8"],
)
def test_sources_that_do_not_fit_the_text_are_refused(tmp_path: Path, sources: bytes, complaint: str) -> None:
    with pytest.raises(TextError, match=complaint):
        read(tmp_path, TEXT, sources)
    done = CliRunner().invoke(
        app, ["perplexity", "mini", str(tmp_path / "text"), "--sources", str(tmp_path / "sources")]
    )
    assert isinstance(done.exception, TextError)
    assert complaint in str(done.exception)


def test_text_and_sources_must_be_there_and_usable(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(TEXT)
    for files, sources in (([tmp_path / "none"], None), ([tmp_path / "text"], tmp_path / "none")):
        with pytest.raises(TextError, match="none: no such file"):
            Heldout.read(files, sources)
    (tmp_path / "bad").write_bytes(b"\xff\n\n" + b"x " * 2001 + b"\n")
    with pytest.raises(
        TextError,
        match=r"bad: no usable sentence \(1 lines are not UTF-8, 1 are longer than any sentence\); expected",
    ):
        Heldout.read([tmp_path / "bad"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("one_thread")
def test_card_has_the_perplexity_of_each_source(tmp_path: Path) -> None:
    text = write_text(tmp_path)
    sentences = [line.split() for line in text.read_text().splitlines()]
    (tmp_path / "sources").write_text("".join(f"about {sentence[1]}s\n" for sentence in sentences))
    overrides = [f"heldout={text}", f"heldout_sources={tmp_path / 'sources'}", "passes=0.5"]
    folder = pretrain(config(tmp_path, "out", *overrides))
    card = (folder / "README.md").read_text("utf-8")
    for animal in ("cat", "dog"):
        alone = [sentence for sentence in sentences if sentence[1] == animal]
        found = measure(LanguageModel.read(folder), alone, "warm")["all"]
        values = (found.perplexity(FORWARD), found.perplexity(BACKWARD), found.average)
        assert f"| about {animal}s | 140 | {' | '.join(f'{value:.1f}' for value in values)} |" in card
