"""Open registries: what the library brings, and what installed packages add under an entry point of their own.

A package registers by its metadata, so that its parts work wherever a name may be given, the command line included::

    [project.entry-points."oracledp.oracles"]
    my-solver = "my_package.solver:MyOracle"

docs/extending.md has the five groups and a package that uses them all. Entry points are loaded when their name is
asked for; the library's own names cannot be taken over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from oracledp.errors import ModelError, ParameterError

T = TypeVar("T")


class Registry(Generic[T]):
    """Things by name: the library's own first, then those of installed packages.

    >>> colours = Registry[int]("oracledp.colours", "colour", {"red": 1})
    >>> colours["red"], list(colours)
    (1, ['red'])
    """

    def __init__(self, group: str, what: str, own: Mapping[str, T], *, reserved: tuple[str, ...] = ()) -> None:
        self.group = group
        self.what = what
        self._own = dict(own)
        self._reserved = reserved  # names of the library that are looked up elsewhere
        self._added: dict[str, T] = {}

    def add(self, name: str, thing: T) -> None:
        """Register for this process alone: what a notebook does, where a package has an entry point."""
        if self.is_own(name):
            raise ParameterError(f"{self.what} {name!r} is the library's own")
        self._added[name] = thing

    def is_own(self, name: str) -> bool:
        """Whether the library itself brings it."""
        return name in self._own or name in self._reserved

    def __contains__(self, name: object) -> bool:
        return self.is_own(str(name)) or name in self._added or name in self._installed()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._reserved, *self._own, *self._added, *self._installed())))

    def __getitem__(self, name: str) -> T:
        if name in self._own:
            return self._own[name]
        if name not in self._added:
            found = self._installed().get(name)
            if found is None:
                raise ParameterError(f"{self.what} must be one of {', '.join(self)}, got {name!r}")
            self._added[name] = _loaded(found, self.what)
        return self._added[name]

    def _installed(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self.group)}


def _loaded(point: EntryPoint, what: str) -> Any:
    try:
        return point.load()
    except Exception as error:
        raise ModelError(f"{what} {point.name!r} of {point.value} cannot be loaded: {type(error).__name__}") from error
