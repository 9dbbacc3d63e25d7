"""What a release of two linked tables may say: the guarantee per person, both schemas, what was measured."""

from __future__ import annotations

from html import escape

from oracledp.report.about import About, summary
from oracledp.report.page import contents, grid, page, section
from oracledp.report.synthetic import columns_of, fit_of, marginals_of, measured_of
from oracledp.report.words import promise
from oracledp.synthesis.linked_model import LinkedModel

FIRST, SECOND = "First table", "Second table"
_TITLES = (
    "What it promises", "Which rows count", "Columns", "Rows per person", "What was measured", "How the fit went",
    "First table, as released", "Second table, as released",
)  # fmt: skip
_WEIGHED = (
    "Rows of one person weigh as much as one record together, so a share is that of an average person's rows, and "
    "counts are of persons. Synthetic rows are drawn given how many a person has, which undoes the weights."
)


def linked_page(model: LinkedModel, *, rows: tuple[int, int] | None = None, about: About | None = None) -> str:
    """The page for two fitted tables; everything on it was released already, ``rows`` of either as files."""
    schema = model.schema
    own = len(schema.parents.columns)
    parents, children = range(own), range(own + 1, own + 1 + len(schema.children.columns))
    widths = f"{len(parents)} and {len(children)} columns"
    released = [] if rows is None else [("Rows released", f"{rows[0]:,} and {rows[1]:,}")]
    bodies = (
        promise(model.guarantee),
        _kept(model),
        columns_of(model.parents, parents, FIRST) + columns_of(model.children, children, SECOND),
        marginals_of(model.parents, [own]),
        f"<h3>{FIRST}</h3>{measured_of(model.parents, 'persons', 'persons')}"
        f"<h3>{SECOND}, beside the first</h3>"
        f"{measured_of(model.children, 'persons with rows in the second table', 'persons')}{_note(_WEIGHED)}",
        f"<h3>{FIRST}</h3>{fit_of(model.parents)}<h3>{SECOND}, beside the first</h3>{fit_of(model.children)}",
        marginals_of(model.parents, parents),
        _note(_WEIGHED) + marginals_of(model.children, children),
    )
    sections = [
        summary([("What it is", f"Two synthetic tables, linked by person: {widths}"), *released], model.guarantee,
                about or About()),
        contents(*_TITLES),
        *(section(title, body) for title, body in zip(_TITLES, bodies, strict=True)),
    ]  # fmt: skip
    return page("Two private synthetic tables", sections, footer="Made with oracledp. Nothing here is unreleased.")


def _kept(model: LinkedModel) -> str:
    """The rules by which rows were kept: public, and decided before any row was read."""
    person, most = model.schema.unit.person or "", model.schema.most
    rows = [
        ("A person", f"the row of the first table and all rows of the second with one value of {person!r}"),
        ("Kept of each person", f"one row of the first table, at most {most} of the second, by a fixed choice"),
        ("Left out", "rows without an id, and rows of the second table whose id the first does not have"),
        ("Ids released", "1, 2, 3, …: none is an id of the private tables"),
    ]
    return grid(("", ""), rows)


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'
