"""A decision tree as a drawing: scalable vector graphics in plain text, with nothing to install."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from oracledp.classes.pictures import Branching
from oracledp.whole_files import write_whole

BOX_HEIGHT, LEVEL, GAP, MARGIN = 30, 84, 18, 16
_NAME_SPACE = "http://www.w3.org/2000/svg"
LETTER = 7.4  # of the drawing's own font, in its own units
TINTS = ("#dbe9f6", "#fde3cf", "#dcefd9", "#f6d9e6", "#eee6c8", "#e2dcf2", "#d5eeee", "#eddccf")


@dataclass(frozen=True)
class TreePicture:
    """A drawn tree: shown by notebooks, saved as an SVG file, which every browser opens."""

    svg: str

    @property
    def inline(self) -> str:
        """The drawing as a part of a page, which knows the name space by itself."""
        return self.svg.replace(f' xmlns="{_NAME_SPACE}"', "", 1)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture to a file."""
        write_whole(Path(path), self.svg)


@dataclass(frozen=True)
class _Drawn:
    """Marks of a subtree, how wide it is, and where its box is in that."""

    marks: str
    width: float
    middle: float
    depth: int


def draw_tree(drawn: Branching, labels: Sequence[object]) -> TreePicture:
    """Tests in white boxes, "yes" to the left; leaves tinted by their label.

    >>> picture = draw_tree(Branching("age >= 40", Branching(label=1), Branching(label=0)), ("well", "sick"))
    >>> picture.svg.startswith("<svg"), "age &gt;= 40" in picture.svg, picture.svg.count("<rect")
    (True, True, 4)
    """
    tree = _subtree(drawn, [str(label) for label in labels], 0, MARGIN)
    width, height = tree.width + 2 * MARGIN, tree.depth * LEVEL + BOX_HEIGHT + 2 * MARGIN
    start = (
        f'<svg xmlns="{_NAME_SPACE}" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="13" text-anchor="middle">'
        f"<title>Decision tree</title>"
        f'<rect width="100%" height="100%" fill="white"/>'
    )
    return TreePicture(f"{start}{tree.marks}</svg>\n")


def _subtree(drawn: Branching, labels: Sequence[str], level: int, left: float) -> _Drawn:
    top = MARGIN + level * LEVEL
    if drawn.held is None or drawn.other is None:
        text = labels[drawn.label]
        width = _box_width(text)
        return _Drawn(_box(text, left + width / 2, top, TINTS[drawn.label % len(TINTS)], 14), width, width / 2, 0)
    held = _subtree(drawn.held, labels, level + 1, left)
    other = _subtree(drawn.other, labels, level + 1, left + held.width + GAP)
    ends = (left + held.middle, left + held.width + GAP + other.middle)
    middle = max(sum(ends) / 2, left + _box_width(drawn.test) / 2)
    width = max(held.width + GAP + other.width, middle - left + _box_width(drawn.test) / 2)
    branches = "".join(_branch(middle, end, top, word) for end, word in zip(ends, ("yes", "no"), strict=True))
    marks = f"{branches}{held.marks}{other.marks}{_box(drawn.test, middle, top, 'white', 4)}"
    return _Drawn(marks, width, middle - left, 1 + max(held.depth, other.depth))


def _box_width(text: str) -> float:
    return max(40.0, LETTER * len(text) + 20)


def _box(text: str, middle: float, top: float, fill: str, corner: int) -> str:
    width = _box_width(text)
    return (
        f'<rect x="{middle - width / 2:.1f}" y="{top}" width="{width:.1f}" height="{BOX_HEIGHT}" rx="{corner}" '
        f'fill="{fill}" stroke="#555"/><text x="{middle:.1f}" y="{top + 20}">{escape(text)}</text>'
    )


def _branch(start: float, end: float, top: float, word: str) -> str:
    from_y, to_y = top + BOX_HEIGHT, top + LEVEL
    anchor, shift = ("end", -5) if end < start else ("start", 5)
    return (
        f'<path d="M{start:.1f} {from_y}L{end:.1f} {to_y}" stroke="#777" fill="none"/>'
        f'<text x="{(start + end) / 2 + shift:.1f}" y="{(from_y + to_y) / 2 + 4:.0f}" text-anchor="{anchor}" '
        f'font-size="11" fill="#555">{word}</text>'
    )
