"""Stolen tokens, forged files, curious analysts and second servers: what they get, which is nothing."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from click.testing import CliRunner
from fastapi.testclient import TestClient

from oracledp.cli.serve import serve
from oracledp.data.schema import Schema
from oracledp.errors import ParameterError
from oracledp.locks import try_lock
from oracledp.privacy.cards import Card, digest_of
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.signing import Signer
from oracledp.service.app import application
from oracledp.service.jobs import MOST_ROWS
from oracledp.service.store import MOST_SHOWN, Console

SCHEMA = "columns:\n  smoker: {kind: boolean}\n  ill: {kind: boolean}\n"
OPTIONS: dict[str, Any] = {"epsilon": "2", "delta": "1e-6", "accountant": "curves"}
PROMISE = Guarantee(epsilon=Fraction(1), neighbours=Neighbours.DEFAULT, proof="noise")


@pytest.fixture
def console(tmp_path: Path) -> Console:
    (tmp_path / "data.csv").write_text("smoker,ill\n" + "1,1\n0,0\n" * 60)
    made = Console(tmp_path / "console")
    made.register("visits", str(tmp_path / "data.csv"), SCHEMA, **OPTIONS)
    return made


@pytest.fixture
def client(console: Console) -> Iterator[TestClient]:
    app = application(console.folder, hosts=("testserver",), answer_every=0)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def signed_in(client: TestClient, token: str) -> dict[str, str]:
    client.cookies.clear()
    assert client.post("/sign-in", data={"token": token}, follow_redirects=False).status_code == 303
    cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
    client.cookies.clear()
    return cookie


def send(client: TestClient, cookie: dict[str, str], place: str, **fields: str) -> tuple[int, str]:
    found = re.search(r'name="secret" value="([^"]+)"', client.get("/", headers=cookie).text)
    assert found is not None
    answer = client.post(place, data={"secret": found[1], **fields}, headers=cookie, follow_redirects=False)
    return answer.status_code, answer.text


def ended(client: TestClient, token: str, job: str) -> dict[str, Any]:
    for _ in range(1200):
        found: dict[str, Any] = client.get(f"/api/jobs/{job}", headers=bearer(token)).json()
        if found["status"] not in ("queued", "running"):
            return found
        threading.Event().wait(0.1)
    raise AssertionError("the job did not end")


def released(console: Console) -> Path:
    """A release as the console makes them, without the run."""
    console.add_job("done", "ada", "visits", "learn", {})
    folder = console.folder / "releases" / "done"
    folder.mkdir()
    (folder / "rule.json").write_text('{"epsilon": "1"}')
    ledger = console.ledger("visits").acting(actor="ada", dataset="visits")
    ledger = ledger.reading(console.dataset("visits").address, Schema.load(console.schema_path("visits")))
    release = ledger.charge(PROMISE, "x").release or ""
    files = (("rule.json", digest_of(folder / "rule.json")),)
    ledger.deliver(release, dict(files))
    (folder / "card.json").write_text(json.dumps(Card.of(ledger, release, files).signed(Signer(console.key)).to_json()))
    console.set_status("done", "done")
    return folder


@pytest.mark.parametrize("how", ["a new token", "a new role", "none any more"])
def test_a_stolen_session_ends_with_its_token(console: Console, client: TestClient, how: str) -> None:
    """Whoever was signed in with a leaked token stayed so after its owner had been given a new one."""
    thief = signed_in(client, console.add_person("ada", "analyst"))
    assert client.get("/", headers=thief, follow_redirects=False).status_code == 200
    if how == "none any more":
        console.remove_person("ada")
    else:
        console.add_person("ada", "officer" if how == "a new role" else "analyst")
    answer = client.get("/", headers=thief, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


def test_an_officer_takes_a_token_away(console: Console, client: TestClient) -> None:
    tokens = {role: console.add_person(role, role) for role in ("officer", "analyst", "viewer")}
    analyst, officer = signed_in(client, tokens["analyst"]), signed_in(client, tokens["officer"])
    assert send(client, analyst, "/people/remove", name="viewer")[0] == 403
    assert client.delete("/api/people/viewer", headers=bearer(tokens["analyst"])).status_code == 403
    assert client.get("/api/people", headers=bearer(tokens["analyst"])).status_code == 403
    newcomer = {"name": "mallory", "role": "officer"}
    assert client.post("/api/people", json=newcomer, headers=bearer(tokens["analyst"])).status_code == 403
    assert "Take the token away" in client.get("/people", headers=officer).text
    assert send(client, officer, "/people/remove", name="viewer")[0] == 303
    assert client.get("/api/datasets", headers=bearer(tokens["viewer"])).status_code == 401
    assert client.delete("/api/people/analyst", headers=bearer(tokens["officer"])).json() == {"removed": "analyst"}
    assert client.get("/", headers=analyst, follow_redirects=False).status_code == 303
    assert client.delete("/api/people/nobody", headers=bearer(tokens["officer"])).status_code == 422
    made = client.post("/api/people", json=newcomer, headers=bearer(tokens["officer"])).json()
    assert client.get("/api/people", headers=bearer(made["token"])).json()[0] == newcomer


def test_nobody_is_told_where_anything_lies(console: Console, client: TestClient, tmp_path: Path) -> None:
    """Refusals named the ledger's path, and a run that found no data its address."""
    token = console.add_person("ada", "analyst")
    cookie = signed_in(client, token)

    def told(**options: str) -> str:
        wanted = {"dataset": "visits", "kind": "learn", "options": {"target": "ill", "epsilon": "1", **options}}
        job = client.post("/api/jobs", json=wanted, headers=bearer(token)).json()["id"]
        return str(ended(client, token, job)["said"]) + client.get(f"/jobs/{job}", headers=cookie).text

    everything = [told(epsilon="5"), told(target="height")]
    (tmp_path / "data.csv").rename(tmp_path / "gone.csv")
    everything.append(told())
    assert "visits" in everything[-1]
    (tmp_path / "data.csv").write_text("name\nx\n")
    everything.append(told())
    plan = {"dataset": "visits", "kind": "learn", "options": {"target": "height", "epsilon": "1", "rows": "9"}}
    everything.append(client.post("/api/plans", json=plan, headers=bearer(token)).text)
    older = (console.folder / "ledgers/visits").read_bytes()
    console.ledger("visits").limit(epsilon=1)
    (console.folder / "ledgers/visits").write_bytes(older)
    for place in ("/api/datasets", "/api/datasets/visits/charges"):
        everything.append(client.get(place, headers=bearer(token)).text)
    everything += [client.get(place, headers=cookie).text for place in ("/", "/datasets/visits")]
    assert "was rolled back" in everything[-1]
    everything.append(told())
    for text in everything:
        assert str(tmp_path) not in text
    assert console.folder.exists()


@pytest.mark.parametrize("change", ["edited", "not on the card", "card edited", "card gone", "card of another key"])
def test_a_file_that_is_not_what_was_released_is_not_handed_out(
    console: Console, client: TestClient, tmp_path: Path, change: str
) -> None:
    folder, token = released(console), console.add_person("vic", "viewer")
    for name in ("rule.json", "card.json"):
        assert client.get(f"/api/jobs/done/files/{name}", headers=bearer(token)).status_code == 200
    asked, card = "rule.json", (folder / "card.json").read_text()
    if change == "edited":
        (folder / "rule.json").write_text('{"epsilon": "1/9"}')
    elif change == "not on the card":
        asked = "model.json"
        (folder / "model.json").write_text("{}")
    elif change == "card edited":
        (folder / "card.json").write_text(card.replace('"epsilon": "1"', '"epsilon": "1/9"'))
    elif change == "card gone":
        (folder / "card.json").unlink()
    else:
        other = Console(tmp_path / "other").key
        forged = Card.load(folder / "card.json").signed(Signer(other))
        (folder / "card.json").write_text(json.dumps(forged.to_json()))
    answer = client.get(f"/api/jobs/done/files/{asked}", headers=bearer(token))
    assert answer.status_code == 409
    assert "not what was released" in answer.json()["detail"]
    page = client.get(f"/jobs/done/{asked}", headers=signed_in(client, token))
    assert (page.status_code, page.headers["content-type"]) == (409, "text/html; charset=utf-8")
    assert not client.get("/api/jobs/done", headers=bearer(token)).json()["verified"] or change == "not on the card"


@pytest.mark.parametrize(
    "address", ["postgresql://me:secret@db/clinic?table=visits", "postgresql://me@db/clinic?table=v&password=secret"]
)
def test_an_address_with_a_password_is_refused(console: Console, address: str) -> None:
    """A run has its address on its command line, where every user of the machine reads it."""
    with pytest.raises(ParameterError, match="pgpass") as refused:
        console.register("labs", address, SCHEMA, **OPTIONS)
    assert "secret" not in str(refused.value)
    assert not any(b"secret" in path.read_bytes() for path in console.folder.rglob("*") if path.is_file())


def test_mistakes_are_pages_to_people_and_json_to_pipelines(console: Console, client: TestClient) -> None:
    token = console.add_person("ada", "analyst")
    cookie = signed_in(client, token)
    for place, code in (("/people", 403), ("/nothing/here", 404), ("/jobs/x/y", 422), ("/datasets/none", 422)):
        answer = client.get(place, headers=cookie)
        assert (answer.status_code, answer.headers["content-type"]) == (code, "text/html; charset=utf-8"), place
        assert "Sign out ada" in answer.text
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    alone = client.get("/nothing/here")
    assert (alone.status_code, "Sign out" in alone.text) == (404, False)
    for method, place, code in (("GET", "/api/none", 404), ("PUT", "/api/jobs", 405)):
        answer = client.request(method, place, headers=bearer(token))
        assert (answer.status_code, answer.headers["content-type"]) == (code, "application/json")


def test_a_mistake_of_our_own_says_nothing(
    console: Console, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Console.jobs

    def broken(console: Console, status: str | None = None, most: int = -1) -> Any:
        if status is None:  # the queue goes on asking for its own
            raise RuntimeError("row 17 says ill")
        return known(console, status, most)

    token = console.add_person("ada", "analyst")
    cookie = signed_in(client, token)
    monkeypatch.setattr(Console, "jobs", broken)
    for place, headers in (("/jobs", cookie), ("/api/jobs", bearer(token))):
        answer = client.get(place, headers=headers)
        assert (answer.status_code, "row 17" in answer.text) == (500, False)
        assert "the console made a mistake" in answer.text


@pytest.mark.parametrize("rows", [str(MOST_ROWS + 1), "9" * 900])
def test_nobody_fills_the_disk_with_rows(console: Console, client: TestClient, rows: str) -> None:
    wanted = {"dataset": "visits", "kind": "synth", "options": {"epsilon": "1", "delta": "1e-7", "rows": rows}}
    answer = client.post("/api/jobs", json=wanted, headers=bearer(console.add_person("ada", "analyst")))
    assert (answer.status_code, "at most 10,000,000" in answer.json()["error"]) == (422, True)


def test_a_long_history_is_not_shown_whole(console: Console, client: TestClient) -> None:
    for number in range(MOST_SHOWN + 5):
        console.add_job(f"{number:04}", "ada", "visits", "learn", {})
        console.set_status(f"{number:04}", "cancelled")
    token = console.add_person("vic", "viewer")
    assert len(client.get("/api/jobs", headers=bearer(token)).json()) == MOST_SHOWN
    assert f"The latest {MOST_SHOWN} are shown" in client.get("/jobs", headers=signed_in(client, token)).text
    assert client.get("/api/jobs/0000", headers=bearer(token)).json()["status"] == "cancelled"


def test_two_servers_do_not_share_a_folder(console: Console) -> None:
    """The second took the runs of the first for lost, and began its queue, before it found that the port was taken."""
    with (console.folder / "serving").open("w") as first:
        assert try_lock(first.fileno())
        refused = CliRunner().invoke(serve, [str(console.folder), "--port", "0"])
    assert "another server runs the console" in str(refused.exception)


def test_two_who_register_one_name_at_once_do_not_share_its_files(console: Console, tmp_path: Path) -> None:
    made: list[str] = []

    def register(epsilon: str) -> None:
        try:
            console.register("labs", str(tmp_path / "data.csv"), SCHEMA, **{**OPTIONS, "epsilon": epsilon})
            made.append(epsilon)
        except ParameterError:
            pass

    threads = [threading.Thread(target=register, args=(str(epsilon),)) for epsilon in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [str(console.ledger("labs").budget[0])] == made
