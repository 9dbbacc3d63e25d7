"""A rule as a page one can show to others: the rule, a picture of it, the guarantee, the error theory expects."""

from __future__ import annotations

from html import escape

from oracledp import bounds
from oracledp.bounds.shape import Shape
from oracledp.classes.pictures import Branching, Card, Lines, Picture, Sentence
from oracledp.classes.tree_picture import draw_tree
from oracledp.mechanisms.release import Release
from oracledp.planning.selection import log_candidates
from oracledp.privacy.persons import row_epsilon
from oracledp.report.about import About, summary
from oracledp.report.page import contents, grid, page, section, signed_bar
from oracledp.report.words import promise

_TITLES = ("The rule", "What it promises", "Where it comes from", "What error to expect")
_KINDS = {Card: "A scoring card", Lines: "A rule list", Branching: "A decision tree", Sentence: "A rule"}
SELECTIONS = ("exponential", "permute-and-flip", "report-noisy-min", "rspm:k-hot", "rspm:separator", "rspm:gaussian")


def rule_page(release: Release, *, rows: int | None = None, about: About | None = None) -> str:
    """The page for one release; ``rows``, a public number, adds the error to expect as a share."""
    hypotheses, predicted = release.query.owner.without_target()
    target = "the query holds" if predicted is None else str(predicted)
    drawn = hypotheses.picture(release.query.parts)
    kind = _KINDS[type(drawn)]
    sentence = f"<p>{escape(str(release.query))}</p>" if predicted is None or isinstance(drawn, Sentence) else ""
    sections = [
        summary([("What it is", f"{kind} for: {target}")], release.guarantee, about or About()),
        contents(*_TITLES),
        section("The rule", sentence + picture(drawn, target)),
        section("What it promises", promise(release.guarantee)),
        section("Where it comes from", _origin(release)),
        section("What error to expect", f"<p>{escape(expected_error(release, rows))}</p>"),
    ]
    return page(
        kind.replace("A ", "A private ", 1) + ("" if predicted is None else f" for {target}"),
        sections,
        footer="Made with oracledp. This page holds nothing of the data but the rule.",
    )


def picture(drawn: Picture, target: str) -> str:
    """A scoring card, a rule list, a tree, or the literals of a rule."""
    if isinstance(drawn, Card):
        return _card(drawn, target)
    if isinstance(drawn, Lines):
        return _list(drawn, target)
    if isinstance(drawn, Branching):
        drawing = f'<div class="wide drawing" tabindex="0">{draw_tree(drawn, ("no", "yes")).inline}</div>'
        words = f'<details><summary>The same in words</summary><ul class="rules">{_branches(drawn)}</ul></details>'
        return f"<p>{escape(target)}?</p>{drawing}{words}"
    items = "".join(f"<li>{escape(item)}</li>" for item in drawn.items)
    shown = f'<p>{drawn.heading}</p><ol class="rules">{items or "<li>nothing</li>"}</ol>' if drawn.heading else ""
    return ("<p>not:</p>" if drawn.negated and shown else "") + shown


def _card(card: Card, target: str) -> str:
    most = max((abs(points) for _, points in card.points), default=1) or 1
    rows = [
        (condition, f"{'+' if points > 0 else '−'}{abs(points)}", signed_bar(float(points / most)))
        for condition, points in card.points
    ]
    verdict = f"<p>Predict <b>{escape(target)}</b> when the points add up to {card.threshold} or more.</p>"
    caption = "Points for each condition that holds; those that speak against it go to the left"
    return verdict + risk_scale(card, target) + grid(("if", "points", ""), rows, numbers=(1,), caption=caption)


def risk_scale(card: Card, target: str) -> str:
    """The sums that points can come to on a line, and from where on the card says yes."""
    low = min(float(sum(p for _, p in card.points if p < 0)), float(card.threshold))
    high = max(float(sum(p for _, p in card.points if p > 0)), float(card.threshold))
    cut = 300 * (float(card.threshold) - low) / max(high - low, 1e-9)
    words = f"From {card.threshold} points on: {target}; the sum lies between {low:g} and {high:g}"
    anchor = "end" if cut > 150 else "start"
    return (
        f'<svg class="scale" role="img" aria-label="{escape(words)}" viewBox="0 0 300 46">'
        f'<rect x="0" y="16" width="{cut:.1f}" height="10" fill="var(--line)"/>'
        f'<rect x="{cut:.1f}" y="16" width="{300 - cut:.1f}" height="10" fill="var(--one)"/>'
        f'<path d="M{cut:.1f} 12V30" stroke="var(--ink)" stroke-width="1.5"/>'
        f'<text x="{cut:.1f}" y="9" text-anchor="{anchor}">{card.threshold} points: yes</text>'
        f'<text x="0" y="42">{low:g}</text><text x="300" y="42" text-anchor="end">{high:g}</text></svg>'
    )


def _list(drawn: Lines, target: str) -> str:
    words = ("no", "yes")
    lines = [
        f"<li><b>{'if' if i == 0 else 'else if'}</b>{escape(condition)} → {words[label]}</li>"
        for i, (condition, label) in enumerate(drawn.lines)
    ]
    lines.append(f"<li><b>{'else' if drawn.lines else 'always'}</b>→ {words[drawn.otherwise]}</li>")
    return f'<p>{escape(target)}?</p><ol class="rules">{"".join(lines)}</ol>'


def _branches(drawn: Branching) -> str:
    if drawn.held is None or drawn.other is None:
        return f"<li>→ {('no', 'yes')[drawn.label > 0]}</li>"
    held, other = (f"<ul>{_branches(child)}</ul>" for child in (drawn.held, drawn.other))
    return f"<li><b>if</b> {escape(drawn.test)}{held}</li><li><b>otherwise</b>{other}</li>"


def _origin(release: Release) -> str:
    rows = [
        ("mechanism", release.mechanism),
        ("proof", f"proofs/{release.guarantee.proof}.md"),
        ("certificate", f"{release.certificate.trust.value}: {release.certificate.method}"),
    ]
    if release.mechanism in SELECTIONS:
        rows.append(("rules it was chosen from", f"{release.query.owner.size:,}"))
    return grid(("", ""), rows)


def expected_error(release: Release, rows: int | None) -> str:
    """What privacy costs by theory: with probability 95 % the rule's count is this close to the best one's."""
    count = _error_bound(release)
    if count is None:
        return "No theorem bounds its error on every table: 'oracledp plan learn' tries it on rows like yours."
    share = "" if rows is None else f", that is {100 * count / rows:.2f} % of the {rows:,} rows"
    return (
        f"With probability 95 % it is wrong on at most {count:,.0f} records more than the best rule of its kind{share}."
    )


def _error_bound(release: Release) -> float | None:
    """In records, by the functions that plan the same mechanisms."""
    guarantee, owner = release.guarantee, release.query.owner
    numbers = {"epsilon": float(row_epsilon(guarantee.epsilon, guarantee.unit)), "rows": 1.0, "beta": 0.05}
    sensitivity = guarantee.neighbours.comparison_sensitivity
    if release.mechanism in ("exponential", "permute-and-flip", "report-noisy-min", "private-tree"):
        return bounds.exponential(log_candidates(owner, Shape.of(owner).log_size), sensitivity=sensitivity, **numbers)
    if release.mechanism == "rspm:k-hot":
        shape = Shape.of(owner)
        return bounds.rspm_k_hot(shape.hot, shape.parts, sensitivity=sensitivity, size=shape.size, **numbers)
    return None
