"""Imports a package a statement at a time: to import a hundred modules at once takes a tenth of a second.

In between the package is not in ``sys.modules``. Whoever imports it meanwhile, by a finder that stands there for it,
has it brought to its end at once, and all have the same module.
"""

from __future__ import annotations
import __future__

import ast
import functools
import importlib.util
import operator
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


def imported_in_pieces(name: str) -> Iterator[None]:
    """Import a package that stands by itself, such as ``pyqtgraph``, and yield between the statements of its file. Does
    nothing where it is there, or has no source. Raises what importing it raises."""
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    source = spec.loader.get_source(name) if spec is not None and isinstance(spec.loader, InspectLoader) else None
    if spec is None or source is None:
        return
    package = _Unfinished(spec, source)
    sys.meta_path.insert(0, package)
    try:
        while package.is_unfinished:
            package.advance()
            yield
    finally:
        package.give_up()


class _Unfinished(MetaPathFinder, Loader):
    """A package of which some statements have run."""

    def __init__(self, spec: ModuleSpec, source: str) -> None:
        self._spec = spec
        self._module = importlib.util.module_from_spec(spec)
        self._path = spec.origin or spec.name
        self._left = deque(ast.parse(source, self._path).body)
        self._future = _future_of(self._left)

    @property
    def is_unfinished(self) -> bool:
        """Whether any are left."""
        return bool(self._left)

    def advance(self) -> None:
        """Run the next one, in which the package can be imported as by any import on its way."""
        sys.modules[self._spec.name] = self._module
        try:
            self._run_next()
        except BaseException:
            self._left.clear()
            del sys.modules[self._spec.name]
            raise
        if self._left:
            sys.modules.pop(self._spec.name, None)

    def give_up(self) -> None:
        """Stand there no longer: it is done, or nobody wants the rest. Who imports it again runs all of it."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """For whoever imports it: what is left of it."""
        if fullname != self._spec.name or not self._left:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=self._spec.origin, is_package=True)

    def create_module(self, _spec: ModuleSpec) -> ModuleType:
        """The one that others know already."""
        return self._module

    def exec_module(self, _module: ModuleType) -> None:
        """Run all that is left."""
        self._module.__spec__ = self._spec
        try:
            while self._left:
                self._run_next()
        finally:
            self._left.clear()

    def _run_next(self) -> None:
        piece = ast.Module([self._left.popleft()], [])
        exec(compile(piece, self._path, "exec", self._future, dont_inherit=True), self._module.__dict__)


def _future_of(statements: Iterable[ast.stmt]) -> int:
    """What a file imports from ``__future__``, as flags of the compiler: it holds for each of its statements."""
    imports = (one for one in statements if isinstance(one, ast.ImportFrom) and one.module == "__future__")
    features = (getattr(__future__, alias.name) for one in imports for alias in one.names)
    return functools.reduce(operator.or_, (feature.compiler_flag for feature in features), 0)
