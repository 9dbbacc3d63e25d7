"""The time line of a budget: what was spent in plain sums after every charge, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from itertools import accumulate

from oracledp.privacy.ledger import Charge, Terms

_WIDTH, _HEIGHT, _BASE, _TOP = 640, 160, 130, 28


def timeline(charges: Sequence[Charge], terms: Terms) -> str:
    """Steps of Σε over time, with the whole budget as a line; charges without a time stand at the start."""
    if not charges:
        return ""
    times = [datetime.fromisoformat(charge.time).timestamp() if charge.time else 0.0 for charge in charges]
    known = [time for time in times if time]
    first, last = (min(known), max(known)) if known else (0.0, 0.0)
    sums = [float(spent) for spent in accumulate(charge.epsilon for charge in charges)]
    most = max(float(terms.epsilon), sums[-1])

    def across(time: float) -> float:
        return round(_WIDTH * (time - first) / (last - first), 1) if last > first and time else 0.0

    def up(value: float) -> float:
        return round(_BASE - (_BASE - _TOP) * value / most, 1)

    steps = "".join(f"H{across(time)}V{up(spent)}" for time, spent in zip(times, sums, strict=True))
    dots = "".join(
        f'<circle cx="{across(time)}" cy="{up(spent)}" r="3" fill="var(--one)">'
        f"<title>{escape(_said(charge))}</title></circle>"
        for charge, time, spent in zip(charges, times, sums, strict=True)
    )
    whole = up(float(terms.epsilon))
    marks = (
        f'<path d="M0 {_BASE}{steps}H{_WIDTH}V{_BASE}Z" fill="var(--one)" fill-opacity=".25"/>'
        f'<path d="M0 {whole}H{_WIDTH}" stroke="var(--two)" stroke-width="1.5" stroke-dasharray="5 4"/>{dots}'
        f'<text x="{_WIDTH}" y="{whole - 4}" text-anchor="end">whole ε {float(terms.epsilon):g}</text>'
        f'<text x="0" y="{_HEIGHT - 6}">{_said_at(first, last)}</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT - 6}" text-anchor="end">{_said_at(last, first)}</text>'
    )
    label = f"Plain sum of epsilon after each of {len(charges)} charges"
    shown = f'<svg role="img" aria-label="{label}" viewBox="-4 0 {_WIDTH + 8} {_HEIGHT}" width="100%">{marks}</svg>'
    return f'<div class="time-line">{shown}</div>'


def _said(charge: Charge) -> str:
    parts = (charge.time, charge.actor, charge.purpose, charge.mechanism, f"ε {charge.epsilon}")
    return ", ".join(part for part in parts if part)


def _said_at(moment: float, other: float) -> str:
    """A day, or a time where both ends are on one day; in UTC."""
    if not moment:
        return ""
    when, what = (datetime.fromtimestamp(one, UTC) for one in (moment, other))
    return when.strftime("%Y-%m-%d %H:%M" if when.date() == what.date() else "%Y-%m-%d")
