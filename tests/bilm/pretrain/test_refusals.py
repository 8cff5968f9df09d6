"""What a run cannot work with is one clear sentence, and nothing is left behind."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import hydra
import pytest
from hydra.core.global_hydra import GlobalHydra
from tiny_runs import TINY, config, write_text

from elmo_bench.bilm.pretrain.choices import group_overrides
from elmo_bench.bilm.pretrain.run import pretrain
from elmo_bench.errors import ConfigError, ElmoBenchError, OutputError, TextError

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]


@pytest.mark.parametrize(
    ("override", "kind", "complaint"),
    [
        ("text=none-*.txt", TextError, "none-*.txt: no such file; expected text"),
        ("heldout=none.txt", TextError, "none.txt: no such file; expected text"),
        ("text=bad.txt", TextError, "bad.txt: no usable sentence (2 lines are not UTF-8, 0 are longer than"),
        ("out=bad.txt/run", OutputError, "bad.txt/run: cannot be written (Not a directory)."),
        ("out=bad.txt", OutputError, "bad.txt: cannot be written (File exists)."),
        ("precision=int8", ConfigError, "precision=int8: there is fp32 and bf16."),
        ("steps=2.5", ConfigError, "steps=2.5: expected a whole number above 0."),
        ("passes=0", ConfigError, "passes=0: expected a number above 0."),
        ("heldout_sources=sources.txt", ConfigError, "give heldout=…, too."),
    ],
)
def test_refusal_names_what_is_wrong(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    override: str,
    kind: type[ElmoBenchError],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.txt").write_bytes(b"\xff\n\xfe a\n\n")
    with pytest.raises(kind, match=re.escape(complaint)) as refused:
        pretrain(config(tmp_path, "out", override))
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out" / "model").exists()


def test_folder_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(self: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", read_only)
    with pytest.raises(OutputError, match=r"out: cannot be written \(Permission denied\)\.$"):
        pretrain(config(tmp_path, "out"))


def test_full_disk_keeps_the_checkpoint_and_says_how_to_go_on(tmp_path: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    out = tmp_path / "out"
    out.mkdir()
    # A checkpoint has 4 MB: the first fits this disk, the second, which is to replace it, does not.
    script = f"mount -t tmpfs -o size=6m tmpfs '{out}' && \"$@\"; echo $?; ls '{out}/checkpoints'"
    command = ["unshare", "-rm", "sh", "-c", script, "sh"]
    if subprocess.run([*command, "true"], capture_output=True, text=True).stdout != "0\n":
        pytest.skip("may not mount a disk here")
    verb = [sys.executable, "-m", "elmo_bench", "pretrain", f"text={write_text(tmp_path)}", f"out={out}"]
    done = subprocess.run([*command, *verb, *TINY], capture_output=True, text=True, timeout=600)
    assert done.stdout.split()[-2:] == ["2", "last.ckpt"], done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    said = next(line for line in done.stderr.splitlines() if line.startswith("Error: "))
    assert re.search(r"last\.ckpt: the disk is full \(.*make room.*resume=true goes on from it\.$", said)


@pytest.mark.parametrize(
    ("choice", "name", "expected"),
    [
        ("size=medium", "size.lstm.dim", 2048),
        ("softmax=sampled", "softmax.samples", 8192),
        ("optimizer=adagrad", "optimizer.learning_rate", 0.2),
        ("size.lstm.dim=7", "size.lstm.dim", 7),
        ("size={lstm: {dim: 9}}", "size.lstm.dim", 9),
    ],
)
def test_choice_of_a_file_by_its_name(choice: str, name: str, expected: float) -> None:
    GlobalHydra.instance().clear()
    with hydra.initialize_config_module("elmo_bench.conf", version_base="1.3"):
        found = hydra.compose("pretrain", group_overrides([choice, "text=x", "out=y"]))
    for key in name.split("."):
        found = found[key]
    assert found == expected
