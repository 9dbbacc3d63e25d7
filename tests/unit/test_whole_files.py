"""Files appear whole or not at all, for their owner alone."""

import os
from pathlib import Path

import pytest

from oracledp import whole_files
from oracledp.errors import ParameterError
from oracledp.whole_files import PendingFile, whole_file, write_whole


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def write_half(target: Path) -> None:
    with whole_file(target) as file:
        file.write(b"half")
        raise KeyboardInterrupt


@pytest.fixture(params=["without a name", "with a hidden name"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Linux has files without a name; elsewhere the fallback must do."""
    if request.param == "with a hidden name":
        monkeypatch.setattr(whole_files, "_NO_NAME", None)
    return str(request.param)


def test_a_file_is_written_for_its_owner_alone(way: str, tmp_path: Path) -> None:
    target = tmp_path / "rule.json"
    write_whole(target, "é\n")
    assert target.read_bytes() == "é\n".encode()
    assert target.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) == ["rule.json"]


def test_an_older_file_is_replaced(way: str, tmp_path: Path) -> None:
    target = tmp_path / "rule.json"
    target.write_text("old")
    write_whole(target, "new")
    assert target.read_text() == "new"
    assert names(tmp_path) == ["rule.json"]


def test_an_error_leaves_the_older_file(way: str, tmp_path: Path) -> None:
    target = tmp_path / "rule.json"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(target)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["rule.json"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="needs files without a name")
def test_nothing_has_a_name_while_it_is_written(tmp_path: Path) -> None:
    with whole_file(tmp_path / "rule.json") as file:
        file.write(b"half")
        file.flush()
        assert names(tmp_path) == []


def test_what_cannot_be_written_is_one_clear_error(way: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be written: No such file"):
        write_whole(tmp_path / "nowhere" / "rule.json", "")


def test_a_folder_of_that_name_is_left_alone(way: str, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(ParameterError, match="cannot be written"):
        write_whole(tmp_path / "taken", "")
    assert names(tmp_path) == ["taken"]


def test_a_symbolic_link_is_followed_not_replaced(way: str, tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_link_to_nothing_yet_makes_its_target(way: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "later")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "later").read_text() == "new"


def test_a_link_to_itself_is_refused(way: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(ParameterError, match="cannot be written"):
        write_whole(tmp_path / "loop", "")


def test_a_device_is_written_through(way: str) -> None:
    # The bug: as root, writing to the null device replaced it by a regular file and broke the machine.
    before = Path(os.devnull).stat()
    write_whole(os.devnull, "gone")
    after = Path(os.devnull).stat()
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)


def test_a_pipe_is_written_through(way: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert not pipe.is_file()


@pytest.mark.parametrize("path", ["/dev/full", "/proc/rule.json", "x" * 300])
def test_what_the_system_refuses_is_one_clear_line(way: str, tmp_path: Path, path: str) -> None:
    with pytest.raises(ParameterError, match="cannot be written"):
        write_whole(path if path.startswith("/") else tmp_path / path, "text")
    assert names(tmp_path) == []


def test_room_is_asked_for_before_anything_is_written(way: str, tmp_path: Path) -> None:
    pending = PendingFile(tmp_path / "rule.json", reserve=5000)
    pending.file.write(b"short")
    pending.keep()
    assert (tmp_path / "rule.json").read_bytes() == b"short"
    with pytest.raises(ParameterError, match="cannot be written"):
        PendingFile(tmp_path / "huge", reserve=1 << 60)
    assert names(tmp_path) == ["rule.json"]


def test_a_name_that_is_too_long_is_refused_when_the_file_is_opened(way: str, tmp_path: Path) -> None:
    """Not when it is named, for then the budget is spent."""
    PendingFile(Path(os.devnull), reserve=10).keep()  # no room is asked for where there is no file
    with pytest.raises(ParameterError, match="name too long"):
        PendingFile(tmp_path / ("x" * 300), reserve=10)
