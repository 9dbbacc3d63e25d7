"""The command line in a folder with a table, its schema and a budget of three."""

from collections.abc import Callable
from pathlib import Path

import pytest

from in_process import invoke


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, str]]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("smoker,ill\n" + "1,1\n0,0\n" * 50)
    (tmp_path / "s.yaml").write_text("columns:\n  smoker: {kind: boolean}\n  ill: {kind: boolean}\n")

    def run(*arguments: str) -> tuple[int, str]:
        code, out, err = invoke(capsys, *arguments)
        return code, out + err

    assert run("budget", "create", "b", "--epsilon", "3")[0] == 0
    return run
