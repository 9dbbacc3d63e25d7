"""Every page in a real browser: nothing fetched, nothing broken, nothing cut off, readable in both schemes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from page_examples import HOSTILE

KINDS = ("synthetic", "game", "rule", "internal")

# The contrast of every visible text with the nearest opaque background, by the WCAG formula; the least, and where.
CONTRAST = """() => {
  const rgba = text => {
    const found = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [...found.slice(0, 3).map(v => v * scale), found.length > 3 ? found[3] : 1];
  };
  const light = rgb => rgb.slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => {
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  let least = [21, ''];
  for (const node of document.querySelectorAll('body *')) {
    if (![...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())) continue;
    if (!node.getClientRects().length) continue;
    const style = getComputedStyle(node);
    const ink = light(rgba(node instanceof SVGElement ? style.fill : style.color));
    const paper = light(behind(node));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < least[0]) least = [ratio, node.tagName + ': ' + node.textContent.slice(0, 40)];
  }
  return least;
}"""


@contextmanager
def opened(browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> Iterator[Any]:
    """The page in a fresh window; afterwards, no message and no request but for the page itself."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("dialog", lambda dialog: messages.append("dialog"))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    yield page
    assert messages == []
    assert requests == [path.as_uri()]
    context.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_off_the_side(browser: Any, pages: dict[str, Path], kind: str, width: int) -> None:
    with opened(browser, pages[kind], width) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("[...document.querySelectorAll('figure')].every(f => f.scrollWidth <= f.clientWidth + 1)")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(browser: Any, pages: dict[str, Path], kind: str, scheme: str) -> None:
    with opened(browser, pages[kind], scheme=scheme) as page:
        ratio, where = page.evaluate(CONTRAST)
        assert ratio >= 4.5, where
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
        assert dark == (scheme == "dark")


def test_contrast_can_fail(browser: Any, tmp_path: Path) -> None:
    faint = tmp_path / "faint.html"
    faint.write_text('<body style="background:#fff"><p>ink</p><p style="color:#aaa">faint</p>', encoding="utf-8")
    with opened(browser, faint) as page:
        ratio, where = page.evaluate(CONTRAST)
        assert ratio < 4.5
        assert "faint" in where


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_text_not_markup(browser: Any, pages: dict[str, Path], kind: str) -> None:
    with opened(browser, pages[kind]) as page:
        assert page.locator("script").count() == 0
        assert page.locator("main h1").count() == 1
        if kind != "rule":
            assert page.get_by_text(HOSTILE, exact=False).count() > 0
            assert page.locator("td b, figcaption b").count() == 0


def test_release_pages_have_their_parts(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["synthetic"]) as page:
        headings = page.locator("h2").all_text_contents()
        assert headings[:4] == ["What it promises", "Columns", "What was measured", "How the fit went"]
        assert page.locator("table").count() >= 4
        assert page.locator(".warning").is_visible()  # the example is seeded, so its page must not promise privacy
        assert page.locator(".banner").count() == 0


def test_the_games_page_lists_its_rounds(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["game"]) as page:
        assert "How the game went" in page.locator("h2").all_text_contents()
        assert page.locator("table").nth(2).locator("tr").count() == 9
        assert page.locator(".warning").is_visible()


def test_the_internal_page_says_what_it_is_wherever_one_looks(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["internal"]) as page:
        assert page.title().startswith("INTERNAL – NOT PRIVATE")
        banner = page.locator(".banner")
        assert banner.inner_text() == "INTERNAL – NOT PRIVATE"
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        box = banner.bounding_box()
        assert box is not None
        assert box["y"] == 0
        assert page.evaluate("scrollY") > 0


def test_the_internal_page_compares(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["internal"]) as page:
        workloads = page.locator("table").nth(0).locator("tr td:first-child").all_text_contents()
        assert workloads == [
            "marginals of 1 column",
            "marginals of 2 columns",
            "marginals of 3 columns",
            "random conjunctions",
            "random disjunctions",
            "random parities",
            "random halfspaces",
        ]
        assert page.locator(".cards figure").count() == 10
        assert page.locator("figure.across svg").count() == 12
        assert page.locator("table.map tr").count() == 11


def test_wide_tables_scroll_by_keyboard(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["internal"], 390) as page:
        wide = page.locator(".wide:has(.map)")
        wide.focus()
        before = wide.evaluate("node => node.scrollLeft")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("before => document.activeElement.scrollLeft > before", arg=before, timeout=5000)


@pytest.mark.parametrize("kind", KINDS)
def test_on_paper_a_page_is_black_on_white_without_links(browser: Any, pages: dict[str, Path], kind: str) -> None:
    with opened(browser, pages[kind], scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert page.locator(".contents:visible").count() == 0


@pytest.mark.parametrize("kind", ["synthetic", "game", "rule"])
def test_the_head_of_a_page_says_the_most_important_things(browser: Any, pages: dict[str, Path], kind: str) -> None:
    with opened(browser, pages[kind]) as page:
        facts = page.locator(".summary dt").all_text_contents()
        assert {"What it is", "Privacy", "Depends on"} <= set(facts)
        assert "None: the noise came from a seed" in page.locator(".summary").inner_text()
        links = page.locator(".contents a")
        assert links.count() == page.locator("h2").count()
        for place in range(links.count()):
            assert page.locator(str(links.nth(place).get_attribute("href"))).count() == 1


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_named_and_have_headings(browser: Any, pages: dict[str, Path], kind: str) -> None:
    with opened(browser, pages[kind]) as page:
        assert page.locator("th:not([scope])").count() == 0
        assert page.evaluate("[...document.querySelectorAll('[role=region]')].every(r => r.getAttribute('aria-label'))")
