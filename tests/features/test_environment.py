"""Forks, threads, growing maps, dead readers, full disks and folders that may not be written."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from fake_encoder import FakeEncoder, numbered

from elmo_bench.errors import OutputError
from elmo_bench.features import environment
from elmo_bench.features.sets import find_sets
from elmo_bench.features.store import StoredFeatures
from elmo_bench.features.upkeep import Verdict, verify

TESTS = Path(__file__).resolve().parents[1]
SENTENCES = numbered(100)

BEGIN = """
import json, os, resource, sys
from pathlib import Path
import lmdb
import numpy as np
from fake_encoder import FakeEncoder, numbered
from elmo_bench.errors import OutputError
from elmo_bench.features.sets import find_sets
from elmo_bench.features.store import StoredFeatures
from elmo_bench.features.upkeep import verify

folder, encoder, sentences = Path(sys.argv[1]), FakeEncoder(width=400), numbered(100)
"""


def run(script: str, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*command, sys.executable, "-c", BEGIN + script, str(folder)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_fork_while_another_thread_reads_and_writes(tmp_path: Path) -> None:
    encoder = FakeEncoder(width=400)
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(SENTENCES)
    expected = encoder.expected(SENTENCES)
    stop = threading.Event()
    failures: list[str] = []

    def work() -> None:
        for number in range(10_000):
            if stop.is_set():
                return
            if not np.array_equal(features.read(SENTENCES), expected):
                failures.append("wrong")
            features.read([[f"new {number}"]])

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for number in range(8):
            child = os.fork()
            if child == 0:
                signal.alarm(30)  # ends a child that waits for a lock nobody will release
                right = np.array_equal(features.read(SENTENCES), expected)
                features.read([[f"child {number}"]])
                os._exit(0 if right else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()
    assert failures == []
    children = [[f"child {number}"] for number in range(8)]
    computed = len(encoder.computed)
    np.testing.assert_array_equal(features.read(children), encoder.expected(children))
    assert len(encoder.computed) == computed


def test_two_stores_of_one_process_share_what_is_open(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    encoder = FakeEncoder()
    one, other = (StoredFeatures(encoder, tmp_path / name) for name in ("real", "link"))
    for features in (one, other):
        np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES))
    assert len(encoder.computed) == len(SENTENCES)


def test_map_grows_when_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "MAP_BYTES", 1 << 16)
    encoder = FakeEncoder(width=400)
    features = StoredFeatures(encoder, tmp_path)
    for end in (1, 10, 100):
        features.prepare(SENTENCES[:end])
    expected = encoder.expected(SENTENCES)
    assert expected.nbytes > 10 * (1 << 16)
    np.testing.assert_array_equal(features.read(SENTENCES), expected)
    assert len(encoder.computed) == len(SENTENCES)


def test_reader_follows_a_map_that_another_process_has_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "MAP_BYTES", 1 << 16)
    encoder = FakeEncoder(width=400)
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(SENTENCES[:1])
    features.read(SENTENCES[:1])
    run("StoredFeatures(encoder, folder).prepare(sentences)", tmp_path)
    np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES))
    features.read([["new"]])
    assert len(encoder.computed) == 2


def test_map_takes_no_disk(tmp_path: Path) -> None:
    features = StoredFeatures(FakeEncoder(), tmp_path)
    features.prepare(SENTENCES[:1])
    sizes = [path.stat().st_size for path in (tmp_path / "fake-half").iterdir()]
    assert sum(sizes) < 1_000_000


def test_places_of_killed_readers_are_given_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "READERS", 2)
    encoder = FakeEncoder(width=400)
    StoredFeatures(encoder, tmp_path).prepare(SENTENCES)
    (tmp_path / "fake-half" / "lock.mdb").unlink()  # whoever makes it decides on the number of places
    features = StoredFeatures(encoder, tmp_path)
    features.read(SENTENCES)
    script = BEGIN + (
        "opened = lmdb.open(str(folder / 'fake-half'), map_size=1 << 30)\n"
        "readers = []\n"
        "try:\n"
        "    while True:\n"
        "        readers.append(opened.begin())\n"
        "except lmdb.ReadersFullError:\n"
        "    assert len(readers) == 2\n"
        "os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    dead = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(TESTS)}, timeout=60)
    assert dead.returncode == -signal.SIGKILL
    np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES))


def mounting(folder: Path, mount: str) -> list[str]:
    """Begins a command that sees something mounted at the folder; nobody else does, and it goes with it."""
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    command = ["unshare", "-rm", "sh", "-c", f'{mount.format(folder)} && exec "$@"', "sh"]
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("may not mount a disk here")
    return command


FULL = """
ballast = folder / "ballast"
ballast.write_bytes(bytes(700_000))
features = StoredFeatures(encoder, folder)
features.prepare(sentences[:5])
try:
    features.prepare(sentences)
except OutputError as error:
    message = str(error)
computed = len(encoder.computed)
(records,) = find_sets(folder)
verdict = verify(records, lambda sentences, tokens: None)
features.read(sentences[:5])
assert len(encoder.computed) == computed
ballast.unlink()
features.prepare(sentences)
right = bool((features.read(sentences) == encoder.expected(sentences)).all())
print(json.dumps([message, verdict.records, verdict.damaged, right]))
"""


def test_full_disk_is_an_error_and_the_store_goes_on_when_there_is_room(tmp_path: Path) -> None:
    command = mounting(tmp_path, "mount -t tmpfs -o size=1600k tmpfs '{}'")
    message, records, damaged, right = json.loads(run(FULL, tmp_path, *command).stdout)
    assert f"{tmp_path / 'fake-half' / 'data.mdb'}: the disk is full (" in message
    assert "What was stored before is intact. Make room (elmo-bench store prune)" in message
    assert (records, damaged, right) == (5, 0, True)


def test_disk_too_full_for_an_empty_set_is_an_error_that_leaves_no_set(tmp_path: Path) -> None:
    script = (
        "(folder / 'ballast').write_bytes(bytes((1 << 20) - 3 * 4096))\n"
        "try:\n"
        "    StoredFeatures(encoder, folder)\n"
        "except OutputError as error:\n"
        "    message = str(error)\n"
        "(folder / 'ballast').unlink()\n"
        "assert not (folder / 'fake-half').exists()\n"
        "StoredFeatures(encoder, folder).prepare(sentences[:5])\n"
        "print(message)\n"
    )
    command = mounting(tmp_path, "mount -t tmpfs -o size=1m tmpfs '{}'")
    assert "the disk is full" in run(script, tmp_path, *command).stdout


def test_refused_write_is_an_error_and_the_store_goes_on_when_it_is_allowed(tmp_path: Path) -> None:
    script = (
        "limits = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "features = StoredFeatures(encoder, folder)\n"
        "features.prepare(sentences[:5])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))\n"
        "try:\n"
        "    features.prepare(sentences)\n"
        "except OutputError as error:\n"
        "    message = str(error)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, limits)\n"
        "(records,) = find_sets(folder)\n"
        "assert verify(records, lambda sentences, tokens: None).damaged == 0\n"
        "features.prepare(sentences)\n"
        "assert (features.read(sentences) == encoder.expected(sentences)).all()\n"
        "print(message)\n"
    )
    message = run(script, tmp_path).stdout
    assert f"{tmp_path / 'fake-half' / 'data.mdb'}: cannot be written (" in message
    assert "What was stored before is intact." in message


READ_ONLY = """
features = StoredFeatures(encoder, folder)
found = [features.read(sentences[:50]), features.read(sentences), features.read(sentences)]
assert (found[0] == encoder.expected(sentences[:50])).all()
assert (found[1] == encoder.expected(sentences)).all() and (found[2] == found[1]).all()
assert len(encoder.computed) == 100, len(encoder.computed)
features.prepare(sentences[:50])
messages = []
for act in (lambda: features.prepare(sentences), lambda: StoredFeatures(FakeEncoder("other"), folder)):
    try:
        act()
    except OutputError as error:
        messages.append(str(error))
print(json.dumps(messages))
"""


def check_read_only(done: subprocess.CompletedProcess[str], folder: Path) -> None:
    missing, other = json.loads(done.stdout)
    assert missing.startswith(f"{folder / 'fake-half'}: may not be written, and 50 sentences are missing")
    assert other.startswith(f"{folder}: cannot be written (")
    assert "ELMO_BENCH_CACHE" in missing
    assert "ELMO_BENCH_CACHE" in other
    assert done.stderr.count("They are computed whenever they are read.") == 1


@pytest.mark.parametrize("lock_file", [True, False], ids=["with lock file", "copied without lock file"])
def test_store_on_a_read_only_disk_is_read(tmp_path: Path, lock_file: bool) -> None:
    StoredFeatures(FakeEncoder(width=400), tmp_path).prepare(SENTENCES[:50])
    if not lock_file:
        (tmp_path / "fake-half" / "lock.mdb").unlink()
    command = mounting(tmp_path, "mount --bind '{0}' '{0}' && mount -o remount,bind,ro '{0}'")
    check_read_only(run(READ_ONLY, tmp_path, *command), tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_store_without_permission_to_write_is_read(tmp_path: Path) -> None:
    StoredFeatures(FakeEncoder(width=400), tmp_path).prepare(SENTENCES[:50])
    paths = [tmp_path, *tmp_path.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        check_read_only(run(READ_ONLY, tmp_path), tmp_path)
    finally:
        for path in paths:
            path.chmod(path.stat().st_mode | 0o200)


def test_file_cut_short_on_a_read_only_disk_is_an_error(tmp_path: Path) -> None:
    """Where the file cannot be made long enough again, reading it could end the process."""
    StoredFeatures(FakeEncoder(width=400), tmp_path).prepare(SENTENCES)
    data_file = tmp_path / "fake-half" / "data.mdb"
    os.truncate(data_file, data_file.stat().st_size // 2)
    command = mounting(tmp_path, "mount --bind '{0}' '{0}' && mount -o remount,bind,ro '{0}'")
    script = (
        "try:\n"
        "    StoredFeatures(encoder, folder).read(sentences)\n"
        "except OutputError as error:\n"
        "    print(error)\n"
    )
    assert "it was cut short. Copy it" in run(script, tmp_path, *command).stdout


def test_limited_address_space_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    features = StoredFeatures(FakeEncoder(), tmp_path)
    monkeypatch.setattr(environment, "MAP_BYTES", 1 << 60)
    with pytest.raises(OutputError, match=r"data\.mdb: cannot be mapped into memory\. .*ulimit -v"):
        features.read(SENTENCES)
    monkeypatch.undo()
    features.read(SENTENCES)
    (records,) = find_sets(tmp_path)
    assert verify(records, lambda sentences, tokens: None) == Verdict(100, 0)


def test_file_cut_short_under_a_reader_is_made_long_enough_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    encoder = FakeEncoder(width=400)
    features = StoredFeatures(encoder, tmp_path)
    features.prepare(SENTENCES)
    features.read(SENTENCES)
    data_file = tmp_path / "fake-half" / "data.mdb"
    os.truncate(data_file, data_file.stat().st_size // 2)
    with caplog.at_level(logging.WARNING):
        np.testing.assert_array_equal(features.read(SENTENCES), encoder.expected(SENTENCES))
    assert f"{data_file}: was cut short" in caplog.text
