"""What an attacker could do with a table: how likely each person is found, by whom, and why.

`assessment` asks everything and gives one answer. Behind it are three lines of thought, each of which
stands alone:

*scenarios* (Xia et al. 2021): `scenario_risk` is what a scenario means for each person of a table.

*procedure* (Simon et al. 2020): one external source after the other.
    `procedure` takes the steps, and `findings` holds what came of them; `protected` is the table, `keys`
    whose its rows are and who is rare by the keys of a source; `source_risk` is the probability that
    follows; `special_uniques` says by how few keys somebody is unique, `homogeneity` what small cells
    give away, `mitigation` what could be done at what cost.

*disclosure* (the naive re-identification framework): every combination of what people tell elsewhere.

What attackers know, and the risk of it, is in `anonymizer.attackers`; here it is put to a table and its
policy.
"""

from anonymizer.assessment.assessment import Assessment, assess
from anonymizer.attackers.disclosure import Source, read_sources
from anonymizer.attackers.statement import Statement

__all__ = ["Assessment", "Source", "Statement", "assess", "read_sources"]
