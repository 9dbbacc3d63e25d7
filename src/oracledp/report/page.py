"""One page of HTML with its style inside: it opens anywhere and fetches nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root{color-scheme:light dark;--ink:#1d2733;--paper:#fff;--faint:#56646f;--line:#dde3ea;--soft:#f3f6fa;--one:#2f6da8;
--two:#b4552f;--good:#2b7a4b;--good-soft:#eef7f1;--bad:#b3261e;--bad-soft:#fdecea}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9ee;--paper:#14191f;--faint:#a3b0bc;--line:#323c47;--soft:#1e252d;
--one:#7db3e8;--two:#f0a37f;--good:#63c08a;--good-soft:#17291f;--bad:#ff8a80;--bad-soft:#371a19}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0;overflow-wrap:break-word}
main{max-width:60rem;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:1rem 0 .35rem}
.banner{position:sticky;top:0;z-index:1;background:#b3261e;color:#fff;font-weight:700;text-align:center;
padding:.5rem 1rem}
.promise{border-left:.35rem solid var(--good);background:var(--good-soft);padding:.75rem 1rem}
.warning{border-left:.35rem solid var(--bad);background:var(--bad-soft);padding:.75rem 1rem}
.wide{overflow-x:auto}.wide:focus-visible{outline:2px solid var(--one)}
table{border-collapse:collapse;width:100%}caption{text-align:left;color:var(--faint);padding:.2rem 0}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
td:first-child:not(.n){min-width:7rem;overflow-wrap:anywhere}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}
ol.rules{list-style:none;padding:0}
ol.rules li{margin:.35rem 0;padding:.6rem .8rem;background:var(--soft);border-radius:.4rem}
ol.rules b{display:inline-block;min-width:4.5rem;color:var(--faint);font-weight:600}
td:has(> .bar){width:40%;min-width:5rem}
.bar{background:var(--one);height:.75rem;border-radius:.2rem;min-width:1px}.bar.minus{background:var(--two)}
td:has(> .axis){width:45%;min-width:7rem}
.axis{display:grid;grid-template-columns:1fr 1fr;
background:linear-gradient(var(--line),var(--line)) 50%/1px 100% no-repeat}
.axis .minus{justify-self:end}.axis .plus{grid-column:2}
.summary{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,13rem),1fr));gap:.75rem;margin:1rem 0}
.summary div{background:var(--soft);border-radius:.4rem;padding:.6rem .8rem}
.summary dt{color:var(--faint);font-size:.85rem}.summary dd{margin:0;font-weight:600;overflow-wrap:anywhere}
.contents ul{padding:0;margin:.5rem 0;list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.9rem}
a{color:var(--one)}a:focus-visible{outline:2px solid var(--one)}
th[scope=row]{font-weight:600;min-width:7rem;overflow-wrap:anywhere}
ul.rules,ul.rules ul{list-style:none;padding-left:1rem;border-left:2px solid var(--line)}
ul.rules li{margin:.25rem 0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17.5rem),1fr));gap:1rem}
figure{margin:0;padding:.6rem .8rem;border:1px solid var(--line);border-radius:.4rem;min-width:0}
figcaption{font-weight:600}figcaption span,.note{color:var(--faint);font-weight:400;font-size:.85rem}
svg{display:block;width:100%;height:auto;color:var(--ink)}
svg text{fill:var(--faint);font-size:11px}
.drawing svg{width:auto;max-width:none}.drawing svg text{fill:#1b2330;font-size:13px}
svg.scale{max-width:34rem;margin:.5rem 0}svg.scale text{font-size:9px}
.key{display:inline-block;width:.8em;height:.8em;border-radius:.15em;background:var(--one);margin-right:.3em}
.key.two{background:var(--two)}
.triple{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.75rem;align-items:end;
max-width:48rem}
figure+figure.across{margin-top:1rem}
.map td,.map th{min-width:0!important;border:1px solid var(--paper);padding:.15rem .25rem;font-size:.75rem;
text-align:center;
white-space:nowrap;overflow-wrap:normal}
@media (max-width:40rem){th,td{padding:.3rem .25rem;font-size:.875rem}}
footer{margin-top:3rem;color:var(--faint);font-size:.85rem}
@page{margin:18mm 16mm}
@media print{:root{color-scheme:light;--ink:#000;--paper:#fff;--faint:#444;--line:#bbb;--soft:#f3f3f3;--one:#2f6da8;
--two:#b4552f;--good:#2b7a4b;--good-soft:#fff;--bad:#b3261e;--bad-soft:#fff}
body{font-size:10.5pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;margin:0;padding:0}
.contents{display:none}.banner{position:static}.wide{overflow:visible}a{color:inherit;text-decoration:none}
@page{margin:14mm}h2{margin-top:1.1rem}th,td{padding:.18rem .4rem}p{margin:.5rem 0}footer{margin-top:1rem}
h2,h3,caption{break-after:avoid}
tr,figure,.summary div,.promise,.warning{break-inside:avoid}thead{display:table-header-group}}
"""


def page(title: str, sections: Iterable[str], *, footer: str, banner: str = "") -> str:
    """A whole document; a banner stays in sight and opens the title."""
    head = f"{banner}: {title}" if banner else title
    body = "".join(sections)
    strip = f'<div class="banner" role="note">{escape(banner)}</div>' if banner else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(head)}</title><style>{STYLE}</style></head><body>{strip}<main><h1>{escape(title)}</h1>"
        f"{body}<footer>{escape(footer)}</footer></main></body></html>\n"
    )


def section(title: str, body: str) -> str:
    """A heading and what is under it (body is HTML)."""
    return f'<h2 id="{_anchor(title)}">{escape(title)}</h2>{body}'


def contents(*titles: str) -> str:
    """Links to the sections of these titles."""
    links = "".join(f'<li><a href="#{_anchor(title)}">{escape(title)}</a></li>' for title in titles)
    return f'<nav class="contents" aria-label="Contents"><ul>{links}</ul></nav>'


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def box(text: str, *, kind: str) -> str:
    """A ``promise`` or a ``warning``."""
    return f'<div class="{kind}">{escape(text)}</div>'


def grid(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = (), caption: str = ""
) -> str:
    """A table; the columns in ``numbers`` are aligned right. Cells are escaped unless they are :class:`Html`.

    Without a header the first cell of each row is its heading. A caption says what the table is about.
    """
    named = any(header)

    def cell(tag: str, index: int, value: object) -> str:
        inner = value.text if isinstance(value, Html) else escape(str(value))
        tag = "th" if not named and index == 0 else tag
        scope = "" if tag == "td" else f' scope="{"col" if named else "row"}"'
        return f"<{tag}{' class=n' if index in numbers else ''}{scope}>{inner}</{tag}>"

    def line(tag: str, row: Sequence[object]) -> str:
        return "<tr>" + "".join(cell(tag, i, value) for i, value in enumerate(row)) + "</tr>"

    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = f"<thead>{line('th', header)}</thead>" if named else ""
    body = "".join(line("td", row) for row in rows)
    label = escape(caption or next((name for name in header if name), "facts"))
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table>{told}{head}<tbody>{body}</tbody>'
        "</table></div>"
    )


class Html:
    """Markup that is safe already."""

    def __init__(self, text: str) -> None:
        self.text = text


def bar(share: float) -> Html:
    """A bar of a given share of the width."""
    return Html(f'<div class="bar" style="width:{_percent(share)}"></div>')


def signed_bar(share: float) -> Html:
    """A bar from the middle: to the right for a positive share of half the width, to the left for a negative one."""
    side = "minus" if share < 0 else "plus"
    return Html(f'<div class="axis"><div class="bar {side}" style="width:{_percent(abs(share))}"></div></div>')


def _percent(share: float) -> str:
    return f"{100 * max(0.0, min(1.0, share)):.1f}%"
