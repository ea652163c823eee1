"""The threshold that follows from the context, against its definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anonymizer.decision.context import Context
from anonymizer.decision.threshold import TRIES, derive_threshold

CHANCES = st.none() | st.floats(0, 1)


@given(
    st.fixed_dictionaries(dict.fromkeys(TRIES, CHANCES)), CHANCES, st.floats(0, 1), st.booleans()
)
def test_a_release_is_within_the_threshold_where_no_try_finds_anybody_too_often(
    tries: dict[str, float | None], acceptable: float | None, highest: float, public: bool
) -> None:
    model = "public" if public else "enclave"
    derived = derive_threshold(
        Context(release_model=model, acceptable=acceptable, **tries), highest
    )
    if acceptable is None:
        assert derived.met is None
        return
    counted = [1.0 if public or each is None else each for each in tries.values()]
    excess = max(chance * highest for chance in counted) - acceptable
    if abs(excess) > 1e-9:
        assert derived.met is (excess < 0)
        assert all(each.within for each in derived.tries) is (excess < 0)


def test_who_states_no_release_model_is_held_to_a_public_release() -> None:
    derived = derive_threshold(Context(acceptable=0.1, attempt=0.1, acquaintance=0, breach=0), 0.2)
    assert (derived.threshold, derived.met) == (0.1, False)
