"""Types of fields that policies, statements, scenarios, sources and hierarchy specs share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import InitErrorDetails, PydanticKnownError

from anonymizer.errors import quote_some, shorten
from anonymizer.validation.sentences import Place, show

T = TypeVar("T")


def validate_also(
    value: object, handler: ValidatorFunctionWrapHandler, faults: Iterable[tuple[Place, str]]
) -> Any:
    """Validate a value; what else is known to be wrong with it is shown together with what is found."""
    known = [fault_of(value, *fault) for fault in faults]
    try:
        result = handler(value)
    except ValidationError as invalid:
        raise error_of([*found_in(invalid), *known]) from None
    if known:
        raise error_of(known)
    return result


def validate_each(kind: Any, values: Iterable[tuple[Place, object]]) -> dict[Place, Any]:
    """Validate values of one kind, each at its place; all faults are raised together."""
    adapter, sound, faults = TypeAdapter(kind), {}, []
    for place, value in values:
        try:
            sound[place] = adapter.validate_python(value)
        except ValidationError as invalid:
            faults += found_in(invalid, place)
    if faults:
        raise error_of(faults)
    return sound


def error_of(faults: list[InitErrorDetails]) -> ValidationError:
    """Make one error of several faults."""
    return ValidationError.from_exception_data("faults", faults)


def found_in(invalid: ValidationError, place: Place = ()) -> list[InitErrorDetails]:
    """List the faults of a value that is at a place."""
    return [
        InitErrorDetails(
            type=fault["type"],
            loc=(*place, *fault["loc"]),
            input=fault["input"],
            ctx=fault.get("ctx", {}),
        )
        for fault in invalid.errors(include_url=False)
    ]


def fault_of(value: object, place: Place, sentence: str) -> InitErrorDetails:
    """Return a fault as pydantic has it."""
    context = {"error": ValueError(sentence)}
    return InitErrorDetails(type="value_error", loc=place, input=value, ctx=context)


def raise_faults(faults: Iterable[str]) -> None:
    """Raise all faults of one field together, if there are any."""
    if lines := [fault_of(None, (), sentence) for sentence in faults]:
        raise error_of(lines)


def check_as_whole(check: Callable[[Any], Iterable[str]]) -> WrapValidator:
    """Check a list or table as a whole, even where some of its parts are not sound.

    The check gets what the user wrote, whatever it is, and yields one sentence for each fault.
    """
    return WrapValidator(
        lambda value, handler: validate_also(
            value, handler, (((), sentence) for sentence in check(value))
        )
    )


def expecting(sentence: str) -> WrapValidator:
    """Say what a field should hold, whatever is wrong with its value."""

    def check(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise ValueError(f"{show(value)} {sentence}") from None

    return WrapValidator(check)


def one_of(names: type[StrEnum]) -> BeforeValidator:
    """Refuse what is not a text before the enumeration writes it out, however large it is."""
    expected = ", ".join(f"'{name}'" for name in names)

    def check(value: object) -> object:
        if isinstance(value, str):
            return value
        raise PydanticKnownError("enum", {"expected": expected})

    return BeforeValidator(check)


def plain_int(value: object) -> object:
    """Take numpy's whole numbers as ours; true and false are not numbers."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


def plain_text(value: object) -> object:
    """Take a whole number as the text that a cell has for it."""
    number = plain_int(value)
    return str(number) if isinstance(number, int) and not isinstance(number, bool) else value


def check_unicode(text: str) -> str:
    """Refuse lone surrogates, which no file can hold and pydantic cannot put into a message."""
    if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    raise PydanticKnownError("string_unicode")


def check_list(value: object) -> object:
    """Take a list or a tuple, but not a set or a generator, which pydantic would take too."""
    if isinstance(value, list | tuple):
        return value
    raise PydanticKnownError("tuple_type")


def check_some(values: Any) -> Any:
    """Refuse what is empty; pydantic's own check also counts what is not sound as absent."""
    if not values:
        raise ValueError("this is empty; name at least one")
    return values


def check_unrepeated(names: Sequence[str]) -> Sequence[str]:
    """Refuse a list in which something comes twice."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(f"listed more than once: {quote_some(twice)}; keep one of each")
    return names


def parse_path(value: object) -> object:
    """Take the path of a file."""
    if not isinstance(value, str | Path):
        raise ValueError(f"{show(value)} is not a path; write it in quotes")
    if "\0" in str(value) or not str(value):
        raise ValueError(f"{show(str(value))} cannot be the path of a file; correct it")
    return value


def parse_delimiter(value: object) -> object:
    """Take the character between the cells of a row."""
    if isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n\0':
        return value
    raise ValueError(f"{show(value)} is not a delimiter; use one ASCII character, such as ';'")


def parse_encoding(value: object) -> object:
    """Take the name of an encoding of text."""
    try:
        if isinstance(value, str) and "".encode(value) is not None:
            return value
    except (LookupError, ValueError):  # a name that Python does not know, or with a NUL in it
        pass
    raise ValueError(
        f"{show(value)} is not an encoding; use one such as 'utf-8', 'latin-1' or 'cp1252'"
    )


def unquoted_names(name: object, inner: object, known: Collection[str]) -> list[str]:
    """List the names with dots that TOML took for tables, because they are not in quotes.

    >>> unquoted_names("Wr", {"Hnd": {"role": "quasi"}}, ["role"])
    ['Wr.Hnd']
    """
    if not isinstance(inner, Mapping) or any(key in known for key in inner):
        return []
    if known and not all(isinstance(below, Mapping) for below in inner.values()):
        return []  # a table with a misspelt key
    found: list[str] = []
    for key, below in list(inner.items())[:3]:
        dotted = f"{name}.{key}"[:200]
        deeper = unquoted_names(dotted, below, known) if len(dotted) < 200 else []
        found += deeper or [dotted]
    return found


def explain_dots(known: Collection[str] = ()) -> WrapValidator:
    """Explain dotted names without quotes in a table by names; its tables have the `known` keys."""

    def check(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
        if not isinstance(value, Mapping):
            return handler(value)
        found = {name: unquoted_names(name, inner, known) for name, inner in value.items()}
        rest = {name: inner for name, inner in value.items() if not found[name]}
        faults = [((str(name),), dotted_sentence(names)) for name, names in found.items() if names]
        return validate_also(rest, handler, faults)

    return WrapValidator(check)


def dotted_sentence(names: Sequence[str]) -> str:
    """Say how names with dots are written."""
    quoted = ", ".join(json.dumps(shorten(name), ensure_ascii=False) for name in names)
    return f"a name with a dot in it needs quotes; quote the name: {quoted}"


UNICODE = AfterValidator(check_unicode)
Text = Annotated[str, Field(strict=True), UNICODE]
Name = Annotated[str, Field(strict=True, min_length=1), UNICODE]
ONLY_LISTS = BeforeValidator(check_list)
NOT_EMPTY = AfterValidator(check_some)
Names = Annotated[tuple[Text, ...], NOT_EMPTY, AfterValidator(check_unrepeated), ONLY_LISTS]
"""Different names of columns; one may be empty, as where a table was written with its index."""
Flag = Annotated[bool, Field(strict=True)]
FROM_NUMPY = BeforeValidator(plain_int)
Whole = Annotated[int, Field(strict=True), FROM_NUMPY]
Level = Annotated[int, Field(strict=True, ge=0), FROM_NUMPY]
Count = Annotated[int, Field(strict=True, ge=1), FROM_NUMPY]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Probability = Annotated[
    float,
    Field(strict=True, ge=0, le=1),
    expecting("is not a probability; use a number from 0 to 1"),
]
Share = Annotated[
    float,
    Field(strict=True, ge=0, le=1),
    expecting("is not a share of people; use a number from 0 to 1"),
]
FilePath = Annotated[Path, BeforeValidator(parse_path)]
Delimiter = Annotated[
    str,
    BeforeValidator(parse_delimiter),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 1}),
]
Encoding = Annotated[str, BeforeValidator(parse_encoding), WithJsonSchema({"type": "string"})]
CellText = Annotated[str, Field(strict=True), UNICODE, BeforeValidator(plain_text)]
"""A value of a column."""
ByName = Annotated[dict[Text, T], explain_dots()]
"""A table by the names of columns."""
ByValue = Annotated[dict[CellText, T], explain_dots()]
"""A table by the values of a column."""
