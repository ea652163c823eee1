"""What mkdocs does beside rendering: generated blocks, files from elsewhere, a check for requests."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.generate import fill  # noqa: E402 - only now can it be found

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
PICTURES = (
    "results/demo/solution.svg",
    "results/demo/assessment.svg",
    "results/benchmark/frontier.png",
    "results/benchmark/growth.png",
    "results/benchmark/gap_over_time.png",
    "results/benchmark/cluster.png",
    "results/estimators/uniques.png",
    "results/studio/start.png",
    "results/studio/unreadable.png",
    "results/studio/hierarchies.png",
    "results/studio/explore.png",
    "results/studio/rows.png",
    "results/studio/utility.png",
    "results/studio/risk.png",
    "results/studio/release.png",
    "results/studio/explore-narrow.png",
    "results/evidence/evidence.png",
    "results/attacks/attacks.png",
)
REPORTS = ("results/simon2020/assessment.html", "results/kitamura/published.html")
"""Pages that experiments made, for the gallery."""
OUTSIDE = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc\s*=\s*["']?(?:https?:)?//"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref\s*=\s*["']?(?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//""",
    re.IGNORECASE,
)
"""What makes a browser fetch something from another machine; a link that is only followed does not."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures that live elsewhere in the repository."""
    from mkdocs.structure.files import File

    for name, source in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    for made in (*PICTURES, *REPORTS):
        files.append(File.generated(config, made, abs_src_path=str(ROOT / made)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put what is generated from the code in its place."""
    return fill(markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Fail where a page would ask another machine for something."""
    found = list(outside_requests(Path(config.site_dir)))
    if found:
        raise SystemExit("the site asks for something from outside:\n" + "\n".join(found))


def outside_requests(site: Path) -> Iterator[str]:
    """List the files of a site that would make a browser fetch something from elsewhere."""
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        for request in OUTSIDE.finditer(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: {request[0]}"
