"""The tables of docs/engine.md, made from the file of results and put between their marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import floor, log2, log10
from pathlib import Path
from typing import Any

from benchmarks.engine.measure import Row
from oracledp.errors import ParameterError

Rows = list[Row]
PEER_NAMES = ("CP-SAT", "RC2", "HiGHS", "enumeration")
COARSE = 1e-6  # the clock of a process with a limit moves in steps of four milliseconds on some systems
MARK = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str, results: dict[str, Any]) -> str:
    """The page with every marked table made again.

    >>> print(fill("<!-- table: duals --><!-- end -->".replace("><", ">\\n<"), {"rows": []}))
    <!-- table: duals -->
    | queries | search | CP-SAT | RC2 | HiGHS |
    |---|---|---|---|---|
    <!-- end -->
    """

    def made(found: re.Match[str]) -> str:
        if found[2] not in TABLES:
            raise ParameterError(f"the page asks for a table that does not exist: {found[2]}")
        return f"{found[1]}{TABLES[found[2]](results['rows'])}\n{found[3]}"

    return MARK.sub(made, page)


def write(page: Path, results: dict[str, Any]) -> None:
    """Fill a page in place."""
    page.write_text(fill(page.read_text(), results))


def short(seconds: float | None) -> str:
    """Seconds with two digits that count.

    >>> short(0.00123), short(12.3), short(None)
    ('.0012', '12', '–')
    """
    if seconds is None:
        return "–"
    if seconds >= 10:
        return f"{seconds:,.0f}"
    if seconds >= 1:
        return f"{seconds:.1f}"
    digits = 1 - floor(log10(max(seconds, 1e-8)))
    return f"{seconds:.{digits}f}".removeprefix("0")


def counted(number: int) -> str:
    """A count in words.

    >>> counted(1024), counted(2_200_000), counted(3_950_000_000), counted(2**60)
    ('1,024', '2.2 million', '3.95 billion', '2^60')
    """
    if number < 1_000_000:
        return f"{number:,}"
    if number < 10**12:
        return f"{number / 1e6:.3g} million" if number < 10**9 else f"{number / 1e9:.3g} billion"
    return f"2^{log2(number):.0f}"


def readable(case: str) -> str:
    """A case in words.

    >>> readable("label n=48842 literals=20 eps=1.0"), readable("label n=1000 eps=None")
    ('label, 48,842 rows, 20 literals, ε = 1', 'label, 1,000 rows, no noise')
    """
    case = re.sub(r"(^| )n=(\d+)", lambda found: f"{found[1] and ', '}{int(found[2]):,} rows", case)
    case = re.sub(r" (literals|d)=(\d+)", r", \2 literals", case.replace(" eps=None", ", no noise"))
    case = re.sub(
        r" eps=([0-9.]+?)(\.0)?$", r", ε = \1", case.replace(" width=None", "").replace(" weights {", ", weights {")
    )
    return re.sub(r" (length|width|depth)=(\d+)", r", \1 \2", case)


def markdown(header: list[str], lines: list[list[str]]) -> str:
    """A table."""
    rule = "|" + "---|" * len(header)
    first, *rest = [f"| {' | '.join(line)} |" for line in [header, *lines]]
    return "\n".join([first, rule, *rest])


def of(rows: Rows, section: str, **facts: object) -> Rows:
    """The rows of a section with these facts."""
    return [row for row in rows if row["section"] == section and all(row.get(k) == v for k, v in facts.items())]


def three(rows: Rows, key: str) -> str:
    """Epsilon 1 / 10 / none."""
    found = {row["epsilon"]: row.get(key) for row in rows}
    return " / ".join(short(found.get(epsilon)) for epsilon in (1.0, 10.0, None))


def conjunctions(rows: Rows, section: str, factor: int) -> str:
    """Kind of weights by number of columns, three noise levels in a cell."""
    sizes, lines = (20, 30, 50, 100), []
    for kind, n in (("label", 48_842), ("random", 48_842), ("product", 97_684)):
        found = [of(rows, section, kind=kind, n=n, literals=factor * d) for d in sizes]
        if any(found):
            lines.append([kind, *(three(cell, "again") for cell in found)])
            lines.append([f"{kind}, with preparation", *(three(cell, "first") for cell in found)])
    return markdown(["weights", *(f"d = {d}" for d in sizes)], lines)


def peer_cell(row: Row, name: str) -> str:
    """Seconds of a peer and how many times as long as our first call that is."""
    outcome = row.get("peers", {}).get(name)
    if outcome is None:
        return ""
    if outcome["seconds"] < COARSE:
        return "<.004"
    mark = "" if outcome["finished"] else ">"
    times = f"{outcome['seconds'] / row.get('first', row['again']):,.0f}"
    return f"{mark}{short(outcome['seconds'])} ({mark}{times}×)"


def ratios(rows: Rows) -> str:
    """Every instance that a peer was given."""
    lines = []
    for row in rows:
        if row.get("peers") and row["section"] != "duals":
            cells = [peer_cell(row, name) for name in PEER_NAMES]
            case = f"{row['section']}: {readable(row['case'])}"
            lines.append([case, short(row["first"]), short(row["again"]), *cells])
    return markdown(["instance", "first", "again", *PEER_NAMES], lines)


def plain(section: str, *columns: str) -> Callable[[Rows], str]:
    """One line per case."""

    def table(rows: Rows) -> str:
        found = [row for row in of(rows, section) if not row.get("peers")]
        lines = [[readable(row["case"]), *(_cell(row, column) for column in columns)] for row in found]
        return markdown(["case", *columns], lines)

    return table


def paired(section: str) -> Callable[[Rows], str]:
    """One line per shape of class: first / again for labels, and for random signs."""

    def table(rows: Rows) -> str:
        found = [row for row in of(rows, section) if not row.get("peers")]
        kinds = ("label", "random")
        cells = {
            (row["case"].split(" ", 1)[1], row["kind"]): f"{short(row['first'])} / {short(row['again'])}"
            for row in found
        }
        shapes = dict.fromkeys(shape for shape, _ in cells)
        lines = [[readable(f" {shape}")[2:], *(cells.get((shape, kind), "–") for kind in kinds)] for shape in shapes]
        return markdown(["class", "labels", "random signs"], lines)

    return table


def _cell(row: Row, column: str) -> str:
    if column == "per second":
        return f"{1 / row['again']:,.0f}"
    if column == "queries":
        return counted(row["queries"])
    return row["failed"] if "failed" in row and column == "again" else short(row.get(column))


def duals(rows: Rows) -> str:
    """Records against queries."""
    lines = []
    for row in of(rows, "duals"):
        own = short(row["again"]) if row["finished"] else f">{short(row['again'])}"
        lines.append([str(row["queries"]), own, *(peer_cell(row, name) for name in PEER_NAMES[:3])])
    return markdown(["queries", "search", *PEER_NAMES[:3]], lines)


def grown(axis: str) -> Callable[[Rows], str]:
    """One line per kind of weights, one column per point of the axis."""

    def table(rows: Rows) -> str:
        found = of(rows, "growth", axis=axis)
        points = sorted({row["at"] for row in found})
        kinds = list(dict.fromkeys(row["kind"] for row in found))
        value = {(row["kind"], row["at"]): _reached(row) for row in found}
        lines = [[kind, *(value.get((kind, point), "") for point in points)] for kind in kinds]
        return markdown([axis, *(f"{point:g}" for point in points)], lines)

    return table


def _reached(row: Row) -> str:
    """Seconds, or how many were spent in vain."""
    return f">{short(row['spent'])}" if "failed" in row else short(row["again"])


def crossover(rows: Rows) -> str:
    """Every oracle on every class, the fastest in bold, and what auto takes."""
    names, lines = ("transform", "search", "exhaustive", "cp-sat", "maxsat"), []
    for row in of(rows, "crossover"):
        done = {name: one["first"] for name, one in row["oracles"].items() if one["finished"]}
        least = min(done.values(), default=0)
        cells = [_crossing(row["oracles"].get(name), least) for name in names]
        lines.append([row["class"], f"{row['n']:,}", counted(row["queries"]), *cells, row["auto"]])
    return markdown(["class", "rows", "queries", *names, "auto takes"], lines)


def _crossing(outcome: Row | None, least: float) -> str:
    if outcome is None:
        return ""
    if not outcome["finished"]:
        return "no proof" if "failed" in outcome else f">{short(outcome['first'])}"
    text = short(outcome["first"])
    return f"**{text}**" if outcome["first"] == least else text


def trees(rows: Rows) -> str:
    """The proven optimum beside the specialists, and exact private draws."""
    lines = []
    for row in of(rows, "trees"):
        peers = [specialist_cell(row, name) for name in ("STreeD", "ConTree")]
        draws = [short(row["draw"]), short(row["next_draw"])]
        facts = [f"{row['name']}, depth {row['depth']}", f"{row['n']:,} × {row['literals']}", f"{row['errors']:,}"]
        lines.append([*facts, short(row["first"]), *peers, *draws])
    names = ["table", "rows × literals", "errors", "search", "STreeD", "ConTree", "first draw", "next"]
    return markdown(names, lines)


def long_lists(rows: Rows) -> str:
    """Best lists with a penalty on each rule."""
    lines = []
    for row in of(rows, "long-lists"):
        own = f">{short(row['spent'])}" if "failed" in row else short(row["first"])
        objective = "no proof" if "failed" in row else f"{row['objective']:.4f}".removeprefix("0")
        rules = str(row.get("rules", ""))
        lines.append([readable(row["case"]), rules, objective, own, specialist_cell(row, "CORELS")])
    return markdown(["table", "rules", "objective", "search", "CORELS"], lines)


def specialist_cell(row: Row, name: str) -> str:
    """Seconds of a specialist; a mark where it was stopped or found another number of errors."""
    found = row["specialists"].get(name, {"failed": ""})
    if "failed" in found:
        return str(found["failed"])
    if not found["finished"]:
        return f">{short(found['seconds'])}"
    other = "errors" in row and found["errors"] != row["errors"]
    return short(found["seconds"]) + (f" ({found['errors']:,} errors)" if other else "")


def threads(rows: Rows) -> str:
    """One thread, and the busier of two."""
    lines = [
        [readable(row["case"]), short(row["again"]), short(row["busier"]), f"{row['speedup']:.2f}",
         f"{row['more_work']:.0%}"]
        for row in of(rows, "threads")
    ]  # fmt: skip
    return markdown(["computation", "one thread", "the busier of two", "times as fast", "more work"], lines)


def bandwidth(rows: Rows) -> str:
    """The inner loop beside a plain read of the same bits."""
    lines = [
        [f"{row['n']:,}", f"{row['megabytes']:.2g} MB", f"{row['loop']:.0f}", f"{row['read']:.0f}",
         f"{row['loop'] / row['read']:.0%}", f"{row['merge']:.1f}"]
        for row in of(rows, "bandwidth")
    ]  # fmt: skip
    return markdown(["rows", "columns", "inner loop GB/s", "plain read GB/s", "share", "merging, ns per row"], lines)


TABLES: dict[str, Callable[[Rows], str]] = {
    "monotone": lambda rows: conjunctions(rows, "monotone", 1),
    "negations": lambda rows: conjunctions(
        rows + [{**row, "section": "negations"} for row in of(rows, "hardest")], "negations", 2
    ),
    "ratios": ratios,
    "parities": plain("parities", "first", "again"),
    "halfspaces": paired("halfspaces"),
    "lists": paired("lists"),
    "long-lists": long_lists,
    "trees": trees,
    "redraws": plain("redraws", "prepare", "again", "per second"),
    "samples": plain("samples", "queries", "again"),
    "duals": duals,
    "verified": plain("verified", "first", "checked first", "again", "checked again"),
    "rows": grown("rows"),
    "literals": grown("literals"),
    "width": grown("width"),
    "noise": grown("noise"),
    "density": grown("density"),
    "threads": threads,
    "crossover": crossover,
    "bandwidth": bandwidth,
}
