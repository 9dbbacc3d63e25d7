"""``oracledp serve``: the console in a browser, on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from oracledp.cli.common import emit, json_option
from oracledp.extras import optional


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

    emit(as_json, {"address": f"http://{host}:{port}/"}, f"oracledp console: http://{host}:{port}/")
    app = application(Path(folder).absolute(), hosts=(*LOCAL, host), answer_every=answer_every)
    optional("uvicorn", extra="console").run(
        app, host=host, port=port, log_level="warning", server_header=False, proxy_headers=behind_proxy
    )
