"""The machine-checked proofs check, with nothing admitted and no axiom but those of the real numbers."""

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
POSTULATES = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Abort|Primitive|Declare\s+Module|Unset|bypass_check)\b"
)
SECTION_ONLY = re.compile(r"\b(Variables?|Hypothes[ie]s|Context)\b")
CHECKED = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed (Debian: apt-get install coq)")


def without_comments(source: str) -> str:
    return re.sub(r"\(\*.*?\*\)", "", source, flags=re.DOTALL)


def postulates(source: str) -> list[str]:
    """What a file takes for granted: skipped proofs, axioms, and hypotheses of no section, which are axioms too."""
    text = without_comments(source)
    found, depth = [match.group() for match in POSTULATES.finditer(text)], 0
    for sentence in re.split(r"\.\s", text):
        words = sentence.split()
        depth += (words[:1] == ["Section"]) - (words[:1] == ["End"])
        if depth == 0 and words and SECTION_ONLY.fullmatch(words[0]):
            found.append(words[0])
    return found


def printed_assumptions(output: str) -> list[set[str]]:
    """For each printed theorem what it stands on; any unknown line counts, so that no unsafe flag is overlooked."""
    blocks = re.split(r"^(?=Closed under the global context|Axioms:|Section Variables:)", output, flags=re.MULTILINE)
    assert not blocks[0].strip()
    return [set(re.findall(r"^(?!Closed under the global context|Axioms:)(\S+)", b, re.MULTILINE)) for b in blocks[1:]]


def claims() -> tuple[list[str], list[str]]:
    """The theorems that Assumptions.v prints: those that stand on nothing, and those about real numbers."""
    source = (FORMAL / "Assumptions.v").read_text()
    groups = dict(re.findall(r"^Definition (\w+) := \((.*?)\)\.$", source, re.MULTILINE | re.DOTALL))
    assert list(groups) == re.findall(r"^Print Assumptions (\w+)\.$", source, re.MULTILINE)
    closed, real = (re.findall(r"@(\w+)", groups[name]) for name in ("standing_on_nothing", "standing_on_the_reals"))
    return closed, real


def sources() -> dict[str, str]:
    return {path.name: path.read_text() for path in FORMAL.glob("*.v")}


def test_nothing_is_admitted() -> None:
    """Holds without a proof assistant at hand: no proof is skipped and nothing is postulated."""
    for name, source in sources().items():
        assert postulates(source) == [], name


@pytest.mark.parametrize(
    "addition",
    [
        "Lemma easy : False. Proof. Admitted.",
        "Lemma easy : False. Proof. admit. Qed.",
        "Axiom easy : False.",
        "Parameter easy : False.",
        "Hypothesis easy : False.",
        "Variables easy : False.",
        "Unset Guard Checking.",
        "#[bypass_check(guard)] Fixpoint easy (n : nat) : False := easy n.",
    ],
)
def test_an_admission_is_seen(addition: str) -> None:
    for name, source in sources().items():
        assert postulates(f"{source}\n{addition}\n"), name


def test_every_file_is_checked() -> None:
    makefile = (FORMAL / "Makefile").read_text().replace("\\\n", " ")
    listed = re.search(r"^SOURCES := (.*)$", makefile, flags=re.MULTILINE)
    assert listed is not None
    assert sorted(f"{name}.v" for name in listed.group(1).split()) == sorted(sources())


def test_every_theorem_is_printed() -> None:
    """No theorem can be dropped unseen, nor stated without its assumptions being printed."""
    closed, real = claims()
    printed = closed + real
    assert len(printed) == len(set(printed))
    stated = without_comments("".join(sources().values()))
    assert set(re.findall(r"\b(?:Theorem|Example) (\w+)", stated)) <= set(printed)
    for name in printed:
        assert re.search(rf"\b(Theorem|Lemma|Example|Definition) {name}\b", stated), name
    assert {"perturbed_minimisation", "sampler_law", "rounded_sampler_law", "geometric_at_most_one"} <= set(closed)
    assert {"approval_vote_replace_one", "approval_vote_add_one", "hard_vote_replace_one", "quiet_by_rungs"} <= set(
        closed
    )
    assert {"eighths_replace_one", "eighths_add_remove"} <= set(real)
    assert {"Pr_sure", "Pr_countably_additive", "khot_replace_one", "exponential_replace_one"} <= set(real)


@CHECKED
def test_the_proofs_check(tmp_path: Path) -> None:
    run = subprocess.run(
        ["make", "-s", "-C", str(FORMAL), "check", f"BUILD={tmp_path}"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    nothing, reals = printed_assumptions(run.stdout)
    assert nothing == set()
    assert reals <= REAL_AXIOMS


@CHECKED
def test_an_unlisted_axiom_is_seen(tmp_path: Path) -> None:
    """Also one with a short name, and a recursion whose end was not checked."""
    (tmp_path / "Unsafe.v").write_text(
        "Axiom easy : False.\nLemma wrong : 0 = 1. Proof. destruct easy. Qed.\nPrint Assumptions wrong.\n"
        "#[bypass_check(guard)] Fixpoint loop (n : nat) : False := loop n.\nPrint Assumptions loop.\n"
        "Lemma right : 0 = 0. Proof. reflexivity. Qed.\nPrint Assumptions right.\n"
    )
    run = subprocess.run(["coqc", "-q", "Unsafe.v"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert printed_assumptions(run.stdout) == [{"easy"}, {"loop"}, set()]
