"""The example that `anonymizer demo` runs: the register with a policy and hierarchies beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

from anonymizer.data.files import specs_folder
from anonymizer.data.staging import Staging
from anonymizer.demo.population import population
from anonymizer.demo.register import register

ATTACKERS = Path(__file__).parent / "attackers"
"""What attackers may know of the patients: scenarios, a statement, sources."""
POLICY = """\
# The discharge register of a hospital, drawn from a synthetic population.
[data]
path = "register.csv"

[attributes]
patient_id     = { role = "identifying" }
age            = { role = "quasi", hierarchy = "hierarchies/age.toml" }
sex            = { role = "quasi", hierarchy = "hierarchies/sex.toml" }
zip            = { role = "quasi", hierarchy = "hierarchies/zip.toml" }
marital_status = { role = "quasi", hierarchy = "hierarchies/marital_status.toml" }
race           = { role = "quasi", hierarchy = "hierarchies/race.toml" }
education      = { role = "quasi", hierarchy = "hierarchies/education.toml" }
occupation     = { role = "quasi", hierarchy = "hierarchies/occupation.toml" }
admission_date = { role = "quasi", hierarchy = "hierarchies/admission_date.toml" }
diagnosis      = { role = "sensitive" }
length_of_stay = { role = "insensitive" }

[[risk]]
model = "k-anonymity"
k = 5

[release]
suppression_limit = 0.1   # at most a tenth of the patients
"""


def write_example(staging: Staging, seed: int, people: int = 1_000_000) -> Path:
    """Write register, hierarchies, attackers and policy; return the path of the policy."""
    patients = register(population(people, seed), seed=seed)
    patients.to_csv(staging.path("register.csv"), index=False)
    shutil.copytree(specs_folder() / "demo", staging.path("hierarchies"))
    shutil.copytree(ATTACKERS, staging.path("attackers"))
    policy = staging.path("policy.toml")
    policy.write_text(POLICY, encoding="utf-8")
    return policy
