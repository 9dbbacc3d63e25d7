"""The command line without a process of its own: what it prints and how it ends."""

import sys

import pytest

from oracledp.cli import main


def invoke(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of one command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["oracledp", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    shown = capsys.readouterr()
    return code, shown.out, shown.err
