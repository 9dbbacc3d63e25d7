"""A console with one data set, whose plans and jobs end at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from oracledp.service.store import Console

SCHEMA = "columns:\n  smoker: {kind: boolean}\n  ill: {kind: boolean}\n"


@pytest.fixture
def console(tmp_path: Path) -> "Console":
    from oracledp.service.store import Console

    (tmp_path / "data.csv").write_text("smoker,ill\n" + "1,1\n0,0\n" * 60)
    made = Console(tmp_path / "console")
    made.register("visits", str(tmp_path / "data.csv"), SCHEMA, epsilon="2", delta="1e-6", accountant="plain")
    return made


@pytest.fixture
def client(console: "Console", monkeypatch: pytest.MonkeyPatch) -> "Iterator[TestClient]":
    """What plans and jobs do with texts is tested with the command line."""
    from fastapi.testclient import TestClient

    from oracledp.service import jobs
    from oracledp.service.app import application

    said = 'import sys; print("oracledp: refused", file=sys.stderr); sys.exit(2)'
    command = (jobs.sys.executable, "-S", "-E", "-c", said)
    monkeypatch.setattr(jobs, "COMMAND", command)
    monkeypatch.setattr("oracledp.service.plans.COMMAND", command)
    with TestClient(application(console.folder, hosts=("testserver",), answer_every=0)) as client:
        yield client
