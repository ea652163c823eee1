from __future__ import annotations

from anonymizer.data.shipped import specs_folder


def test_the_shipped_hierarchies_are_there() -> None:
    assert (specs_folder() / "demo" / "age.toml").is_file()
