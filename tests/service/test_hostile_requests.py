"""Requests that are no requests, forms of other sites, odd texts and half-made registrations: nothing gets stuck."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from click.testing import CliRunner
from fastapi.testclient import TestClient

from oracledp.cli.serve import serve
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.service import jobs as jobs_module
from oracledp.service.store import Console

SCHEMA = "columns:\n  smoker: {kind: boolean}\n  ill: {kind: boolean}\n"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def analyst(console: Console) -> dict[str, str]:
    return {"Authorization": f"Bearer {console.add_person('ada', 'analyst')}"}


WANTED = {"dataset": "visits", "kind": "learn", "options": {"target": "ill", "epsilon": "1"}}


def ended(client: TestClient, headers: dict[str, str], job: str) -> str:
    for _ in range(600):
        status = str(client.get(f"/api/jobs/{job}", headers=headers).json()["status"])
        if status not in ("queued", "running"):
            return status
        threading.Event().wait(0.05)
    raise AssertionError("the job did not end")


@pytest.mark.parametrize("stopper", [OSError(12, "Cannot allocate memory"), ValueError("embedded null byte")])
def test_a_run_that_cannot_be_started_does_not_stop_the_queue(
    console: Console,
    client: TestClient,
    analyst: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    stopper: Exception,
) -> None:
    """One text that no command line takes once ended the thread that starts every run."""

    def failing(*_: Any, **__: Any) -> None:
        raise stopper

    with monkeypatch.context() as broken:
        broken.setattr(jobs_module.subprocess, "Popen", failing)
        job = client.post("/api/jobs", json=WANTED, headers=analyst).json()["id"]
        assert ended(client, analyst, job) == "failed"
    job = client.post("/api/jobs", json=WANTED, headers=analyst).json()["id"]
    assert ended(client, analyst, job) == "refused"
    assert console.ledger("visits").spent == (0, 0)


def test_a_job_that_an_older_console_took_is_shown(
    console: Console, client: TestClient, analyst: dict[str, str]
) -> None:
    console.add_job("odd", "ada", "visits", "learn", {"target": "\ud800"})
    assert ended(client, analyst, "odd") in ("refused", "failed")
    assert client.get("/api/jobs", headers=analyst).status_code == 200


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b"\xff\xfe{", b"", b"null", b"[]", b'{"dataset": 1, "kind": [], "options": {"a": {}}}']
)
def test_what_is_no_request_is_refused(client: TestClient, analyst: dict[str, str], body: bytes) -> None:
    for place in ("/api/jobs", "/api/plans", "/api/jobs/x/answers", "/api/datasets"):
        answer = client.post(place, content=body, headers={**analyst, **JSON})
        assert answer.status_code in (400, 422), answer.text
        assert "Traceback" not in answer.text


def test_large_requests_are_not_read(client: TestClient, analyst: dict[str, str]) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"{"

    assert client.post("/api/jobs", content=b" " * (1 << 20 | 1), headers={**analyst, **JSON}).status_code == 413
    assert client.post("/api/jobs", content=pieces(), headers={**analyst, **JSON}).status_code == 413
    for size in ("-1", "1e9", "x"):
        assert client.get("/api/jobs", headers={**analyst, "Content-Length": size}).status_code == 413


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://testserver.evil.example", "http://testserver:81"]
)
def test_pages_of_other_sites_cannot_send_forms(console: Console, client: TestClient, origin: str) -> None:
    """Not even one that signs somebody in under another name."""
    token = console.add_person("olga", "officer")
    for place in ("/sign-in", "/sign-out", "/people", "/datasets", "/api/jobs"):
        answer = client.post(place, data={"token": token}, headers={"Origin": origin}, follow_redirects=False)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    answer = client.post(
        "/sign-in", data={"token": token}, headers={"Origin": "http://testserver"}, follow_redirects=False
    )
    assert answer.status_code == 303
    assert {"HttpOnly", "SameSite=strict"} <= set(answer.headers["set-cookie"].split("; "))


def test_another_address_in_a_header_does_not_allow_more_guesses(tmp_path: Path) -> None:
    """The server believes a proxy about who asks only if it is told that there is one."""
    for option, believed in (((), False), (("--behind-proxy",), True)):
        with patch("uvicorn.run") as run:
            assert CliRunner().invoke(serve, [str(tmp_path / "console"), *option]).exit_code == 0
        assert run.call_args.kwargs["proxy_headers"] is believed


@pytest.mark.parametrize(
    "name", ["..%2f..%2fsigning.key", "%2e%2e/said", "said", "..%5csaid", "card.json%00", "rule.json/"]
)
def test_only_released_files_are_served(
    console: Console, client: TestClient, analyst: dict[str, str], name: str
) -> None:
    console.add_job("done", "ada", "visits", "learn", {})
    console.set_status("done", "done")
    folder = console.folder / "releases" / "done"
    folder.mkdir(exist_ok=True)
    (folder / "said").write_text("secret")
    answer = client.get(f"/api/jobs/done/files/{name}", headers=analyst)
    assert answer.status_code in (404, 307)
    assert "secret" not in answer.text
    assert "PRIVATE" not in answer.text


def test_a_ledger_that_was_rolled_back_hides_no_other(console: Console, client: TestClient) -> None:
    headers = {"Authorization": f"Bearer {console.add_person('olga', 'officer')}"}
    console.register("labs", console.dataset("visits").address, SCHEMA, epsilon="1", delta="0", accountant="plain")
    older = (console.folder / "ledgers/labs").read_bytes()
    console.ledger("labs").limit(epsilon=1)
    (console.folder / "ledgers/labs").write_bytes(older)
    found = {one["name"]: one for one in client.get("/api/datasets", headers=headers).json()}
    assert "was rolled back" in found["labs"]["error"]
    assert found["visits"]["spent"]["epsilon"] == "0"
    client.post("/sign-in", data={"token": headers["Authorization"][7:]})
    page = client.get("/").text
    assert "nothing can be charged" in page
    assert "/datasets/visits" in page
    assert "was rolled back" in client.get("/datasets/labs").text
    assert client.get("/datasets/visits").status_code == 200


def test_a_full_disk_is_one_line(client: TestClient, analyst: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Console, "add_job", full)
    answer = client.post("/api/jobs", json=WANTED, headers=analyst)
    assert (answer.status_code, answer.json()) == (
        503,
        {"error": "the console's folder cannot be used: database or disk is full"},
    )


def test_an_interrupted_registration_can_be_made_again_and_a_charged_ledger_never_goes(console: Console) -> None:
    """A console killed while it registers leaves a ledger that nobody charged; one with charges is never replaced."""
    ledgers, data = console.folder / "ledgers", console.dataset("visits").address
    options = {"epsilon": "1", "delta": "0", "accountant": "plain"}
    for left in ((), ("ledger",), ("witness",), ("ledger", "witness")):
        for kind in left:
            (ledgers / ("labs" if kind == "ledger" else "labs.witness")).write_bytes(b"")
        console.register("labs", data, SCHEMA, **options)
        with console._database() as database:
            database.execute("DELETE FROM datasets WHERE name = 'labs'")
    console.register("labs", data, SCHEMA, **options)
    promise = Guarantee(epsilon=Fraction(1), neighbours=Neighbours.DEFAULT, proof="noise")
    schema = Schema.load(console.schema_path("labs"))
    console.ledger("labs").acting(dataset="labs").reading(data, schema).charge(promise, "x")
    with console._database() as database:
        database.execute("DELETE FROM datasets WHERE name = 'labs'")
    for missing in (None, "labs"):
        if missing:
            (ledgers / missing).unlink()
        with pytest.raises(ParameterError, match="take another name"):
            console.register("labs", data, SCHEMA, **options)
