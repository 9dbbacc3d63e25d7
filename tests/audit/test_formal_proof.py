"""The machine-checked proof of Theorem 1 checks, with nothing admitted and no axiom but those of the real numbers."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FORMAL = Path(__file__).parents[2] / "proofs" / "formal"
REAL_AXIOMS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
CLOSED = 8  # how many theorems of Assumptions.v must stand on nothing
IN_REALS = 4


def test_nothing_is_admitted() -> None:
    """Holds without a proof assistant at hand: no proof is skipped and nothing is postulated."""
    for source in FORMAL.glob("*.v"):
        text = re.sub(r"\(\*.*?\*\)", "", source.read_text(), flags=re.DOTALL)
        assert not re.search(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Conjecture|Abort)\b", text), source.name


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed (Debian: apt-get install coq)")
def test_the_proof_checks(tmp_path: Path) -> None:
    run = subprocess.run(
        ["make", "-s", "-C", str(FORMAL), "check", f"BUILD={tmp_path}"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    closed, _, rest = run.stdout.partition("Axioms:")
    assert closed.count("Closed under the global context") == CLOSED
    assert "Closed" not in rest
    assert rest.count("Axioms:") == IN_REALS - 1
    assert set(re.findall(r"^([A-Z]\w+(?:\.\w+)+)", rest, flags=re.MULTILINE)) <= REAL_AXIOMS


def test_every_printed_theorem_exists() -> None:
    """The file that prints the assumptions names the theorems of the other files, so none can be dropped unseen."""
    printed = re.findall(r"^Print Assumptions (\w+)\.", (FORMAL / "Assumptions.v").read_text(), flags=re.MULTILINE)
    assert len(printed) == len(set(printed)) == CLOSED + IN_REALS
    stated = "".join(source.read_text() for source in FORMAL.glob("*.v"))
    for name in printed:
        assert re.search(rf"(Theorem|Lemma|Example|Definition) {name}\b", stated)
