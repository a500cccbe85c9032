"""Writes dp_prio3/__init__.pyi, which has a keyword for every option: `python stubs.py`."""

import inspect
import pathlib

import dp_prio3
from dp_prio3 import _COMMANDS, _keyword

HEAD = '''# Written by stubs.py.
from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsInt, TypeAlias, overload

from pandas import DataFrame

Numeric: TypeAlias = SupportsFloat | SupportsInt
Value: TypeAlias = str | Numeric | PathLike[str] | Iterable[Any] | None
Table: TypeAlias = str | PathLike[str] | DataFrame | Iterable[Any] | None

__version__: str

class Number(float):
    """{number}"""
    exact: str
    def __new__(cls, exact: str | float) -> Number: ...

class Integer(int):
    """{integer}"""
    @property
    def exact(self) -> str: ...

class Answer(dict[str, Any]):
    """{answer}"""
    text: str
    html: str | None
    def __init__(self, document: Any = ..., text: str = ..., html: str | None = ...) -> None: ...
    def _repr_html_(self) -> str: ...

def run(*words: Value, **options: Value | DataFrame) -> Answer:
    """{run}"""

def rows(
    text: str, task: Value, ledger: Value = ..., **labels: Value
) -> list[dict[str, Any]]:
    """{rows}"""
'''

#: Options that take a data frame.
TABLES = {"data", "counts", "collections"}


def keywords(command):
    """The parameters of a command's options."""
    for option in command["options"]:
        kind = "bool" if option["is_flag"] else "Table" if option["name"] in TABLES else "Value"
        yield f"{_keyword(option['name'])}: {kind} = ..."


def definitions(name, words):
    """The definitions of a function: one for each command that these words begin."""
    commands = [
        one
        for one in _COMMANDS
        if one[: len(words)] == words and not _COMMANDS[one]["has_questions"]
    ]
    for one in commands:
        command = _COMMANDS[one]
        further = [f'word{n}: Literal["{word}"]' for n, word in enumerate(one[len(words) :])]
        further += [f"{_keyword(argument['name'])}: Value" for argument in command["arguments"]]
        parameters = [*further, *(["/"] if further else []), "*", *keywords(command)]
        signature = f"def {name}(\n    " + ",\n    ".join(parameters) + ",\n) -> Answer:"
        doc = inspect.getdoc(getattr(dp_prio3, name)) if one == words else command["about"] + "."
        # What the options mean is in the function's own documentation, and changes more often.
        first = (command["arguments"] + command["options"])[0]["name"]
        doc = doc.split(f"\n{_keyword(first)}:\n")[0].strip()
        doc = "\n    ".join(doc.splitlines()).replace("\n    \n", "\n\n")
        yield ("@overload\n" if len(commands) > 1 else "") + f'{signature}\n    """{doc}"""\n'


def stub():
    """The text of the stub."""
    docs = {
        name: getattr(dp_prio3, name).__doc__
        for name in ("Number", "Integer", "Answer", "run", "rows")
    }
    parts = [HEAD.format(**{name.lower(): doc for name, doc in docs.items()})]
    for name in dp_prio3.__all__:
        words = getattr(getattr(dp_prio3, name), "words", None)
        parts += definitions(name, words) if words else []
    return "\n".join(parts)


if __name__ == "__main__":
    pathlib.Path(dp_prio3.__file__).with_suffix(".pyi").write_text(stub(), encoding="utf-8")
