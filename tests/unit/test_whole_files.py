"""Files appear whole or not at all, for their owner alone."""

import os
from pathlib import Path

import pytest

from oracledp import whole_files
from oracledp.errors import ParameterError
from oracledp.whole_files import whole_file, write_whole


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
