"""A rule as a page one can show to others: the rule, a picture of it, the guarantee, the error theory expects."""

from __future__ import annotations

from html import escape
from math import log

from oracledp.classes.base import Parts, QueryClass
from oracledp.classes.decision_lists import DecisionLists
from oracledp.classes.halfspaces import Halfspaces
from oracledp.classes.loss import ZeroOneLoss
from oracledp.classes.signed import Signed
from oracledp.mechanisms.release import Release
from oracledp.report.page import bar, grid, page, section
from oracledp.report.words import promise

SELECTIONS = ("exponential", "permute-and-flip", "report-noisy-min", "rspm:k-hot", "rspm:separator", "rspm:gaussian")


def rule_page(release: Release, *, rows: int | None = None) -> str:
    """The page for one release; ``rows``, a public number, adds the error to expect as a share."""
    owner = release.query.owner
    hypotheses = owner.hypotheses if isinstance(owner, ZeroOneLoss) else owner
    target = str(owner.literals[-1]) if isinstance(owner, ZeroOneLoss) else "the query holds"
    sections = [
        section("The rule", f"<p>{escape(str(release.query))}</p>{picture(hypotheses, release.query.parts, target)}"),
        section("What it promises", promise(release.guarantee)),
        section("Where it comes from", _origin(release)),
        section("What error to expect", f"<p>{escape(expected_error(release, rows))}</p>"),
    ]
    return page(
        "A private rule", sections, footer="Made with oracledp. This page holds nothing of the data but the rule."
    )


def picture(owner: QueryClass, parts: Parts, target: str) -> str:
    """A scoring card, a rule list, or the literals of a rule."""
    if isinstance(owner, Signed):
        negated = parts[-1] > owner.base.part_count
        return ("<p>not:</p>" if negated else "") + picture(owner.base, parts[:-1], target)
    if isinstance(owner, Halfspaces):
        return _card(owner, parts, target)
    if isinstance(owner, DecisionLists):
        return _list(owner, parts, target)
    items = "".join(f"<li>{escape(str(owner.literals[part]))}</li>" for part in parts)
    joint = {"conjunctions": "all of", "disjunctions": "any of", "parities": "an odd number of"}.get(owner.kind, "")
    return f'<p>{joint}</p><ol class="rules">{items or "<li>nothing</li>"}</ol>' if joint else ""


def _card(owner: Halfspaces, parts: Parts, target: str) -> str:
    weights, threshold = owner.decode(parts)
    most = max((abs(w) for w in weights), default=1) or 1
    rows = [
        (str(literal), f"{'+' if w > 0 else '−'}{abs(w)}", bar(float(abs(w) / most), negative=w < 0))
        for w, literal in zip(weights, owner.literals, strict=True)
        if w
    ]
    verdict = f"<p>Predict <b>{escape(target)}</b> when the points add up to {threshold} or more.</p>"
    return grid(("if", "points", ""), rows, numbers=(1,)) + verdict


def _list(owner: DecisionLists, parts: Parts, target: str) -> str:
    rules, default = owner.rules(parts)
    words = ("no", "yes")
    lines = [
        f"<li><b>{'if' if i == 0 else 'else if'}</b>{escape(' and '.join(str(owner.literals[j]) for j in condition))}"
        f" → {words[label]}</li>"
        for i, (condition, label) in enumerate(rules)
    ]
    lines.append(f"<li><b>{'else' if rules else 'always'}</b>→ {words[default]}</li>")
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
