"""Mutants: a function with one small mistake, such as `<` where `<=` was, or made up by hand."""

from __future__ import annotations

import ast
import copy
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("hierarchy", "risk", "evaluation", "attackers", "attacks", "verification")
"""The rooms whose mistakes would harm people, and whose figures are theirs alone."""

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
BY_HAND = "by hand"
MADE_UP = Path(__file__).parent / "by_hand.csv"
"""What stands in a module, and the mistake that people made up in its place."""
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
DROPPED = (ast.AugAssign, ast.Raise, ast.Continue, ast.Break)
Functions = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake in one function."""

    path: str
    """The module, from the root of the repository."""
    function: str
    """Its qualified name, as the code object has it."""
    line: int
    number: int
    """Which mistake of its module it is."""
    kind: str
    before: str
    after: str

    def tree(self) -> ast.Module:
        """Return the module with the mistake."""
        text = (ROOT / self.path).read_text(encoding="utf-8")
        if self.kind == BY_HAND:
            return ast.parse(text.replace(self.before, self.after))
        tree = ast.parse(text)
        for number, (_, place, new, _) in enumerate(sites(tree)):
            if number == self.number:
                put(place, new)
                return ast.fix_missing_locations(tree)
        raise LookupError(f"{self.path} has no mutant {self.number}")


Place = tuple[ast.AST, str, int | None]
"""A node, its field, and the place in it where that is a list."""


def mutants_of(path: Path) -> Iterator[Mutant]:
    """List the mutants of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = str(path.relative_to(ROOT))
    for number, (function, place, new, kind) in enumerate(sites(tree)):
        old = get(place)
        before, after = (" ".join(ast.unparse(each).split())[:80] for each in (old, new))
        yield Mutant(name, function, old.lineno, number, kind, before, after)


def mutants_by_hand(room: str) -> list[Mutant]:
    """List the mistakes of a room that people made up; one whose place is gone is an error."""
    with MADE_UP.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["path"].split("/")[1] == room]
    return [made_up(-number, **row) for number, row in enumerate(rows, 1)]


def made_up(number: int, path: str, before: str, after: str) -> Mutant:
    """Find the function that a made-up mistake is in."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise LookupError(f"{path} does not have `{before}` once. Change {MADE_UP.name}.")
    line = text[: text.index(before)].count("\n") + 1
    found = functions(ast.parse(text).body, "")
    name = next(name for node, name in found if node.lineno <= line <= (node.end_lineno or 0))
    return Mutant(path, name, line, number, BY_HAND, before, after)


def sites(tree: ast.Module) -> Iterator[tuple[str, Place, ast.AST, str]]:
    """Find where mistakes can be made: inside of functions, not in annotations and messages."""
    for function, name in functions(tree.body, ""):
        for at, statement in enumerate(function.body):
            yield from ((name, *each) for each in inside((function, "body", at), statement))


def functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[Functions, str]]:
    """List the functions of a module and the methods of its classes."""
    for node in body:
        if isinstance(node, Functions):
            yield node, prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield from functions(node.body, f"{prefix}{node.name}.")


def inside(place: Place, node: ast.AST) -> Iterator[tuple[Place, ast.AST, str]]:
    """List the mistakes that can be made at a node and below."""
    yield from ((place, new, kind) for new, kind in mistakes(node))
    if isinstance(node, ast.Raise | ast.JoinedStr) or is_strict(node):
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_comment", "ctx", "ops", "op"):
            continue
        if isinstance(value, list):
            for at, each in enumerate(value):
                if isinstance(each, ast.AST):
                    yield from inside((node, field, at), each)
        elif isinstance(value, ast.AST):
            yield from inside((node, field, None), value)


def mistakes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """List what could stand in place of a node."""
    match node:
        case ast.Compare(ops=[op]):
            for other in COMPARISONS[type(op)]:
                yield changed(node, ops=[other()]), "comparison"
        case ast.BoolOp(op=op):
            yield changed(node, op=ast.Or() if isinstance(op, ast.And) else ast.And()), "and/or"
        case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub(), operand=operand):
            yield operand, "not"
        case ast.BinOp(op=op) if type(op) in ARITHMETIC and not is_text(node):
            yield changed(node, op=ARITHMETIC[type(op)]()), "arithmetic"
        case ast.Constant(value=bool() | int() | float() as value):
            other = not value if isinstance(value, bool) else value + 1
            yield changed(node, value=other), "constant"
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield changed(node, id=NAMES[name]), "min/max"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield changed(node, value=ast.Constant(None)), "return"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue():
            yield ast.copy_location(ast.Pass(), node), "statement"
        case ast.If(test=test) if not isinstance(test, ast.Compare):
            yield changed(node, test=ast.UnaryOp(ast.Not(), test)), "condition"


def is_strict(node: ast.AST) -> bool:
    """Whether it is the `strict=True` of a zip, which guards against what never happens."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def is_text(node: ast.BinOp) -> bool:
    """Whether texts are joined or filled in."""
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in (node.left, node.right)
    )


def changed(node: ast.AST, **fields: object) -> ast.AST:
    """Copy a node with other fields."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def get(place: Place) -> ast.AST:
    """Return what stands at a place."""
    node, field, at = place
    value = getattr(node, field)
    return value if at is None else value[at]


def put(place: Place, new: ast.AST) -> None:
    """Put something else there."""
    node, field, at = place
    if at is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[at] = new
