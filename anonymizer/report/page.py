"""HTML pages that stand alone: one file, no scripts or pictures from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from anonymizer.errors import percent
from anonymizer.report.provenance import Provenance
from anonymizer.report.sections import Section

PRECISION = (
    "Percentages have one digit after the point, below 0.1 % two significant digits; 0 % and 100 % are "
    "exact."
)


def render(template: str, **context: Any) -> str:
    """Fill a template of `report/templates/`; a name it uses and was not given is an error."""
    environment = Environment(
        loader=PackageLoader("anonymizer.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(whole=whole, share=share)
    environment.policies["json.dumps_kwargs"] = {}  # keys stay in their order
    return environment.get_template(template).render(precision=PRECISION, **context)


def write_page(
    heading: str,
    lead: Sequence[str],
    sections: Sequence[Section],
    provenance: Provenance | None = None,
    **more: Any,
) -> str:
    """Write sections as a page that stands alone; links lead to those that have an anchor."""
    return render(
        more.pop("template", "page.html"),
        heading=heading,
        lead=lead,
        sections=sections,
        provenance=provenance or Provenance(),
        **more,
    )


def whole(number: float) -> str:
    """Write a count with commas.

    >>> whole(1234567)
    '1,234,567'
    """
    return f"{number:,.0f}"


share = percent
"""A share as `PRECISION` says, under the name that pages have for it."""
