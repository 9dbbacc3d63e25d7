"""One exception class per mistake. Messages say what to do and never hold a value of private data."""


class OracleDPError(Exception):
    """Base of every error that oracledp raises on purpose."""

    exit_code = 2


class ParameterError(OracleDPError, ValueError):
    """A privacy or algorithm parameter is missing, malformed or out of range."""


class UnknownColumn(ParameterError):
    """A condition speaks of a column that there is not: its ``name``."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class SchemaError(OracleDPError, ValueError):
    """A schema is malformed: the message names the column and the key."""


class DataError(OracleDPError, ValueError):
    """Data do not follow the schema: the message names the column and the line, never the value."""


class ModelError(OracleDPError, ValueError):
    """A saved model or query cannot be read."""


class BudgetExceeded(OracleDPError):
    """The ledger refuses a charge: nothing was sampled."""

    exit_code = 3


class OracleFailure(OracleDPError):
    """The oracle gave no usable answer: nothing was released, the budget is spent."""

    exit_code = 4


class NothingDescribed(ParameterError):
    """A schema was paid for, and no column stood out of the noise."""

    exit_code = 4


class BrokenSearchTree(OracleDPError):
    """A search or a sampler met a bound or a count that is wrong: a defect of the library, and nothing was released."""

    exit_code = 4


class CapacityError(OracleDPError, OverflowError):
    """The problem is too large for exact 64-bit arithmetic or for the chosen method: refused, never wrapped."""


class MissingDependency(OracleDPError, ImportError):
    """An optional dependency is needed: the message names the extra to install."""
