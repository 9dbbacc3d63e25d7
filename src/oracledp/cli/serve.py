"""``oracledp serve``: the console in a browser, on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from oracledp.cli.common import emit, json_option
from oracledp.errors import ParameterError
from oracledp.extras import optional
from oracledp.locks import try_lock
from oracledp.whole_files import one_line


@click.command()
@click.argument("folder", type=click.Path(file_okay=False))
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; keep it on this machine.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="The port.")
@click.option(
    "--answer-every", default=15, show_default=True, type=click.IntRange(0, 86400), metavar="SECONDS",
    help="Show results at multiples of this time: how long a run took tells about the data.",
)  # fmt: skip
@click.option(
    "--behind-proxy", is_flag=True,
    help="Believe a reverse proxy on this machine about who asks and whether over TLS. Without one, anybody could lie.",
)  # fmt: skip
@click.option("--token-for", metavar="NAME", help="Make an officer's token for NAME, print it once, and end.")
@json_option
def serve(
    folder: str, host: str, port: int, answer_every: int, behind_proxy: bool, token_for: str | None, as_json: bool
) -> None:
    """Run the console of FOLDER, where people, data sets, budgets and releases are kept.

    The first officer: oracledp serve FOLDER --token-for NAME.
    """
    for module in ("fastapi", "uvicorn", "python_multipart"):
        optional(module, extra="console")
    if token_for is not None:
        from oracledp.service.store import Console

        token = Console(Path(folder)).add_person(token_for, "officer")
        emit(as_json, {"name": token_for, "role": "officer", "token": token}, token)
        return
    from oracledp.service.app import LOCAL, application

    with _only_server(Path(folder)):
        emit(as_json, {"address": f"http://{host}:{port}/"}, f"oracledp console: http://{host}:{port}/")
        app = application(Path(folder).absolute(), hosts=(*LOCAL, host), answer_every=answer_every)
        optional("uvicorn", extra="console").run(
            app, host=host, port=port, log_level="warning", server_header=False, proxy_headers=behind_proxy
        )


@contextmanager
def _only_server(folder: Path) -> Iterator[None]:
    """One server for a folder: a second would take the jobs of the first for lost, and start its queue once more."""
    with one_line(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "serving", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(descriptor):
            raise ParameterError(f"another server runs the console of {folder} already")
        yield
    finally:
        os.close(descriptor)
