"""A rule as a page one can show to others: the rule, a picture of it, the guarantee, the error theory expects."""

from __future__ import annotations

from html import escape
from math import log

from oracledp.classes.pictures import Card, Lines, Picture
from oracledp.mechanisms.release import Release
from oracledp.report.page import bar, grid, page, section
from oracledp.report.words import promise

SELECTIONS = ("exponential", "permute-and-flip", "report-noisy-min", "rspm:k-hot", "rspm:separator", "rspm:gaussian")


def rule_page(release: Release, *, rows: int | None = None) -> str:
    """The page for one release; ``rows``, a public number, adds the error to expect as a share."""
    hypotheses, predicted = release.query.owner.without_target()
    target = "the query holds" if predicted is None else str(predicted)
    drawn = picture(hypotheses.picture(release.query.parts), target)
    sections = [
        section("The rule", f"<p>{escape(str(release.query))}</p>{drawn}"),
        section("What it promises", promise(release.guarantee)),
        section("Where it comes from", _origin(release)),
        section("What error to expect", f"<p>{escape(expected_error(release, rows))}</p>"),
    ]
    return page(
        "A private rule", sections, footer="Made with oracledp. This page holds nothing of the data but the rule."
    )


def picture(drawn: Picture, target: str) -> str:
    """A scoring card, a rule list, or the literals of a rule."""
    if isinstance(drawn, Card):
        return _card(drawn, target)
    if isinstance(drawn, Lines):
        return _list(drawn, target)
    items = "".join(f"<li>{escape(item)}</li>" for item in drawn.items)
    shown = f'<p>{drawn.heading}</p><ol class="rules">{items or "<li>nothing</li>"}</ol>' if drawn.heading else ""
    return ("<p>not:</p>" if drawn.negated and shown else "") + shown


def _card(card: Card, target: str) -> str:
    most = max((abs(points) for _, points in card.points), default=1) or 1
    rows = [
        (condition, f"{'+' if points > 0 else '−'}{abs(points)}", bar(float(abs(points) / most), negative=points < 0))
        for condition, points in card.points
    ]
    verdict = f"<p>Predict <b>{escape(target)}</b> when the points add up to {card.threshold} or more.</p>"
    return grid(("if", "points", ""), rows, numbers=(1,)) + verdict


def _list(drawn: Lines, target: str) -> str:
    words = ("no", "yes")
    lines = [
        f"<li><b>{'if' if i == 0 else 'else if'}</b>{escape(condition)} → {words[label]}</li>"
        for i, (condition, label) in enumerate(drawn.lines)
    ]
    lines.append(f"<li><b>{'else' if drawn.lines else 'always'}</b>→ {words[drawn.otherwise]}</li>")
    return f'<p>{escape(target)}?</p><ol class="rules">{"".join(lines)}</ol>'


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
    owner, epsilon = release.query.owner, float(release.guarantee.epsilon)
    sensitivity = release.guarantee.neighbours.comparison_sensitivity
    if release.mechanism in SELECTIONS and not release.mechanism.startswith("rspm"):
        count = sensitivity * log(owner.size / 0.05) / epsilon
    elif release.mechanism == "rspm:k-hot":
        count = sensitivity * owner.hot**2 / epsilon * log((owner.part_count + owner.dummies) / 0.05)
    else:
        return "No bound is computed for this mechanism."
    share = "" if rows is None else f", that is {100 * count / rows:.2f} % of the {rows:,} rows"
    return (
        f"With probability 95 % it is wrong on at most {count:,.0f} records more than the best rule of its kind{share}."
    )
