"""Random schemas, with the awkward cases more likely than chance would make them."""

from __future__ import annotations

from hypothesis import strategies as st

from oracledp.data.schema import Column, Schema

AWKWARD = ("", " ", " lead", "trail ", 'a "quoted" word', "it's", "two\nlines", "cr\r\nlf", "a,b", "é", "日本", "😀")
AWKWARD += ("nan", "1", "-1", "01", "1.0", "true", "NULL", "\t", "\\", "x" * 300)
TEXTS = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))

GOOD_NUMBERS = ("0", "1", "-0", "+1", " 7", "7 ", "\t7", "007", "7.", "7.0", "7.00", "7.5", ".5", "-.5", "1e1", "1E+1")
HUGE_NUMBERS = ("9" * 38, "9" * 39, "-" + "9" * 38, str(2**62), str(-(2**63)), "9007199254740993", "1e400", "1e-400")
LONG_NUMBERS = (
    "9" * 255,
    "9" * 256,
    " " * 254 + "7",
    " " * 255 + "7",
    "0." + "0" * 248 + "1e250",
    "1e9999",
    "-1e-9999",
    "1e10000",
)
NO_NUMBERS = (
    "",
    " ",
    ".",
    "7\n",
    "nan",
    "NaN",
    "NAN ",
    "-nan",
    "inf",
    "-Infinity",
    "1_000",
    "0x10",
    "1,000",
    "+",
    "1e",
    "٣",
)
TRUTHS = ("true", "True", "FALSE", " yes", "No ", "y", "t", "1.0", "0.0", "yes\n", "ſ", "\x001")
NUMBER_TEXTS = (
    st.sampled_from(GOOD_NUMBERS + HUGE_NUMBERS + LONG_NUMBERS + NO_NUMBERS + TRUTHS)
    | st.from_regex(r"[ \t]?[+-]?[0-9]{0,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?", fullmatch=True)
    | st.integers().map(str)
    | st.floats().map(repr)
)

INTEGERS = st.integers(-30, 30) | st.integers(-(2**62) + 1, 2**62 - 1)
NUMBERS = st.integers(-30, 30).map(float) | st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)


@st.composite
def ordered(draw: st.DrawFn, kind: str) -> dict[str, object]:
    numbers = INTEGERS if kind == "integer" else NUMBERS
    cuts = sorted(draw(st.sets(numbers, min_size=3, max_size=8)))
    lo, *thresholds, hi = cuts
    if draw(st.booleans()):
        thresholds.append(hi)
    shape: dict[str, object] = {"thresholds": thresholds}
    if draw(st.booleans()):
        lo, hi = (
            (-15, 15 + draw(st.integers(0, 9))) if kind == "integer" else (-1.5, draw(st.sampled_from([0.1, 7.0, 1e9])))
        )
        shape = {"bins": draw(st.integers(2, 25))}
        if kind == "integer" and draw(st.booleans()):
            shape = {}
        elif draw(st.booleans()):
            shape = {"resolution": draw(st.sampled_from([1, 3, 10] if kind == "integer" else [0.1, 0.25, "0.001"]))}
    return {"kind": kind, "lo": lo, "hi": hi, "clip": draw(st.booleans())} | shape


@st.composite
def categorical(draw: st.DrawFn) -> dict[str, object]:
    values: list[object] = draw(
        st.lists(TEXTS, min_size=2, max_size=6, unique=True) | st.lists(INTEGERS, min_size=2, max_size=6, unique=True)
    )
    others = st.none() | TEXTS.filter(lambda text: text and text not in map(str, values))
    return {"kind": "categorical", "values": values, "other": draw(others)}


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, object]:
    """The definition of one column."""
    kinds = st.just({"kind": "boolean"}) | categorical() | ordered("integer") | ordered("numeric")
    found = draw(kinds) | {"nullable": draw(st.booleans())}
    mark = draw(st.sampled_from([None, "?!", "it's gone", " n/a"]))
    taken = [str(value) for value in (*found.get("values", ()), found.get("other"))]  # type: ignore[misc]
    return found | ({"missing": mark} if mark is not None and found["nullable"] and mark not in taken else {})


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    """One column."""
    return Schema({"columns": {name: draw(definitions())}})[name]


NAMES = st.sampled_from(["age", "Age", "a b", 'say "x"', "it's", "é", "x>=1", "not", "select", "%"]) | st.text(
    st.characters(categories=["L", "N", "P", "S"]), min_size=1
).filter(str.isprintable)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """A schema of one to five columns."""
    return Schema({"columns": draw(st.dictionaries(NAMES, definitions(), min_size=1, max_size=5))})
