"""Who may do what: people with a token and a role, sessions in a browser, and a limit on failed sign-ins."""

from __future__ import annotations

import hashlib
import secrets
from collections import deque
from dataclasses import dataclass, field
from time import monotonic

from oracledp.errors import ParameterError

ROLES = ("viewer", "analyst", "officer")  # each may do what those before it may
SESSION_SECONDS = 8 * 3600
MOST_FAILURES = 10  # per minute and client


@dataclass(frozen=True)
class Person:
    """Somebody who signed in.

    >>> Person("ada", "analyst").may("viewer"), Person("ada", "analyst").may("officer")
    (True, False)
    """

    name: str
    role: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ParameterError(f"role must be one of {', '.join(ROLES)}, got {self.role!r}")

    def may(self, role: str) -> bool:
        """Whether this person's role includes another."""
        return ROLES.index(self.role) >= ROLES.index(role)


def new_token() -> str:
    """A token that nobody guesses: 256 bits."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What is kept of a token. It has full entropy, so a plain hash hides it."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True)
class Session:
    """A browser that signed in, and the secret that its forms must repeat."""

    person: Person
    token: str  # the digest of the token that it was begun with: it ends with that one
    form_secret: str
    ends: float


@dataclass
class Sessions:
    """Sessions in memory: a restart of the server signs everybody out."""

    _open: dict[str, Session] = field(default_factory=dict)

    def begin(self, person: Person, token: str) -> str:
        """A new session's id, for a cookie."""
        now = monotonic()
        self._open = {key: session for key, session in self._open.items() if session.ends > now}
        key = secrets.token_urlsafe(32)
        self._open[key] = Session(person, digest(token), secrets.token_urlsafe(16), now + SESSION_SECONDS)
        return key

    def find(self, key: str | None) -> Session | None:
        """The session of a cookie, unless it ended."""
        session = self._open.get(key or "")
        return session if session is not None and session.ends > monotonic() else None

    def end(self, key: str | None) -> None:
        """Sign out."""
        self._open.pop(key or "", None)


@dataclass
class Failures:
    """Failed sign-ins per client in the last minute.

    They slow down those who guess. Whoever has a token is let in all the same: several people may share an address,
    and nobody should be able to lock the others out. A token is not guessed anyway.
    """

    _times: dict[str, deque[float]] = field(default_factory=dict)

    def too_many(self, client: str) -> bool:
        """Whether a client must wait."""
        times = self._times.get(client, deque())
        while times and times[0] < monotonic() - 60:
            times.popleft()
        return len(times) >= MOST_FAILURES

    def add(self, client: str) -> None:
        """One more."""
        if len(self._times) > 10_000:
            self._times.clear()  # bounded memory; an attacker with that many addresses gains ten tries each
        self._times.setdefault(client, deque(maxlen=MOST_FAILURES)).append(monotonic())
