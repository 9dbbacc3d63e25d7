"""How many files a command runs through, as docs/architecture.md says it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
COMMON = ("people.csv", "--schema", "people.yaml", "--epsilon", "1", "--quiet")
COMMANDS = {
    "learn": ("learn", *COMMON, "--target", "ill", "--out", "rule.json", "--report", "rule.html"),
    "synth": ("synth", *COMMON, "--delta", "1e-6", "--out", "rows.csv", "--report", "rows.html"),
}
COUNTING = """
import json, sys
from pathlib import Path
import oracledp
from oracledp.cli import cli

home, met, importing = str(Path(oracledp.__file__).parent), set(), 0

def listen(frame, event, argument):
    global importing
    code = frame.f_code
    if not code.co_filename.startswith(home):
        return
    if code.co_name == "<module>":
        importing += (event == "call") - (event == "return")
    elif event == "call" and not importing:
        met.add(code.co_filename[len(home) + 1 :])

sys.setprofile(listen)
cli.main(sys.argv[1:], standalone_mode=False)
sys.setprofile(None)
print(json.dumps(sorted(met)))
"""


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_runs_through_no_more_files_than_the_page_says(command: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("smoker,ill\n" + "1,1\n0,0\n" * 50, encoding="utf-8")
    (tmp_path / "people.yaml").write_text("columns: {smoker: {kind: boolean}, ill: {kind: boolean}}", encoding="utf-8")
    line = [sys.executable, "-c", COUNTING, *COMMANDS[command]]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    met = json.loads(done.stdout.splitlines()[-1])
    found = re.search(rf"`{command}` (\d+) files in (\d+) rooms", PAGE)
    assert found, f"the page does not say how many files {command} runs through"
    assert len(met) <= int(found[1]), met
    assert len({name.split("/")[0] for name in met}) <= int(found[2]), met
