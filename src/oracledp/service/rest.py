"""The REST interface: ``Authorization: Bearer TOKEN``, JSON in and out, described at ``/api/openapi.json``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from oracledp.errors import OracleDPError
from oracledp.service.people import Person
from oracledp.service.plans import planned
from oracledp.service.requests import limited, registered
from oracledp.service.site import Site
from oracledp.service.store import MOST_SHOWN, Console, Job

_BEARER = HTTPBearer(auto_error=False)


class Wanted(BaseModel):
    """A release to make or to plan: ``learn`` or ``synth``, and its options as texts."""

    dataset: str
    kind: str
    options: dict[str, str]


class Question(BaseModel):
    """Conditions, one or several with ``and``, for a released model."""

    conditions: str


class Newcomer(BaseModel):
    """Somebody who gets a token, and what they may do: viewer, analyst or officer."""

    name: str
    role: str


def add_rest(app: FastAPI, site: Site) -> None:
    """Add ``/api/…`` to the application."""
    router = APIRouter(prefix="/api")
    _add_budgets(router, site)
    _add_releases(router, site)
    _add_people(router, site)
    app.include_router(router)


def _somebody(site: Site) -> Any:
    def person(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]) -> Person:
        client = request.client.host if request.client else ""
        found = None if given is None else site.console.person(given.credentials)
        if found is None and site.failures.too_many(client):
            raise HTTPException(429, detail="too many failed attempts: wait a minute")
        if found is None:
            site.failures.add(client)
            raise HTTPException(401, detail="this token is not known")
        return found

    return Depends(person)


def _add_budgets(router: APIRouter, site: Site) -> None:
    console, someone = site.console, _somebody(site)

    @router.get("/datasets")
    def datasets(asks: Person = someone) -> list[dict[str, Any]]:
        """Every data set and what is left of its budget."""
        return [_budget(console, known.name) for known in console.datasets()]

    @router.post("/datasets", status_code=201)
    def register(fields: dict[str, str], asks: Person = someone) -> dict[str, Any]:
        """Register a data set: name, address, schema, epsilon, delta, accountant, person, rows_per_person."""
        _refuse(asks, "officer")
        return _budget(console, registered(console, fields).name)

    @router.post("/datasets/{name}/limits", status_code=201)
    def limit(name: str, fields: dict[str, str], asks: Person = someone) -> dict[str, Any]:
        """Set an allowance: epsilon, delta, actor, period."""
        _refuse(asks, "officer")
        return limited(console, name, fields).to_json()

    @router.get("/datasets/{name}/charges")
    def charges(name: str, asks: Person = someone) -> list[dict[str, Any]]:
        """What was paid, in order."""
        known = site.workers.delivered(name)
        return [{**charge.to_json(), "delivered": charge.release in known} for charge in console.ledger(name).charges]

    @router.post("/plans")
    def plan(wanted: Wanted, asks: Person = someone) -> dict[str, Any]:
        """What a release would be worth; nothing is read or spent."""
        _refuse(asks, "analyst")
        return planned(console, wanted.dataset, wanted.kind, wanted.options)


def _add_releases(router: APIRouter, site: Site) -> None:
    console, workers, someone = site.console, site.workers, _somebody(site)

    @router.get("/jobs")
    def jobs(asks: Person = someone) -> list[dict[str, Any]]:
        """Every release, the latest first: at most 500."""
        return [_shown(job) for job in console.jobs(most=MOST_SHOWN)]

    @router.get("/jobs/{job_id}")
    def job(job_id: str, asks: Person = someone) -> dict[str, Any]:
        """What became of a release, its files, and whether they are those that were signed and paid for."""
        found = console.job(job_id)
        files = site.files(found)
        return {
            **_shown(found),
            "files": files,
            "verified": bool(files) and site.verdict(found)[0].startswith("Verified"),
        }

    @router.get("/jobs/{job_id}/files/{name}")
    def file(job_id: str, name: str, asks: Person = someone) -> Response:
        """A file of a release."""
        return site.released(console.job(job_id), name)

    @router.post("/jobs/{job_id}/answers")
    def answer(job_id: str, question: Question, asks: Person = someone) -> dict[str, str]:
        """The share of records that meet conditions, from a released model; costs nothing."""
        return {"answer": site.answer(console.job(job_id), question.conditions)}

    @router.post("/jobs", status_code=201)
    def submit(wanted: Wanted, asks: Person = someone) -> dict[str, Any]:
        """Ask for a release."""
        _refuse(asks, "analyst")
        return _shown(console.job(workers.submit(asks, wanted.dataset, wanted.kind, dict(wanted.options))))

    @router.delete("/jobs/{job_id}")
    def cancel(job_id: str, asks: Person = someone) -> dict[str, Any]:
        """Cancel a release; a charge that was made stays."""
        _refuse(asks, "analyst")
        workers.cancel(asks, job_id)
        return _shown(console.job(job_id))


def _add_people(router: APIRouter, site: Site) -> None:
    console, someone = site.console, _somebody(site)

    @router.get("/people")
    def people(asks: Person = someone) -> list[dict[str, str]]:
        """Everybody with a token."""
        _refuse(asks, "officer")
        return [{"name": one.name, "role": one.role} for one in console.people()]

    @router.post("/people", status_code=201)
    def add(wanted: Newcomer, asks: Person = someone) -> dict[str, str]:
        """Give somebody a token, or a new one, which ends the old: it is shown this once."""
        _refuse(asks, "officer")
        return {"name": wanted.name, "role": wanted.role, "token": console.add_person(wanted.name, wanted.role)}

    @router.delete("/people/{name}")
    def remove(name: str, asks: Person = someone) -> dict[str, str]:
        """Take somebody's token away; charges and releases stay."""
        _refuse(asks, "officer")
        console.remove_person(name)
        return {"removed": name}


def _refuse(person: Person, role: str) -> None:
    if not person.may(role):
        raise HTTPException(403, detail=f"this needs the role {role}")


def _budget(console: Console, name: str) -> dict[str, Any]:
    ledger = console.ledger(name)
    try:
        pairs = {"budget": ledger.budget, "spent": ledger.spent, "remaining": ledger.remaining}
    except OracleDPError as error:  # it hides no other
        return {"name": name, "error": console.cleared(str(error))}
    return {
        "name": name,
        "unit": ledger.terms.unit,
        "accountant": ledger.terms.accountant,
        "used": float(ledger.spending.used(ledger.terms)),
        **{key: {"epsilon": str(e), "delta": str(d)} for key, (e, d) in pairs.items()},
    }


def _shown(job: Job) -> dict[str, Any]:
    return {
        "id": job.id, "made": job.made, "actor": job.actor, "dataset": job.dataset, "kind": job.kind,
        "options": job.parameters, "status": job.status, "said": job.said,
    }  # fmt: skip
