"""Make docs/card.png: the card of the tutorial as its page shows it, in a real browser.

python docs/tools/picture.py CHROMIUM
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

TARGET = Path(__file__).parents[1] / "card.png"
LEARN = ("learn", "visits.csv", "--schema", "visits.yaml", "--target", "ill", "--epsilon", "1", "--report", "card.html")


def main() -> None:
    """Learn a card from the made-up visits and photograph the head of its page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as browsers:
        for words in (("example",), LEARN):
            subprocess.run(["oracledp", *words], cwd=folder, check=True, capture_output=True)
        browser = browsers.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 980}, color_scheme="light")
        page.goto((Path(folder) / "card.html").as_uri())
        table = page.locator("table").first.bounding_box()
        assert table is not None
        bottom = table["y"] + table["height"] + 12
        page.screenshot(path=TARGET, full_page=True, clip={"x": 0, "y": 0, "width": 900, "height": bottom})
        browser.close()


if __name__ == "__main__":
    main()
