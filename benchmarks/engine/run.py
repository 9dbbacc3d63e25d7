"""``python benchmarks/engine/run.py``: the same as ``python -m benchmarks.engine``, from any folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.engine.__main__ import main

if __name__ == "__main__":
    main()
