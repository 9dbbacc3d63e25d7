"""The tables of docs/engine.md and its pictures from a file of results.

``python -m benchmarks.engine.write_docs RESULTS FOLDER``
"""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.engine import pictures, report, results


@click.command()
@click.argument("results_path", type=click.Path(exists=True, dir_okay=False))
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
def write_docs(results_path: str, folder: str) -> None:
    """Make the tables of FOLDER/engine.md and its pictures again from a file of results."""
    found = results.read(Path(results_path))
    report.write(Path(folder) / "engine.md", found)
    for picture in pictures.draw(Path(folder), found):
        click.echo(str(picture))


if __name__ == "__main__":
    write_docs()
