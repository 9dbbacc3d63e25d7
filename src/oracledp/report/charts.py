"""Pictures as inline SVG and tables: two distributions side by side, two-way tables as shades, a matrix of numbers.

Colours come from the page's variables, so they follow the reader's light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_WIDTH, _HEIGHT = 300, 120


def legend(first: str, second: str) -> str:
    """What the two colours mean."""
    return (
        f'<p class="note"><span class="key"></span>{escape(first)} &nbsp; '
        f'<span class="key two"></span>{escape(second)}</p>'
    )


def figure(title: str, note: str, body: str, *, kind: str = "card") -> str:
    """A picture with its caption above it (body is HTML)."""
    return f'<figure class="{kind}"><figcaption>{escape(title)} <span>{escape(note)}</span></figcaption>{body}</figure>'


def paired_bars(labels: Sequence[str], first: Floats, second: Floats) -> str:
    """Two bars per label, one above the other, with both shares in words for those who cannot see them."""
    most = max(float(np.max(first)), float(np.max(second)), 1e-9)
    step, left = 30, 112
    scale = (_WIDTH - left - 84) / most
    marks = []
    for place, (label, a, b) in enumerate(zip(labels, first, second, strict=True)):
        top = place * step
        words = f"{label}: {100 * a:.1f} % and {100 * b:.1f} %"
        marks.append(
            f'<g><title>{escape(words)}</title><text x="{left - 6}" y="{top + 18}" text-anchor="end">'
            f"{escape(_short(label))}</text>"
            f'<rect x="{left}" y="{top + 4}" width="{max(a * scale, 0.5):.1f}" height="10" fill="var(--one)"/>'
            f'<rect x="{left}" y="{top + 15}" width="{max(b * scale, 0.5):.1f}" height="10" fill="var(--two)"/>'
            f'<text x="{left + max(a, b) * scale + 4:.1f}" y="{top + 18}">{100 * a:.1f} / {100 * b:.1f} %</text></g>'
        )
    return _svg("Shares of each value, the first table above the second", len(labels) * step, "".join(marks))


def curves(labels: Sequence[str], first: Floats, second: Floats) -> str:
    """Two distributions along an ordered column: an area and a line."""
    most = max(float(np.max(first)), float(np.max(second)), 1e-9)
    base = _HEIGHT - 16
    area = "".join(f"V{y}H{x}" for x, y in _steps(first, most, base))
    line = "".join(f"{'V' if i else 'M0 '}{y}H{x}" for i, (x, y) in enumerate(_steps(second, most, base)))
    marks = (
        f'<path d="M0 {base}{area}V{base}Z" fill="var(--one)" fill-opacity=".55"/>'
        f'<path d="{line}" fill="none" stroke="var(--two)" stroke-width="1.5"/>'
        f'<text x="0" y="{_HEIGHT - 3}">{escape(_short(labels[0]))}</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT - 3}" text-anchor="end">{escape(_short(labels[-1]))}</text>'
        f'<text x="{_WIDTH}" y="11" text-anchor="end">top: {100 * most:.1f} %</text>'
    )
    return _svg("Shares along the column: an area for the first table, a line for the second", _HEIGHT, marks)


def shades(table: Floats, most: float, title: str, *, signed: bool = False) -> str:
    """A two-way table as shades of one colour; with ``signed``, of two."""
    rows, columns = table.shape
    width, height = _WIDTH / columns, _WIDTH / rows
    marks = []
    for (r, c), value in np.ndenumerate(table):
        strength = min(abs(float(value)) / max(most, 1e-12), 1.0) ** 0.5
        if strength < 0.02:
            continue
        colour = "var(--two)" if signed and value < 0 else "var(--one)"
        marks.append(
            f'<rect x="{c * width:.1f}" y="{r * height:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"'
            f' fill-opacity="{strength:.2f}"/>'
        )
    frame = f'<rect width="{_WIDTH}" height="{_WIDTH}" fill="none" stroke="var(--line)"/>'
    return f"<div class=note>{escape(title)}{_svg(title, _WIDTH, ''.join(marks) + frame)}</div>"


def matrix(names: Sequence[str], values: Floats) -> str:
    """A lower triangle of numbers in hundredths, shaded by size; the diagonal is the columns' own."""
    most = max(float(values.max()), 1e-12)
    lines = []
    for r, name in enumerate(names):
        cells = "".join(_shaded(float(values[r, c]), most) for c in range(r + 1))
        rest = "<td></td>" * (len(names) - r - 1)
        lines.append(f'<tr><th scope="row">{r + 1}. {escape(_short(name, 18))}</th>{cells}{rest}</tr>')
    head = "".join(f'<th scope="col">{number + 1}</th>' for number in range(len(names)))
    return f'<div class="wide" tabindex="0"><table class="map"><tr><td></td>{head}</tr>{"".join(lines)}</table></div>'


def _shaded(value: float, most: float) -> str:
    share = round(45 * value / most)
    return f'<td style="background:color-mix(in srgb,var(--two) {share}%,var(--paper))">{100 * value:.1f}</td>'


def _steps(values: Floats, most: float, base: int) -> list[tuple[float, float]]:
    """The right end and the height of each step."""
    count = len(values)
    return [
        (round(_WIDTH * (i + 1) / count, 1), round(base - (base - 14) * float(v) / most, 1))
        for i, v in enumerate(values)
    ]


def _short(text: str, most: int = 15) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _svg(label: str, height: int, marks: str) -> str:
    return f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {_WIDTH} {height}">{marks}</svg>'
