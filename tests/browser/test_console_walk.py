"""From an empty folder to a released, verified rule and table, in a real browser: an officer, then an analyst."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oracledp.privacy.cards import Card
from oracledp.service.store import Console

pytest.importorskip("uvicorn")
PATIENCE = 60_000  # milliseconds that a page may take on a busy machine

SCHEMA = """
columns:
  smoker: {kind: boolean}
  age: {kind: integer, lo: 0, hi: 99, thresholds: [40, 60]}
  ill: {kind: boolean}
"""
SERVE = [sys.executable, "-c", "from oracledp.cli import main; main()", "serve"]
PICTURES = os.environ.get("ORACLEDP_SCREENSHOTS")  # a folder: the pictures of docs/console.md
WIDTHS = os.environ.get("ORACLEDP_SCREENSHOT_WIDTHS")  # anything: the same at other widths, to look at


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "".join(f"p{i % 300},{i % 2},{i % 97},{int(i % 97 >= 60)}\n" for i in range(400))
    (tmp_path / "visits.csv").write_text("patient,smoker,age,ill\n" + rows)
    return tmp_path / "console"


@pytest.fixture
def site(folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*SERVE, str(folder), "--port", str(port), "--answer-every", "0"], stdout=subprocess.DEVNULL
    )
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            assert server.poll() is None
            time.sleep(0.1)
    yield f"http://127.0.0.1:{port}"
    server.terminate()
    server.wait(timeout=60)


def picture(page: Any, name: str) -> None:
    """No page is wider than its window, on a telephone, a tablet or a screen; a picture of it if they are wanted."""
    for width in (360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        if PICTURES and WIDTHS:
            page.screenshot(path=f"{PICTURES}/console-{name}-{width}.png", full_page=True)
    page.set_viewport_size({"width": 1000, "height": 700})
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/console-{name}.png", full_page=True)


def signed_in(browser: Any, site: str, token: str) -> Any:
    page = browser.new_context(viewport={"width": 1000, "height": 700}).new_page()
    page.goto(site)
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    return page


def shows(page: Any, words: str) -> None:
    """Wait for these words: a click returns before the page that it asks for is there."""
    page.locator("main").filter(has_text=words).wait_for(timeout=PATIENCE)


def test_from_nothing_to_a_verified_release(browser: Any, site: str, folder: Path) -> None:
    made = subprocess.run([*SERVE, str(folder), "--token-for", "olga"], capture_output=True, text=True, check=True)
    officer = signed_in(browser, site, made.stdout.strip())
    officer.get_by_label("Name", exact=True).fill("visits")
    officer.get_by_label("Schema (YAML)").fill(SCHEMA)
    officer.get_by_label("Column that tells persons apart").fill("patient")
    officer.get_by_label("Whole ε").fill("4")
    picture(officer, "register")
    officer.get_by_label("File, folder").fill(str(folder.parent / "visits.csv"))
    officer.get_by_role("button", name="Register").click()
    officer.get_by_role("heading", name="visits").wait_for(timeout=PATIENCE)
    shows(officer, "all rows with one patient count together")
    officer.get_by_label("ε", exact=True).last.fill("2")
    officer.get_by_role("button", name="Set limit").click()
    shows(officer, "each actor, per quarter")
    officer.get_by_role("link", name="People").click()
    officer.get_by_label("Name", exact=True).fill("ada")
    officer.get_by_label("Role").select_option("analyst")
    officer.get_by_role("button", name="Make a token").click()
    token = officer.inner_text("#token")
    picture(officer, "people")

    analyst = signed_in(browser, site, token)
    picture(analyst, "overview")
    analyst.get_by_role("link", name="visits").click()
    analyst.get_by_label("Predict this column or condition (plan)").fill("ill")
    picture(analyst, "data-set")
    analyst.get_by_role("button", name="Plan a rule").click()
    shows(analyst, "Nothing was read and nothing spent")
    picture(analyst, "plan")
    analyst.get_by_role("link", name="Back to visits").click()
    analyst.get_by_label("Predict this column or condition", exact=True).fill("ill")
    analyst.get_by_label("Purpose").first.fill("triage rule")
    analyst.get_by_role("button", name="Learn a rule").click()
    analyst.get_by_role("link", name="rule.json").wait_for(timeout=120_000)
    picture(analyst, "release")
    shows(analyst, "differentially private")
    analyst.get_by_role("link", name="Data sets").click()
    analyst.get_by_role("link", name="visits").click()
    shows(analyst, "triage rule")
    picture(analyst, "charges")
    analyst.get_by_label("Purpose").last.fill("open data")
    analyst.get_by_role("button", name="Make a synthetic table").click()
    analyst.get_by_role("link", name="synthetic.csv").wait_for(timeout=240_000)
    shows(analyst, "Verified: files, signature and charge belong together.")
    analyst.get_by_label("Conditions").fill("age >= 60 and not smoker")
    analyst.get_by_role("button", name="Answer").click()
    shows(analyst, "95 % interval")
    picture(analyst, "table")
    analyst.get_by_role("link", name="Data sets").click()
    analyst.get_by_role("link", name="visits").click()
    analyst.locator("svg circle").nth(1).wait_for(timeout=PATIENCE)
    assert analyst.locator("svg circle").count() == 2
    picture(analyst, "time-line")
    for job in Console(folder).jobs():
        release = folder / "releases" / job.id
        card = Card.load(release / "card.json")
        card.check(release, ledger=Console(folder).ledger("visits"))
        assert "any one person (all rows with one patient)" in str(card)

    analyst.get_by_role("button", name="Sign out ada").click()
    analyst.get_by_label("Your token").wait_for(timeout=PATIENCE)
