"""Proofs of studies: the checker's meaning is the definition's, and what is wrong is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizer import anonymize, verify, write_study
from anonymizer.proof import linked
from anonymizer.proof.__main__ import main
from anonymizer.proof.case import case_of_study
from anonymizer.proof.checker import Case as Checked
from anonymizer.proof.checker import check
from anonymizer.proof.format import Closed, Proof, ProofError, parse_proof, read_proof
from anonymizer.proof.table import Unsupported
from anonymizer.proof.writer import by_engine, write_proof
from anonymizer.search import search
from tests.clinic import frames, write_clinic
from tests.proof.cases import claiming, swap
from tests.study.drawing import cases, evaluator_of
from tests.study.oracle import Case, Child, Generalized


@given(st.data(), cases())
def test_who_must_go_and_the_loss_are_those_of_the_definition(
    data: st.DataObject, case: Case
) -> None:
    assume(case.all_trees)
    scheme = data.draw(st.sampled_from(list(case.schemes())))
    evaluator, generalized = evaluator_of(case), Generalized(case, scheme)
    read, kept = case_of_study(evaluator, evaluator.study.lattice), generalized.greatest()
    gone = read.suppressed(scheme)
    assert set(np.flatnonzero(~gone).tolist()) == set(kept)
    assert (read.must_go(scheme).tuples == gone).all()
    assert read.loss(scheme, gone) == pytest.approx(generalized.loss(kept), abs=1e-12)


@given(cases(), st.integers(0, 6))
def test_the_optimum_of_a_study_is_proven(case: Case, limit: int) -> None:
    assume(case.all_trees)
    found = proven(case, limit)
    if found is not None:
        read, proof = found
        checked = check(parse_proof(proof.describe()), read)
        assert checked.schemes == len(list(case.schemes()))
        assert "whole people" in checked.claim
        assert not checked.trusted


def proven(case: Case, limit: int | None = None) -> tuple[Checked, Proof] | None:
    """Search a study, and prove what is found; None where nothing is."""
    evaluator = evaluator_of(case, limit)
    lattice = evaluator.study.lattice
    best = search(evaluator, lattice).best
    if best is None:
        return None
    read = case_of_study(evaluator, lattice)
    proof = write_proof(by_engine(read, evaluator), best.scheme)
    assert proof is not None
    assert abs(proof.claim.loss - best.loss) < 1e-12
    assert proof.claim.suppressed == best.suppressed_records
    return read, proof


TREE = {str(v): (str(v), f"{v // 2}h", f"{v // 4}x", "*") for v in range(8)}
AGES = {str(v): (str(v), f"{v // 3}t", "*") for v in range(9)}
DRAW = np.random.default_rng(3)
VISITS = tuple((int(DRAW.integers(60)), (str(DRAW.integers(8)),)) for _ in range(110))
DIAGNOSES = tuple(
    (int(DRAW.integers(110)), (str(min(int(DRAW.exponential(2)), 7)),)) for _ in range(130)
)
SMALL = Case(
    tuple((str(DRAW.integers(9)),) for _ in range(60)),
    (AGES,),
    (Child("visit", None, VISITS, (TREE,)), Child("diagnosis", 0, DIAGNOSES, (TREE,))),
    k=3,
    power=2,
    weights=(1.0, 1.0, 1.0),
)
"""Visits with diagnoses; its proof has boxes closed as bound."""


@pytest.fixture(scope="module")
def base() -> tuple[Checked, Proof]:
    found = proven(SMALL, 45)
    assert found is not None
    return found


def without_the_witness(proof: Proof) -> Proof:
    node = next(closed for _, _, closed in proof.boxes() if closed.reason == "bound")
    return swap(proof, node, Closed("plain"))


def with_a_finer_witness(proof: Proof) -> Proof:
    node = next(closed for _, high, closed in proof.boxes() if closed.witnesses and any(high))
    grown = replace(proof, witnesses=(*proof.witnesses, proof.low))
    return swap(grown, node, Closed(node.reason, (len(proof.witnesses),)))


def of_another_scheme(proof: Proof) -> Proof:
    return claiming(proof, scheme=proof.high)


SPOILED: dict[str, Callable[[Proof], Proof]] = {
    "one person more": lambda p: claiming(p, suppressed=p.claim.suppressed + 1),
    "one person fewer": lambda p: claiming(p, suppressed=p.claim.suppressed - 1),
    "a lower loss": lambda p: claiming(p, loss=p.claim.loss - 1e-9, bound=p.claim.bound - 1e-9),
    "a higher loss": lambda p: claiming(p, loss=p.claim.loss + 1e-9),
    "another scheme": of_another_scheme,
    "no witness": without_the_witness,
    "a finer witness": with_a_finer_witness,
}


@pytest.mark.parametrize("name", SPOILED)
def test_what_is_spoiled_is_refused(base: tuple[Checked, Proof], name: str) -> None:
    case, proof = base
    check(proof, case)
    with pytest.raises(ProofError):
        check(SPOILED[name](proof), case)


def test_a_release_of_a_study_has_a_proof_that_is_accepted(tmp_path: Path, run, capsys) -> None:
    policy, out = write_clinic(tmp_path), tmp_path / "out"
    status, printed, _ = run("run", policy, "--out", out, "--proof", "--json")
    assert status == 0
    assert Path(json.loads(printed)["files"]["proof"]).stat().st_mode & 0o777 == 0o600
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["proof_file"]["witnesses"] == len(read_proof(out / "proof.json").witnesses)
    checks = {check.claim: check for check in verify(out, policy, against=tmp_path).checks}
    assert "proof file checked" in checks["no scheme of the policy has a lower loss"].detail
    assert all(check.passed for check in checks.values())
    assert main([str(out), "--against", str(tmp_path)]) == 0
    assert "any suppression of whole people is better" in capsys.readouterr().out


def test_a_forged_proof_or_another_original_of_a_study_is_refused(tmp_path: Path, capsys) -> None:
    policy, out = write_clinic(tmp_path), tmp_path / "out"
    solution = anonymize(None, policy)
    proof = solution.proof_file()
    write_study(solution, out, proof=proof)
    for spoil in SPOILED.values():
        spoil(proof).write(tmp_path / "forged.json")
        found = verify(out, policy, against=tmp_path, proof=tmp_path / "forged.json")
        assert not found.passed
    frames(seed=6)["drug"].to_csv(tmp_path / "drug.csv", index=False)
    assert main([str(out), "--against", str(tmp_path)]) == 1
    assert "the table 'drug' is another one" in capsys.readouterr().err


@pytest.mark.parametrize("change", [{"k": 4}, {"power": 1}, {"power": "profile"}])
def test_the_proof_of_another_promise_is_refused(
    base: tuple[Checked, Proof], change: dict[str, int]
) -> None:
    evaluator = evaluator_of(replace(SMALL, **change), 45)
    with pytest.raises(ProofError):
        check(base[1], case_of_study(evaluator, evaluator.study.lattice))


def test_a_study_with_too_much_to_know_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator = evaluator_of(SMALL)
    rows = sum(table.rows for table in evaluator.study.tables)
    monkeypatch.setattr(linked, "MOST_SETS", rows)
    with pytest.raises(Unsupported, match=rf"sets of events, above {rows}\."):
        case_of_study(evaluator, evaluator.study.lattice)
    monkeypatch.setattr(linked, "MOST_SETS", rows - 1)
    with pytest.raises(Unsupported, match=rf"goes through {rows} rows, above {rows - 1},"):
        case_of_study(evaluator, evaluator.study.lattice)
