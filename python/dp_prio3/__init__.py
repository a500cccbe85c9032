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
import reprlib
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

    An option's value is a number, a string, a path, ``True`` for a flag, or a list, array or series
    of these. ``None`` and ``False`` leave it out. A float means the decimal that Python prints:
    ``0.1`` is 1/10. A data frame, or a dictionary of columns, stands for a CSV file; ``data`` may
    also be a series, an array or a list of values, which are the column. An error names the option
    in place of that file: ``data: line 2`` is the first row.

    Raises ``ValueError`` with the command's sentence, which names the option, its value and what is
    accepted. Ctrl-C raises ``KeyboardInterrupt`` at once; the command goes on unseen until it is
    done or the process ends.
    """
    with tempfile.TemporaryDirectory(prefix="dp-prio3-") as folder:
        return _run(words, options, folder)


def _run(words, options, folder):
    """The answer of a command, which reads files of this folder."""
    known = _options(words)
    outputs = [name for name in ("json", "html") if name in known and options.get(name) is None]
    if any(options.get(name) is not None for name in _WITHOUT_DOCUMENT):
        outputs = []
    line = [_text("an argument", word) for word in words]
    for parameter, value in _with_column(options).items():
        name = parameter.rstrip("_").replace("_", "-")
        line += _arguments(name, value, known.get(name, {}), folder)
    try:
        parts = _native.answer(line + [f"--{name}=-" for name in outputs])
    except ValueError as error:
        raise ValueError(str(error).replace(folder + os.sep, "")) from None
    document = parts.get("json")
    if document is None and options.get("json") is not None and not options.get("share"):
        document = pathlib.Path(options["json"]).read_text(encoding="utf-8")
    document, text, html = (
        part and part.replace(folder + os.sep, "")
        for part in (document, parts.get("text", ""), parts.get("html"))
    )
    answer = Answer(_numbers(json.loads(document or "{}")), _as_calls(text), html)
    if words[:2] == ("calibrate", "compose") and "answer" in answer:
        for upper in [name for name in answer["answer"] if name.endswith("_upper")]:
            answer["answer"].setdefault(upper.replace("_upper", "_lower"), None)
    answer["rows"] = _rows(answer)
    return answer


def _as_calls(text):
    """The text with the command that tries a plan as a call of Python."""

    def call(match):
        path, clients, ideal = match.groups()
        return f"dp.simulate(task={path!r}, clients={clients}{', ideal=True' if ideal else ''})"

    command = r"dp-cli simulate --task (.+) --clients ([0-9]+)( --ideal)?$"
    return re.sub(command, call, text, flags=re.MULTILINE)


#: Options with which a command has no document and no report.
_WITHOUT_DOCUMENT = ("template", "share")


def rows(text, task, ledger=None, **labels):
    """The rows for a data warehouse of what Janus's ``collect`` printed: a dictionary for each
    estimate, with its interval and its guarantee. ``pandas.DataFrame(dp.rows(text, task=path))`` is
    their table, and its ``to_parquet`` needs pyarrow.

    ``text`` is one printed text or several, one behind the other; ``task`` is a task file, and
    ``ledger`` the ledger with the releases so far. ``bins`` or ``columns`` label the estimates, as
    in ``estimate``. ``ValueError`` if the text has no result, for example as the collection job is
    not ready.
    """
    with tempfile.TemporaryDirectory(prefix="dp-prio3-") as folder:
        path = pathlib.Path(folder, "text")
        path.write_text(text, encoding="utf-8")
        options = {"task": task, "collected": path, "rows": "json", "ledger": ledger, **labels}
        answer = _run(("estimate",), options, folder)
    return [json.loads(line) for line in answer.text.splitlines()]


def _with_column(options):
    """The options, with values in place of ``data`` as a table of one column."""
    data = options.get("data")
    if data is None or isinstance(data, (str, os.PathLike, dict)) or hasattr(data, "columns"):
        return options
    if not _is_list(data):
        shown = reprlib.repr(data)
        raise ValueError(f"data is {shown}: expected a file, a data frame or a list of values")
    name = str(getattr(data, "name", None) or "value")
    named = {} if options.get("column") or options.get("columns") else {"column": name}
    return {**options, **named, "data": {name: data}}


def _is_list(value):
    is_one = isinstance(value, (str, bytes, os.PathLike, dict)) or getattr(value, "ndim", 1) == 0
    return hasattr(value, "__iter__") and not is_one


def _write_table(option, columns, path):
    """Writes a dictionary of columns as a CSV file."""
    if not all(_is_list(values) for values in columns.values()):
        raise ValueError(f"{option} is {reprlib.repr(columns)}: expected lists as its columns")
    columns = {str(name): list(values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{option} has columns of lengths {lengths}: expected one length")
    # Of pandas NaN and NaT do not equal themselves, and NA equals nothing.
    is_missing = lambda one: (
        type(one).__name__ in ("NoneType", "NAType") or (not _is_list(one) and one != one)
    )
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow("" if is_missing(one) else _text(option, one) for one in row)


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
    if option.get("is_file") and (isinstance(value, dict) or hasattr(value, "to_csv")):
        path = os.path.join(folder, name)
        if isinstance(value, Answer):
            raise ValueError(f"{name} is an answer: expected the name of a file")
        if isinstance(value, dict):
            _write_table(name, value, path)
        else:
            value.to_csv(path, index=False)
        value = path
    is_path = isinstance(value, (str, os.PathLike))
    if option.get("is_file") and not (is_path or option.get("repeats")):
        raise ValueError(f"{name} is {reprlib.repr(value)}: expected the name of a file")
    if _is_list(value):
        texts = [_text(name, one) for one in value]
        if not option.get("repeats"):
            # As in a CSV file: a text with a comma or a quotation mark stands in quotes.
            quoted = lambda text: '"' + text.replace('"', '""') + '"'
            texts = [",".join(quoted(one) if re.search('[,"]', one) else one for one in texts)]
        return [f"--{name}={text}" for text in texts]
    return [f"--{name}={_text(name, value)}"]


def _text(name, value):
    """A value as the command reads it; an error calls it by this name."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    is_number = hasattr(value, "__float__") and not getattr(value, "shape", ())
    if not (isinstance(value, str) or is_number):
        shown = reprlib.repr(value)
        raise ValueError(f"{name} has {shown}: expected a text, a number or the name of a file")
    return getattr(value, "exact", None) or str(value)


#: Fields whose strings are texts, even if they look like numbers.
_TEXTS = {"batch", "inputs", "label", "last_entry", "name", "results_digest", "task", "task_digest"}

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
    table = next((document[name] for name in _TABLES if isinstance(document.get(name), list)), None)
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
        "epsilon of all releases together. The lower one is ``None`` with a mechanism ``cube``."
    ),
)
estimate = _function(
    "estimate",
    "estimate",
    returns=(
        "Rows: one estimate each, with ``standard_error`` and ``margin_95`` in the unit of the "
        "total. ``percentiles`` and ``ranges`` are of histograms; ``simulate`` has them under "
        "``cumulative``."
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
