"""Tables that a newcomer might bring: each is answered by a file, or by one line that says what to do."""

from pathlib import Path

import numpy as np
import pytest

from in_process import invoke

SEED = ["--seed", "1", "--insecure-seed"]
BUDGET = ["--epsilon", "1", "--delta", "1e-6"]
Captured = pytest.CaptureFixture[str]


def written(path: Path, header: str, rows: list[str]) -> str:
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def infer(capsys: Captured, data: str, out: Path) -> tuple[int, str]:
    code, _, err = invoke(capsys, "schema", "infer", data, *BUDGET, *SEED, "--out", str(out))
    return code, err


def synth(capsys: Captured, data: str, schema: Path, *more: str) -> tuple[int, str, list[str]]:
    out = schema.with_suffix(".out.csv")
    words = ["synth", data, "--schema", str(schema), *BUDGET, *SEED, "--quiet", "--out", str(out), *more]
    code, _, err = invoke(capsys, *words)
    return code, err, out.read_text().splitlines() if out.exists() else []


def test_ids_and_free_text_are_refused_by_name_and_reason(tmp_path: Path, capsys: Captured) -> None:
    rows = [f"{i},{i * 7919 % 10007:x}-{i},seen {i} times on day {i * 31 % 977}" for i in range(3000)]
    code, err = infer(capsys, written(tmp_path / "ids.csv", "patient_id,code,note", rows), tmp_path / "s.yaml")
    assert code == 4
    assert len(err.strip().splitlines()) == 1
    for words in ("'patient_id': its name says that it is an id", "'code': no value is common enough", "'note'"):
        assert words in err
    assert not (tmp_path / "s.yaml").exists()


def test_fifty_rows_are_too_few_for_a_bought_schema(tmp_path: Path, capsys: Captured) -> None:
    rows = [f"{'xy'[i % 2]},{i % 10}" for i in range(50)]
    data = written(tmp_path / "few.csv", "a,b", rows)
    code, err = infer(capsys, data, tmp_path / "s.yaml")
    assert code == 4
    assert "'a': no values, or too few rows for this budget" in err
    (tmp_path / "own.yaml").write_text("a: x | y\nb: integer 0..9\n")
    code, err, lines = synth(capsys, data, tmp_path / "own.yaml")
    assert code == 0, err
    assert len(lines) > 1


def test_one_column_and_a_column_of_one_value(tmp_path: Path, capsys: Captured) -> None:
    rng = np.random.default_rng(0)
    single = written(tmp_path / "single.csv", "n", [str(n) for n in rng.integers(0, 90, 5000)])
    assert infer(capsys, single, tmp_path / "single.yaml")[0] == 0
    code, err, lines = synth(capsys, single, tmp_path / "single.yaml")
    assert code == 0, err
    assert abs(np.mean([int(line) for line in lines[1:]]) - 44.5) < 3
    same = written(tmp_path / "same.csv", "a,n", [f"same,{n}" for n in rng.integers(0, 9, 5000)])
    assert infer(capsys, same, tmp_path / "same.yaml")[0] == 0
    code, err, lines = synth(capsys, same, tmp_path / "same.yaml")
    assert code == 0, err
    assert np.mean([line.startswith("same,") for line in lines[1:]]) > 0.98


def test_two_thousand_categories_keep_the_common_ones(tmp_path: Path, capsys: Captured) -> None:
    rng = np.random.default_rng(0)
    codes = np.minimum(rng.pareto(0.6, 20000), 1999).astype(int)
    data = written(tmp_path / "many.csv", "code", [f"c{code}" for code in codes])
    assert infer(capsys, data, tmp_path / "s.yaml")[0] == 0
    code, err, lines = synth(capsys, data, tmp_path / "s.yaml")
    assert code == 0, err
    assert abs(np.mean([line == "c0" for line in lines[1:]]) - np.mean(codes == 0)) < 0.02
    assert "other" in lines


def test_reversed_bounds_and_unknown_categories_are_named(tmp_path: Path, capsys: Captured) -> None:
    data = written(tmp_path / "t.csv", "age,a", [f"{18 + i % 60},x" for i in range(500)])
    (tmp_path / "turned.yaml").write_text("columns:\n  age: {kind: integer, lo: 90, hi: 18}\n")
    code, err, _ = synth(capsys, data, tmp_path / "turned.yaml")
    assert code == 2
    assert err.strip().endswith("column 'age', key 'lo': must be less than hi")
    (tmp_path / "unknown.yaml").write_text("age: integer 0..120\na: p | q\n")
    code, err, _ = synth(capsys, data, tmp_path / "unknown.yaml", "--strict")
    assert code == 2
    assert "column 'a': 500 rows are not among the listed values; the first at line 2" in err
    assert synth(capsys, data, tmp_path / "unknown.yaml")[0] == 0


def test_a_column_may_be_called_kind(tmp_path: Path, capsys: Captured) -> None:
    data = written(tmp_path / "t.csv", "kind,n", [f"{'xy'[i % 2]},{i % 10}" for i in range(500)])
    for number, text in enumerate(("kind: x | y\nn: integer 0..9\n", "columns:\n  kind: x | y\n  n: integer 0..9\n")):
        schema = tmp_path / f"{number}.yaml"
        schema.write_text(text)
        code, err, lines = synth(capsys, data, schema)
        assert code == 0, err
        assert lines[0] == "kind,n"
