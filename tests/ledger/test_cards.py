"""Privacy cards: files, card, key and charge belong together, or the reader is told what does not."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from oracledp.privacy.ledger import Ledger

pytest.importorskip("cryptography")

Run = Callable[..., tuple[int, str]]
LEARN = ("learn", "d.csv", "--schema", "s.yaml", "--target", "ill", "--epsilon", "1", "--quiet")


@pytest.fixture
def key(run: Run) -> str:
    return run("budget", "key", "k")[1].strip()


@pytest.fixture
def released(run: Run, key: str) -> str:
    """A signed release of two files."""
    files = ("--out", "rule.json", "--report", "rule.html", "--card", "card.json", "--sign", "k")
    assert run(*LEARN, "--ledger", "b", *files, "--purpose", "triage")[0] == 0
    return key


def test_what_belongs_together_is_found_to(run: Run, released: str) -> None:
    code, said = run("verify", "card.json", "--key", released, "--ledger", "b")
    assert code == 0
    assert "checked: files, signature, charge, delivery" in said
    assert "not checked" not in said
    assert "triage" in said
    assert "rule.html, rule.json" in said
    card = json.loads(Path("card.json").read_text())
    assert card["charge"] == Ledger(Path("b")).charges[0].to_json()


def edit(name: str, old: str, new: str) -> None:
    text = Path(name).read_text()
    assert old in text
    Path(name).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("rule.json", '"epsilon": "1"', '"epsilon": "1/2"', "rule.json is not the file that was released"),
        ("card.json", '"epsilon": "1"', '"epsilon": "1/2"', "its words and its numbers differ"),
        ("card.json", '"purpose": "triage"', '"purpose": "marketing"', "the signature does not belong"),
        ("card.json", '"sha256": "', '"sha256": "0', "is not the file that was released"),
        ("card.json", '"unit": "row"', '"unit": "person"', "the signature does not belong"),
        ("card.json", '"signature": "', '"signature": "zz', "the signature does not belong"),
        ("card.json", '"name": "rule.json"', '"name": "../rule.json"', "does not hold a privacy card"),
        ("card.json", '"oracledp-card": 2', '"oracledp-card": 7', "another version"),
        ("card.json", '"oracledp-card": 2', '"oracledp-card": 1', "the signature does not belong"),
    ],
)
def test_every_edit_is_noticed(run: Run, released: str, name: str, old: str, new: str, words: str) -> None:
    edit(name, old, new)
    code, said = run("verify", "card.json")
    assert code == 2
    assert words in said


def test_a_forger_s_own_key_is_not_the_officer_s(run: Run, released: str) -> None:
    other = run("budget", "key", "k2")[1].strip()
    code, said = run("verify", "card.json", "--key", other)
    assert (code, "not signed with the key" in said) == (2, True)


def test_a_release_that_a_ledger_never_saw(run: Run, released: str) -> None:
    assert run("budget", "create", "other", "--epsilon", "1")[0] == 0
    code, said = run("verify", "card.json", "--ledger", "other")
    assert (code, "no charge for this release" in said) == (2, True)


def test_a_missing_file_is_named(run: Run, released: str) -> None:
    Path("rule.html").unlink()
    code, said = run("verify", "card.json")
    assert (code, "rule.html is not beside its card" in said) == (2, True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--card", "c.json"), "--card speaks of a charge"),
        (("--ledger", "b", "--sign", "k"), "name one with --card"),
        (("--ledger", "b", "--card", "c.json", "--sign", "d.csv"), "d.csv is not a signing key"),
        (("--ledger", "b", "--card", "c.json", "--sign", "none"), "none is not a signing key"),
        (("--ledger", "b", "--card", "c.json", "--out", "c.json"), "another option writes the same file"),
        (("--ledger", "b", "--card", "c.json", "--out", "/dev/null"), "regular files in its own folder"),
        (("--ledger", "b", "--card", "no/c.json"), "cannot be written"),
        (("--ledger", "b", "--purpose", "two\nlines"), "purpose must be"),
    ],
)
def test_a_mistake_costs_no_budget(run: Run, key: str, options: tuple[str, ...], words: str) -> None:
    code, said = run(*LEARN, *options)
    assert code == 2
    assert words in said
    assert Ledger(Path("b")).spent == (0, 0)


def test_a_key_is_never_overwritten_and_only_its_owner_reads_it(run: Run, key: str) -> None:
    assert Path("k").stat().st_mode & 0o777 == 0o600
    assert "never overwritten" in run("budget", "key", "k")[1]
