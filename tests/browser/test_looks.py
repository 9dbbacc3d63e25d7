"""A page that looks other than it did is seen: both are drawn by the same browser, wide, narrow, dark and on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from looks import CLASSES, KEPT, look

VIEWS = {"wide": (1280, "light"), "tablet": (820, "light"), "phone": (390, "dark"), "paper": (794, "light")}


def picture(browser: Any, html: str, view: str) -> bytes:
    width, scheme = VIEWS[view]
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    if view == "paper":
        page.emulate_media(media="print")
    page.set_content(html)
    drawn = bytes(page.screenshot(full_page=True))
    page.close()
    return drawn


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_page_looks_as_it_did(browser: Any, tmp_path: Path, kind: str, view: str) -> None:
    now = picture(browser, look(kind), view)
    if now != picture(browser, (KEPT / f"{kind}.html").read_text("utf-8"), view):
        (tmp_path / f"{kind}-{view}.png").write_bytes(now)
        pytest.fail(
            f"it looks different: {tmp_path}/{kind}-{view}.png; if that is meant: python tests/browser/looks.py"
        )


@pytest.mark.parametrize("view", VIEWS)
def test_a_change_of_one_pixel_is_seen(browser: Any, view: str) -> None:
    page = look("card")
    other = page.replace("</head>", "<style>h2{margin-left:1px!important}</style></head>")
    assert picture(browser, page, view) == picture(browser, page, view)
    assert picture(browser, page, view) != picture(browser, other, view)
