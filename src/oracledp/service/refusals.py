"""What is refused, and how it is said: one line, on a page to people and as JSON to pipelines."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException

from oracledp.errors import OracleDPError
from oracledp.service import views
from oracledp.service.site import COOKIE, Site

LARGEST_BODY = 1 << 20
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none at all, browsers would not say where our own forms come from
    "Cache-Control": "no-store",
}
_TITLES = {403: "You may not do this", 404: "There is nothing here", 405: "There is nothing here", 409: "Not verified"}


def add_refusals(app: FastAPI, site: Site) -> None:
    """Guard every request, and answer every error in one line."""

    def told(request: Request, code: int, words: str, key: str = "error") -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({key: words}, code)
        session = site.sessions.find(request.cookies.get(COOKIE))
        return HTMLResponse(views.refusal(_TITLES.get(code, "This was refused"), session, words), code)

    @app.middleware("http")
    async def guard(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        size = request.headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > LARGEST_BODY or "transfer-encoding" in request.headers:
            response = told(request, 413, "the request is too large")
        elif request.method not in ("GET", "HEAD") and _from_elsewhere(request):
            response = told(request, 403, "this request was sent by a page of another site")
        else:
            response = await answer(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    @app.exception_handler(UnicodeError)
    async def unwritable(request: Request, _: UnicodeError) -> Response:
        return told(request, 422, "a text holds what is no character")

    @app.exception_handler(sqlite3.Error)
    @app.exception_handler(OSError)
    async def stuck(request: Request, error: Exception) -> Response:
        """A full disk, a folder that is read-only: one line, and nothing was begun."""
        why = error.strerror if isinstance(error, OSError) else str(error)
        return told(request, 503, f"the console's folder cannot be used: {why or type(error).__name__}")

    @app.exception_handler(OracleDPError)
    async def refused(request: Request, error: OracleDPError) -> Response:
        return told(request, 422, site.console.cleared(str(error)))

    @app.exception_handler(HTTPException)
    async def not_allowed(request: Request, error: HTTPException) -> Response:
        if error.status_code == 303:  # to the sign-in
            return RedirectResponse((error.headers or {})["Location"], 303)
        return told(request, error.status_code, str(error.detail), key="detail")

    @app.exception_handler(Exception)
    async def broken(request: Request, _: Exception) -> Response:
        """A mistake of our own: what it says may hold anything, so nobody is shown it."""
        return told(request, 500, "the console made a mistake; what it was is in the server's own log")


def _from_elsewhere(request: Request) -> bool:
    """Whether a browser says that a page of another site sends this, be it only to sign somebody in."""
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != request.headers.get("host", "")
