"""Write the reference: every public name for mkdocstrings to fill in, and every command with its help."""

from __future__ import annotations

from pathlib import Path

import click

import oracledp
from oracledp.cli import cli

DOCS = Path(__file__).parents[1]
GROUPS = {
    "Data": ("Schema", "Table", "infer_schema"),
    "Releases": ("exponential", "report_noisy_min", "rspm", "gaussian_rspm", "vote", "prsma", "Release"),
    "Synthetic tables": ("Synthesizer", "synthesize_raw", "LinkedSynthesizer", "LinkedTable", "OracleQuery"),
    "Budgets, guarantees and planning": ("Ledger", "Guarantee", "Neighbours", "plan"),
    "Classes of rules and queries": (
        "Conjunctions", "Disjunctions", "Parities", "DecisionLists", "DecisionTrees", "Halfspaces",
        "ReadOnceFormulas", "ZeroOneLoss", "Query", "QueryClass", "Literal", "Literals",
    ),
    "Randomness, progress and errors": (
        "SystemRandomness", "SeededRandomness", "progress", "set_threads", "OracleDPError",
    ),
}  # fmt: skip
LEARNERS = (
    "PrivateRuleClassifier", "TreeClassifier", "ConjunctionClassifier", "DisjunctionClassifier",
    "DecisionListClassifier", "HalfspaceClassifier", "ParityClassifier", "PrivateSelector",
)  # fmt: skip


def api() -> str:
    """One directive for each public name, by topic."""
    lines = ["# Python", "", "Names of `import oracledp as odp`, and the estimators of `oracledp.learners`.", ""]
    for title, names in GROUPS.items():
        lines += [f"## {title}", ""]
        for name in names:
            thing = getattr(oracledp, name)
            lines += [f"::: {thing.__module__}.{name}", "    options:", f"      heading: odp.{name}", ""]
    lines += ["## Estimators", ""]
    homes = {name: getattr(oracledp.learners, name).__module__ for name in LEARNERS}
    for name, home in homes.items():
        lines += [f"::: {home}.{name}", "    options:", f"      heading: {name}", ""]
    return "\n".join(lines)


def command_line() -> str:
    """Every command as ``--help`` prints it."""
    intro = (
        "# Command line\n\nExit codes: 0 done; 1 a claim of the audit is broken, or oracledp itself is; 2 bad input, "
        "and nothing is charged; 3 the budget refused; 4 the oracle failed, and nothing was released; 129, 130 or 143 "
        "stopped by a signal, with no partial file. Every command takes `--json`.\n"
    )
    return intro + "".join(_help(cli, "oracledp"))


def _help(command: click.Command, name: str) -> list[str]:
    context = click.Context(command, info_name=name, max_content_width=96, terminal_width=96)
    depth = "#" * min(4, 1 + len(name.split()))
    parts = [f"\n{depth} {name}\n\n```text\n{command.get_help(context).strip()}\n```\n"]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            parts += _help(found, f"{name} {inner}")
    return parts


def in_no_group() -> list[str]:
    """Public names that the reference would leave out; modules have pages of their own."""
    grouped = {name for names in GROUPS.values() for name in names}
    return sorted(set(oracledp.__all__) - grouped - {"audit", "bounds", "learners", "mechanisms", "__version__"})


def main() -> None:
    """Write both pages; they are not kept in the repository."""
    if in_no_group():
        raise SystemExit(f"docs/tools/reference.py: in no group: {', '.join(in_no_group())}")
    folder = DOCS / "reference"
    folder.mkdir(exist_ok=True)
    (folder / "api.md").write_text(api(), encoding="utf-8")
    (folder / "command-line.md").write_text(command_line(), encoding="utf-8")


if __name__ == "__main__":
    main()
