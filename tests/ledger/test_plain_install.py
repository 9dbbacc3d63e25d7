"""What is installed without any extra keeps ledgers in files; servers, signatures and the console name their extra."""

import subprocess
import sys
from pathlib import Path

BLOCKED = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"psycopg", "fastapi", "starlette", "uvicorn", "multipart", "cryptography", "nacl",
                                  "dp_accounting", "pandas", "polars", "pyarrow", "pyspark", "sklearn", "pydantic"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
from oracledp.cli import main
sys.argv = ["oracledp", *sys.argv[1:]]
main()
"""


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", BLOCKED, *words], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_a_ledger_in_a_file_needs_no_extra(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("id,a,y\n" + "1,1,1\n2,0,0\n" * 20)
    (tmp_path / "schema.yaml").write_text("columns: {a: {kind: boolean}, y: {kind: boolean}}")
    create = ("budget", "create", "ledger", "--epsilon", "1", "--delta", "1e-6", "--unit", "person", "--witness", "w")
    assert run(tmp_path, *create)[0] == 0
    learn = ("learn", "data.csv", "--schema", "schema.yaml", "--target", "y", "--epsilon", "0.1", "--person", "id")
    for number in range(2):
        card = ("--ledger", "ledger", "--out", f"{number}.json", "--card", f"{number}.card")
        code, out, err = run(tmp_path, *learn, *card)
        assert (code, err) == (0, ""), err
        assert "any one person (all rows with one id)" in out
    assert run(tmp_path, "verify", "1.card", "--ledger", "ledger")[0] == 0
    assert "together: epsilon 0.2" in run(tmp_path, "budget", "show", "ledger")[1]
    assert "not recorded: no --ledger was named" in run(tmp_path, *learn)[2]


def test_what_needs_an_extra_says_which(tmp_path: Path) -> None:
    for words, extra in (
        (("budget", "show", "postgresql://me@host/db?ledger=x"), "postgres"),
        (("budget", "key", "my.key"), "signing"),
        (("serve", "console"), "console"),
    ):
        code, _, err = run(tmp_path, *words)
        assert code == 2
        assert f"oracledp[{extra}]" in err
