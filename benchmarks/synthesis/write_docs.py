"""Write the measured part of docs/synthesis.md and its pictures from the files in ``results``.

``python -m benchmarks.synthesis.write_docs``
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.synthesis.draw import draw
from benchmarks.synthesis.results import read

DOCS = Path(__file__).parents[2] / "docs"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
SHAPES = {
    "adult": "48,842 × 14",
    "adult-bin24": "48,842 × 24, binary",
    "titanic": "1,304 × 9",
    "compas": "6,172 × 9",
    "bank": "45,211 × 17",
    "generated": "20,000 × 12",
    "woven": "20,000 × 10",
}
METHODS = {"oracledp": "**oracledp**", "aim": "AIM", "mst": "MST"}
MARGINALS = ("max3", "tv3", "max2", "tv2", "conj_max", "conj_mean")
QUERIES = ("disj_max", "disj_mean", "par_max", "par_mean", "half_max", "half_mean")
Line = dict[str, Any]


def main() -> None:
    accuracy, earlier, curves = read("accuracy"), read("earlier"), read("curves")
    draw(curves, read("conjunctions"), DOCS / "synthesis-curves.png")
    parts = [
        own_table([line for line in accuracy if line["method"] == "oracledp"]),
        peer_tables(accuracy),
        adult_tables(accuracy, earlier),
        classifiers(read("classifiers")),
        "### Budget, rows, rounds, time and memory\n\n![Error against the budget, the number of rows and of rounds; "
        "time and memory](synthesis-curves.png)\n\n" + costs([line for line in curves if line["curve"] == "rows"]),
        conjunctions(read("conjunctions")),
    ]
    page = DOCS / "synthesis.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    page.write_text(
        before + BEGIN + "\n\n" + "\n\n".join(parts) + "\n\n" + END + rest.split(END, 1)[1], encoding="utf-8"
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def span(lines: Sequence[Line], key: str, show: Callable[[float], str] | None = None) -> str:
    """The least and the largest of some runs, or the one figure there is."""
    values = [float(line[key]) for line in lines if line.get(key) is not None]
    if not values:
        return "–"
    shown = show or (lambda value: f"{value:.5f}" if key.endswith("mean") else f"{value:.4f}")
    low, high = shown(min(values)), shown(max(values))
    return low if low == high else f"{low}–{high}"


def seconds(lines: Sequence[Line]) -> str:
    return span(lines, "cpu_seconds", lambda value: f"{value:.0f}")


def groups(lines: Sequence[Line], *keys: str) -> dict[tuple[Any, ...], list[Line]]:
    found: dict[tuple[Any, ...], list[Line]] = {}
    for line in lines:
        found.setdefault(tuple(line[key] for key in keys), []).append(line)
    return found


def own_table(lines: list[Line]) -> str:
    found = groups(lines, "table", "epsilon")
    rows = [
        [name, SHAPES[name], epsilon, str(len(runs)), *(span(runs, key) for key in MARGINALS), seconds(runs)]
        for (name, epsilon), runs in sorted(
            found.items(), key=lambda item: (list(SHAPES).index(item[0][0]), item[0][1])
        )
    ]
    header = ("table", "rows × columns", "ε", "runs", *(key.replace("_", " ") for key in MARGINALS), "CPU s")
    return table(header, rows)


def peer_tables(lines: list[Line]) -> str:
    """Every table and budget on which a peer ran live."""
    out = [
        "### Beside AIM and MST, run live\n\nSame tables, same ε, δ = 1e-6 and add/remove-one, same metrics. "
        "AIM and MST are those of private-pgm, one run each; AIM with at most 40 rounds and 3 MB (bank and woven: 20 "
        "rounds, 1 MB, 200 iterations, which costs it accuracy), since its defaults take hours; on the generated table "
        "it was not run. `disj`, `par`, `half`: 2,000 random "
        "disjunctions, parities and halfspaces of one to ten literals."
    ]
    for keys in (MARGINALS, QUERIES):
        rows = []
        for (name, epsilon), runs in sorted(groups(lines, "table", "epsilon").items()):
            by_method = groups(runs, "method")
            if len(by_method) < 2:
                continue
            for method in METHODS:
                if (method,) in by_method:
                    found = by_method[(method,)]
                    rows.append([name, epsilon, METHODS[method], *(span(found, key) for key in keys), seconds(found)])
        out.append(table(("table", "ε", "method", *(key.replace("_", " ") for key in keys), "CPU s"), rows))
    return "\n\n".join(out)


def adult_tables(lines: list[Line], earlier: list[Line]) -> str:
    keys = ("max3", "tv3", "max2", "tv2", "conj_max", "conj_mean")
    out = [
        "### Adult, beside earlier measurements of peers\n\nThe peers' figures were measured before, on a machine of "
        "the same kind, some of them with a cap on time. DualQuery, FEM, GEM and RAP take the number of records as "
        "public and δ = 1/n². "
        "“bootstrap” draws as many rows from the real table with replacement."
    ]
    for name in ("adult", "adult-bin24"):
        own = [
            {**line, "method": "**oracledp**"}
            for line in lines
            if line["table"] == name and line["method"] == "oracledp"
        ]
        known = [line for line in earlier if line["table"] == name]
        found = groups([*own, *known], "epsilon", "method")
        rows = [
            [epsilon or "–", method, *(span(runs, key) for key in keys), seconds(runs)]
            for (epsilon, method), runs in sorted(
                found.items(), key=lambda item: (float(item[0][0] or 99), min(line["max3"] for line in item[1]))
            )
        ]
        out.append(f"{name}:\n\n" + table(("ε", "method", *(key.replace("_", " ") for key in keys), "CPU s"), rows))
    return "\n\n".join(out)


def classifiers(lines: list[Line]) -> str:
    rows = []
    for (name, epsilon), runs in sorted(groups(lines, "table", "epsilon").items()):
        losses = [{"loss": 100 * (run["real"] - run["synthetic"])} for run in runs]
        mean = sum(loss["loss"] for loss in losses) / len(losses)
        percent = [
            span([{key: 100 * run[key]} for run in runs], key, "{:.1f}".format)
            for key in ("majority", "real", "synthetic")
        ]
        rows.append([name, epsilon, str(len(runs)), *percent, f"{mean:.2f} ({span(losses, 'loss', '{:.2f}'.format)})"])
    intro = (
        "### A classifier trained on synthetic rows\n\nLogistic regression, trained on four fifths of the real rows "
        "or on their synthetic version, tested on the real fifth that was held out. Accuracy in %, the loss in points: "
        "mean (least–most)."
    )
    return intro + "\n\n" + table(("table", "ε", "splits", "majority", "trained on real", "on synthetic", "loss"), rows)


def costs(lines: list[Line]) -> str:
    rows = [
        [f"{size:,}", *(span(runs, key) for key in ("max3", "tv3", "conj_max", "conj_mean")), seconds(runs),
         span(runs, "megabytes", lambda value: f"{value:.0f}")]
        for (size,), runs in sorted(groups(lines, "size").items())
    ]  # fmt: skip
    header = ("rows", "max3", "tv3", "conj max", "conj mean", "CPU s", "peak MB")
    return "The generated law at ε = 1:\n\n" + table(header, rows)


def conjunctions(lines: list[Line]) -> str:
    found = groups(lines, "columns", "searched", "rows")
    sizes = sorted({key[2] for key in found})
    rows = [
        [
            str(d),
            "searched" if searched else "default",
            which,
            *(span(found.get((d, searched, n), []), key) for n in sizes),
        ]
        for d, searched in sorted({key[:2] for key in found})
        for which, key in (("2^d", "all_2d"), ("3^d", "all_3d"))
    ]
    intro = (
        "### All conjunctions, by brute force\n\nThe largest error over all 2^d monotone conjunctions and over all "
        "3^d conjunctions of literals, of d binary columns drawn from a random tree, at ε = 1. "
        "“searched”: with all conjunctions in the workload, so that rounds of the game look for the worst."
    )
    header = ("d", "workload", "all", *(f"n = {n:,}" for n in sizes))
    return intro + "\n\n" + table(header, rows)


if __name__ == "__main__":
    main()
