"""Differential privacy for Prio3: noise, guarantees and simulations, by the command ``dp-cli``.

Every command is a function, and each of its options a keyword with ``_`` for ``-``. An answer is a
dictionary, the command's JSON document. ``pandas.DataFrame(answer["rows"])`` is its table,
``print(answer)`` shows what the command prints, and a notebook shows its report.

Numbers are floats and integers that keep their digits: ``exact`` is the string of the document, an
integer, a decimal or a fraction. A certified bound is rounded to its safe side in ``exact``; the
float is the nearest one. Take ``exact`` where a guarantee depends on it. A number that you pass on
to another function is passed exactly.

Privacy losses (epsilon, rho) are in nats, deltas are probabilities. Errors, scales and standard
deviations have the unit of the total that is estimated: people for counts and histograms, the unit
of the measurement for sums and averages.
"""

import csv
import inspect
import json
import keyword
import os
import pathlib
import re
import tempfile
import textwrap
from fractions import Fraction
from html import escape

from dp_prio3 import _native

__version__ = "0.1.0"


class Number(float):
    """A float that keeps the digits of the document in ``exact``."""

    exact: str

    def __new__(cls, exact):
        number = super().__new__(cls, Fraction(exact) if "/" in str(exact) else exact)
        number.exact = str(exact)
        return number


class Integer(int):
    """An integer with ``exact``, as every number has it."""

    @property
    def exact(self):
        return str(int(self))


class Answer(dict):
    """The JSON document of a command, with its table in ``rows``.

    ``text`` is what the command prints, ``html`` its report or ``None``.
    """

    def __init__(self, document=(), text="", html=None):
        super().__init__(document)
        self.text = text
        self.html = html

    def __str__(self):
        return self.text

    def _repr_html_(self):
        if self.html is None:
            return f"<pre>{escape(self.text)}</pre>"
        style = "width: 100%; height: 40em; border: 0"
        return f'<iframe sandbox srcdoc="{escape(self.html)}" style="{style}"></iframe>'


def run(*words, **options):
    """Runs the command of these words: ``run("calibrate", "laplace", epsilon="1/2")``.

    An option's value is a number, a string, a path, ``True`` for a flag, or a list. ``None`` and
    ``False`` leave it out. A float means the decimal that Python prints: ``0.1`` is 1/10. A data
    frame stands for a CSV file with its columns; ``data`` may also be a series, an array or a list
    of values, which are the column.

    Raises ``ValueError`` with the command's sentence, which names the option, its value and what is
    accepted. Ctrl-C raises ``KeyboardInterrupt`` at once; the command goes on unseen until it is
    done or the process ends.
    """
    known = _options(words)
    outputs = [name for name in ("json", "html") if name in known and options.get(name) is None]
    with tempfile.TemporaryDirectory(prefix="dp-prio3-") as folder:
        line = [_text(word) for word in words]
        options = _with_column(options, folder)
        for parameter, value in options.items():
            name = parameter.rstrip("_").replace("_", "-")
            line += _arguments(name, value, known.get(name, {}), folder)
        parts = _native.answer(line + [f"--{name}=-" for name in outputs])
    document = parts.get("json")
    if document is None and options.get("json") is not None:
        document = pathlib.Path(options["json"]).read_text(encoding="utf-8")
    answer = Answer(
        _numbers(json.loads(document or "{}")), parts.get("text", ""), parts.get("html")
    )
    answer["rows"] = _rows(answer)
    return answer


def rows(text, task, ledger=None):
    """The rows for a data warehouse of what Janus's ``collect`` printed: a dictionary for each
    estimate, with its interval and its guarantee. ``pandas.DataFrame(dp.rows(text, task=path))`` is
    their table, and its ``to_parquet`` needs pyarrow.

    ``text`` is one printed text or several, one behind the other; ``task`` is a task file, and
    ``ledger`` the ledger with the releases so far. ``ValueError`` if the text has no result, for
    example as the collection job is not ready.
    """
    with tempfile.TemporaryDirectory(prefix="dp-prio3-") as folder:
        path = pathlib.Path(folder, "collected")
        path.write_text(text, encoding="utf-8")
        answer = run("estimate", task=task, collected=path, rows="json", ledger=ledger)
    return [json.loads(line) for line in answer.text.splitlines()]


def _with_column(options, folder):
    """The options, with values in place of ``data`` as a CSV file of one column."""
    data = options.get("data")
    if data is None or isinstance(data, (str, os.PathLike)) or hasattr(data, "columns"):
        return options
    if not hasattr(data, "__iter__"):
        raise ValueError(f"data is {data!r}: expected a file, a data frame or a list of values")
    name = str(getattr(data, "name", None) or "value")
    path = pathlib.Path(folder, "values.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([name])
        # NaN is no value, and alone is not equal to itself.
        writer.writerows(["" if one is None or one != one else _text(one)] for one in data)
    named = {} if options.get("column") or options.get("columns") else {"column": name}
    return {**options, **named, "data": path}


def _options(words):
    """The options of the longest command that these words begin with, by name and by alias."""
    command = max((one for one in _COMMANDS if one == words[: len(one)]), key=len, default=None)
    if command is None:
        return {}
    options = _COMMANDS[command]["options"]
    return {name: option for option in options for name in [option["name"], *option["aliases"]]}


def _arguments(name, value, option, folder):
    """The words of one option on the command line."""
    is_bool = type(value).__name__ in ("bool", "bool_")  # also one of numpy
    is_flag = option.get("is_flag", is_bool)
    if value is None or ((is_flag or is_bool) and not value):
        return []
    if is_flag and value == True:  # noqa: E712
        return [f"--{name}"]
    if hasattr(value, "to_csv"):
        path = os.path.join(folder, f"{name}.csv")
        value.to_csv(path, index=False)
        value = path
    if option.get("is_file") and not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"{name} is {value!r}: expected the name of a file")
    if isinstance(value, (list, tuple)):
        texts = [_text(one) for one in value]
        return [
            f"--{name}={text}" for text in (texts if option.get("repeats") else [",".join(texts)])
        ]
    return [f"--{name}={_text(value)}"]


def _text(value):
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not (isinstance(value, str) or hasattr(value, "__float__")):
        raise ValueError(f"{value!r}: expected a text, a number or the name of a file")
    return getattr(value, "exact", None) or str(value)


#: Fields whose strings are texts, even if they look like numbers.
_TEXTS = {"inputs", "label", "name", "results_digest"}

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?(/[0-9]+)?")


def _numbers(value):
    """A JSON value with numbers for the strings that are numbers."""
    if isinstance(value, dict):
        return {key: one if key in _TEXTS else _numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_numbers(one) for one in value]
    if isinstance(value, str) and (number := _NUMBER.fullmatch(value)):
        return Number(value) if any(number.groups()) else Integer(value)
    return value


#: The tables of documents. A document without any has one row, its answer.
_TABLES = (
    "rows",
    "runs",
    "coordinates",
    "choices",
    "policies",
    "guarantees",
    "verdicts",
    "properties",
    "entries",
)


def _rows(document):
    """The rows of the document's table; fields of nested objects are columns of their own."""
    table = next((document[name] for name in _TABLES if name in document), None)
    return [dict(_flat(row)) for row in ([document.get("answer", {})] if table is None else table)]


def _flat(row, prefix=""):
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}_")
        else:
            yield f"{prefix}{key}", value


def _function(name, *words, returns=""):
    """The function of a command, with the command's own description of its options."""
    command = _COMMANDS[words]

    def function(*arguments, **options):
        return run(*words, *arguments, **options)

    lines = [command["about"] + ".", ""]
    if command["has_questions"]:
        further = [one[len(words) :] for one in _COMMANDS if one[: len(words)] == words != one]
        lines += [
            "Its first words are one of " + ", ".join(" ".join(one) for one in further) + ".",
            "",
        ]
    if returns:
        lines += [textwrap.fill(returns, 88), ""]
    for option in command["arguments"] + command["options"]:
        default = f" [default: {option['default']}]" if option["default"] else ""
        lines += [f"{_keyword(option['name'])}:", f"    {option['help']}{default}"]
    function.__name__ = function.__qualname__ = name
    function.words = words
    function.__doc__ = "\n".join(lines)
    keywords = [_keyword(option["name"]) for option in command["options"]]
    parameters = [inspect.Parameter("arguments", inspect.Parameter.VAR_POSITIONAL)]
    parameters += [
        inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=None) for one in keywords
    ]
    if command["has_questions"]:
        parameters.append(inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD))
    function.__signature__ = inspect.Signature(parameters)
    return function


def _keyword(name):
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


_COMMANDS = {tuple(command.pop("words")): command for command in json.loads(_native.commands())}

plan = _function(
    "plan",
    "plan",
    returns=(
        "Rows: one policy each, best first. ``std``, ``margin_95`` and ``max_error_95`` are "
        "errors of an estimate, in the unit of the total. The guarantees ``per_release`` and in "
        "``total`` are for each trust model (``oc``: only the client is honest, ``oaoc``: and one"
        " aggregator, ``oamc``: and most other clients). ``chosen`` is the name of the best "
        "policy."
    ),
)
policies = _function(
    "policies",
    "policies",
    returns=(
        "Rows: one policy each with its guarantees, and with ``std`` and ``margin_95`` of an "
        "estimate in the unit of the total."
    ),
)
simulate = _function(
    "simulate",
    "simulate",
    returns=(
        "Rows: one total of one trial each, with ``truth``, ``estimate``, ``standard_error`` and "
        "``margin_95`` in the unit of the total. ``summary`` has the predicted and the observed "
        "standard deviation in the same unit, and ``seconds``. With lists of values, as in "
        "``epsilon=[0.5, 1]``, a row is a run."
    ),
)
calibrate = _function(
    "calibrate",
    "calibrate",
    returns=(
        "``answer`` has the figures by name. Names ending in ``_upper`` and ``_lower`` are "
        "certified bounds. ``sigma`` and ``scale`` have the unit of the total, ``variance`` its "
        "square; ``epsilon`` and ``rho`` are in nats. ``certificate`` says why the answer is "
        "true."
    ),
)
compose = _function(
    "compose",
    "calibrate",
    "compose",
    returns=(
        "``answer``: ``epsilon_upper`` and ``epsilon_lower``, certified bounds in nats on the "
        "epsilon of all releases together."
    ),
)
estimate = _function(
    "estimate",
    "estimate",
    returns=(
        "Rows: one estimate each, with ``standard_error`` and ``margin_95`` in the unit of the "
        "total. ``percentiles`` and ``ranges`` are of histograms, as ``simulate`` has them."
    ),
)
ledger = _function(
    "ledger",
    "ledger",
    returns=(
        "``answer``: what was spent of the limit and what is left, as certified bounds; losses in"
        " nats. ``show`` with ``entries=True`` has the releases as rows."
    ),
)
statement = _function(
    "statement",
    "statement",
    returns=(
        "``page`` is the statement for people, in Markdown; ``record`` has every figure for each "
        "trust model."
    ),
)
audit = _function(
    "audit",
    "audit",
    returns=(
        "Rows: one guarantee each with the measured lower bound on epsilon in nats, or one fault "
        "each with its verdict. An audit that finds a fault returns, and says so in "
        "``is_refuted`` or ``conforms``."
    ),
)

__all__ = [
    "Answer",
    "Integer",
    "Number",
    "audit",
    "calibrate",
    "compose",
    "estimate",
    "ledger",
    "plan",
    "policies",
    "rows",
    "run",
    "simulate",
    "statement",
]
