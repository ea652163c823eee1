from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from anonymizer import Policy, anonymize, verify, write_release
from anonymizer.data.opening import open_table
from anonymizer.errors import PolicyError
from tests.studio.conftest import POLICY, patients


def with_release(stated: str) -> str:
    return POLICY.replace("[release]\n", f"[release]\n{stated}")


def policy_for(folder: Path, name: str, file: str) -> Policy:
    text = with_release(f'file = "{file}"\n').replace("patients.csv", name)
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return Policy.read(path)


@pytest.mark.parametrize(("name", "file"), [("a.csv", "parquet"), ("a.parquet", "csv")])
def test_a_release_of_another_kind_has_the_same_cells_and_is_verified(tmp_path, name, file):
    frame = patients()
    (frame.to_csv if name == "a.csv" else frame.to_parquet)(tmp_path / name, index=False)
    policy = policy_for(tmp_path, name, file)
    solution = anonymize(None, policy)
    files = write_release(solution, tmp_path / "other", seed=1)
    assert Path(files["release"]).name == f"release.{file}"
    assert verify(files["release"], policy, against=tmp_path / name).passed
    own = policy.model_copy(update={"release": policy.release.model_copy(update={"file": None})})
    same = write_release(anonymize(None, own), tmp_path / "own", seed=1)
    assert Path(same["release"]).suffix == Path(name).suffix
    one, two = (read_texts(Path(each["release"])) for each in (files, same))
    pd.testing.assert_frame_equal(one, two)


def read_texts(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
        return table.cast(
            pa.schema([(name, pa.string()) for name in table.column_names])
        ).to_pandas()
    return pd.read_csv(path, dtype=str)


def test_a_compressed_table_stays_so_where_its_own_kind_is_asked_for(tmp_path):
    patients(20).to_csv(tmp_path / "a.csv.gz", index=False)
    table = open_table(tmp_path / "a.csv.gz")
    assert table.file_name("csv") == table.file_name() == "release.csv.gz"
    assert table.file_name("parquet") == "release.parquet"


def test_a_release_that_is_a_file_and_a_table_or_of_no_known_kind_is_refused(tmp_path):
    for stated in ('file = "csv"\ntable = "t"\n', 'file = "pdf"\n'):
        (tmp_path / "policy.toml").write_text(with_release(stated), encoding="utf-8")
        with pytest.raises(PolicyError, match=r"a file or a table|'pdf' is unknown"):
            Policy.read(tmp_path / "policy.toml")
