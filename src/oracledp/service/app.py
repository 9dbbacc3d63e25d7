"""The web application: pages for people, a REST interface for pipelines, the same rights for both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.middleware.trustedhost import TrustedHostMiddleware

from oracledp.errors import OracleDPError
from oracledp.privacy.ledger import Ledger
from oracledp.service import views
from oracledp.service.people import Session
from oracledp.service.plans import planned
from oracledp.service.refusals import add_refusals
from oracledp.service.requests import limited, registered
from oracledp.service.rest import add_rest
from oracledp.service.site import COOKIE, Site
from oracledp.service.store import MOST_SHOWN, DataSet, Job

LOCAL = ("localhost", "127.0.0.1", "[::1]")


def application(folder: Path, *, hosts: tuple[str, ...] = LOCAL, answer_every: float = 15) -> FastAPI:
    """The console of a folder; ends of runs are shown at multiples of ``answer_every`` seconds."""
    site = Site(folder, answer_every)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        site.workers.start()
        yield
        site.workers.stop()

    app = FastAPI(
        title="oracledp console", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    app.state.site = site
    app.add_middleware(
        TrustedHostMiddleware, allowed_hosts=list(hosts)
    )  # no page elsewhere speaks to us by a name of its own

    add_refusals(app, site)
    _add_sign_in(app, site)
    _add_datasets(app, site)
    _add_jobs(app, site)
    _add_people(app, site)
    add_rest(app, site)
    return app


def _add_sign_in(app: FastAPI, site: Site) -> None:
    @app.get("/sign-in", include_in_schema=False)
    async def show_sign_in() -> HTMLResponse:
        return HTMLResponse(views.sign_in())

    @app.post("/sign-in", include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        client = request.client.host if request.client else ""
        given = (await request.form()).get("token")
        token = given.strip() if isinstance(given, str) else ""
        person = site.console.person(token)
        if person is None and site.failures.too_many(client):
            return HTMLResponse(views.sign_in("Too many failed attempts: wait a minute."), 429)
        if person is None:
            site.failures.add(client)
            return HTMLResponse(views.sign_in("This token is not known."), 401)
        response = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, site.sessions.begin(person, token), httponly=True, samesite="strict", secure=secure)
        return response

    @app.post("/sign-out", include_in_schema=False)
    async def sign_out(request: Request) -> Response:
        await site.filled(request, "viewer")
        site.sessions.end(request.cookies.get(COOKIE))
        return RedirectResponse("/sign-in", 303)


def _add_datasets(app: FastAPI, site: Site) -> None:
    console = site.console

    @app.get("/", include_in_schema=False)
    def overview(request: Request) -> HTMLResponse:
        session = site.session(request, "viewer")
        return HTMLResponse(views.overview(session, ledgers(), console.cleared))

    def ledgers() -> list[tuple[DataSet, Ledger]]:
        return [(known, console.ledger(known.name)) for known in console.datasets()]

    @app.get("/datasets/{name}", include_in_schema=False)
    def dataset(request: Request, name: str) -> HTMLResponse:
        session = site.session(request, "viewer")
        known = console.dataset(name)
        return HTMLResponse(views.dataset_page(session, known, console.ledger(name), site.workers.delivered(name)))

    @app.post("/datasets", include_in_schema=False)
    async def register(request: Request) -> Response:
        session, fields = await site.filled(request, "officer")
        try:
            known = await run_in_threadpool(registered, console, fields)
        except OracleDPError as error:  # nothing that was typed is lost
            said = console.cleared(str(error))
            return HTMLResponse(views.overview(session, ledgers(), console.cleared, given=fields, note=said), 422)
        return RedirectResponse(f"/datasets/{known.name}", 303)

    @app.post("/datasets/{name}/limits", include_in_schema=False)
    async def limit(request: Request, name: str) -> Response:
        _, fields = await site.filled(request, "officer")
        limited(console, name, fields)
        return RedirectResponse(f"/datasets/{name}", 303)

    @app.post("/datasets/{name}/plan", include_in_schema=False)
    async def plan(request: Request, name: str) -> HTMLResponse:
        session, fields = await site.filled(request, "analyst")
        kind = fields.pop("kind", "")
        made = await run_in_threadpool(planned, console, name, kind, fields)
        return HTMLResponse(views.plan_page(session, console.dataset(name), made))

    @app.post("/datasets/{name}/jobs", include_in_schema=False)
    async def ask(request: Request, name: str) -> Response:
        session, fields = await site.filled(request, "analyst")
        kind = fields.pop("kind", "")
        return RedirectResponse(f"/jobs/{site.workers.submit(session.person, name, kind, fields)}", 303)


def _add_jobs(app: FastAPI, site: Site) -> None:
    @app.get("/jobs", include_in_schema=False)
    def jobs(request: Request) -> HTMLResponse:
        return HTMLResponse(views.jobs_page(site.session(request, "viewer"), site.console.jobs(most=MOST_SHOWN)))

    @app.get("/jobs/{job_id}", include_in_schema=False)
    def job(request: Request, job_id: str) -> HTMLResponse:
        return shown(site.session(request, "viewer"), site.console.job(job_id))

    def shown(session: Session, found: Job, answer: str = "") -> HTMLResponse:
        files, ahead = site.files(found), site.workers.ahead(found)
        verdict = site.verdict(found) if files else ()
        return HTMLResponse(views.job_page(session, found, files, ahead=ahead, verdict=verdict, answer=answer))

    @app.post("/jobs/{job_id}/answer", include_in_schema=False)
    async def answer(request: Request, job_id: str) -> HTMLResponse:
        session, fields = await site.filled(request, "viewer")
        found = site.console.job(job_id)
        return shown(session, found, await run_in_threadpool(site.answer, found, fields.get("conditions", "")))

    @app.post("/jobs/{job_id}/cancel", include_in_schema=False)
    async def cancel(request: Request, job_id: str) -> Response:
        session, _ = await site.filled(request, "analyst")
        site.workers.cancel(session.person, job_id)
        return RedirectResponse(f"/jobs/{job_id}", 303)

    @app.get("/jobs/{job_id}/{name}", include_in_schema=False)
    def file(request: Request, job_id: str, name: str) -> Response:
        site.session(request, "viewer")
        return site.released(site.console.job(job_id), name)


def _add_people(app: FastAPI, site: Site) -> None:
    def shown(session: Session, token: str = "") -> HTMLResponse:
        people = [(person.name, person.role) for person in site.console.people()]
        return HTMLResponse(views.people_page(session, people, token))

    @app.get("/people", include_in_schema=False)
    def people(request: Request) -> HTMLResponse:
        return shown(site.session(request, "officer"))

    @app.post("/people", include_in_schema=False)
    async def add(request: Request) -> HTMLResponse:
        session, fields = await site.filled(request, "officer")
        return shown(session, site.console.add_person(fields.get("name", ""), fields.get("role", "")))

    @app.post("/people/remove", include_in_schema=False)
    async def remove(request: Request) -> Response:
        _, fields = await site.filled(request, "officer")
        site.console.remove_person(fields.get("name", ""))
        return RedirectResponse("/people", 303)
