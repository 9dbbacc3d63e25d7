"""A header that cannot be right is refused before anything is paid, with what to do about it."""

from pathlib import Path

import pytest

from in_process import invoke


@pytest.mark.parametrize(
    ("header", "said"), [("user_id,record_uuid", "call themselves ids"), ("age;job;town", "--delimiter")]
)
def test_a_header_that_cannot_be_right_costs_nothing(
    header: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, budget = tmp_path / "rows.csv", tmp_path / "budget.json"
    data.write_text(header + "\n" + header.replace("user_id", "7") + "\n")
    assert invoke(capsys, "budget", "create", str(budget), "--epsilon", "3", "--delta", "1e-5")[0] == 0
    before = budget.read_bytes()
    options = ["--epsilon", "1", "--delta", "1e-6", "--ledger", str(budget)]
    made = ["--infer-schema", str(tmp_path / "s.yaml"), "--out", str(tmp_path / "o.csv")]
    code, _, err = invoke(capsys, "synth", str(data), *made, *options)
    assert (code, said in err) == (2, True)
    assert budget.read_bytes() == before


@pytest.mark.parametrize(("header", "given"), [("age;job", []), ("age\tjob", []), ("age,job", ["--delimiter", ";"])])
@pytest.mark.parametrize("bought", [True, False])
def test_a_wrong_delimiter_is_named_with_a_schema_and_without(
    header: str, given: list[str], bought: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where names could be cut by a comma, they may as well hold one: with a schema the missing column is named."""
    data, schema = tmp_path / "rows.csv", tmp_path / "s.yaml"
    data.write_text(header + "\n" + header.replace("age", "7") + "\n")
    (tmp_path / "known.yaml").write_text("columns: {age: integer 0..9}\n")
    options = ["--infer-schema", str(schema)] if bought else ["--schema", str(tmp_path / "known.yaml")]
    made = ["--epsilon", "1", "--delta", "1e-6", "--out", str(tmp_path / "o.csv"), *given]
    code, _, err = invoke(capsys, "synth", str(data), *options, *made)
    assert code == 2
    assert len(err.splitlines()) == 1
    assert ("give the --delimiter" in err) == (bought or not given)
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize(
    ("header", "options", "warned"),
    [
        ("31,m", [], True),
        ("ada,2024-03-05", [], True),
        ("age,sex", [], False),
        ("31,m", ["--names", "age,sex"], False),
    ],
)
@pytest.mark.parametrize("rows", [True, False])
def test_a_record_that_became_names_is_noticed(
    header: str, options: list[str], warned: bool, rows: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No refusal, since numbers can be names; but whoever shares the files should know."""
    data, schema = tmp_path / "rows.csv", str(tmp_path / "s.yaml")
    data.write_text(header + "\n" + "31,m\n44,f\n" * 1000)
    asked = ["--epsilon", "2", "--delta", "1e-6", "--seed", "1", "--insecure-seed", *options]
    made = ["synth", str(data), "--infer-schema", schema, "--out", str(tmp_path / "o.csv"), "--workload", "marginals:1"]
    code, _, err = invoke(capsys, *(made if rows else ["schema", "infer", str(data), "--out", schema]), *asked)
    assert code == 0
    assert ("if it is a record, do not share" in err) == warned
