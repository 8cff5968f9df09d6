"""Several processes at one store: killed in the middle, filling together, reading together."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from fake_encoder import FakeEncoder, numbered

from elmo_bench.errors import OutputError
from elmo_bench.features.sets import find_sets, locked
from elmo_bench.features.store import StoredFeatures
from elmo_bench.features.upkeep import Verdict, remove, verify

TESTS = Path(__file__).resolve().parents[1]
SENTENCES = numbered(300)


def start(script: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def check(folder: Path, computed: int) -> None:
    """Everything is there, once, sound and right, after so many sentences are computed."""
    encoder = FakeEncoder(width=64)
    features = StoredFeatures(encoder, folder)
    features.prepare(SENTENCES)
    assert len(encoder.computed) == computed
    np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES), strict=True)
    assert len(encoder.computed) == computed
    (records,) = find_sets(folder)
    assert verify(records, lambda sentences, tokens: None) == Verdict(len(SENTENCES), 0)


def stored(folder: Path) -> int:
    (records,) = find_sets(folder)
    found = verify(records, lambda sentences, tokens: None)
    assert found.damaged == 0
    return found.records


# Each sentence is a transaction; the pipe tells how far it is.
FILL = """
import sys, time
from fake_encoder import FakeEncoder, numbered
from elmo_bench.features import store
store.CHUNK_SECONDS = 0.0
encoder = FakeEncoder(width=64, pause=0.002)
layers = encoder.layers
encoder.layers = lambda sentence: (print("computing", flush=True), layers(sentence))[1]
store.StoredFeatures(encoder, sys.argv[1]).prepare(numbered(300))
time.sleep(600)  # to be killed after all
"""


def test_killed_while_filling_at_any_moment_loses_next_to_nothing(tmp_path: Path) -> None:
    moments = random.Random(0)
    before = 0
    for _ in range(5):
        if before == len(SENTENCES):
            break
        process = start(FILL, tmp_path)
        assert process.stdout
        wanted = moments.randint(1, min(30, len(SENTENCES) - before))
        for _ in range(wanted):
            assert process.stdout.readline() == "computing\n"
        time.sleep(moments.uniform(0.0, 0.003))  # somewhere within a transaction, or between two
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
        assert process.wait(timeout=60) == -signal.SIGKILL
        after = stored(tmp_path)
        assert after >= before + wanted - 1  # what was being computed or written may be lost
        before = after
    check(tmp_path, computed=len(SENTENCES) - before)


@pytest.mark.parametrize("step", ["make_empty", "write_info", "environment"])
def test_killed_while_a_set_is_made_leaves_none(tmp_path: Path, step: str) -> None:
    script = (
        "import os, sys\n"
        "from fake_encoder import FakeEncoder\n"
        "from elmo_bench.features import sets\n"
        "from elmo_bench.features.store import StoredFeatures\n"
        f"act = sets.{step}\n"
        f"sets.{step} = lambda *arguments: (act(*arguments), os.kill(os.getpid(), 9))\n"
        "StoredFeatures(FakeEncoder(width=64), sys.argv[1])\n"
    )
    process = start(script, tmp_path)
    assert process.wait(timeout=60) == -signal.SIGKILL
    assert find_sets(tmp_path) == []
    check(tmp_path, computed=len(SENTENCES))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".fake-half.lock", "fake-half"]


WHEN_TOLD = """
import sys
from pathlib import Path
import numpy as np
from fake_encoder import FakeEncoder, numbered
from elmo_bench.features.store import StoredFeatures
encoder, sentences = FakeEncoder(width=64, pause=0.001), numbered(300)
print("ready", flush=True)
sys.stdin.readline()
features = StoredFeatures(encoder, sys.argv[1])
"""


def together(script: str, folder: Path, count: int) -> list[int]:
    """Lets processes begin at the same moment; returns how many sentences each of them has computed."""
    script = WHEN_TOLD + script + "\nprint(len(encoder.computed), flush=True)\n"
    processes = [start(script, folder) for _ in range(count)]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * count
    return [int(output) for output in outputs]


def test_processes_that_fill_one_set_at_once_compute_every_sentence_once(tmp_path: Path) -> None:
    assert sorted(together("features.prepare(sentences)", tmp_path, 3)) == [0, 0, len(SENTENCES)]
    check(tmp_path, computed=0)


def test_processes_that_read_what_is_missing_at_once_agree(tmp_path: Path) -> None:
    script = (
        "for begin in range(0, 300, 10):\n"
        "    some = sentences[begin : begin + 10]\n"
        "    assert (features.read(some) == encoder.expected(some)).all()\n"
    )
    assert sum(together(script, tmp_path, 2)) >= len(SENTENCES)
    check(tmp_path, computed=0)


def test_set_that_is_being_filled_is_not_removed(tmp_path: Path) -> None:
    StoredFeatures(FakeEncoder(width=64), tmp_path).prepare(SENTENCES)
    (records,) = find_sets(tmp_path)
    holding = (
        "import sys\n"
        "from pathlib import Path\n"
        "from elmo_bench.features.sets import locked\n"
        "with locked(Path(sys.argv[1]) / 'fake-half'):\n"
        "    print('locked', flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    process = start(holding, tmp_path)
    assert process.stdout
    assert process.stdout.readline() == "locked\n"
    with pytest.raises(OutputError, match="is being filled by another process; it stays"):
        remove(records)
    process.communicate("go\n", timeout=60)
    check(tmp_path, computed=0)
    remove(records)
    assert find_sets(tmp_path) == []


def test_reader_of_a_removed_set_goes_on(tmp_path: Path) -> None:
    encoder = FakeEncoder(width=64)
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(SENTENCES)
    script = (
        "import shutil, sys\n"
        "from pathlib import Path\n"
        "from elmo_bench.features.sets import find_sets\n"
        "from elmo_bench.features.upkeep import remove\n"
        "remove(find_sets(Path(sys.argv[1]))[0])\n"
    )
    process = start(script, tmp_path)
    assert process.wait(timeout=60) == 0
    np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES))
    assert len(encoder.computed) == len(SENTENCES)
    check(tmp_path, computed=len(SENTENCES))


def test_store_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file: cannot be written \(.*ELMO_BENCH_CACHE"):
        StoredFeatures(FakeEncoder(), tmp_path / "file")
    with pytest.raises(OutputError, match="cannot be written"), locked(tmp_path / "file" / "set"):
        pytest.fail("got the lock")
