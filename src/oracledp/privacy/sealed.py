"""Private values under seal: code that plans, fits or reports can carry them but not look inside."""

from __future__ import annotations

from typing import Generic, NoReturn, TypeVar

T = TypeVar("T")


class Sealed(Generic[T]):
    """A private value that neither prints nor pickles, and that only a mechanism may open.

    Who calls :meth:`unseal` is listed, module by module, in tests/audit/test_who_reads_counts.py.

    >>> Sealed([3, 1])
    Sealed()
    """

    __slots__ = ("__value",)

    def __init__(self, value: T) -> None:
        self.__value = value

    def unseal(self) -> T:
        """The value. What is computed from it must be covered by a guarantee."""
        return self.__value

    def __repr__(self) -> str:
        return "Sealed()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("private values are not pickled")
