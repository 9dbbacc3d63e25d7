"""Private folders go away however their process ends: real processes, really killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from oracledp.scratch import PREFIX, private_folder

HOLD = """
import sys, time
from oracledp.scratch import private_folder
with private_folder() as folder:
    (folder / "spill").write_text("private")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@contextmanager
def holder(temporary: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that holds a folder with a file in it."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", HOLD]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def gone(folder: Path, seconds: float = 60) -> bool:
    deadline = monotonic() + seconds
    while folder.exists() and monotonic() < deadline:
        sleep(0.01)
    return not folder.exists()


def watcher_of(folder: Path) -> int:
    """The process whose command line ends in the folder."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cmdline").read_bytes().endswith(f"\0{folder}\0".encode()):
                return int(entry.name)
        except OSError:
            continue
    raise AssertionError("no watcher")


def test_the_block_removes_its_folder(temporary: Path) -> None:
    with private_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "spill").touch()
    assert list(temporary.iterdir()) == []


def test_a_killed_process_leaves_nothing(temporary: Path) -> None:
    with holder(temporary) as (process, folder):
        assert (folder / "spill").exists()
        process.kill()
        assert gone(folder)


def test_a_killed_group_of_processes_leaves_nothing(temporary: Path) -> None:
    with holder(temporary) as (process, folder):
        os.killpg(process.pid, signal.SIGKILL)
        assert gone(folder)


def test_the_watcher_outlives_the_signals_of_a_terminal(temporary: Path) -> None:
    with holder(temporary) as (process, folder):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(watcher_of(folder), number)
        process.kill()
        assert gone(folder)


def test_the_next_process_removes_what_the_watcher_could_not(temporary: Path) -> None:
    with holder(temporary) as (process, folder):
        os.kill(watcher_of(folder), signal.SIGKILL)
        with private_folder():
            assert (folder / "spill").exists(), "the folder is in use"
        process.kill()
        process.wait()
        assert (folder / "spill").exists(), "nobody was left to remove it"
        with private_folder():
            assert not folder.exists()


def test_other_folders_are_left_alone(temporary: Path) -> None:
    (temporary / "mine").mkdir()
    (temporary / f"{PREFIX}link").symlink_to(temporary / "mine")
    (temporary / f"{PREFIX}file").touch()
    with private_folder():
        pass
    assert sorted(path.name for path in temporary.iterdir()) == ["mine", f"{PREFIX}file", f"{PREFIX}link"]
