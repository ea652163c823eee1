"""What an attacker could do with a table: how likely each person is found, by whom, and why.

`assessment` asks everything and gives one answer. Behind it are three lines of thought, each of which
stands alone:

*scenarios*: attackers who know some things and not others (Xia et al. 2021). What they may know, and the
sum over all of it, is in `anonymizer.knowledge`; here is what it means for each record.

*procedure*: one external source after the other (Simon et al. 2020).
    `statement` is what the steward states; `procedure` takes the steps, and `findings` holds what came of
    them; `protected` is the table, `people` whose its rows are, `keys` who is rare by the keys of a
    source; `linkage` matches a source that is at hand, `overlap` estimates one that is not, and
    `source_risk` is the probability that follows; `special_uniques` says by how few keys somebody is
    unique, `homogeneity` what small cells give away, `mitigation` what could be done at what cost.

*disclosure*: every combination of what people tell elsewhere (the naive re-identification framework).
    `sources` is where people disclose what; `nrf` is the risk that follows; `unique_subsets` counts
    who is unique on every subset of the attributes; `packed_tuples` holds the table as sorted keys.

`published` stands apart: it attacks a printed table of patient characteristics, not microdata.
"""

from anonymizer.assessment.assessment import Assessment, assess
from anonymizer.assessment.disclosure.sources import Source, read_sources
from anonymizer.knowledge.statement import Statement

__all__ = ["Assessment", "Source", "Statement", "assess", "read_sources"]
