"""One-place changes to a Python source that could break a guarantee: what a careless or a hostile edit might do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.LShift: ">>", ast.RShift: "<<",
    ast.Pow: "*", ast.BitAnd: "|", ast.BitOr: "&",
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"), ast.Eq: ("!=",),
    ast.NotEq: ("==",), ast.Is: ("is not",), ast.IsNot: ("is",), ast.In: ("not in",), ast.NotIn: ("in",),
}  # fmt: skip
RENAMED = {"ceil": "floor", "floor": "ceil", "min": "max", "max": "min", "all": "any", "any": "all"}
LESS_NOISE = {  # the call, and its first argument made smaller
    "geometric": "max(1, ({}) // 10)", "discrete_laplace": "max(1, ({}) // 10)", "discrete_gaussian": "({}) / 100",
    "block_noise": "max(1, ({}) // 10)",
}  # fmt: skip
CHOICES = ("exponential_choice", "permute_and_flip_choice")  # their second argument is the rate


@dataclass(frozen=True)
class Change:
    """A stretch of a source, what takes its place, and which operator did it."""

    line: int
    start: int
    end: int
    text: str
    operator: str

    def apply(self, source: str) -> str:
        """The changed source."""
        return source[: self.start] + self.text + source[self.end :]


def changes(source: str, skipped: frozenset[str] = frozenset()) -> Iterator[Change]:
    """Every change of one place, in the order of the source, outside the functions that are skipped."""
    tree = ast.parse(source)
    finder = _Finder(source, skipped)
    finder.visit(tree)
    yield from sorted(finder.found, key=lambda change: (change.start, change.end, change.operator, change.text))


class _Finder(ast.NodeVisitor):
    """Walks code that runs: no annotations, no docstrings, no texts of errors."""

    def __init__(self, source: str, skipped: frozenset[str]) -> None:
        self.source = source
        self.skipped = skipped
        self.found: list[Change] = []
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def place(self, line: int, column: int) -> int:
        text = self.source[self.starts[line - 1] : self.starts[line]]
        return self.starts[line - 1] + len(text.encode()[:column].decode())

    def change(self, node: ast.AST, text: str, operator: str) -> None:
        line, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        start = self.place(line, node.col_offset)  # type: ignore[attr-defined]
        end = self.place(last, node.end_col_offset)  # type: ignore[attr-defined]
        if self.source[start:end] != text:
            self.found.append(Change(line, start, end, text, operator))

    # ---- what is not visited ---------------------------------------------------------------------
    def visit_Raise(self, node: ast.Raise) -> None:
        pass

    def visit_Import(self, node: ast.Import) -> None:
        pass

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        pass

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Without the flags of its decorators: what a dataclass compares equal to, and that it refuses assignment,
        are executed by no release.
        """
        for statement in node.body:
            self.visit(statement)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in ("__repr__", "__str__") or node.name in self.skipped:
            return
        for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
            self.visit(default)
        for statement in node.body:
            self.visit(statement)

    # ---- operators -------------------------------------------------------------------------------
    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node.value, ast.Call):
            self.change(node, "pass", "drop a call")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.change(node, "pass", "drop an update")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if len(node.body) == 1 and isinstance(node.body[0], ast.Raise) and not node.orelse:
            self.change(node.body[0], "pass", "drop a refusal")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        sign = SWAPPED.get(type(node.op))
        if sign is not None and not _annotation(node):
            self.change(node, f"({ast.unparse(node.left)} {sign} {ast.unparse(node.right)})", "swap an operator")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            for sign in COMPARED.get(type(node.ops[0]), ()):
                self.change(node, f"({left} {sign} {right})", "change a comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = " or " if isinstance(node.op, ast.And) else " and "
        self.change(node, f"({word.join(f'({ast.unparse(value)})' for value in node.values)})", "swap and/or")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not):
            self.change(node, f"({ast.unparse(node.operand)})", "drop a sign")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        for branch in (node.body, node.orelse):
            self.change(node, f"({ast.unparse(branch)})", "force a branch")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.change(node, str(not node.value), "flip a constant")
        elif isinstance(node.value, int) and abs(node.value) < 1000:
            self.change(node, str(node.value + 1), "move a constant")

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in ("strict", "compare"):  # a second look at lengths that agree; what objects compare equal to
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in ("TypeVar", "ParamSpec", "lru_cache"):
            return  # variance of types is for the type checker, the size of a cache for speed
        if isinstance(node.func, ast.Name) and name in RENAMED:
            self.change(node.func, RENAMED[name], "swap a function")
        if name in LESS_NOISE and node.args:
            self.change(node.args[0], LESS_NOISE[name].format(ast.unparse(node.args[0])), "less noise")
        if name in CHOICES and len(node.args) > 1:
            self.change(node.args[1], f"({ast.unparse(node.args[1])}) * 2", "double a rate")
        self.generic_visit(node)


def _annotation(node: ast.BinOp) -> bool:
    """Whether this is a union of types rather than a number."""
    return isinstance(node.op, ast.BitOr) and any(
        isinstance(side, ast.Name) and (side.id[0].isupper() or side.id in ("int", "str", "float", "bool"))
        for side in (node.left, node.right)
    )
