"""The models a policy can ask for: the built-in ones, and those that installed packages announce.

A built-in name stands for the built-in model, whatever is installed. A package is imported only when a
policy asks for a model that it announces.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points, packages_distributions, version

from anonymizer import __version__
from anonymizer.errors import AnonymizerWarning, suggest_name
from anonymizer.risk.average import Average, StrictAverage
from anonymizer.risk.beta_likeness import BetaLikeness
from anonymizer.risk.delta_disclosure import DeltaDisclosure
from anonymizer.risk.delta_presence import DeltaPresence
from anonymizer.risk.distinct_l import DistinctL
from anonymizer.risk.entropy_l import EntropyL
from anonymizer.risk.expected_uniques import ExpectedUniques
from anonymizer.risk.k_anonymity import KAnonymity
from anonymizer.risk.k_map import KMap
from anonymizer.risk.model import RiskModel
from anonymizer.risk.nrf import NRF
from anonymizer.risk.overall import Overall
from anonymizer.risk.recursive_cl import RecursiveCL
from anonymizer.risk.sources import Sources
from anonymizer.risk.study import StudyAnonymity
from anonymizer.risk.t_closeness import TCloseness
from anonymizer.risk.uniqueness import PUniqueness, SampleUniqueness

MODELS: dict[str, type[RiskModel]] = {
    model.name: model
    for model in (
        KAnonymity,
        KMap,
        Average,
        StrictAverage,
        SampleUniqueness,
        PUniqueness,
        ExpectedUniques,
        Overall,
        NRF,
        Sources,
        DistinctL,
        EntropyL,
        RecursiveCL,
        TCloseness,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        StudyAnonymity,
    )
}
"""The built-in models, by name."""

ENTRY_POINTS = "anonymizer.risk_models"
"""The group in which other packages announce models of their own."""


@cache
def announced() -> dict[str, tuple[EntryPoint, ...]]:
    """Return what installed packages announce, by name, without importing any.

    A package that announces a built-in name is warned of, and ignored.
    """
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=ENTRY_POINTS):
        if point.name in MODELS:
            warnings.warn(
                f"package {package_of_point(point)} announces a risk model '{point.name}', which is the "
                "name of a built-in model; it is ignored.",
                AnonymizerWarning,
                stacklevel=2,
            )
        else:
            found[point.name] = (*found.get(point.name, ()), point)
    return found


def find_model(name: object) -> type[RiskModel]:
    """Return the model that a policy calls by a name; a ValueError says why there is none."""
    plugins = announced()
    if not isinstance(name, str) or name not in {*MODELS, *plugins}:
        known = [*MODELS, *plugins]
        raise ValueError(f"model {name!r} is unknown; {suggest_name(name, known, len(known))}")
    if name in MODELS:
        return MODELS[name]
    points = plugins[name]
    if len(points) > 1:
        packages = " and ".join(package_of_point(point) for point in points)
        raise ValueError(
            f"model {name!r} is announced by {packages}; uninstall all but one of them"
        )
    return load_model(points[0])


def load_model(point: EntryPoint) -> type[RiskModel]:
    """Import an announced model; a ValueError names the package and what is wrong with it."""
    where = f"model {point.name!r} of package {package_of_point(point)}"
    try:
        model = point.load()
    except Exception as error:  # whatever somebody else's module does when it is imported
        raise ValueError(
            f"{where} cannot be imported ({type(error).__name__}: {error}); repair or uninstall it"
        ) from error
    if not (isinstance(model, type) and issubclass(model, RiskModel) and is_dataclass(model)):
        raise ValueError(f"{where} is not a dataclass derived from RiskModel; ask its author")
    if model.name != point.name:
        raise ValueError(f"{where} calls itself {model.name!r}; both names must be the same")
    return model


def known_models() -> dict[str, type[RiskModel]]:
    """Return the built-in models and all that can be imported; what cannot is a warning."""
    known = dict(MODELS)
    for name in announced():
        try:
            known[name] = find_model(name)
        except ValueError as error:
            warnings.warn(f"{error}.", AnonymizerWarning, stacklevel=2)
    return known


def check_name(model: RiskModel) -> None:
    """Raise a ValueError if a model has the name of a built-in one that it is not."""
    if type(model) is not MODELS.get(model.name, type(model)):
        raise ValueError(
            f"{type(model).__name__} is called {model.name!r}, which is the name of a built-in model; "
            "give it a name of its own"
        )


def packages_of(models: Iterable[RiskModel]) -> dict[str, str]:
    """Name the package that each model comes from, by the model's name."""
    return {model.name: package_of(model) for model in models}


def package_of(model: RiskModel) -> str:
    """Name the package that a model comes from, with its version if it is installed.

    >>> package_of(KAnonymity(5)) == f"anonymizer {__version__}"
    True
    """
    package = type(model).__module__.partition(".")[0]
    if package == __name__.partition(".")[0]:
        return f"{package} {__version__}"
    for point in announced().get(model.name, ()):
        if point.module.partition(".")[0] == package:
            return package_of_point(point)
    distributions = packages_distributions().get(package, [])
    return f"{distributions[0]} {version(distributions[0])}" if distributions else package


def package_of_point(point: EntryPoint) -> str:
    """Name the package that announces a model, with its version."""
    return "(unknown)" if point.dist is None else f"{point.dist.name} {point.dist.version}"
