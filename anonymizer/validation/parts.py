"""Parts: frozen values that refuse what they do not know, and say all that is wrong in our sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, model_validator

from anonymizer.errors import AnonymizerError, PolicyError
from anonymizer.validation.renamed import renewed
from anonymizer.validation.sentences import list_faults

T = TypeVar("T")

CHECKED = ConfigDict(
    extra="forbid",
    arbitrary_types_allowed=True,
    populate_by_name=True,
    validate_default=True,  # checks across keys also look at those that are left out
)


class Part(BaseModel):
    """A frozen set of keys that refuses those it does not know."""

    model_config = ConfigDict(frozen=True, defer_build=True, **CHECKED)

    def __init__(self, **keys: Any) -> None:
        with plain_faults(type(self), title_of(type(self))):
            super().__init__(**keys)

    @model_validator(mode="before")
    @classmethod
    def read_old_keys(cls, keys: Any) -> Any:
        """Read the keys of earlier versions as those of this one."""
        return renewed(cls.__name__, keys)

    # a part inside another is then validated without a call of __init__, so that all faults show together
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


def plain_errors(
    error: type[AnonymizerError] = PolicyError, where: str = ""
) -> Callable[[type[T]], type[T]]:
    """Make the constructor of a pydantic dataclass raise our error; fields may be given by position."""

    def decorate(cls: type[T]) -> type[T]:
        initialize: Callable[..., None] = cls.__init__

        @wraps(initialize)
        def __init__(self: T, *values: Any, **keys: Any) -> None:  # noqa: N807
            with plain_faults(cls, where or title_of(cls), error):
                initialize(self, **renewed(cls.__name__, by_key(cls, values, keys)))

        cls.__init__ = __init__  # type: ignore[assignment]
        return cls

    return decorate


def by_key(cls: Any, values: tuple[Any, ...], keys: dict[str, Any]) -> dict[str, Any]:
    """Return all values by the key that each has in a file, so that faults are named by it."""
    names = [each.name for each in fields(cls) if not each.kw_only]
    given = dict(zip(names, values, strict=False))
    if len(values) > len(names) or given.keys() & keys.keys():
        raise TypeError(f"{cls.__name__} takes {', '.join(names)}, each once")
    infos = cls.__pydantic_fields__
    aliases = {name: info.alias for name, info in infos.items() if info.alias is not None}
    return {aliases.get(name, name): value for name, value in (given | keys).items()}


def parse(
    kind: type[T], keys: object, where: str = "", error: type[AnonymizerError] = PolicyError
) -> T:
    """Make a value of the keys of a table; all faults are shown together."""
    with plain_faults(kind, where or title_of(kind), error):
        now = renewed(getattr(kind, "__name__", ""), keys)
        value: T = TypeAdapter(kind).validate_python(now)
        return value


@contextmanager
def plain_faults(
    kind: Any, where: str, error: type[AnonymizerError] = PolicyError
) -> Iterator[None]:
    """Turn what pydantic finds into an error of ours."""
    try:
        yield
    except ValidationError as invalid:
        raise error.defective(where, list_faults(invalid, kind)) from None


def title_of(kind: type) -> str:
    """Name a class in words.

    >>> title_of(AnonymizerError)
    'anonymizer error'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower()


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model, as editors of TOML files can use it.

    >>> class Limits(BaseModel):
    ...     seconds: float | None = None
    >>> plain_schema(Limits)["properties"]
    {'seconds': {'type': 'number'}}
    """
    schema: dict[str, Any] = simplify(model.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def simplify(schema: Any) -> Any:
    """Leave out null, which TOML does not have, titles that repeat the key, and examples in Python."""
    if isinstance(schema, list):
        return [simplify(each) for each in schema if each != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    plain = {key: simplify(each) for key, each in schema.items() if not is_idle(key, each)}
    if isinstance(plain.get("description"), str):
        plain["description"] = plain["description"].split("\n")[0]
    choices = plain.get("anyOf")
    if isinstance(choices, list) and len(choices) == 1:
        return {**plain.pop("anyOf")[0], **plain}
    return plain


def is_idle(key: str, value: object) -> bool:
    """Whether an entry of a schema tells an editor nothing."""
    return (key == "title" and isinstance(value, str)) or (key == "default" and value is None)
