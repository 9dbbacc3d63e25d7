"""Execute the notebooks and write each as a page; a cell that fails stops the build.

A notebook is kept as a Python file with ``# %% [markdown]`` and ``# %%`` cells, which any editor and any diff can read.

python docs/tools/notebooks.py            execute all, write .ipynb with output and .md
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"


def read(path: Path) -> nbformat.NotebookNode:
    """The cells of a Python file as a notebook."""
    cells = []
    for kind, text in re.findall(r"^# %%( \[markdown\])?\n(.*?)(?=^# %%|\Z)", path.read_text("utf-8"), re.M | re.S):
        if kind:
            cells.append(nbformat.v4.new_markdown_cell(re.sub(r"^# ?", "", text.strip(), flags=re.M)))
        else:
            cells.append(nbformat.v4.new_code_cell(text.strip()))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return nbformat.v4.new_notebook(cells=cells)


def execute(notebook: nbformat.NotebookNode) -> None:
    """Run every cell in a scratch folder."""
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()


def page(notebook: nbformat.NotebookNode, name: str) -> str:
    """Markdown with what each cell printed or showed."""
    parts = [f"*Executed when this site was built. [Download the notebook]({name}.ipynb).*"]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.insert(0 if len(parts) == 1 else len(parts), cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [_shown(output) for output in cell.outputs]
    return "\n\n".join(part for part in parts if part) + "\n"


def _shown(output: nbformat.NotebookNode) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="output" src="data:image/png;base64,{data["image/png"].strip()}">'
    if "text/html" in data:
        return "<div>" + re.sub(r"\n\s*\n", "\n", data["text/html"]) + "</div>"
    return f"```text\n{data.get('text/plain', '')}\n```"


def main() -> None:
    """Every notebook, in order. Cells that call the command line find the one of this environment."""
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for path in sorted(FOLDER.glob("*.py")):
        notebook = read(path)
        execute(notebook)
        nbformat.write(notebook, path.with_suffix(".ipynb"))
        path.with_suffix(".md").write_text(page(notebook, path.stem), encoding="utf-8")
        print(f"executed {path.name}")


if __name__ == "__main__":
    main()
