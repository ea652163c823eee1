from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from anonymizer.data.opening import open_table
from anonymizer.demo import DIAGNOSIS, tables
from anonymizer.errors import HierarchyError
from anonymizer.hierarchy import check_file, load_hierarchy
from anonymizer.policy import Role
from anonymizer.table.microdata import encode
from experiments.benchmark import wide_tables as wide
from experiments.benchmark.wide import (
    FURTHER_QUASI_IDENTIFIERS,
    SENSITIVE,
    WIDE_QUASI_IDENTIFIERS,
    wide_policy,
    wide_register,
    wide_spec,
)
from experiments.benchmark.wide_traits import hour_weights

pytestmark = pytest.mark.slow

VALUES = {
    "country_of_birth": wide.COUNTRY_OF_BIRTH,
    "language": wide.LANGUAGE,
    "religion": wide.RELIGION,
    "housing": wide.HOUSING,
    "income": wide.INCOME,
    "insurance": wide.INSURANCE,
    "admission_route": wide.ADMISSION_ROUTE,
}
NUMBERS = ("age", "height", "children", "household_size", "moved_in", "weekly_hours")


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    return wide_register(50_000, seed=1)


def share(rows: pd.Series) -> float:
    return float(rows.mean())


def cramers_v(left: pd.Series, right: pd.Series) -> float:
    """How strongly two columns depend on each other: 0 (not at all) to 1."""
    table = pd.crosstab(left, right).to_numpy(np.float64)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi_squared = ((table - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi_squared / table.sum() / (min(table.shape) - 1)))


# -- The register -----------------------------------------------------------------------------


def test_there_are_20_quasi_identifiers_and_one_sensitive_column(patients):
    assert len(set(WIDE_QUASI_IDENTIFIERS)) == 20
    assert patients.columns.tolist() == [*WIDE_QUASI_IDENTIFIERS, SENSITIVE]
    assert set(patients[SENSITIVE]) <= set(DIAGNOSIS)


def test_the_columns_are_plain_integers_and_strings(patients):
    for name in patients:
        if name in NUMBERS:
            assert patients[name].dtype == np.int64, name
        else:
            assert pd.api.types.is_string_dtype(patients[name]), name
    assert not patients.isna().any(axis=None)


def test_the_same_seed_makes_the_same_patients(patients):
    pd.testing.assert_frame_equal(wide_register(50_000, seed=1), patients)


def test_fewer_patients_are_the_first_of_more(patients):
    pd.testing.assert_frame_equal(wide_register(1_000, seed=1), patients.head(1_000))


def test_another_seed_makes_other_patients_in_every_column(patients):
    others = wide_register(2_000, seed=2)
    for name in others:
        assert not others[name].equals(patients[name].head(2_000)), name


def test_the_first_patients_are_the_same_on_every_platform():
    assert wide_register(2)[list(FURTHER_QUASI_IDENTIFIERS)].to_numpy().tolist() == [
        ["United States", "English", "Jewish", 154, 4, 4,
         "Owned outright", 2019, 0, "35k-40k", "Medicare", "Ambulance"],
        ["United States", "English", "Mainline Protestant", 177, 0, 2,
         "Owned with a mortgage", 2013, 40, "75k-100k", "Through an employer", "Walk-in"],
    ]  # fmt: skip


def test_an_empty_register_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        wide_register(0)


def test_one_patient_is_a_register():
    assert len(wide_register(1)) == 1


@pytest.mark.parametrize("name", VALUES)
def test_every_category_occurs_and_no_other(patients, name):
    assert set(patients[name]) == set(VALUES[name])
    assert len(VALUES[name]) == len(set(VALUES[name]))


@pytest.mark.parametrize("name", FURTHER_QUASI_IDENTIFIERS)
def test_values_are_skewed(patients, name):
    counts = patients[name].value_counts()
    assert counts.iloc[0] > 5 * counts.iloc[-1]


def test_no_quasi_identifier_follows_from_another(patients):
    for name in FURTHER_QUASI_IDENTIFIERS:
        for other in WIDE_QUASI_IDENTIFIERS:
            if other != name:
                assert patients.groupby(other, observed=True)[name].nunique().max() > 1, other


# -- What goes together -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "other", "least"),
    [
        ("country_of_birth", "race", 0.2),
        ("language", "country_of_birth", 0.4),
        ("language", "race", 0.3),
        ("religion", "race", 0.25),
        ("religion", "country_of_birth", 0.15),
        ("children", "marital_status", 0.25),
        ("household_size", "marital_status", 0.2),
        ("household_size", "children", 0.1),
        ("housing", "marital_status", 0.1),
        ("housing", "occupation", 0.15),
        ("weekly_hours", "sex", 0.2),
        ("income", "education", 0.15),
        ("income", "weekly_hours", 0.1),
        ("insurance", "income", 0.15),
        ("insurance", "race", 0.1),
        ("admission_route", "diagnosis", 0.3),
        ("admission_route", "housing", 0.1),
    ],
)
def test_traits_that_go_together_in_life_do_so_here(patients, name, other, least):
    assert cramers_v(patients[name], patients[other]) > least


def test_traits_that_have_nothing_in_common_are_independent(patients):
    assert cramers_v(patients["religion"], patients["admission_date"].str[:7]) < 0.03
    assert cramers_v(patients["sex"], patients["language"]) < 0.03


def test_those_with_a_partner_seldom_live_alone_and_the_widowed_often_do(patients):
    alone = patients["household_size"] == 1
    assert share(alone[patients["marital_status"] == "Married"]) < 0.03
    assert share(alone[patients["marital_status"] == "Widowed"]) > 0.5


def test_the_households_of_mothers_grow_with_their_children(patients):
    mothers = patients[patients["age"].between(25, 44) & (patients["sex"] == "Female")]
    assert mothers["household_size"].corr(mothers["children"]) > 0.6


def test_children_live_with_others_and_have_no_children(patients):
    minors = patients[patients["age"] < 18]
    assert minors["household_size"].min() == 2
    assert minors["children"].max() == 0


def test_shared_residences_are_for_students_soldiers_and_the_old(patients):
    by_housing = patients.groupby("housing")
    soldiers = patients[patients["occupation"] == "Armed forces"]
    assert share(by_housing.get_group("Student residence")["occupation"] == "Student") > 0.8
    assert share(soldiers["housing"] == "Military quarters") > 0.15
    assert by_housing.get_group("Care home")["age"].median() >= 75
    assert by_housing.get_group("Care home")["weekly_hours"].max() == 0


def test_only_those_at_work_have_hours_of_work(patients):
    at_work = ~patients["occupation"].isin(tables.NOT_WORKING)
    assert ((patients["weekly_hours"] > 0) == at_work).all()


def test_round_hours_are_frequent_and_women_work_fewer(patients):
    workers = patients[patients["weekly_hours"] > 0]
    by_sex = workers.groupby("sex")["weekly_hours"].mean()
    assert 0.25 < share(workers["weekly_hours"] == 40) < 0.5
    assert by_sex["Female"] < by_sex["Male"] - 3


def test_income_rises_with_schooling_and_where_the_affluent_live(patients):
    rank = patients["income"].map({bracket: i for i, bracket in enumerate(wide.INCOME)})
    adults = patients["age"] >= 30
    by_education = rank[adults].groupby(patients["education"]).mean()
    by_area = rank.groupby(patients["zip"].str[:3]).mean()
    assert by_education["Bachelor"] > by_education["High school"] + 2
    assert by_education["High school"] > by_education["No schooling"]
    assert by_area["002"] > by_area["003"] + 0.5


def test_the_poor_have_medicaid_and_the_old_medicare(patients):
    medicaid = patients["insurance"] == "Medicaid"
    medicare = patients["insurance"].str.startswith("Medicare")
    rich = patients["income"].isin(wide.INCOME[11:])
    poor = patients["income"].isin(wide.INCOME[:5])
    assert share(medicaid[poor]) > 5 * share(medicaid[rich])
    assert share(medicare[patients["age"] >= 65]) > 0.7
    assert share(medicare[patients["age"] < 19]) == 0


def test_heights_are_those_of_women_men_and_children(patients):
    adults = patients[patients["age"].between(18, 64)]
    by_sex = adults.groupby("sex")["height"].mean()
    assert 160 < by_sex["Female"] < 165
    assert 173 < by_sex["Male"] < 180
    assert patients.loc[patients["age"] == 0, "height"].max() < 80


def test_nobody_moved_in_before_birth_and_owners_stay_longest(patients):
    years_there = wide.THIS_YEAR - patients["moved_in"]
    by_housing = years_there[patients["age"] >= 40].groupby(patients["housing"]).mean()
    assert (years_there.between(0, patients["age"])).all()
    assert by_housing["Owned outright"] > 3 * by_housing["Rented from a private owner"]


def test_only_newborns_are_born_in_hospital(patients):
    assert patients.loc[patients["admission_route"] == "Born here", "age"].max() == 0


def test_the_waiting_list_is_for_what_can_wait(patients):
    waited = patients[patients["admission_route"] == "Waiting list"]
    assert waited["diagnosis"].str.contains("Hip osteoarthritis|Breast cancer").any()
    assert not waited["diagnosis"].str.contains("stroke|infarction|delivery").any()


# -- The tables -------------------------------------------------------------------------------


def test_every_table_has_a_row_for_each_condition_and_a_weight_for_each_value():
    races, unions = len(tables.RACE), wide.UNIONS
    shapes = {
        "BORN_ABROAD": (races,),
        "BORN_ABROAD_BY_AGE": (len(wide.BORN_ABROAD_AGES),),
        "HERITAGE": (races, len(wide.LANGUAGE)),
        "KEPT_BY_NATIVES": (races,),
        "RELIGION_BY_RACE": (races, len(wide.RELIGION)),
        "RELIGION_BY_REGION": (len(wide.REGIONS), len(wide.RELIGION)),
        "UNAFFILIATED_BY_AGE": (len(wide.RELIGION_AGES),),
        "HEIGHT_WOMEN": (len(wide.HEIGHT_AGES),),
        "HEIGHT_MEN": (len(wide.HEIGHT_AGES),),
        "HEIGHT_BY_RACE": (races,),
        "UNION": (len(tables.MARITAL_STATUS),),
        "CHILDREN_BY_UNION": (unions, len(wide.CHILDREN_AGES), 10),
        "CHILDREN_BY_RACE": (races,),
        "AT_HOME": (len(wide.AT_HOME_AGES),),
        "HOUSEHOLD_BY_UNION": (unions, len(wide.HOUSEHOLD_AGES), 9),
        "HOUSEHOLD_BY_RACE": (races,),
        "HOUSING_BY_AGE": (len(wide.HOUSING_AGES), len(wide.HOUSING)),
        "HOUSING_ALONE": (len(wide.HOUSING),),
        "HOUSING_OF_WORKERS": (len(wide.HOUSING),),
        "HOUSING_OF_STUDENTS": (len(wide.HOUSING),),
        "HOUSING_OF_SOLDIERS": (len(wide.HOUSING),),
        "YEARS_THERE": (len(wide.HOUSING),),
        "FIELDS": (max(wide.FIELD_OF_WORK) + 1, len(wide.HOURS_FROM)),
        "FIELD_OF_WORK": (len(tables.WORKING),),
        "HOURS_OF_WOMEN": (len(wide.HOURS_FROM),),
        "HOURS_BY_AGE": (len(wide.HOURS_AGES), len(wide.HOURS_FROM)),
        "INCOME": (len(wide.INCOME_FROM),),
        "INCOME_BY_EDUCATION": (len(tables.EDUCATION),),
        "INCOME_WITHOUT_WORK": (len(tables.NOT_WORKING),),
        "INSURANCE_BY_AGE": (len(wide.INSURANCE_AGES), len(wide.INSURANCE)),
        "INSURANCE_BY_INCOME": (len(wide.INSURANCE_INCOMES), len(wide.INSURANCE)),
        "INSURANCE_OF_SOLDIERS": (len(wide.INSURANCE),),
        "INSURANCE_OF_AMERICAN_INDIANS": (len(wide.INSURANCE),),
        "INSURANCE_OF_IMMIGRANTS": (len(wide.INSURANCE),),
        "ROUTE_UNPLANNED": (len(wide.ROUTE_AGES), len(wide.ADMISSION_ROUTE)),
        "ROUTE_PLANNED": (len(wide.ADMISSION_ROUTE),),
        "ROUTE_OF_NEWBORNS": (len(wide.ADMISSION_ROUTE),),
        "ROUTE_RURAL": (len(wide.ADMISSION_ROUTE),),
    }
    for name, shape in shapes.items():
        assert np.shape(getattr(wide, name)) == shape, name
    assert np.shape([births for _, _, births in wide.ORIGINS.values()])[1] == races


def test_hours_spread_over_spans_as_the_table_of_fields_says():
    grown_men = hour_weights().reshape(len(wide.FIELDS), 2, len(wide.HOURS_AGES), -1)[:, 0, 2]
    starts = np.array(wide.HOURS_FROM) - 1
    np.testing.assert_allclose(np.add.reduceat(grown_men, starts, axis=1), wide.FIELDS)


# -- Hierarchies and policy -------------------------------------------------------------------


@pytest.mark.parametrize("name", WIDE_QUASI_IDENTIFIERS)
def test_a_spec_has_neither_defects_nor_warnings(name):
    assert check_file(wide_spec(name)) == []


@pytest.mark.parametrize("name", FURTHER_QUASI_IDENTIFIERS)
def test_every_level_merges_something_up_to_a_single_top(name):
    hierarchy = load_hierarchy(wide_spec(name))
    groups = [len(labels) for labels in hierarchy.labels]
    assert 2 <= hierarchy.height <= 6
    assert groups == sorted(set(groups), reverse=True)
    assert hierarchy.labels[-1] == ("*",)
    assert wide_spec(name).read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", VALUES)
def test_hierarchies_of_categories_have_no_leaves_but_theirs(name):
    assert set(load_hierarchy(wide_spec(name)).leaves) == set(VALUES[name])


def test_hierarchies_of_numbers_hold_whatever_can_be_drawn():
    ends = {name: load_hierarchy(wide_spec(name)).leaves for name in NUMBERS}
    assert {name: (int(leaves[0]), int(leaves[-1])) for name, leaves in ends.items()} == {
        "age": (0, 119),
        "height": wide.HEIGHT,
        "children": (0, np.shape(wide.CHILDREN_BY_UNION)[2] - 1),
        "household_size": (1, wide.MOST_IN_HOUSEHOLD),
        "moved_in": (1905, wide.THIS_YEAR),
        "weekly_hours": (0, wide.MOST_HOURS),
    }
    assert wide.THIS_YEAR - tables.OLDEST_AGE >= 1905


def test_the_folder_has_no_spec_of_anything_else():
    folder = wide_spec("height").parent
    assert {spec.stem for spec in folder.iterdir()} == set(FURTHER_QUASI_IDENTIFIERS)


def test_every_value_of_every_attribute_has_a_leaf(patients):
    microdata = encode(open_table(patients), wide_policy().load_hierarchies())
    assert microdata.attributes == WIDE_QUASI_IDENTIFIERS
    assert microdata.records == len(patients)


def test_a_value_without_a_leaf_would_be_noticed(patients):
    stranger = patients.head(10).replace({"income": {patients["income"].iloc[0]: "a lot"}})
    with pytest.raises(HierarchyError, match=r"column .income.: 1 value has no row"):
        encode(open_table(stranger), wide_policy().load_hierarchies())


def test_the_lattice_has_more_than_a_thousand_million_schemes():
    policy = wide_policy()
    assert policy.lattice(policy.load_hierarchies()).size > 10**9


@pytest.mark.parametrize("width", range(4, 21))
def test_a_policy_has_any_number_of_the_quasi_identifiers_and_releases_no_other(width):
    policy = wide_policy(WIDE_QUASI_IDENTIFIERS[:width], suppression_limit=0.1)
    assert policy.quasi_identifiers == WIDE_QUASI_IDENTIFIERS[:width]
    assert policy.with_role(Role.IDENTIFYING) == WIDE_QUASI_IDENTIFIERS[width:]
    assert policy.with_role(Role.SENSITIVE) == (SENSITIVE,)
    assert policy.release.suppression_limit == 0.1


def test_a_policy_takes_any_risk_model():
    (model,) = wide_policy(risk=[{"model": "k-anonymity", "k": 2}]).load_models()
    assert model.k == 2


def test_a_policy_refuses_a_quasi_identifier_it_does_not_know():
    with pytest.raises(ValueError, match="no quasi-identifier 'heigth'"):
        wide_policy(["age", "heigth"])
