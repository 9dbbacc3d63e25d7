"""A schema bought from rows: what it finds, what it leaves out, what it refuses, what it charges."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import oracledp as odp
from oracledp.data.schema import Ordered
from oracledp.data.schema.grid import MOST_STEPS
from oracledp.data.table.texts import read_texts
from oracledp.errors import BudgetExceeded, DataError, NothingDescribed, OracleDPError, ParameterError
from oracledp.mechanisms.column_inference import narrowed
from oracledp.mechanisms.common_texts import common_texts, least_threshold, tail_bound
from oracledp.mechanisms.private_schema import InferredSchema
from oracledp.randomness.source import SeededRandomness

ROWS = 8000


def people() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": generator.integers(18, 95, ROWS),
            "balance": np.round(np.exp(generator.normal(5, 2, ROWS)), 2),
            "job": generator.choice(["cook", "smith", "clerk"], ROWS),
            "member": generator.integers(0, 2, ROWS),
            "code": [f"{number:06d}" for number in range(ROWS)],
            "note": np.where(generator.random(ROWS) < 0.3, None, "yes"),
            "born": pd.Timestamp("1990-01-01") + pd.to_timedelta(generator.integers(0, 9999, ROWS), unit="D"),
            "empty": [None] * ROWS,
        }
    )


def bought(frame: object, **options: Any) -> InferredSchema:
    given: dict[str, Any] = {"epsilon": 2, "delta": "1e-6", "source": SeededRandomness(1), **options}
    return odp.infer_schema(frame, **given)


def test_kinds_bounds_categories_and_missing_values_are_found() -> None:
    found = bought(people())
    schema = found.schema.to_json()["columns"]
    assert schema["age"]["kind"] == "integer"
    assert schema["age"]["lo"] <= 18
    assert schema["age"]["hi"] >= 94
    assert len(schema["age"]["thresholds"]) >= 2
    assert (schema["balance"]["kind"], schema["balance"]["resolution"]) == ("numeric", 0.01)
    assert schema["balance"]["hi"] >= 5000
    assert schema["job"] == {"kind": "categorical", "values": ["clerk", "cook", "smith"], "other": "other"}
    assert schema["member"].items() >= {"kind": "integer", "lo": 0, "hi": 1, "clip": True}.items()
    assert schema["note"]["nullable"]
    assert set(found.left_out) == {"code", "empty"}
    assert schema["born"]["kind"] == "date", "time stamps that are all midnights"
    assert (schema["born"]["lo"], schema["born"]["hi"]) == ("1980-01-01", "2029-12-31")
    assert "id" in found.left_out["code"]


def test_the_file_loads_says_what_was_paid_and_takes_edits(tmp_path: Path) -> None:
    found = bought(people())
    path = tmp_path / "people.yaml"
    path.write_text(found.to_yaml(), encoding="utf-8")
    assert odp.Schema.load(path) == found.schema
    text = path.read_text(encoding="utf-8")
    assert "# left out: code (" in text
    assert "kind, missing values, bounds, cuts" in text
    assert "NOT PRIVATE" in text  # it was seeded


def test_files_and_frames_agree(tmp_path: Path) -> None:
    frame = people().drop(columns=["balance", "born"])
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False, sep=";")
    assert bought(path, delimiter=";").schema == bought(frame).schema.spelled(delimiter=";")


def test_the_ledger_is_charged_once_and_refuses_before_any_draw(tmp_path: Path) -> None:
    ledger = odp.Ledger.create(tmp_path / "budget.json", epsilon=3, delta="1e-5")
    odp.Schema.infer(people(), epsilon=2, delta="1e-6", ledger=ledger, source=SeededRandomness(1))
    with pytest.raises(BudgetExceeded):
        bought(people(), ledger=ledger)


@pytest.mark.parametrize("epsilon", [0, -1, "x"])
def test_a_bad_budget_is_refused(epsilon: object) -> None:
    with pytest.raises(OracleDPError):
        bought(people(), epsilon=epsilon)


def test_delta_must_be_small() -> None:
    with pytest.raises(ParameterError, match="delta"):
        bought(people(), delta="0.9")


def test_odd_sources_are_answered(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        bought(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="frame or a file"):
        bought(7)
    ledger = odp.Ledger.create(tmp_path / "budget.json", epsilon=3, delta="1e-5")
    with pytest.raises(OracleDPError, match="name must be printable"):
        bought(pd.DataFrame({"a\n": [1, 2]}), ledger=ledger)
    assert ledger.remaining[0] == 3
    odd = bought(pd.DataFrame({"x": ["a\0b", "c", "d"] * 1000})).schema["x"]
    assert odd.labels[:2] == ("c", "d")
    tiny = people().head(50)[["code", "note"]]
    with pytest.raises(NothingDescribed, match="no column could be described, and the budget is spent") as spent:
        bought(tiny, epsilon="0.01")
    assert spent.value.exit_code == 4


class Unspeakable:
    """A value whose spelling fails."""

    def __str__(self) -> str:
        raise RuntimeError("a secret")


@pytest.mark.parametrize("value", [pd.NA, pd.NaT, np.arange(3), Decimal("sNaN"), Unspeakable(), 10**5000], ids=type)
def test_no_value_stops_the_reading_of_a_frame(value: object) -> None:
    column = np.empty(3, dtype=object)
    column[:] = [1, 2, None]
    column[2] = value
    assert read_texts(pd.DataFrame({"x": column})).counts == ({"1": 1, "2": 1, None: 1},)


ODD_RECORDS = {
    "too few fields": b"1\n",
    "too many": b"1,2,3,4,5\n",
    "not UTF-8, first": b"\xff,2,3\n",
    "not UTF-8, second": b"1,\xff,3\n",
    "not UTF-8, last": b"1,2,\xff\n",
    "a NUL": b"1,\0,3\n",
    "a quote that nothing closes": b'1,"2,3\n',
    "quotes inside": b'1,2"x"y,3\n',
    "blanks": b"  \n",
    "too long": b"1," + b"x" * 3_000_000 + b",3\n",
}


@pytest.mark.parametrize("record", ODD_RECORDS.values(), ids=ODD_RECORDS)
def test_every_record_is_in_each_column_once(tmp_path: Path, record: bytes) -> None:
    """Read or not: neighbouring files differ by one text in each column, however many columns there are."""
    path = tmp_path / "odd.csv"
    path.write_bytes(b"a,b,c\n" + b"1,2,3\n" * 5 + record)
    counts = read_texts(path).counts
    assert [sum(column.values()) for column in counts] == [6, 6, 6]
    assert [column[text] for column, text in zip(counts, "123", strict=True)] >= [5, 5, 5]
    schema = odp.Schema(dict.fromkeys("abc", "integer 0..9?"))
    assert odp.Table.from_file(path, schema).rows == 6


def test_records_that_cannot_be_read_are_missing_in_every_column(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('a,b\n1,2\n"3,4\n7,8\n')  # a quote that nothing closes
    assert read_texts(path).counts == ({"1": 1, None: 1}, {"2": 1, None: 1})


def test_an_unreadable_record_is_one_row_in_every_column_of_many(tmp_path: Path) -> None:
    header, row = ",".join(f"c{number}" for number in range(60)), ",".join(["five"] * 60)
    (tmp_path / "wide.csv").write_text(f"{header}\n" + f"{row}\n" * 2000 + "x\n")
    assert read_texts(tmp_path / "wide.csv").counts == ({"five": 2000, None: 1},) * 60


def test_missing_values_of_nullable_types_are_missing() -> None:
    frame = pd.DataFrame({"n": pd.array([1, None], dtype="Int64"), "t": pd.array(["a", None], dtype="string")})
    assert read_texts(frame).counts == ({"1": 1, None: 1}, {"a": 1, None: 1})


def test_one_missing_value_spells_no_large_number_anew() -> None:
    """pandas makes doubles of the column: 2^60 + 1 would become 2^60, for every row that has it."""
    values = [2**60, 2**60 + 1, 10**18 - 1, -(2**62) - 1]
    alone, among = (read_texts(pd.DataFrame({"x": held})).counts[0] for held in (values, [*values, None]))
    assert among == {**alone, None: 1}


def test_one_column_of_one_value_and_two_thousand_categories_go_through() -> None:
    constant = bought(pd.DataFrame({"town": ["Bern"] * ROWS})).schema["town"]
    assert constant.labels == ("Bern", "other")
    codes = pd.DataFrame({"site": [f"s{number % 2000}" for number in range(400_000)]})
    found = bought(codes, epsilon=8)
    assert len(found.schema["site"].to_json()["values"]) == 1000
    assert found.schema["site"].to_json()["other"] == "other"


def test_a_count_that_is_nearly_always_0_or_1_is_not_cut_off_there() -> None:
    counts = pd.DataFrame({"visits": [0] * 9168 + [1] * 800 + [2, 3, 5, 7] * 8, "ill": [0, 1] * 5000})
    schemas = [bought(counts, epsilon=1, source=SeededRandomness(seed)).schema for seed in range(6, 12)]
    bounds = [(found["visits"].to_json()["lo"], found["visits"].to_json()["hi"]) for found in schemas]
    assert set(bounds) <= {(0, 20), (0, 100)}, "seen at the second look, or at the first"
    assert all(found["ill"].labels[:2] == ("0", "1") for found in schemas)


def test_cuts_lie_where_values_are_though_bounds_are_wide() -> None:
    ages = pd.DataFrame({"age": np.random.default_rng(2).integers(18, 90, 6000)})
    for seed in range(5):
        cuts = bought(ages, epsilon="0.2", source=SeededRandomness(seed)).schema["age"].to_json()["thresholds"]
        assert all(18 <= cut <= 110 for cut in cuts)


def test_a_text_of_one_row_passes_with_the_probability_that_is_paid_for() -> None:
    variance, delta = Fraction(400), Fraction(1, 1000)
    threshold = least_threshold(variance, delta)
    assert tail_bound(threshold - 1, variance) <= delta < tail_bound(threshold - 2, variance)
    exact = sum(np.exp(-(x**2) / 800.0) for x in range(threshold - 1, 2000)) / np.sqrt(2 * np.pi * 400)
    assert exact <= delta
    assert common_texts({}, variance, 3, threshold, SeededRandomness(0)) == {}
    assert common_texts({"a": 10**6, "b": 1}, variance, 3, threshold, SeededRandomness(0)).keys() == {"a"}


def test_a_threshold_holds_for_every_delta() -> None:
    """Of a person's δ a row may get less than e^-2000."""
    for delta in (Fraction(1, 10**5), Fraction(1, 10**868), Fraction(1, 10**1200)):
        threshold = least_threshold(Fraction(100), delta)
        assert tail_bound(threshold - 1, Fraction(100)) <= delta < tail_bound(threshold - 2, Fraction(100))


@pytest.mark.parametrize("whole", [1234567890, 12345678901234, -98765432109876])
def test_fine_and_large_numbers_get_a_grid_as_fine_as_there_is(whole: int) -> None:
    texts = [f"{whole}.{number % 10**6:06d}" for number in range(0, 7 * ROWS, 7)]
    found = bought(pd.DataFrame({"x": texts})).schema["x"]
    assert isinstance(found, Ordered)
    assert found.lo <= whole <= found.hi
    assert found.resolution is not None
    assert (found.hi - found.lo) / found.resolution <= MOST_STEPS < 11 * (found.hi - found.lo) / found.resolution
    _, synthesizer = odp.synthesize_raw(
        pd.DataFrame({"x": texts}), epsilon=2, delta="1e-6", source=SeededRandomness(1), workload="marginals:1"
    )
    assert synthesizer.sample(5, seed=0).shape == (5, 1)


@pytest.mark.parametrize(
    "texts", [["100000:00:00", "999999:59:59"], ["30000:00", "999999:30"]], ids=["seconds", "minutes"]
)
def test_the_longest_durations_have_bounds_that_can_be_read(texts: list[str]) -> None:
    found = bought(pd.DataFrame({"x": texts * (ROWS // 2)})).schema["x"]
    assert (found.kind, str(found.to_json()["hi"])[:9]) == ("duration", "999999:59")
    assert odp.Schema({"x": found.to_json()})["x"] == found


def test_short_forms() -> None:
    schema = odp.Schema({"a": "integer -5..5", "b": "numeric 0..1 by 0.1?", "c": "x | y | other: z", "d": "boolean"})
    assert schema.sizes == (11, 12, 3, 2)
    assert odp.Schema(schema.to_json()) == schema
    for line, problem in (("integer", "short form"), ("numeric 0..1", "how finely"), ("integer 5..1", "less than hi")):
        with pytest.raises(OracleDPError, match=problem):
            odp.Schema({"a": line})


def test_columns_that_call_themselves_ids_are_left_out_for_nothing() -> None:
    frame = pd.DataFrame({"patient_id": range(2000), "paid": [1, 2] * 1000, "UUID": ["x"] * 2000})
    found = odp.infer_schema(frame, epsilon=1, delta="1e-6", source=SeededRandomness(0))
    assert found.schema.names == ("paid",)
    assert all("(--person, person=)" in found.left_out[name] for name in ("patient_id", "UUID"))
    assert found.paid["paid"].startswith("100%")


def test_the_spelling_of_texts_is_bought_with_their_kinds() -> None:
    rng = np.random.default_rng(0)
    gone = rng.random(ROWS) < 0.3
    frame = pd.DataFrame(
        {
            "fixed": [f"{value:.2f}" for value in rng.exponential(9, ROWS)],
            "whole": [f"{value}.0" for value in rng.integers(2, 90, ROWS)],
            "marked": np.where(gone, " ?", rng.choice([" a", " b"], ROWS)),
            "none": np.where(gone, "None", rng.choice(["x", "y"], ROWS)),
            "us": [
                f"{m:02d}/{d:02d}/2020"
                for m, d in zip(rng.integers(1, 13, ROWS), rng.integers(1, 29, ROWS), strict=True)
            ],
            "wait": [f"{value // 60}:{value % 60:02d}" for value in rng.integers(0, 900, ROWS)],
            "rare": np.where(np.arange(ROWS) < 3, "yes", "no"),
            "month": rng.choice(["may", "jun", "jul"], ROWS),
        }
    )
    schema = bought(frame, epsilon=8).schema.to_json()["columns"]
    assert (schema["fixed"]["kind"], schema["fixed"]["places"]) == ("decimal", 2)
    assert (schema["whole"]["kind"], schema["whole"]["resolution"]) == ("numeric", 1)
    assert "places" not in schema["whole"]
    assert (schema["marked"]["missing"], schema["none"]["missing"]) == (" ?", "None")
    assert schema["us"]["format"] == "%m/%d/%Y"
    assert (schema["wait"]["kind"], schema["wait"]["format"]) == ("duration", "%-H:%M")
    assert schema["rare"]["values"] == ["no", "yes"]
    assert len(schema["month"]["values"]) == 12


def test_a_list_that_is_completed_keeps_room_for_what_is_not_on_it() -> None:
    texts = ["no"] * 4000 + ["yes"] * 3000 + [f"unlike {number}" for number in range(900)]
    column = bought(pd.DataFrame({"x": texts})).schema["x"]
    assert column.labels == ("no", "yes", "other")


def test_a_narrow_column_far_from_zero_gets_bounds_close_to_it() -> None:
    generator = np.random.default_rng(5)
    years = {
        "year": generator.integers(2010, 2021, 5000),
        "second": generator.integers(1_646_000_000, 1_706_000_000, 5000),
    }
    for seed in range(5, 9):
        found = bought(pd.DataFrame(years), epsilon="0.3", source=SeededRandomness(seed)).schema.to_json()["columns"]
        assert 1500 <= found["year"]["lo"] <= 2010 <= 2020 <= found["year"]["hi"] <= 2500
        assert found["second"]["lo"] <= 1_646_000_000 <= 1_706_000_000 <= found["second"]["hi"] <= 10**10


def test_bounds_of_a_signed_column_reach_as_far_up_as_down() -> None:
    amounts = np.random.default_rng(3).normal(-2500, 1800, 5000).round(2)
    for seed in range(4):
        found = bought(pd.DataFrame({"balance": amounts}), epsilon="0.1", source=SeededRandomness(seed)).schema
        assert found["balance"].to_json()["hi"] >= amounts.max()


def test_many_faint_cells_beside_one_that_stands_out_are_not_cut_off() -> None:
    edges = [Fraction(edge) for edge in range(1000, 1065)]
    alone, beside = np.zeros(64, dtype=np.int64), np.full(64, 30, dtype=np.int64)
    alone[30] = beside[30] = 5000
    known = [(float(counts.sum()), 20.0) for counts in (alone, beside)]
    assert narrowed(alone, 20.0, edges, Fraction(1, 100), known[0]) == (Fraction(1028), Fraction(1033))
    assert narrowed(beside, 20.0, edges, Fraction(1, 100), known[1]) is None


def test_one_cell_that_noise_lets_stand_out_does_not_clip_all_others() -> None:
    """Of 5,600 rows with noise of 600 a cell in 64: one at five deviations is alone, and holds a few hundred rows."""
    edges = [Fraction(edge) for edge in range(1000, 1065)]
    counts = np.random.default_rng(2).normal(87, 600, 64).clip(-1500, 1500).astype(np.int64)
    counts[30] = 3100
    assert narrowed(counts, 600.0, edges, Fraction(1, 100), (5600.0, 300.0)) is None
    assert narrowed(counts, 600.0, edges, Fraction(1, 100), (1900.0, 10.0)) is not None


def test_what_is_missing_from_a_list_is_not_taken_for_its_first_text() -> None:
    answers = pd.DataFrame({"yes": ["No"] * 3500 + ["Yes"] * 1000 + [None] * 500})
    for seed in range(4):
        column = bought(answers, epsilon="0.05", source=SeededRandomness(seed)).schema["yes"]
        assert column.nullable


@pytest.mark.parametrize("midnights", [1.0, 0.5, 0.2, 0.0])
def test_time_stamps_of_a_typed_source_stay_so_though_many_are_midnights(midnights: float) -> None:
    """Typed sources spell a midnight as its day: nobody can tell them apart there."""
    generator = np.random.default_rng(4)
    days = pd.Timestamp("2015-01-01") + pd.to_timedelta(generator.integers(0, 2000, 5000), unit="D")
    times = pd.to_timedelta(
        np.where(generator.random(5000) < midnights, 0, generator.integers(1, 86400, 5000)), unit="s"
    )
    frame = pd.DataFrame({"at": days + times})
    found = bought(frame, epsilon=1)
    assert found.schema["at"].kind == ("date" if midnights == 1 else "timestamp")
    _, synthesizer = odp.synthesize_raw(frame, epsilon=2, delta="1e-6", source=SeededRandomness(1))
    made = pd.to_datetime(synthesizer.sample(2000, seed=0)["at"], format="ISO8601")
    assert abs((made.dt.normalize() == made).mean() - midnights) < (0.05 if midnights == 1 else 1)
    assert made.between("2014-06-01", "2021-01-01").mean() > 0.95


def test_a_time_with_a_zone_is_left_out_and_the_reason_names_zones() -> None:
    times = pd.date_range("2023-01-01", periods=ROWS, freq="3h", tz="Europe/Berlin")
    found = bought(pd.DataFrame({"seen": times, "paid": [1, 2] * (ROWS // 2)}))
    assert "times with a zone" in found.left_out["seen"]
