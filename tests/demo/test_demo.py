from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizer import demo
from anonymizer.demo import population, register, tables
from anonymizer.demo.diagnoses import DIAGNOSES, RATE_AGES
from anonymizer.demo.register import sample
from anonymizer.hierarchy import check_rows, check_values, load_hierarchy

pytestmark = pytest.mark.xdist_group("demo")

SPECS = Path(__file__).parents[2] / "hierarchies" / "demo"
VALUES = {
    "age": tuple(str(age) for age in range(demo.OLDEST_AGE + 1)),
    "sex": demo.SEX,
    "zip": demo.ZIP,
    "marital_status": demo.MARITAL_STATUS,
    "race": demo.RACE,
    "education": demo.EDUCATION,
    "occupation": demo.OCCUPATION,
    "admission_date": demo.ADMISSION_DATE,
}
QUASI_IDENTIFIERS = list(demo.QUASI_IDENTIFIERS)
DEGREES = ["Bachelor", "Master", "Professional degree", "Doctorate"]
BIRTH = "O14|O80|O82"


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return population(50_000)


@pytest.fixture(scope="module")
def stays(people: pd.DataFrame) -> pd.DataFrame:
    return register(people, size=20_000, keep_person_id=True)


def share(rows: pd.Series) -> float:
    return float(rows.mean())


# -- The population ---------------------------------------------------------------------------


def test_the_same_seed_makes_the_same_people(people):
    pd.testing.assert_frame_equal(population(50_000), people)


def test_another_seed_makes_other_people_in_every_column():
    ours, others = population(2_000, seed=1), population(2_000, seed=2)
    for name in QUASI_IDENTIFIERS:
        assert not ours[name].equals(others[name]), name


def test_fewer_people_are_the_first_of_more_people(people):
    pd.testing.assert_frame_equal(population(1_000), people.head(1_000))


def test_the_first_people_are_the_same_on_every_platform():
    assert population(3).drop(columns="person_id").to_numpy().tolist() == [
        [75, "Female", "00312", "Widowed", "White", "Some college", "Retired"],
        [64, "Male", "00215", "Married", "White", "Some high school", "Transport and moving"],
        [29, "Male", "00435", "Married", "White", "Bachelor", "Management"],
    ]


def test_the_columns_are_plain_integers_and_strings(people):
    assert people.columns.tolist() == ["person_id", *QUASI_IDENTIFIERS]
    assert people["person_id"].tolist() == list(range(len(people)))
    assert people["age"].dtype == np.int64
    for name in QUASI_IDENTIFIERS[1:]:
        assert pd.api.types.is_string_dtype(people[name]), name
    assert not people.isna().any(axis=None)


@pytest.mark.parametrize("size", [0, -1])
def test_a_population_without_people_is_refused(size):
    with pytest.raises(ValueError, match="at least 1 person"):
        population(size)


def test_one_person_is_a_population():
    assert len(population(1)) == 1


def test_every_value_is_in_its_vocabulary(people):
    for name in QUASI_IDENTIFIERS:
        assert set(people[name].astype(str)) <= set(VALUES[name]), name


def test_every_category_occurs(people):
    for name in ("sex", "zip", "marital_status", "race", "education", "occupation"):
        assert set(VALUES[name]) == set(people[name]), name


def test_vocabularies_have_no_value_twice():
    for name, values in VALUES.items():
        assert len(values) == len(set(values)), name


def test_nobody_under_18_is_or_was_married(people):
    minors = people[people["age"] < 18]
    assert set(minors["marital_status"]) == {"Never married"}


def test_nobody_has_a_degree_before_20_or_a_doctorate_before_25(people):
    graduates = people[people["education"].isin(DEGREES)]
    assert graduates["age"].min() >= 20
    assert people.loc[people["education"] == "Doctorate", "age"].min() >= 25


def test_children_do_not_work(people):
    assert set(people.loc[people["age"] < 6, "occupation"]) == {"Child"}
    assert set(people.loc[people["age"].between(6, 15), "occupation"]) == {"Student"}
    assert people.loc[people["occupation"] == "Child", "age"].max() < 6


def test_only_small_children_are_below_school_age(people):
    assert people.loc[people["education"] == "Below school age", "age"].max() == 5
    assert set(people.loc[people["age"] < 6, "education"]) == {"Below school age"}


def test_the_retired_are_mostly_over_60(people):
    retired = people[people["occupation"] == "Retired"]
    assert retired["age"].min() >= 35
    assert share(retired["age"] >= 60) > 0.9
    assert share(people.loc[people["age"] >= 75, "occupation"] == "Retired") > 0.85


def test_soldiers_are_of_age_and_under_60(people):
    assert people.loc[people["occupation"] == "Armed forces", "age"].between(18, 59).all()


def test_ages_make_a_realistic_pyramid(people):
    ages = people["age"]
    assert ages.min() == 0
    assert 95 <= ages.max() <= demo.OLDEST_AGE
    assert 35 <= ages.median() <= 42
    assert 0.18 <= share(ages < 18) <= 0.25
    assert 0.13 <= share(ages >= 65) <= 0.20
    assert share(ages >= 100) < 0.001


def test_half_the_people_are_women_and_most_of_the_oldest(people):
    women = people["sex"] == "Female"
    assert 0.49 <= share(women) <= 0.53
    assert 0.46 <= share(women[people["age"] < 18]) <= 0.51
    assert 0.60 <= share(women[people["age"] >= 85]) <= 0.75


def test_most_adults_in_mid_life_are_married(people):
    in_mid_life = people["age"].between(30, 60)
    assert 0.5 <= share(people.loc[in_mid_life, "marital_status"] == "Married") <= 0.7


def test_widowhood_rises_with_age_and_more_so_for_women(people):
    widowed = people.assign(
        widowed=people["marital_status"] == "Widowed",
        decade=people["age"].clip(upper=89) // 10 * 10,
    )
    by_age = widowed[widowed["age"] >= 40].groupby(["sex", "decade"])["widowed"].mean()
    assert by_age["Female"].is_monotonic_increasing
    assert by_age["Male"].is_monotonic_increasing
    assert (by_age["Female"] > by_age["Male"]).all()


def test_the_young_have_more_degrees_than_the_old_and_young_women_most(people):
    graduate = people["education"].isin(DEGREES)
    young, old = people["age"].between(25, 44), people["age"] >= 75
    women = people["sex"] == "Female"
    assert share(graduate[young]) > share(graduate[old]) + 0.1
    assert share(graduate[young & women]) > share(graduate[young & ~women])
    assert share(graduate[old & women]) < share(graduate[old & ~women])


def test_work_depends_on_sex_and_schooling(people):
    builders = people[people["occupation"] == "Construction"]
    doctors = people[people["occupation"] == "Health professional"]
    assert share(builders["sex"] == "Male") > 0.9
    assert share(builders["education"].isin(DEGREES)) < 0.2
    assert share(doctors["sex"] == "Female") > 0.5
    assert set(doctors["education"]).isdisjoint({"Middle school", "High school"})


def test_areas_differ_in_size_wealth_and_race(people):
    residents = people["zip"].value_counts()
    adults = people[people["age"] >= 25]
    graduate = adults["education"].isin(DEGREES).groupby(adults["zip"].str[:3]).mean()
    black = (people["race"] == "Black").groupby(people["zip"].str[:3]).mean()
    assert residents.max() > 50 * residents.min()
    assert graduate.max() > 1.5 * graduate.min()
    assert black["001"] > 5 * black["004"]


def test_zip_codes_are_five_digits_and_their_shares_sum_to_all():
    assert all(len(code) == 5 and code.isdigit() for code in demo.ZIP)
    assert sum(tables.zip_weights()) == pytest.approx(100)
    assert min(tables.zip_weights()) * 10_000 > 50


def test_every_table_has_a_row_for_each_condition_and_a_weight_for_each_value():
    shapes = {
        "RACE_BY_AGE": (len(tables.RACE_AGES), len(tables.RACE)),
        "EDUCATION_BY_AGE": (len(tables.EDUCATION_AGES), len(tables.EDUCATION)),
        "MARITAL_WOMEN": (len(tables.MARITAL_AGES), len(tables.MARITAL_STATUS)),
        "MARITAL_MEN": (len(tables.MARITAL_AGES), len(tables.MARITAL_STATUS)),
        "STATUS_WOMEN": (len(tables.STATUS_AGES), len(tables.NOT_WORKING) + 1),
        "STATUS_MEN": (len(tables.STATUS_AGES), len(tables.NOT_WORKING) + 1),
        "STATUS_BY_EDUCATION": (len(tables.EDUCATION), len(tables.NOT_WORKING) + 1),
        "WORK_BY_EDUCATION": (len(tables.EDUCATION), len(tables.WORKING)),
        "WORK_BY_AGE": (len(tables.WORK_AGES), len(tables.WORKING)),
        "WORK_OF_WOMEN": (len(tables.WORKING),),
        "WORK_IN_THE_COUNTRY": (len(tables.WORKING),),
        "EDUCATION_WOMEN": (len(tables.EDUCATION_AGES),),
    }
    for name, shape in shapes.items():
        assert np.shape(getattr(tables, name)) == shape, name
    assert np.shape([area.races for area in tables.AREAS])[1] == len(tables.RACE)
    assert np.shape(list(tables.AGE_PROFILES.values()))[1] == len(tables.AGE_KNOTS)
    assert np.shape([each.rates for each in DIAGNOSES])[1] == len(RATE_AGES)


# -- The register -----------------------------------------------------------------------------


def test_the_same_seed_makes_the_same_register(people, stays):
    pd.testing.assert_frame_equal(register(people, size=20_000, keep_person_id=True), stays)
    assert not register(people, size=20_000, seed=7)["diagnosis"].equals(stays["diagnosis"])


def test_the_register_looks_like_a_hospitals(people):
    columns = register(people, size=10).columns.tolist()
    outcome = ["admission_date", "diagnosis", "length_of_stay"]
    assert columns == ["patient_id", *QUASI_IDENTIFIERS, *outcome]


def test_each_patient_is_a_person_of_the_population_and_nobody_comes_twice(people, stays):
    truth = people.set_index("person_id").loc[stays["person_id"], QUASI_IDENTIFIERS]
    pd.testing.assert_frame_equal(truth.reset_index(drop=True), stays[QUASI_IDENTIFIERS])
    assert stays["person_id"].is_unique


def test_the_register_changes_neither_the_population_nor_needs_its_index(people):
    before = people.copy()
    elders = people[people["age"] >= 60]
    patients = register(elders, size=500, keep_person_id=True)
    assert patients["age"].min() >= 60
    assert set(patients["person_id"]) <= set(elders["person_id"])
    pd.testing.assert_frame_equal(people, before)


def test_patient_ids_are_distinct_and_say_nothing_about_the_order(stays):
    numbers = stays["patient_id"].str[1:].astype(int)
    assert stays["patient_id"].str.fullmatch(r"P\d{7}").all()
    assert stays["patient_id"].is_unique
    assert abs(np.corrcoef(numbers, np.arange(len(stays)))[0, 1]) < 0.03
    assert abs(np.corrcoef(numbers, stays["person_id"])[0, 1]) < 0.03


@pytest.mark.parametrize("size", [0, 101])
def test_a_register_larger_than_the_population_or_empty_is_refused(size):
    with pytest.raises(ValueError, match="1 to 100"):
        register(population(100), size=size)


def test_all_people_may_be_in_the_register():
    patients = register(population(100), size=100, keep_person_id=True)
    assert sorted(patients["person_id"]) == list(range(100))


def test_by_default_everybody_is_sampled_with_the_same_chance(people, stays):
    assert abs(stays["age"].mean() - people["age"].mean()) < 0.5
    areas = people["zip"].str[:3].value_counts(normalize=True)
    sampled = stays["zip"].str[:3].value_counts(normalize=True)
    assert (areas - sampled).abs().max() < 0.01


def test_by_need_patients_are_older_and_live_nearer(people, stays):
    needy = register(people, size=5_000, by_need=True)
    assert needy["age"].mean() > stays["age"].mean() + 5
    assert share(needy["zip"].str.startswith("001")) > 0.4 > share(stays["zip"].str[:3] == "001")


def test_samples_follow_their_chances():
    chances = np.array([1.0, 3.0])
    first = [sample(chances, size=1, seed=seed)[0] for seed in range(2_000)]
    assert np.mean(first) == pytest.approx(0.75, abs=0.04)


def test_only_women_between_13_and_49_give_birth(stays):
    births = stays[stays["diagnosis"].str.contains(BIRTH)]
    assert len(births) > 500
    assert set(births["sex"]) == {"Female"}
    assert births["age"].between(13, 49).all()


def test_only_men_have_prostates_and_only_women_a_womb(stays):
    assert set(stays.loc[stays["diagnosis"].str.contains("C61|N40"), "sex"]) == {"Male"}
    assert set(stays.loc[stays["diagnosis"].str.contains("D25|N80"), "sex"]) == {"Female"}


def test_newborns_have_the_ailments_of_newborns_and_the_old_those_of_the_old(stays):
    assert stays.loc[stays["diagnosis"].str.contains("P07|P59"), "age"].max() == 0
    assert stays.loc[stays["diagnosis"].str.contains("G30"), "age"].min() >= 45


def test_every_diagnosis_occurs_and_none_is_half_of_all(stays):
    counts = stays["diagnosis"].value_counts(normalize=True)
    assert set(counts.index) == set(demo.DIAGNOSIS)
    assert counts.max() < 0.2


def test_admissions_are_the_days_of_one_year_in_order(stays):
    assert set(stays["admission_date"]) == set(demo.ADMISSION_DATE)
    assert stays["admission_date"].is_monotonic_increasing
    assert (demo.ADMISSION_DATE[0], demo.ADMISSION_DATE[-1]) == ("2024-01-01", "2024-12-31")


def test_admissions_have_weekends_and_influenza_has_a_winter(stays):
    days = pd.to_datetime(stays["admission_date"])
    influenza = days[stays["diagnosis"].str.startswith("J10")]
    assert share(days.dt.day_of_week >= 5) < 0.27
    assert share(influenza.dt.month.isin([12, 1, 2])) > 0.4
    assert share(influenza.dt.month.isin([6, 7, 8])) < 0.1


def test_stays_are_whole_days_and_longer_for_the_old_and_the_very_ill(stays):
    days = stays["length_of_stay"]
    assert days.dtype == np.int64
    assert days.min() == 1
    assert 3 <= days.mean() <= 6
    assert days[stays["age"] >= 75].mean() > 1.3 * days[stays["age"].between(18, 50)].mean()
    by_diagnosis = days.groupby(stays["diagnosis"].str[:3]).mean()
    assert by_diagnosis["P07"] > 3 * by_diagnosis["O80"]


# -- The hierarchies --------------------------------------------------------------------------


@pytest.mark.parametrize("name", VALUES)
def test_every_value_has_a_leaf_in_its_hierarchy(name):
    assert check_values(load_hierarchy(SPECS / f"{name}.toml"), VALUES[name]) == []


def test_every_cell_of_population_and_register_has_a_leaf(people, stays):
    for table in (people, stays):
        for name in VALUES.keys() & table.columns:
            cells = table[name].astype(str).unique()
            assert check_values(load_hierarchy(SPECS / f"{name}.toml"), cells) == [], name


@pytest.mark.parametrize("name", VALUES)
def test_every_level_of_a_hierarchy_merges_something_up_to_a_single_top(name):
    hierarchy = load_hierarchy(SPECS / f"{name}.toml")
    groups = [len(labels) for labels in hierarchy.labels]
    assert check_rows(hierarchy.rows(), name) == []
    assert groups == sorted(set(groups), reverse=True)
    assert hierarchy.labels[-1] == ("*",)


@pytest.mark.parametrize("name", sorted(VALUES.keys() - {"age", "admission_date"}))
def test_hierarchies_of_categories_have_no_leaves_but_theirs(name):
    assert set(load_hierarchy(SPECS / f"{name}.toml").leaves) == set(VALUES[name])


def test_hierarchies_have_the_levels_the_documentation_tells():
    def levels(name: str, value: str) -> tuple[str, ...]:
        rows = load_hierarchy(SPECS / f"{name}.toml").rows()
        return next(row for row in rows if row[0] == value)

    assert levels("age", "34") == ("34", "30-34", "30-39", "20-39", "*")
    assert levels("zip", "09912") == ("09912", "0991*", "099**", "09***", "*")
    assert levels("admission_date", "2024-05-17") == (
        "2024-05-17", "2024-05", "2024-Q2", "2024", "*",
    )  # fmt: skip
    assert levels("marital_status", "Widowed") == (
        "Widowed", "Formerly married", "No partner present", "*",
    )  # fmt: skip
