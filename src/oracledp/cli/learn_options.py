"""Which options of ``learn`` go together: what would have no effect is refused before anything is read or charged."""

from __future__ import annotations

from oracledp.errors import ParameterError

PURE = ("exponential", "permute-and-flip", "rspm", "rspm:separator", "report-noisy-min")
ASKING = ("rspm", "rspm:separator", "rspm:gaussian", "vote", "prsma")  # these ask an oracle
ALONE = ("exponential", "permute-and-flip", "report-noisy-min")
VOTES = ("vote", "prsma")
WITHOUT_DELTA = ("conjunction", "disjunction", "parity", "decision-list", "tree")  # by default


def settled_model(*, model: str, mechanism: str | None, robust: bool, delta: str | None, oracle: str) -> str:
    """The model that these options mean."""
    if robust and mechanism not in (None, *VOTES):
        raise ParameterError(f"--robust means that no solver is trusted: leave --mechanism {mechanism} or --robust out")
    usual = mechanism is None and not robust
    if delta is not None and (mechanism in PURE or (usual and model in WITHOUT_DELTA)):
        named = f"--model {model}" if mechanism is None else f"--mechanism {mechanism}"
        raise ParameterError(f"--delta has no effect: {named} is private without one; leave it out")
    if oracle != "auto" and (usual or mechanism in ALONE):
        raise ParameterError(f"--oracle {oracle} has no effect: name a --mechanism that asks one ({', '.join(ASKING)})")
    return "conjunction" if model == "auto" and not usual else model


def note(asked: str, learned: str) -> str | None:
    """What to say where the model was chosen by another option."""
    if asked == learned:
        return None
    return f"learned a {learned}, since --mechanism and --robust choose one rule of a class: see --model"
