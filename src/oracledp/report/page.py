"""One page of HTML with its style inside: it opens anywhere and fetches nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#1d2733;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
.promise{border-left:.35rem solid #2b7a4b;background:#eef7f1;padding:.75rem 1rem}
.warning{border-left:.35rem solid #b3261e;background:#fdecea;padding:.75rem 1rem}
table{border-collapse:collapse;width:100%}th,td{padding:.3rem .6rem;border-bottom:1px solid #dde3ea;text-align:left}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
ol.rules{list-style:none;padding:0}
ol.rules li{margin:.35rem 0;padding:.6rem .8rem;background:#f3f6fa;border-radius:.4rem}
ol.rules b{display:inline-block;min-width:4.5rem;color:#5b6b7d;font-weight:600}
td:has(> .bar){width:40%}
.bar{background:#4a7fb5;height:.75rem;border-radius:.2rem;min-width:1px}.bar.minus{background:#c46a4a}
footer{margin-top:3rem;color:#5b6b7d;font-size:.85rem}
"""


def page(title: str, sections: Iterable[str], *, footer: str) -> str:
    """A whole document."""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style><h1>{escape(title)}</h1>{''.join(sections)}<footer>{escape(footer)}</footer></html>\n"
    )


def section(title: str, body: str) -> str:
    """A heading and what is under it (body is HTML)."""
    return f"<h2>{escape(title)}</h2>{body}"


def box(text: str, *, kind: str) -> str:
    """A ``promise`` or a ``warning``."""
    return f'<div class="{kind}">{escape(text)}</div>'


def grid(header: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()) -> str:
    """A table; the columns in ``numbers`` are aligned right. Cells are escaped unless they are :class:`Html`."""

    def cell(tag: str, index: int, value: object) -> str:
        inner = value.text if isinstance(value, Html) else escape(str(value))
        return f"<{tag}{' class=n' if index in numbers else ''}>{inner}</{tag}>"

    lines = [("th", header), *(("td", row) for row in rows)]
    return (
        "<table>"
        + "".join("<tr>" + "".join(cell(tag, i, value) for i, value in enumerate(row)) + "</tr>" for tag, row in lines)
        + "</table>"
    )


class Html:
    """Markup that is safe already."""

    def __init__(self, text: str) -> None:
        self.text = text


def bar(share: float, *, negative: bool = False) -> Html:
    """A bar of a given share of the width."""
    return Html(
        f'<div class="bar{" minus" if negative else ""}" style="width:{100 * max(0.0, min(1.0, share)):.1f}%"></div>'
    )


def write_whole(path: str | Path, text: str) -> None:
    """Write a file whole or not at all."""
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
