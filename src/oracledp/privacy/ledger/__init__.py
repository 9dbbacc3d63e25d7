"""The budget of a data set: every charge on record before anything is drawn, and no charge ever given back."""

from oracledp.privacy.ledger.entries import Charge, Terms
from oracledp.privacy.ledger.ledger import Ledger
from oracledp.privacy.ledger.limits import Limit
from oracledp.privacy.ledger.spending import Spending

__all__ = ["Charge", "Ledger", "Limit", "Spending", "Terms"]
