"""Texts in every field of every form and call, by everybody: nobody gets more than their role."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from oracledp.privacy.cards import Card
from oracledp.service import jobs as jobs_module
from oracledp.service.store import Console

SCHEMA = "columns:\n  smoker: {kind: boolean}\n  ill: {kind: boolean}\n"
TEXTS = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'; DROP TABLE jobs; --", "x' OR '1'='1",
    "../../../etc/passwd", "--ledger=/dev/null", "${7*7}{{7*7}}", "a\r\nSet-Cookie: x=y", "\u202e", "9" * 900, "\ud800",
)  # fmt: skip
CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "POST",
        "/api/datasets",
        {"name": "@", "address": "@", "schema": "@", "epsilon": "@", "delta": "@", "person": "@"},
    ),
    ("POST", "/api/datasets", {"name": "fine", "address": "@", "schema": SCHEMA, "epsilon": "1", "delta": "@"}),
    ("POST", "/api/datasets/visits/limits", {"epsilon": "@", "delta": "@", "actor": "@", "period": "@"}),
    ("POST", "/api/datasets/@/limits", {"epsilon": "1"}),
    ("POST", "/api/plans", {"dataset": "visits", "kind": "learn", "options": {"target": "@", "epsilon": "@"}}),
    ("POST", "/api/plans", {"dataset": "@", "kind": "@", "options": {"@": "@"}}),
    ("POST", "/api/jobs", {"dataset": "@", "kind": "@", "options": {"@": "@"}}),
    ("POST", "/api/jobs/@/answers", {"conditions": "@"}),
    ("GET", "/api/jobs/@", {}),
    ("GET", "/api/jobs/@/files/@", {}),
    ("GET", "/api/datasets/@/charges", {}),
    ("DELETE", "/api/jobs/@", {}),
)


JSON = {"Content-Type": "application/json"}


def filled(thing: Any, text: str) -> Any:
    return json.loads(json.dumps(thing).replace('"@"', json.dumps(text)))


@pytest.mark.parametrize("role", ["nobody", "viewer", "analyst", "officer"])
def test_every_field_of_every_call(console: Console, client: TestClient, role: str) -> None:
    token = "x" if role == "nobody" else console.add_person("somebody", role)
    headers = {"Authorization": f"Bearer {token}"}
    for text in TEXTS if role in ("analyst", "officer") else TEXTS[:1]:
        for method, place, body in CALLS:
            path = place.replace("@", "".join(f"%{byte:02x}" for byte in text.encode(errors="surrogatepass")))
            content = json.dumps(filled(body, text)) if body else None
            answer = client.request(method, path, headers={**headers, **JSON}, content=content)
            allowed = (
                ((401, 429, 404, 405) if "@" in place else (401, 429)) if role == "nobody" else (403, 404, 405, 422)
            )
            assert answer.status_code in allowed, (method, place, text, answer.text)
            assert "set-cookie" not in answer.headers
            assert answer.headers["content-type"] in ("application/json", "text/plain; charset=utf-8")
    assert [known.name for known in console.datasets()] == ["visits"]
    assert console.ledger("visits").verify() == 1
    assert not console.ledger("visits").limits


def test_an_analyst_is_no_officer_and_a_viewer_no_analyst(console: Console, client: TestClient) -> None:
    tokens = {role: {"Authorization": f"Bearer {console.add_person(role, role)}"} for role in ("viewer", "analyst")}
    new = {"name": "mine", "address": str(console.folder), "schema": SCHEMA, "epsilon": "9", "delta": "0"}
    for headers in tokens.values():
        assert client.post("/api/datasets", json=new, headers=headers).status_code == 403
        assert client.post("/api/datasets/visits/limits", json={"epsilon": "9"}, headers=headers).status_code == 403
    job = {"dataset": "visits", "kind": "learn", "options": {"target": "ill", "epsilon": "1"}}
    assert client.post("/api/jobs", json=job, headers=tokens["viewer"]).status_code == 403
    assert client.post("/api/plans", json=job, headers=tokens["viewer"]).status_code == 403


def test_a_tampered_release_says_so(console: Console, client: TestClient) -> None:
    from fractions import Fraction

    from oracledp.data.schema import Schema
    from oracledp.privacy.cards import digest_of
    from oracledp.privacy.guarantee import Guarantee, Neighbours
    from oracledp.privacy.signing import Signer

    console.add_job("done", "ada", "visits", "learn", {})
    console.set_status("done", "cancelled")
    folder = console.folder / "releases" / "done"
    folder.mkdir()
    (folder / "rule.json").write_text('{"epsilon": "1"}')
    promise = Guarantee(epsilon=Fraction(1), neighbours=Neighbours.DEFAULT, proof="noise")
    ledger = console.ledger("visits").acting(actor="ada", dataset="visits")
    ledger = ledger.reading(console.dataset("visits").address, Schema.load(console.schema_path("visits")))
    charge = ledger.charge(promise, "x")
    ledger.deliver(charge.release or "", {"rule.json": digest_of(folder / "rule.json")})
    card = Card.of(ledger, charge.release or "", (("rule.json", digest_of(folder / "rule.json")),))
    text = json.dumps(card.signed(Signer(console.key)).to_json())
    (folder / "card.json").write_text(text)
    console.set_status("done", "done")
    headers = {"Authorization": f"Bearer {console.add_person('vic', 'viewer')}"}
    assert client.get("/api/jobs/done", headers=headers).json()["verified"]
    (folder / "card.json").write_text(text.replace('"epsilon": "1"', '"epsilon": "1/2"'))
    assert not client.get("/api/jobs/done", headers=headers).json()["verified"]
    (folder / "card.json").write_text(text)
    (folder / "rule.json").write_text('{"epsilon": "1/9"}')
    assert not client.get("/api/jobs/done", headers=headers).json()["verified"]


def test_fifty_analysts_at_once_are_served_two_by_two(
    console: Console, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "_PAUSE", 0.01)
    tokens = [console.add_person(f"analyst {number}", "analyst") for number in range(50)]
    answers: list[int] = []
    most: list[int] = []

    def ask(token: str) -> None:
        body = {"dataset": "visits", "kind": "learn", "options": {"target": "ill", "epsilon": "1"}}
        answers.append(client.post("/api/jobs", json=body, headers={"Authorization": f"Bearer {token}"}).status_code)
        most.append(len(console.jobs("running")))

    threads = [threading.Thread(target=ask, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [201] * 50
    assert max(most) <= jobs_module.RUNNING_AT_ONCE
    assert len(console.jobs()) == 50
    greedy = {"Authorization": f"Bearer {tokens[0]}"}
    monkeypatch.setattr(jobs_module, "RUNNING_AT_ONCE", 0)
    body = {"dataset": "visits", "kind": "learn", "options": {}}
    codes = [client.post("/api/jobs", json=body, headers=greedy).status_code for _ in range(23)]
    assert codes[-1] == 422
    assert codes.count(201) <= jobs_module.MOST_WAITING
