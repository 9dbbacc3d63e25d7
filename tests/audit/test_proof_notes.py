"""From a printed guarantee to its proof, its audit and its code: every link exists, and no mechanism lacks one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "oracledp"
PROOFS = ROOT / "proofs"
MECHANISMS = ("mechanisms", "game", "synthesis", "learners")
NOTE = re.compile(r"proofs/([\w-]+)\.md")
NO_MECHANISM = {"errata"}


def modules() -> list[Path]:
    return [path for folder in MECHANISMS for path in sorted((SOURCE / folder).rglob("*.py"))]


def has_guarantee(node: ast.ClassDef) -> bool:
    """Whether the class states a guarantee of its own; a protocol only says that others do."""
    protocol = any("Protocol" in ast.unparse(base) for base in node.bases)
    return not protocol and any(isinstance(part, ast.FunctionDef) and part.name == "guarantee" for part in node.body)


def releases(node: ast.AST) -> bool:
    """Whether this is a public function that returns a release."""
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or node.returns is None:
        return False
    return "Release" in ast.unparse(node.returns)


def mechanisms() -> Iterator[tuple[str, str]]:
    """Every class with a guarantee and every public function that returns a release: name, what its docs say."""
    for path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if (isinstance(node, ast.ClassDef) and has_guarantee(node)) or releases(node):
                text = f"{ast.get_docstring(tree)} {ast.get_docstring(node)}"
                yield f"{path.relative_to(SOURCE)}:{node.name}", text


FOUND = dict(mechanisms())


def test_the_scan_sees_the_mechanisms() -> None:
    """Otherwise the next test could pass by looking at nothing."""
    names = {name.partition(":")[2] for name in FOUND}
    assert {"ReportSeparatorPerturbedMin", "ExponentialMechanism", "ReportNoisyMin", "RobustMechanism"} <= names
    assert {"Synthesizer", "rspm", "exponential", "prsma"} <= names


@pytest.mark.parametrize("name", sorted(FOUND))
def test_every_mechanism_names_a_proof_that_exists(name: str) -> None:
    notes = NOTE.findall(FOUND[name])
    assert notes, f"{name}: neither its docstring nor its module's names proofs/<note>.md"
    for note in notes:
        assert (PROOFS / f"{note}.md").is_file(), f"{name}: proofs/{note}.md does not exist"


def test_every_proof_that_a_guarantee_names_exists() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        if path.is_relative_to(SOURCE / "audit"):
            continue  # mutants claim without proof
        text = path.read_text(encoding="utf-8")
        for note in [*re.findall(r'proof="([\w-]+)"', text), *NOTE.findall(text)]:
            assert (PROOFS / f"{note}.md").is_file(), f"{path.name} names proofs/{note}.md"


@pytest.mark.parametrize("note", sorted(path.stem for path in PROOFS.glob("*.md")))
def test_every_note_names_its_code(note: str) -> None:
    """The head of a note says which files do what is proved, and those files exist."""
    if note in NO_MECHANISM:
        return
    text = (PROOFS / f"{note}.md").read_text(encoding="utf-8")
    head = re.search(r"^Code: .*?\n\n", text, flags=re.MULTILINE | re.DOTALL)
    assert head, f"proofs/{note}.md does not say where its code is"
    named = [name for name in re.findall(r"`([\w./-]+?)`", head.group()) if "/" in name]
    for name in named:
        assert any((base / name).exists() for base in (SOURCE, ROOT, PROOFS)), f"proofs/{note}.md: no {name}"
