"""Every mechanism as a function: private data, a class and exact parameters in, a release with its guarantee out.

Guarantees speak of one record more or less (add/remove-one) unless ``neighbours="replace-one"`` is asked for.

>>> from oracledp.mechanisms import exponential, rspm
>>> rspm.__name__, exponential.__name__
('rspm', 'exponential')

They are loaded when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oracledp.mechanisms.exponential_mechanism import exponential
    from oracledp.mechanisms.gaussian_min import gaussian_rspm
    from oracledp.mechanisms.noisy_min import report_noisy_min
    from oracledp.mechanisms.perturbed_min import rspm
    from oracledp.mechanisms.robust import prsma
    from oracledp.mechanisms.votes.mechanism import vote

_HOMES = {
    "exponential": "exponential_mechanism",
    "gaussian_rspm": "gaussian_min",
    "prsma": "robust",
    "report_noisy_min": "noisy_min",
    "rspm": "perturbed_min",
    "vote": "votes.mechanism",
}

__all__ = ["exponential", "gaussian_rspm", "prsma", "report_noisy_min", "rspm", "vote"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'oracledp.mechanisms' has no attribute {name!r}")
    return getattr(import_module(f"oracledp.mechanisms.{_HOMES[name]}"), name)
