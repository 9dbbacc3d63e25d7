"""The console as pipelines and attackers meet it: roles, tokens, forms, releases, what is refused."""

import json
import re
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from oracledp.privacy.cards import Card
from oracledp.service.app import application
from oracledp.service.store import Console

SCHEMA = "columns:\n  smoker: {kind: boolean}\n  ill: {kind: boolean}\n"
HTML = "<script>alert(1)</script>"
SQL = "x'); DROP TABLE jobs; --"


class Browser:
    """Somebody with a browser: follows pages and repeats the secret of forms."""

    def __init__(self, client: TestClient, token: str) -> None:
        self.client = client
        client.cookies.clear()
        assert self.client.post("/sign-in", data={"token": token}, follow_redirects=False).status_code == 303
        self.headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
        client.cookies.clear()

    def get(self, place: str) -> str:
        return self.client.get(place, headers=self.headers).text

    def send(self, place: str, **fields: str) -> tuple[int, str, str]:
        found = re.search(r'name="secret" value="([^"]+)"', self.get("/"))
        assert found is not None
        form = {"secret": found[1], **fields}
        answer = self.client.post(place, data=form, headers=self.headers, follow_redirects=False)
        if answer.status_code != 303:
            return answer.status_code, place, answer.text
        reached = self.client.get(answer.headers["location"], headers=self.headers)
        return reached.status_code, answer.headers["location"], reached.text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.csv").write_text("smoker,ill\n" + "1,1\n0,0\n" * 60)
    return tmp_path / "console"


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(application(folder, hosts=("testserver",), answer_every=0)) as client:
        yield client


@pytest.fixture
def tokens(folder: Path, client: TestClient) -> dict[str, str]:
    console = Console(folder)
    made = {role: console.add_person(f"{role} one", role) for role in ("officer", "analyst", "viewer")}
    console.register("visits", str(folder.parent / "data.csv"), SCHEMA, epsilon="2", delta="1e-6", accountant="plain")
    return made


def wait(client: TestClient, token: str, job: str) -> dict[str, str]:
    for _ in range(1200):
        found = client.get(f"/api/jobs/{job}", headers=bearer(token)).json()
        if found["status"] not in ("queued", "running"):
            return dict(found)
        time.sleep(0.1)
    raise AssertionError("the job did not end")


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def ask(client: TestClient, token: str, **options: str) -> dict[str, str]:
    body = {"dataset": "visits", "kind": "learn", "options": {"target": "ill", "epsilon": "1", **options}}
    answer = client.post("/api/jobs", json=body, headers=bearer(token))
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_from_an_asked_rule_to_a_verified_release(client: TestClient, tokens: dict[str, str], folder: Path) -> None:
    job = wait(client, tokens["analyst"], ask(client, tokens["analyst"], purpose="triage")["id"])
    assert job["status"] == "done", job
    release = folder / "releases" / job["id"]
    Card.load(release / "card.json").check(release, ledger=Console(folder).ledger("visits"))
    (charge,) = client.get("/api/datasets/visits/charges", headers=bearer(tokens["viewer"])).json()
    assert (charge["actor"], charge["purpose"], charge["dataset"]) == ("analyst one", "triage", "visits")
    browser = Browser(client, tokens["viewer"])
    assert "rule.json" in browser.get(f"/jobs/{job['id']}")
    assert json.loads(browser.get(f"/jobs/{job['id']}/rule.json"))["guarantee"]["epsilon"] == "1"
    assert (
        "sandbox"
        in client.get(f"/jobs/{job['id']}/report.html", headers=browser.headers).headers["content-security-policy"]
    )
    assert client.get(f"/jobs/{job['id']}/said", headers=browser.headers).status_code == 404


def test_refusals_are_one_line_and_cost_nothing(client: TestClient, tokens: dict[str, str], folder: Path) -> None:
    for options, status in (
        ({"epsilon": "-1"}, "refused"),
        ({"target": "--ledger"}, "refused"),
        ({"target": HTML}, "refused"),
        ({"epsilon": "5"}, "over budget"),
    ):
        job = wait(client, tokens["analyst"], ask(client, tokens["analyst"], **options)["id"])
        assert job["status"] == status, job
        assert job["said"].startswith("oracledp: ")
        assert HTML not in Browser(client, tokens["viewer"]).get(f"/jobs/{job['id']}")
    assert Console(folder).ledger("visits").spent == (0, 0)


@pytest.mark.parametrize("options", [{"ledger": "elsewhere"}, {"out": "/etc/x"}, {"seed": "1"}, {"target": "a\0b"}])
def test_only_the_offered_options_are_taken(
    client: TestClient, tokens: dict[str, str], options: dict[str, str]
) -> None:
    body = {"dataset": "visits", "kind": "learn", "options": options}
    assert client.post("/api/jobs", json=body, headers=bearer(tokens["analyst"])).status_code == 422
    body = {"dataset": "visits", "kind": "audit", "options": {}}
    assert client.post("/api/jobs", json=body, headers=bearer(tokens["analyst"])).status_code == 422
    assert client.get("/api/datasets", headers=bearer(tokens["viewer"])).json()[0]["spent"]["epsilon"] == "0"


def test_without_a_token_there_is_nothing(client: TestClient, tokens: dict[str, str]) -> None:
    for place in ("/", "/datasets/visits", "/jobs", "/people", "/jobs/x/rule.json"):
        answer = client.get(place, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    for place in ("/api/datasets", "/api/datasets/visits/charges", "/api/jobs/x"):
        assert client.get(place).status_code == 401
        assert client.get(place, headers=bearer("x")).status_code == 401
    assert client.post("/datasets", data={"name": "x"}, follow_redirects=False).status_code == 303


def test_guessing_tokens_is_slowed_down(client: TestClient, tokens: dict[str, str]) -> None:
    codes = [client.post("/sign-in", data={"token": f"guess {i}"}).status_code for i in range(12)]
    assert codes == [401] * 10 + [429] * 2
    assert client.get("/api/datasets", headers=bearer("guess")).status_code == 429
    assert client.get("/api/datasets", headers=bearer(tokens["viewer"])).status_code == 200  # nobody locks others out


def test_roles_bound_what_a_person_may_do(client: TestClient, tokens: dict[str, str], folder: Path) -> None:
    viewer, analyst = Browser(client, tokens["viewer"]), Browser(client, tokens["analyst"])
    assert viewer.send("/datasets/visits/jobs", kind="learn", target="ill", epsilon="1")[0] == 403
    for browser in (viewer, analyst):
        assert browser.send("/datasets", name="x", address="/", schema=SCHEMA)[0] == 403
        assert browser.send("/datasets/visits/limits", epsilon="9")[0] == 403
        assert browser.send("/people", name="me", role="officer")[0] == 403
        assert "Register a data set" not in browser.get("/")
    body = {"dataset": "visits", "kind": "learn", "options": {}}
    assert client.post("/api/jobs", json=body, headers=bearer(tokens["viewer"])).status_code == 403
    other = Console(folder).add_person("analyst two", "analyst")
    job = ask(client, tokens["analyst"])["id"]
    assert client.delete(f"/api/jobs/{job}", headers=bearer(other)).status_code == 422
    wait(client, tokens["analyst"], job)


def test_a_form_from_elsewhere_is_refused(client: TestClient, tokens: dict[str, str]) -> None:
    officer = Browser(client, tokens["officer"])
    for secret in ({}, {"secret": "x"}):
        answer = client.post("/people", data={"name": "mallory", "role": "officer", **secret}, headers=officer.headers)
        assert answer.status_code == 403
    assert "mallory" not in officer.get("/people")
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400


def test_a_person_who_left_is_signed_out(client: TestClient, tokens: dict[str, str], folder: Path) -> None:
    viewer = Browser(client, tokens["viewer"])
    assert "visits" in viewer.get("/")
    Console(folder).remove_person("viewer one")
    assert "Your token" in viewer.get("/")
    assert client.get("/api/datasets", headers=bearer(tokens["viewer"])).status_code == 401


def test_an_officer_registers_limits_and_adds_people(client: TestClient, tokens: dict[str, str], folder: Path) -> None:
    officer = Browser(client, tokens["officer"])
    data = str(folder.parent / "data.csv")
    form = {
        "name": "second",
        "address": data,
        "schema": SCHEMA,
        "epsilon": "1",
        "delta": "1e-6",
        "accountant": "curves",
    }
    assert officer.send("/datasets", **form)[:2] == (200, "/datasets/second")
    for wrong in (
        {"name": "second"},
        {"name": "../x"},
        {"name": SQL},
        {"name": "y", "address": "/no/such"},
        {"name": "y", "schema": "columns: {"},
        {"name": "y", "epsilon": "0"},
        {"name": "z", "delta": "0"},
    ):
        assert officer.send("/datasets", **{**form, **wrong})[0] == 422, wrong
    assert officer.send("/datasets/second/limits", epsilon="0.5", actor="each", period="quarter")[0] == 200
    assert "each actor, per quarter" in officer.get("/datasets/second")
    code, _, shown = officer.send("/people", name=HTML, role="analyst")
    assert code == 200
    assert HTML not in shown
    token = re.search(r'id="token">([^<]+)<', shown)
    assert token is not None
    answer = client.post(
        "/api/jobs",
        json={"dataset": "second", "kind": "learn", "options": {"target": "ill", "epsilon": "0.6", "purpose": HTML}},
        headers=bearer(token[1]),
    )
    assert wait(client, token[1], answer.json()["id"])["status"] == "over budget"
    assert HTML not in officer.get("/jobs")


def test_hostile_texts_stay_texts(client: TestClient, tokens: dict[str, str], folder: Path) -> None:
    job = wait(client, tokens["analyst"], ask(client, tokens["analyst"], purpose=HTML + SQL)["id"])
    assert job["status"] == "done"
    viewer = Browser(client, tokens["viewer"])
    for place in (f"/jobs/{job['id']}", "/jobs", "/datasets/visits", f"/datasets/{SQL}", f"/jobs/{HTML}"):
        assert HTML not in viewer.get(place)
    assert Console(folder).jobs()
    assert client.get("/").headers["content-security-policy"].startswith("default-src 'none'")


def test_a_cancelled_job_keeps_its_charge_if_it_was_made(
    client: TestClient, tokens: dict[str, str], folder: Path
) -> None:
    job = ask(client, tokens["analyst"])["id"]
    assert client.delete(f"/api/jobs/{job}", headers=bearer(tokens["analyst"])).json()["status"] in (
        "cancelled",
        "done",
    )
    time.sleep(0.5)
    spent = Console(folder).ledger("visits").spent[0]
    assert spent in (0, 1)
    assert not (spent == 0 and (folder / "releases" / job / "rule.json").exists())


def test_a_server_that_died_tells_what_became_of_its_jobs(folder: Path) -> None:
    console = Console(folder)
    analyst = console.add_person("ada", "analyst")
    console.register("visits", str(folder.parent / "data.csv"), SCHEMA, epsilon="2", delta="0", accountant="plain")
    console.add_job("left", "ada", "visits", "learn", {})
    console.set_status("left", "running")
    with TestClient(application(folder, hosts=("testserver",), answer_every=0)) as client:
        found = client.get("/api/jobs/left", headers=bearer(analyst)).json()
    assert (found["status"], "charge stays" in found["said"]) == ("lost", True)


def test_the_end_of_a_run_is_shown_at_fixed_times(folder: Path) -> None:
    console = Console(folder)
    analyst = console.add_person("ada", "analyst")
    console.register("visits", str(folder.parent / "data.csv"), SCHEMA, epsilon="2", delta="0", accountant="plain")
    with TestClient(application(folder, hosts=("testserver",), answer_every=1e9)) as client:
        job = ask(client, analyst, epsilon="-1")["id"]
        said = folder / "releases" / job / "said"
        for _ in range(600):
            if said.exists() and said.read_text():
                break
            time.sleep(0.1)
        time.sleep(1)
        assert client.get(f"/api/jobs/{job}", headers=bearer(analyst)).json()["status"] == "running"


def test_the_rest_interface_describes_itself(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert set(paths) == {
        "/api/datasets", "/api/datasets/{name}/charges", "/api/datasets/{name}/limits", "/api/plans", "/api/jobs",
        "/api/jobs/{job_id}", "/api/jobs/{job_id}/files/{name}", "/api/jobs/{job_id}/answers", "/api/people",
        "/api/people/{name}",
    }  # fmt: skip


def test_a_synthetic_table(client: TestClient, tokens: dict[str, str], folder: Path) -> None:
    body = {"dataset": "visits", "kind": "synth", "options": {"epsilon": "1", "delta": "1e-7", "rows": "20"}}
    job = client.post("/api/jobs", json=body, headers=bearer(tokens["analyst"])).json()
    found = wait(client, tokens["analyst"], job["id"])
    assert found["status"] == "done", found
    rows = (folder / "releases" / job["id"] / "synthetic.csv").read_text().splitlines()
    assert len(rows) == 21
    assert Console(folder).ledger("visits").spent == (1, Fraction(1, 10**7))
