"""What every request of one console shares: who asks, what they may do, what was released."""

from __future__ import annotations

from hmac import compare_digest
from pathlib import Path

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from oracledp.errors import ModelError, OracleDPError, ParameterError
from oracledp.privacy.cards import Card
from oracledp.privacy.signing import Signer
from oracledp.report.words import in_words
from oracledp.service.jobs import Workers, refuse_long
from oracledp.service.people import Failures, Session, Sessions
from oracledp.service.store import Console, Job
from oracledp.synthesis import Synthesizer

COOKIE = "oracledp_session"


class Site:
    """What every request of one console shares."""

    def __init__(self, folder: Path, answer_every: float) -> None:
        self.console = Console(folder)
        self.workers = Workers(self.console, answer_every)
        self.sessions = Sessions()
        self.failures = Failures()
        self.public_key = Signer(self.console.key).public

    def session(self, request: Request, role: str) -> Session:
        """The session of a request, if it may do what a role may."""
        session = self.sessions.find(request.cookies.get(COOKIE))
        if session is None:
            raise HTTPException(303, headers={"Location": "/sign-in"})
        if self.console.holder(session.token) != session.person:  # an officer took the token away, or made a new one
            self.sessions.end(request.cookies.get(COOKIE))
            raise HTTPException(303, headers={"Location": "/sign-in"})
        if not session.person.may(role):
            raise HTTPException(403, detail=f"this needs the role {role}")
        return session

    async def filled(self, request: Request, role: str) -> tuple[Session, dict[str, str]]:
        """The session and the fields of a form that repeats the session's secret."""
        session = self.session(request, role)
        fields = {name: value.strip() for name, value in (await request.form()).items() if isinstance(value, str)}
        if not compare_digest(fields.pop("secret", "").encode(), session.form_secret.encode()):
            raise HTTPException(403, detail="this form is not from this session: load the page anew")
        return session, fields

    def files(self, job: Job) -> list[str]:
        """What a job released, by name."""
        names = ("report.html", "rule.json", "synthetic.csv", "model.json", "card.json")
        folder = self.workers.release_folder(job)
        return [name for name in names if job.status == "done" and (folder / name).is_file()]

    def verdict(self, job: Job) -> tuple[str, ...]:
        """Whether the files of a release are those that were signed and paid for, and then what that promises."""
        folder = self.workers.release_folder(job)
        try:
            card = Card.load(folder / "card.json")
            card.check(folder, key=self.public_key, ledger=self.console.ledger(job.dataset))
        except (OracleDPError, OSError) as error:
            return (self.console.cleared(f"NOT VERIFIED: {error}"),)
        promised = card.guarantee
        meaning = in_words(promised) if promised.private else "The noise came from a seed: this is NOT PRIVATE."
        return "Verified: files, signature and charge belong together.", meaning

    def answer(self, job: Job, conditions: str) -> str:
        """What a released model says about conditions."""
        if "model.json" not in self.files(job):
            raise ParameterError("this release has no model to ask")
        refuse_long({"conditions": conditions})
        wanted = [part.strip() for part in conditions.split(" and ") if part.strip()]
        if not wanted:
            raise ParameterError("name a condition, such as age >= 40")
        found = Synthesizer.load(self.workers.release_folder(job) / "model.json").answer(wanted)
        interval = f"{100 * found.confidence:g} % interval {found.low:.4f} to {found.high:.4f}"
        return f"{conditions}: {found.value:.4f} ({interval})"

    def released(self, job: Job, name: str) -> Response:
        """A file of a release: pages are shown without any right, everything else is downloaded.

        One that is not what was signed is not handed out.
        """
        if name not in self.files(job):
            raise HTTPException(404, detail="there is no such file")
        folder = self.workers.release_folder(job)
        try:
            card = Card.load(folder / "card.json")
            card.check(folder, key=self.public_key, only=folder / name)
            if name not in ("card.json", *dict(card.files)):
                raise ModelError(f"its card does not name {name}")
            content = (folder / name).read_bytes()
        except OracleDPError as error:
            raise HTTPException(409, detail=self.console.cleared(f"not what was released: {error}")) from None
        if name.endswith(".html"):
            policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
            return HTMLResponse(content, headers={"Content-Security-Policy": policy})
        return Response(
            content,
            media_type="application/octet-stream",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )
