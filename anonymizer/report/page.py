"""HTML pages that stand alone: one file, no scripts or pictures from elsewhere."""

from __future__ import annotations

import base64
import io
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from anonymizer.errors import percent

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


def picture(figure: Any) -> str:
    """Return a matplotlib figure as the address of an image, for use in a page."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def whole(number: float) -> str:
    """Write a count with commas.

    >>> whole(1234567)
    '1,234,567'
    """
    return f"{number:,.0f}"


share = percent
"""A share as `PRECISION` says, under the name that pages have for it."""
