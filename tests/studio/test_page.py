"""What the studio's page writes by itself is what the package writes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import anonymizer
from anonymizer.errors import percent

SHARES = [
    0,
    1e-6,
    0.00012,
    0.00099,
    0.001,
    0.184,
    0.5,
    0.99,
    0.9994,
    0.9996,
    0.9999,
    1,
    1.0003,
    1.2,
    -0.1,
]
PAGE = Path(anonymizer.__file__).parent / "studio" / "page"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_writes_shares_as_the_reports_do(tmp_path: Path) -> None:
    shutil.copy(PAGE / "dom.js", tmp_path / "dom.mjs")
    (tmp_path / "ask.mjs").write_text(
        'import { share } from "./dom.mjs";\n'
        f"console.log(JSON.stringify({json.dumps(SHARES)}.map(share)));\n"
    )
    found = subprocess.run(["node", tmp_path / "ask.mjs"], capture_output=True, check=True).stdout
    assert json.loads(found) == [percent(share) for share in SHARES]
