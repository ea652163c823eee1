"""reproduce: the experiments of the papers behind the package, from a checkout of its repository."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from anonymizer.errors import AnonymizerError, suggest_name

ROOT = Path(__file__).resolve().parents[2]
"""The checkout, where the package lies in one."""

EXPERIMENTS = {
    "prasser2016": "Tables 1 to 3 and Figure 6 of Prasser et al. 2016: what risk models buy in quality",
    "xia2021": "Tables 3 and 4 and Figure 2 of Xia et al. 2021: attackers with imperfect knowledge",
    "simon2020": "the steward's procedure of Simon et al. 2020 on synthetic visits",
    "profiles": "the shipped attackers: on which figure the verdict about each of them hangs",
    "nrf": "Tables 7 and 8 of the naive re-identification framework, and eight million records",
    "kitamura": "the indicators of Kitamura et al. for a published table",
    "estimators": "estimates of population uniques against a known population",
    "survey": "k-map by sampling weights, on populations known in full",
    "over_time": "four quarterly releases, alone and beside one another with a register",
    "attacks": "attacks on releases of a known population, against what the models promise",
    "evidence": "what regressions and predictions keep, on ADULT and on the demo register",
    "layers": "layers beside ARX's local recoding, with the gap",
    "reference": "every optimum that ARX found, found again",
    "proofs": "a proof file for every optimum that ARX found",
    "studies": "linked tables about whole people, with the optimum proven",
}
"""What can be reproduced, by name."""
WITH_DATA = {
    **dict.fromkeys(("prasser2016", "layers", "reference", "proofs", "studies"), "needs"),
    **dict.fromkeys(("xia2021", "simon2020", "evidence", "over_time"), "has a part that needs"),
}
"""Those that read data sets, which are not ours and not in the repository."""

Main = Callable[[Sequence[str]], None]


def load_experiment(name: str) -> Main:
    """Import an experiment, or say in one sentence why it cannot be."""
    if name not in EXPERIMENTS:
        names = suggest_name(name, EXPERIMENTS, most=len(EXPERIMENTS))
        raise AnonymizerError(f"there is no experiment '{name}'; {names}")
    if not (ROOT / "experiments" / name / "__main__.py").is_file():
        raise AnonymizerError(
            "the experiments are not part of the installed package; run `make reproduce` in a checkout "
            "of its repository."
        )
    sys.path.insert(0, str(ROOT))
    main: Main = import_module(f"experiments.{name}.__main__").main
    return main


def show_experiments() -> None:
    """List what can be reproduced."""
    width = max(len(name) for name in EXPERIMENTS)
    for name, what in EXPERIMENTS.items():
        data = f" ({WITH_DATA[name]} data sets)" if name in WITH_DATA else ""
        print(f"{name:{width}}  {what}{data}")


def reproduce_all(folders: Sequence[str], out: Path) -> None:
    """Run every experiment, and say at the end what was left out and what differs."""
    left = {}
    for name in EXPERIMENTS:
        print(f"--- {name}", file=sys.stderr)
        main = load_experiment(name)
        try:
            main([*(folders if name in WITH_DATA else ()), "--out", str(out / name)])
        except AnonymizerError as error:
            left[name] = f"left out: {error}"
        except SystemExit as stopped:
            if stopped.code:
                left[name] = f"differs from the paper for no known reason: {stopped.code}"
    for name, why in left.items():
        print(f"{name}: {why}", file=sys.stderr)
    if any(why.startswith("differs") for why in left.values()):
        raise SystemExit(1)


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(help="The experiment, or `all`; without it, they are listed."),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder with NAME/data.csv of the data sets; may be repeated.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder to write to; default: reproduced/NAME.")
    ] = None,
) -> None:
    """Run a paper's experiment again and set the figures side by side.

    All figures that it compares with are in the repository; data sets are not. It runs on those that
    are at hand and says what it could not run. Exit status 1 if a figure differs from the paper's for
    no known reason.

    Example: `anonymizer reproduce prasser2016 --data folder --out reproduced/prasser2016`, where the
    folder has `adult/data.csv`, `cup/data.csv` and so on, separated by `;`
    """
    if name is None:
        show_experiments()
        return
    folders = [word for folder in data or [] for word in ("--data", str(folder))]
    if name == "all":
        reproduce_all(folders, out or Path("reproduced"))
        return
    main = load_experiment(name)
    if data and name not in WITH_DATA:
        raise AnonymizerError(f"{name} reads no data sets of yours; leave --data out.")
    main([*folders, "--out", str(out or Path("reproduced") / name)])
