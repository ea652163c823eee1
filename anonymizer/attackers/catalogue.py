"""Scenarios by name or file, fitted to a table: its column names, its population, its one state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonymizer.attackers.scenario import PARAMETERS, AttributeGroup, Scenario
from anonymizer.errors import PolicyError, quote_some, suggest_name

SHIPPED = Path(__file__).parent / "scenarios"


def shipped_scenarios() -> dict[str, Path]:
    """Return the files of the scenarios that come with the package, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def find_scenario(name: str | Path, folder: Path | None = None) -> Path:
    """Return the file that a name, or a path relative to a folder, stands for.

    >>> find_scenario("worst-case").name
    'worst-case.toml'
    """
    path = Path(name) if folder is None else folder / name
    if path.is_file():
        return path
    shipped = shipped_scenarios()
    if str(name) in shipped:
        return shipped[str(name)]
    hint = suggest_name(path.stem, shipped)
    raise PolicyError(f"{path}: this is neither a file nor a shipped scenario; {hint}")


def load_scenario(
    name: str | Path,
    columns: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    population: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Scenario:
    """Read a scenario by name or path, and fit it to a table.

    `columns` says what the scenario's attributes are called in the table; `constants` gives the value
    of an attribute that the table has no column for because everybody has the same; `population` is
    the number of people that the table is drawn from; `parameters` are other values of p_m, p_fm, p_c
    and p_cu.

    >>> load_scenario("social-media", {"year_of_birth": "age"}, {"state": "TN"}).attributes
    ('sex', 'race', 'age')
    """
    scenario = Scenario.read(find_scenario(name))
    return fit_scenario(scenario, columns, constants, population, parameters)


def fit_scenario(
    scenario: Scenario,
    columns: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    population: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Scenario:
    """Fit a scenario to a table; for what is given see `load_scenario`."""
    scenario = with_parameters(scenario, parameters or {})
    for attribute, value in (constants or {}).items():
        scenario = fix(scenario, attribute, value)
    scenario = rename(scenario, columns or {})
    return scenario if population is None else replace(scenario, population=population)


def with_parameters(scenario: Scenario, parameters: Mapping[str, Any]) -> Scenario:
    """Give the four probabilities other values."""
    if unknown := [name for name in parameters if name not in PARAMETERS]:
        raise PolicyError(
            f"scenario: '{unknown[0]}' is not one of its parameters; "
            f"{suggest_name(unknown[0], PARAMETERS)}"
        )
    return replace(scenario, **parameters) if parameters else scenario


def check_known(scenario: Scenario, attribute: str) -> None:
    """Raise a PolicyError unless the scenario speaks of an attribute."""
    if attribute not in scenario.named:
        raise PolicyError(
            f"scenario: it has no attribute '{attribute}'; it speaks of {quote_some(scenario.named, 20)}."
        )


def rename(scenario: Scenario, columns: Mapping[str, str]) -> Scenario:
    """Call attributes as the table does."""
    if not columns:
        return scenario
    for attribute in columns:
        check_known(scenario, attribute)
    changed = scenario.change(lambda chance: chance.rename(columns))
    groups = []
    for group in changed.learned:
        names = tuple(columns.get(name, name) for name in group.attributes)
        levels = {columns.get(name, name): level for name, level in group.levels.items()}
        groups.append(replace(group, attributes=names, levels=levels))
    return replace(changed, learned=tuple(groups))


def fix(scenario: Scenario, attribute: str, value: str) -> Scenario:
    """Take an attribute out of a scenario: everybody in the table has the same value of it.

    What is the same for all tells nobody apart; what hangs on it has one probability.
    """
    check_known(scenario, attribute)
    hanging = [chance for chance in scenario.chances if attribute in chance.by_names]
    listed = dict.fromkeys(value for chance in hanging for value in chance.listed(attribute))
    if hanging and value not in listed:
        raise PolicyError(
            f"scenario: it has no figures for the {attribute} '{value}'; use one of "
            f"{quote_some(listed, 60)}."
        )
    try:
        changed = scenario.change(lambda chance: chance.fix(attribute, value))
    except ValueError as error:
        raise PolicyError(f"scenario: {error}.") from None
    groups = [fix_group(group, attribute) for group in changed.learned]
    kept = tuple(group for group in groups if group is not None)
    if not kept:
        raise PolicyError(
            f"scenario: with the {attribute} '{value}' the attacker learns nothing; leave it out."
        )
    named = {group.cause for group in kept}
    causes = {name: chance for name, chance in changed.causes.items() if name in named}
    return replace(changed, learned=kept, causes=causes)


def fix_group(group: AttributeGroup, attribute: str) -> AttributeGroup | None:
    """Take an attribute out of one group; None where nothing is left to learn."""
    names = tuple(name for name in group.attributes if name != attribute)
    levels = {name: level for name, level in group.levels.items() if name != attribute}
    if not names or group.chance.impossible:
        return None
    return replace(group, attributes=names, levels=levels)
