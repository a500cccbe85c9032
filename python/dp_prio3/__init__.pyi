# Written by stubs.py.
from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsInt, TypeAlias, overload

from pandas import DataFrame

Numeric: TypeAlias = SupportsFloat | SupportsInt
Value: TypeAlias = str | Numeric | PathLike[str] | Iterable[Any] | None
Table: TypeAlias = str | PathLike[str] | DataFrame | Iterable[Any] | None

__version__: str

class Number(float):
    """A float that keeps the digits of the document in ``exact``."""
    exact: str
    def __new__(cls, exact: str | float) -> Number: ...

class Integer(int):
    """An integer with ``exact``, as every number has it."""
    @property
    def exact(self) -> str: ...

class Answer(dict[str, Any]):
    """The JSON document of a command, with its table in ``rows``.

    ``text`` is what the command prints, ``html`` its report or ``None``.
    """
    text: str
    html: str | None
    def __init__(self, document: Any = ..., text: str = ..., html: str | None = ...) -> None: ...
    def _repr_html_(self) -> str: ...

def run(*words: Value, **options: Value | DataFrame) -> Answer:
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

def rows(
    text: str, task: Value, ledger: Value = ..., **labels: Value
) -> list[dict[str, Any]]:
    """The rows for a data warehouse of what Janus's ``collect`` printed: a dictionary for each
    estimate, with its interval and its guarantee. ``pandas.DataFrame(dp.rows(text, task=path))`` is
    their table, and its ``to_parquet`` needs pyarrow.

    ``text`` is one printed text or several, one behind the other; ``task`` is a task file, and
    ``ledger`` the ledger with the releases so far. ``bins`` or ``columns`` label the estimates, as
    in ``estimate``. ``ValueError`` if the text has no result, for example as the collection job is
    not ready.
    """

def audit(
    *,
    task: Value = ...,
    policy: Value = ...,
    collections: Table = ...,
    command: Value = ...,
    runs: Value = ...,
    honest_clients: Value = ...,
    error: Value = ...,
    seed: Value = ...,
    clients: Value = ...,
    most_collections: Value = ...,
    time_limit: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Audit outputs: lower bounds on the epsilon of policies, or the conformance of a deployment.

    Rows: one guarantee each with the measured lower bound on epsilon in nats, or one fault
    each with its verdict. An audit that finds a fault returns, and says so in
    ``is_refuted`` or ``conforms``."""

@overload
def calibrate(
    word0: Literal["gaussian"],
    /,
    *,
    epsilon: Value = ...,
    delta: Value = ...,
    query: Value = ...,
    adjacency: Value = ...,
    delta_at: bool = ...,
    variance: Value = ...,
    sigma: Value = ...,
    honest_aggregators: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Least discrete Gaussian noise for epsilon and delta, or the delta of known noise."""

@overload
def calibrate(
    word0: Literal["laplace"],
    /,
    *,
    epsilon: Value = ...,
    delta: Value = ...,
    query: Value = ...,
    adjacency: Value = ...,
    cube: bool = ...,
    delta_at: bool = ...,
    scale: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Least discrete Laplace noise for epsilon, or for epsilon and delta, or the delta of known noise."""

@overload
def calibrate(
    word0: Literal["rappor"],
    /,
    *,
    epsilon0: Value = ...,
    clients: Value = ...,
    delta: Value = ...,
    adjacency: Value = ...,
    length: Value = ...,
    max_weight: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Epsilon of a sum of randomized one-hot vectors, whatever the other clients hold."""

@overload
def calibrate(
    word0: Literal["response"],
    /,
    *,
    epsilon: Value = ...,
    answers: Value = ...,
    clients: Value = ...,
    delta: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Epsilon of a histogram of k-ary randomized answers, whatever the other clients hold."""

@overload
def calibrate(
    word0: Literal["multihot"],
    /,
    *,
    epsilon0: Value = ...,
    length: Value = ...,
    input_weight: Value = ...,
    false_positive_rate: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Largest accepted weight of a randomized vector, for a rate of rejected honest reports."""

@overload
def calibrate(
    word0: Literal["local"],
    /,
    *,
    mechanism: Value = ...,
    best_bits: bool = ...,
    answers: Value = ...,
    epsilon0: Value = ...,
    epsilon: Value = ...,
    adjacency: Value = ...,
    clients: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Privacy loss of one client's randomized answer, exactly."""

@overload
def calibrate(
    word0: Literal["compose"],
    /,
    *,
    mechanism: Value = ...,
    adjacency: Value = ...,
    times: Value = ...,
    delta: Value = ...,
    epsilon: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Epsilon, or delta, of many releases together, bounded from both sides."""

@overload
def calibrate(
    word0: Literal["schedule"],
    /,
    *,
    mechanism: Value = ...,
    release: Value = ...,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    weights: Value = ...,
    adjacency: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Least noise of many releases for one total budget."""

@overload
def calibrate(
    word0: Literal["convert"],
    /,
    *,
    rho: Value = ...,
    alpha: Value = ...,
    tau: Value = ...,
    epsilon: Value = ...,
    micro_epsilon: Value = ...,
    delta: Value = ...,
    answers: Value = ...,
    group: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """A guarantee of one definition of privacy in another one."""

@overload
def calibrate(
    word0: Literal["utility"],
    /,
    *,
    mechanism: Value = ...,
    coordinates: Value = ...,
    confidence: Value = ...,
    aggregators: Value = ...,
    clients: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Error of estimates under given noise; `plan` finds the noise for an error."""

def compose(
    *,
    mechanism: Value = ...,
    adjacency: Value = ...,
    times: Value = ...,
    delta: Value = ...,
    epsilon: Value = ...,
    certificate: Value = ...,
    coq: Value = ...,
    sampler_certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Epsilon, or delta, of many releases together, bounded from both sides.

    ``answer``: ``epsilon_upper`` and ``epsilon_lower``, certified bounds in nats on the
    epsilon of all releases together. The lower one is ``None`` with a mechanism ``cube``."""

def estimate(
    *,
    task: Value = ...,
    reports: Value = ...,
    totals: Value = ...,
    collected: Value = ...,
    rows: Value = ...,
    rows_file: Value = ...,
    ledger: Value = ...,
    consistent: bool = ...,
    raw_totals: bool = ...,
    fractions: bool = ...,
    bins: Value = ...,
    overflow_bins: bool = ...,
    columns: Value = ...,
    json: Value = ...,
    force: bool = ...,
    percentiles: Value = ...,
    median: bool = ...,
    between: Value = ...,
) -> Answer:
    """Turn the noisy totals of a batch into estimates with intervals, as the task's collector does.

    Rows: one estimate each, with ``standard_error`` and ``margin_95`` in the unit of the
    total. ``percentiles`` and ``ranges`` are of histograms; ``simulate`` has them under
    ``cumulative``."""

@overload
def ledger(
    word0: Literal["create"],
    file: Value,
    /,
    *,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    adjacency: Value = ...,
    trust_model: Value = ...,
    rule: Value = ...,
    task: Value = ...,
    releases: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Create a ledger with a limit; the file must not exist. With --task the limit is what the task guarantees over its releases, and no other release is taken."""

@overload
def ledger(
    word0: Literal["record"],
    file: Value,
    /,
    *,
    name: Value = ...,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    adjacency: Value = ...,
    trust_model: Value = ...,
    mechanism: Value = ...,
    task: Value = ...,
    head: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Record a release: one that exceeds the limit is refused, and a repeated entry counts once. Waits up to 5 s for another process to close the file."""

@overload
def ledger(
    word0: Literal["show"],
    file: Value,
    /,
    *,
    entries: bool = ...,
    head: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Show what was spent and what is left, also while another process writes."""

@overload
def ledger(
    word0: Literal["left"],
    file: Value,
    /,
    *,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    adjacency: Value = ...,
    trust_model: Value = ...,
    mechanism: Value = ...,
    task: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Compute how many more of a release fit."""

def plan(
    *,
    type: Value = ...,
    for_: Value = ...,
    grid: Value = ...,
    clients: Value = ...,
    aggregators: Value = ...,
    releases: Value = ...,
    reports_per_client: Value = ...,
    adjacency: Value = ...,
    honest_fraction: Value = ...,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    total: bool = ...,
    against: Value = ...,
    if_all_collude: Value = ...,
    std: Value = ...,
    margin: Value = ...,
    all: bool = ...,
    policy: Value = ...,
    task: Value = ...,
    min_reports: Value = ...,
    accept_weak_guarantee: bool = ...,
    strategy: Value = ...,
    html: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Rank every policy for a query by its error, with its noise and its guarantees.

    Rows: one policy each, best first. ``std``, ``margin_95`` and ``max_error_95`` are
    errors of an estimate, in the unit of the total. The guarantees ``per_release`` and in
    ``total`` are for each trust model (``oc``: only the client is honest, ``oaoc``: and one
    aggregator, ``oamc``: and most other clients). ``chosen`` is the name of the best
    policy."""

def policies(
    *,
    type: Value = ...,
    task: Value = ...,
    policy: Value = ...,
    epsilon: Value = ...,
    rho: Value = ...,
    delta: Value = ...,
    epsilon0: Value = ...,
    clients: Value = ...,
    aggregators: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """List every policy with its guarantees and its error.

    Rows: one policy each with its guarantees, and with ``std`` and ``margin_95`` of an
    estimate in the unit of the total."""

def simulate(
    *,
    task: Value = ...,
    honest_aggregators: Value = ...,
    accept_weak_guarantee: bool = ...,
    data: Table = ...,
    counts: Table = ...,
    count_column: Value = ...,
    delimiter: Value = ...,
    column: Value = ...,
    columns: Value = ...,
    overflow_bins: bool = ...,
    clamp: bool = ...,
    yes: Value = ...,
    no: Value = ...,
    missing: Value = ...,
    missing_value: Value = ...,
    ideal: bool = ...,
    consistent: bool = ...,
    raw_totals: bool = ...,
    percentiles: Value = ...,
    median: bool = ...,
    between: Value = ...,
    seed: Value = ...,
    threads: Value = ...,
    share: Value = ...,
    csv: Value = ...,
    html: Value = ...,
    json: Value = ...,
    force: bool = ...,
    policy: Value = ...,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    epsilon0: Value = ...,
    local_epsilon: Value = ...,
    max_weight: Value = ...,
    false_positive_rate: Value = ...,
    target_honest_clients: Value = ...,
    assumed_malicious_clients: Value = ...,
    aggregators: Value = ...,
    honest_clients: Value = ...,
    synthetic: Value = ...,
    type: Value = ...,
    bins: Value = ...,
    max_measurement: Value = ...,
    grid: Value = ...,
    clients: Value = ...,
    trials: Value = ...,
) -> Answer:
    """Run clients, aggregators and a collector over real Prio3 and compare estimates with the truth.

    Rows: one total of one trial each, with ``truth``, ``estimate``, ``standard_error`` and
    ``margin_95`` in the unit of the total. ``summary`` has the predicted and the observed
    standard deviation in the same unit, and ``seconds``. With lists of values, as in
    ``epsilon=[0.5, 1]``, a row is a run."""

def statement(
    *,
    task: Value = ...,
    deployment: Value = ...,
    template: Value = ...,
    accept_single_operator: bool = ...,
    accept_weak_guarantee: bool = ...,
    releases: Value = ...,
    markdown: Value = ...,
    html: Value = ...,
    yaml: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Write the privacy statement of a deployment: a page for people, a record for machines.

    ``page`` is the statement for people, in Markdown; ``record`` has every figure for each
    trust model."""
