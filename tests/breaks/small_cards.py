"""Cards of few lines under pure ε broken at the front door: each of their three releases costs too much."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from breaks.breaking import Break, Breaks, as_property, value, wrapped
from oracledp.learning import learner
from oracledp.mechanisms import class_sums

ONE_LINE = "fit card of one line / replace-one"


def _card_at(times: Fraction, *, first: bool) -> Break:
    """One of the two cards at so many times its ε; the second has a single literal."""

    def dearer(build, task, *rest):  # type: ignore[no-untyped-def]
        own = times if first == (len(task.literals) > 1) else 1
        return build(replace(task, epsilon=own * task.epsilon), *rest)

    return wrapped(learner, "_card", dearer)


SMALL_CARDS: Breaks = {
    "a small card whose first card has all of epsilon": (ONE_LINE, _card_at(Fraction(4), first=True)),
    "a small card whose second card has all of epsilon": (ONE_LINE, _card_at(Fraction(10, 7), first=False)),
    "a small card that does not pay for counting literals": (ONE_LINE, _card_at(Fraction(15, 14), first=False)),
    "literals counted for a small card with a tenth of the noise": (
        ONE_LINE,
        as_property(class_sums.ClassSums, "scale", lambda scale, self: scale // 10),
    ),
    "literals counted for a small card without noise": (
        "fit card of one line, more rows / replace-one",
        value(class_sums, "noisy_blocks", lambda values, *public: values),
    ),
    "heavy rows counted for a small card as light ones": (
        "fit card of one line, class weights / replace-one",
        wrapped(learner, "sparse_card", lambda build, task, *rest: build(replace(task, unit=1), *rest)),
    ),
}
