"""What came of a charge: the digests of its files, in an entry of their own after it."""

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from oracledp.errors import ModelError
from oracledp.privacy import cards
from oracledp.privacy.cards import Card
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
from oracledp.whole_files import PendingFile

Run = Callable[..., tuple[int, str]]
LEARN = ("learn", "d.csv", "--schema", "s.yaml", "--target", "ill", "--epsilon", "1", "--quiet", "--ledger", "b")
PROMISE = Guarantee(epsilon=Fraction(1, 4), neighbours=Neighbours.DEFAULT, proof="noise")


def sha(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_charge_knows_its_files(run: Run) -> None:
    assert run(*LEARN, "--out", "rule.json", "--report", "rule.html")[0] == 0
    ledger = Ledger(Path("b"))
    (charge,) = ledger.charges
    assert charge.hashed
    (delivered,) = ledger.delivered.values()
    assert delivered.release == charge.release
    files = dict(delivered.files)
    assert {name: files[name] for name in ("rule.json", "rule.html")} == {
        name: sha(name) for name in ("rule.json", "rule.html")
    }
    assert "time" not in delivered.to_json()  # when a run ended would tell about the rows
    shown = json.loads(run("budget", "show", "b", "--json")[1])["charges"]
    assert shown[0]["delivered"] == delivered.digest
    assert delivered.digest in run("budget", "export", "b")[1]
    assert "nothing delivered" not in run("budget", "show", "b")[1]


def test_what_was_printed_is_known_too(run: Run) -> None:
    code, said = run(*LEARN, "--json")
    assert code == 0
    Path("kept.txt").write_text(said)
    code, told = run("verify", "kept.txt", "--ledger", "b")
    assert (code, "checked: charge, delivery" in told) == (0, True)
    Path("kept.txt").write_text(said.replace('"epsilon": "1"', '"epsilon": "1/2"'))
    code, told = run("verify", "kept.txt", "--ledger", "b")
    assert (code, "not a file that the ledger knows" in told) == (2, True)


def test_a_figure_that_is_not_private_leaves_no_digest(run: Run) -> None:
    assert run(*LEARN, "--holdout", "d.csv")[0] == 0
    assert not Ledger(Path("b")).delivered
    assert "nothing delivered" in run("budget", "show", "b")[1]


def test_a_file_is_verified_by_the_card_beside_it(run: Run) -> None:
    assert run(*LEARN, "--out", "rule.json", "--card", "card.json")[0] == 0
    code, said = run("verify", "rule.json", "--ledger", "b")
    assert (code, "checked: files, charge, delivery" in said) == (0, True)
    assert "not checked: whose key it is" in said
    assert run("verify", "rule.json", "--card", "card.json")[0] == 0
    Path("other.json").write_text("{}")
    code, said = run("verify", "other.json", "--card", "card.json")
    assert (code, "is the card of other files" in said) == (2, True)
    code, said = run("verify", "other.json")
    assert (code, "no privacy card beside other.json" in said) == (2, True)
    code, said = run("verify", "none.json")
    assert (code, "there is no file none.json" in said) == (2, True)
    Path("rule.json").write_text(Path("rule.json").read_text().replace('"epsilon": "1"', '"epsilon": "1/2"'))
    for more in ((), ("--ledger", "b")):
        assert run("verify", "rule.json", *more)[0] == 2


def test_an_unsigned_card_of_other_files_is_found_out_by_the_ledger(run: Run) -> None:
    assert run(*LEARN, "--out", "rule.json", "--card", "card.json")[0] == 0
    old = sha("rule.json")
    Path("rule.json").write_text("{}")
    for version in ('"oracledp-card": 2', '"oracledp-card": 1'):
        card = Path("card.json").read_text().replace(old, sha("rule.json"))
        Path("card.json").write_text(card.replace('"oracledp-card": 2', version))
        assert run("verify", "card.json")[0] == 0  # nobody signed it, and no ledger was asked
        code, said = run("verify", "card.json", "--ledger", "b")
        assert (code, "the ledger knows other files" in said) == (2, True)


def test_a_run_that_died_before_its_files_delivered_nothing(run: Run) -> None:
    ledger = Ledger(Path("b")).releasing()
    charge = ledger.charge(PROMISE, "rspm")
    assert ledger.delivered == {}
    assert "nothing delivered" in run("budget", "show", "b")[1]
    assert "nothing delivered" in run("budget", "export", "b")[1]
    Ledger(Path("b")).charge(PROMISE, "rspm")  # from Python, with no files to come: nothing is said of it
    assert run("budget", "show", "b")[1].count("nothing delivered") == 1
    ledger.deliver(charge.release or "", {"rule.json": "00"})
    assert "nothing delivered" not in run("budget", "show", "b")[1]


def test_nothing_is_delivered_without_a_charge_or_twice(run: Run) -> None:
    ledger = Ledger(Path("b")).releasing()
    with pytest.raises(ModelError, match="no charge for release"):
        ledger.deliver(ledger.release or "", {"rule.json": "00"})
    ledger.charge(PROMISE, "rspm")
    ledger.deliver(ledger.release or "", {"rule.json": "00"})
    with pytest.raises(ModelError, match="already"):
        ledger.deliver(ledger.release or "", {"rule.json": "11"})
    assert ledger.verify() == 2


def test_a_ledger_that_cannot_take_the_digests_loses_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise ModelError("the ledger b cannot be written: database or disk is full; nothing is sampled")

    monkeypatch.setattr(Ledger, "deliver", full)
    code, said = run(*LEARN, "--out", "rule.json")
    assert code != 0
    assert "the ledger does not know the files of this release" in said
    assert Path("rule.json").exists()
    assert "nothing delivered" in run("budget", "show", "b")[1]


def test_a_card_from_before_digests_is_still_read(run: Run) -> None:
    """Such a charge is followed by no entry, and such a card has the first version."""
    from oracledp.privacy.cards import Card, digest_of

    ledger = Ledger(Path("b"))
    charge = ledger.charge(PROMISE, "rspm")
    Path("rule.json").write_text("{}")
    card = Card.of(ledger, charge.release or "", (("rule.json", digest_of(Path("rule.json"))),))
    for version, code in ((1, 0), (2, 2)):
        Path("card.json").write_text(json.dumps({**card.to_json(), "oracledp-card": version}))
        assert run("verify", "card.json", "--ledger", "b")[0] == code


@pytest.mark.parametrize("where", ["another folder", "the screen"])
def test_what_was_rescued_is_known_to_ledger_and_card(
    run: Run, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that could not be saved where it was asked for was once a stranger to the ledger that it had charged."""
    keep, safe = PendingFile.keep, tmp_path / "safe"
    safe.mkdir()

    def full(pending: PendingFile) -> None:
        if Path(pending.path).name == "rule.json":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        keep(pending)

    with monkeypatch.context() as patch:
        patch.setattr(PendingFile, "keep", full)
        patch.setattr(tempfile, "tempdir", str(safe))
        if where == "the screen":
            patch.setattr(tempfile, "mkstemp", lambda **_: 1 / 0)
        code, said = run(*LEARN, "--out", "rule.json", "--card", "card.json")
    assert (code, "No space left on device" in said) == (2, True)
    (delivered,) = Ledger(Path("b")).delivered.values()
    if where == "the screen":
        assert "it was printed instead" in said
        rescued = Path("copied.json")
        rescued.write_text(said[said.index("{") : said.index("\n}\n") + 3])
    else:
        (rescued,) = safe.iterdir()
        assert f"it was saved as {rescued} instead" in said
    assert dict(delivered.files)["rule.json"] == sha(str(rescued))
    assert run("verify", str(rescued), "--ledger", "b")[0] == 0
    assert "nothing delivered" not in run("budget", "show", "b")[1]
    assert "rule.json is not beside its card" in run("verify", "card.json", "--ledger", "b")[1]
    rescued.rename("rule.json")
    assert run("verify", "card.json", "--ledger", "b")[0] == 0
    Path("rule.json").write_text(Path("rule.json").read_text().replace('"epsilon": "1"', '"epsilon": "1/2"'))
    assert run("verify", "rule.json", "--ledger", "b")[0] == 2


def test_a_file_is_checked_itself_wherever_its_card_lies(run: Run) -> None:
    """With a card in another folder, the file beside that card was once checked in its place."""
    Path("sent").mkdir()
    assert run(*LEARN, "--out", "sent/rule.json", "--report", "sent/page.html", "--card", "sent/card.json")[0] == 0
    Path("rule.json").write_text(Path("sent/rule.json").read_text().replace('"epsilon": "1"', '"epsilon": "1/2"'))
    code, said = run("verify", "rule.json", "--card", "sent/card.json", "--ledger", "b")
    assert (code, "not the file that was released" in said) == (2, True)
    Path("rule.json").write_bytes(Path("sent/rule.json").read_bytes())
    code, said = run("verify", "rule.json", "--card", "sent/card.json", "--ledger", "b")
    assert (code, "not checked: whose key it is (--key), the other files of its card" in said) == (0, True)
    Path("sent/page.html").unlink()
    assert run("verify", "sent/rule.json")[0] == 0  # it is itself, and no other was asked about
    assert "page.html is not beside its card" in run("verify", "sent/card.json")[1]


def test_a_card_that_says_to_be_older_gets_no_files_past_the_ledger(run: Run) -> None:
    """A charge of which nothing was delivered, and an unsigned card of the version that knew no deliveries."""
    ledger = Ledger(Path("b")).releasing()
    charge = ledger.charge(PROMISE, "rspm")
    Path("made-up.json").write_text("{}")
    card = Card.of(ledger, charge.release or "", (("made-up.json", sha("made-up.json")),))
    for version in (1, 2):
        Path("card.json").write_text(json.dumps({**card.to_json(), "oracledp-card": version}))
        code, said = run("verify", "card.json", "--ledger", "b")
        assert (code, "nothing was delivered for this release" in said) == (2, True)


def test_a_card_outlives_the_words_of_its_version(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was signed are the words of then; those of now may be others."""
    public = run("budget", "key", "k")[1].strip()
    assert run(*LEARN, "--out", "rule.json", "--card", "card.json", "--sign", "k")[0] == 0
    with monkeypatch.context() as later:
        later.setattr(Guarantee, "__str__", lambda _: "quite private")
        assert "its words and its numbers differ" in run("verify", "card.json", "--key", public)[1]
        later.setattr(cards, "library", lambda: "9.9")
        assert run("verify", "card.json", "--key", public, "--ledger", "b")[0] == 0
        Path("card.json").write_text(Path("card.json").read_text().replace("1-differentially", "0-differentially"))
        assert "the signature does not belong" in run("verify", "card.json", "--key", public)[1]
