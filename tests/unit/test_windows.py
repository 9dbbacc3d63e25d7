"""What Windows lacks is hidden: everything still imports, and locks, outputs and folders work as they do elsewhere."""

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from oracledp.privacy.ledger import Ledger

# Imports everything once, with what other packages need; then forgets ours and hides what Windows has not.
AS_WINDOWS = """
import fcntl, importlib, os, pkgutil, signal, sys, types
import oracledp

def import_all():
    package = importlib.import_module("oracledp")
    return [importlib.import_module(found.name) for found in pkgutil.walk_packages(package.__path__, "oracledp.")]

class Msvcrt(types.ModuleType):
    LK_NBLCK = 2

    @staticmethod
    def locking(descriptor, mode, count, flock=fcntl.flock, how=fcntl.LOCK_EX | fcntl.LOCK_NB):
        # Windows lets nobody read what is locked, so it must be beyond the content.
        assert (mode, count) == (2, 1) and os.lseek(descriptor, 0, os.SEEK_CUR) > os.fstat(descriptor).st_size
        try:
            flock(descriptor, how)
        except BlockingIOError:
            raise PermissionError(13, "Permission denied") from None

import_all()
for name in [name for name in sys.modules if name.split(".")[0] == "oracledp" and name != "oracledp._engine"]:
    del sys.modules[name]
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
sys.modules["msvcrt"] = Msvcrt("msvcrt")
for name in ("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_TMPFILE", "geteuid", "getuid", "pathconf", "posix_fallocate"):
    delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1"):
    delattr(signal, name)
"""

SPEND = """
from fractions import Fraction
from pathlib import Path
from oracledp.errors import BudgetExceeded
from oracledp.privacy.guarantee import Guarantee, Neighbours
from oracledp.privacy.ledger import Ledger
one = Guarantee(epsilon=Fraction(1, 100), neighbours=Neighbours.REPLACE_ONE, proof="x")
ledger, done = Ledger(Path(sys.argv[1])), 0
try:
    while True:
        ledger.charge(one, "rspm")
        done += 1
except BudgetExceeded:
    print(done)
"""

FOLDERS = """
from pathlib import Path
from oracledp.scratch import PREFIX, private_folder, remove_abandoned
abandoned = Path(sys.argv[1]) / f"{PREFIX}dead"
abandoned.mkdir()
(abandoned / "spill").write_text("private")
with private_folder() as folder:
    (folder / "spill").write_text("private")
    remove_abandoned()
    print(abandoned.exists(), (folder / "spill").exists())
print(list(Path(sys.argv[1]).iterdir()))
"""

OUTPUTS = """
from pathlib import Path
from oracledp.whole_files import write_whole
place = Path(sys.argv[1]) / "rule.json"
write_whole(place, "{}")
write_whole(place, "[]")
print(place.read_text(), [path.name for path in place.parent.iterdir()])
"""


def start(program: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", AS_WINDOWS + program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})


def printed(process: subprocess.Popen[str]) -> list[str]:
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return out.splitlines()


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows needs no disguise")


def test_every_module_imports() -> None:
    program = "print(len(import_all()), hasattr(sys.modules['oracledp.cli.signals'].signal, 'SIGHUP'))"
    count, hup = printed(start(program))[-1].split()
    assert int(count) > 100
    assert hup == "False"


def test_two_processes_cannot_spend_the_same_budget(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "budget.json", epsilon=1, neighbours="replace-one")
    runs = [start(SPEND, str(ledger.path)) for _ in range(2)]
    assert sum(int(printed(run)[-1]) for run in runs) == 100
    assert ledger.spent == (Fraction(1), 0)


def test_folders_go_away_and_the_abandoned_with_them(tmp_path: Path) -> None:
    assert printed(start(FOLDERS, str(tmp_path), TMPDIR=str(tmp_path))) == ["False True", "[]"]


def test_outputs_are_whole(tmp_path: Path) -> None:
    assert printed(start(OUTPUTS, str(tmp_path))) == ["[] ['rule.json']"]
