from __future__ import annotations

import shutil

import pytest

from anonymizer import Policy, anonymize
from anonymizer.errors import PolicyError
from anonymizer.studio.folder import Folder
from anonymizer.studio.session import Session


def test_a_policy_in_another_folder_is_copied_with_its_paths(folder, tmp_path):
    text = (folder / "policy.toml").read_text(encoding="utf-8")
    spec = folder / "specs" / "sex.toml"
    spec.parent.mkdir()
    spec.write_text('builder = "mapping"\nvalues = ["female", "male"]\n', encoding="utf-8")
    inline = '{ builder = "mapping", values = ["female", "male"] }'
    (folder / "mine.toml").write_text(text.replace(inline, '"specs/sex.toml"'), encoding="utf-8")
    chosen = Folder(tmp_path / "other" / "place")
    chosen.adopt(folder / "mine.toml")
    copied = chosen.policy.read_text(encoding="utf-8")
    assert "# A policy with comments." in copied
    assert 'path = "../../chosen/patients.csv"' in copied
    moved, original = anonymize(None, chosen.policy), anonymize(None, folder / "mine.toml")
    assert (moved.scheme, moved.loss) == (original.scheme, original.loss)
    with pytest.raises(PolicyError, match="there already"):
        chosen.adopt(folder / "mine.toml")


def test_a_policy_whose_models_read_files_stays_where_it_is(folder, tmp_path):
    path = folder / "policy.toml"
    text = path.read_text(encoding="utf-8").replace(
        'model = "k-anonymity"', 'model = "k-map"\npopulation_table = "patients.csv"'
    )
    path.write_text(text, encoding="utf-8")
    assert Policy.read(path)
    with pytest.raises(PolicyError, match="leave out --out"):
        Folder(tmp_path / "other").adopt(path)


def test_a_table_goes_on_with_the_policy_of_the_folder_if_it_is_about_it(folder, tmp_path):
    session = Session(Folder(folder))
    session.open(folder / "patients.csv")
    assert "# A policy with comments." in session.opened.text
    session.close()
    other = tmp_path / "other.csv"
    shutil.copy(folder / "patients.csv", other)
    session = Session(Folder(folder))
    with pytest.raises(PolicyError, match="about another table"):
        session.open(other)
    session.close()
