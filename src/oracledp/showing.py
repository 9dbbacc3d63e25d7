"""How things look in a notebook: small tables of HTML and figures. What may be shown is decided by whoever calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from io import BytesIO
from typing import Any

from oracledp.extras import optional


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str, note: str = "") -> str:
    """A table for ``_repr_html_``; every cell is escaped.

    >>> html_table(["name"], [["<b>"]], caption="Columns")
    '<table><caption>Columns</caption><thead><tr><th scope="col">name</th></tr></thead>\
<tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    below = f"<p>{escape(note)}</p>" if note else ""
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )


def html_text(text: str, note: str = "") -> str:
    """Lines as they are, and a sentence below."""
    return f'<pre style="white-space:pre-wrap">{escape(text)}</pre>' + (f"<p>{escape(note)}</p>" if note else "")


def figure(width: float = 6.4, height: float = 3.6) -> tuple[Any, Any]:
    """An empty matplotlib figure that a notebook shows, and its axes; needs the ``plots`` extra."""
    made = _shown_figure()(figsize=(width, height), layout="constrained")
    return made, made.subplots()


@cache
def _shown_figure() -> Any:
    """matplotlib's figures, which notebooks show as text unless pyplot made them: pyplot would keep them for ever."""
    figures = optional("matplotlib.figure", extra="plots")

    def picture(self: Any) -> bytes:
        written = BytesIO()
        self.savefig(written, format="png", dpi=110)
        return written.getvalue()

    return type("ShownFigure", (figures.Figure,), {"_repr_png_": picture})
