# Written by stubs.py.
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsInt, TypeAlias, overload

from pandas import DataFrame

Numeric: TypeAlias = SupportsFloat | SupportsInt
Value: TypeAlias = str | Numeric | PathLike[str] | list[Any] | tuple[Any, ...] | None
Table: TypeAlias = str | PathLike[str] | DataFrame | None

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

    An option's value is a number, a string, a path, ``True`` for a flag, or a list. ``None`` and
    ``False`` leave it out. A float means the decimal that Python prints: ``0.1`` is 1/10. A data
    frame stands for a CSV file with its columns.

    Raises ``ValueError`` with the command's sentence, which names the option, its value and what is
    accepted. Ctrl-C raises ``KeyboardInterrupt`` at once; the command goes on unseen until it is
    done or the process ends.
    """

def audit(
    *,
    task: Value = ...,
    policy: Value = ...,
    collections: Table = ...,
    command: Value = ...,
    runs: Value = ...,
    honest_clients: Value = ...,
    honest_aggregators: Value = ...,
    error: Value = ...,
    seed: Value = ...,
    clients: Value = ...,
    most_collections: Value = ...,
    time_limit: Value = ...,
    html: Value = ...,
    markdown: Value = ...,
    prepared_for: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Audit outputs: lower bounds on the epsilon of policies, or the conformance of a deployment.

    Rows: one guarantee each with the measured lower bound on epsilon in nats, or one fault
    each with its verdict. An audit that finds a fault returns, and says so in
    ``is_refuted`` or ``conforms``.

    task:
        Task file of the policy or of the deployment
    policy:
        The example of this policy, at epsilon 1 [default: every policy]
    collections:
        CSV file of a deployment's releases for known measurements, with the columns batch, attempt, reports, truth and released
    command:
        Program that submits known measurements to a deployment of the task and collects, with its arguments behind spaces. It runs once for each collection, reads a JSON object with batch, attempts and measurements, and prints one with attempt, reports and released for each attempt that gave an answer
    runs:
        Number of runs for each of the two neighbouring inputs [default: 100000]
    honest_clients:
        Number of honest clients, who are all run, for guarantees that count on other clients [default: 10]
    honest_aggregators:
        Largest number of honest aggregators: OAOC (one is honest) and OAMC (and most clients), then 2AOC and 2AMC, and so on [default: 2]
    error:
        Probability that a bound or a verdict is wrong [default: 1e-6]
    seed:
        Seed of the runs [default: 1]
    clients:
        Clients of each collection of --command [default: as many as a batch needs, at least 10]
    most_collections:
        Largest number of collections of --command [default: 5000]
    time_limit:
        Seconds for each collection of --command, up to a day [default: 60]
    html:
        Also write a report to this file, as HTML to show and print; - or no FILE prints it in place of the text
    markdown:
        Also write a report as Markdown, for pull requests and wikis
    prepared_for:
        Name in the report the person for whom it was made
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""

@overload
def calibrate(
    word0: Literal["gaussian"],
    /,
    *,
    epsilon: Value = ...,
    delta: Value = ...,
    query: Value = ...,
    sensitivity: Value = ...,
    adjacency: Value = ...,
    task: Value = ...,
    delta_at: bool = ...,
    variance: Value = ...,
    sigma: Value = ...,
    honest_aggregators: Value = ...,
    certificate: Value = ...,
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
    sensitivity: Value = ...,
    adjacency: Value = ...,
    task: Value = ...,
    honest_aggregators: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Least discrete Laplace noise for epsilon, or for epsilon and delta."""

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
    epsilon: Value = ...,
    certificate: Value = ...,
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
    epsilon0: Value = ...,
    epsilon: Value = ...,
    adjacency: Value = ...,
    certificate: Value = ...,
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
    task: Value = ...,
    adjacency: Value = ...,
    times: Value = ...,
    delta: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Epsilon of many releases together, bounded from both sides."""

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
    shares: Value = ...,
    weights: Value = ...,
    adjacency: Value = ...,
    certificate: Value = ...,
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
    delta: Value = ...,
    group: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """A guarantee of one definition of privacy in another one."""

@overload
def calibrate(
    word0: Literal["utility"],
    /,
    *,
    task: Value = ...,
    mechanism: Value = ...,
    coordinates: Value = ...,
    confidence: Value = ...,
    aggregators: Value = ...,
    clients: Value = ...,
    bound: Value = ...,
    accuracy: Value = ...,
    std: Value = ...,
    query: Value = ...,
    sensitivity: Value = ...,
    adjacency: Value = ...,
    delta: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Error of estimates, and parameters for a target accuracy."""

@overload
def calibrate(
    word0: Literal["ledger"],
    word1: Literal["create"],
    file: Value,
    /,
    *,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    adjacency: Value = ...,
    trust_model: Value = ...,
    rule: Value = ...,
    delta_for_releases: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Create a ledger with a limit; the file must not exist."""

@overload
def calibrate(
    word0: Literal["ledger"],
    word1: Literal["record"],
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
    minimum_batch: Value = ...,
    times: Value = ...,
    shares: Value = ...,
    head: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Record a release: one that exceeds the limit is refused, and a repeated entry counts once. Waits up to 5 s for another process to close the file."""

@overload
def calibrate(
    word0: Literal["ledger"],
    word1: Literal["show"],
    file: Value,
    /,
    *,
    entries: bool = ...,
    delta: Value = ...,
    head: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Show what was spent and what is left, also while another process writes."""

@overload
def calibrate(
    word0: Literal["ledger"],
    word1: Literal["left"],
    file: Value,
    /,
    *,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    adjacency: Value = ...,
    trust_model: Value = ...,
    mechanism: Value = ...,
    minimum_batch: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Compute how many more of a release fit."""

def compose(
    *,
    mechanism: Value = ...,
    task: Value = ...,
    adjacency: Value = ...,
    times: Value = ...,
    delta: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Epsilon of many releases together, bounded from both sides.

    ``answer``: ``epsilon_upper`` and ``epsilon_lower``, certified bounds in nats on the
    epsilon of all releases together.

    mechanism:
        Mechanism of a release; may be repeated. Noise of one aggregator: gaussian:VARIANCE:QUERY or laplace:SCALE:QUERY, with a QUERY such as one, pair, histogram:24 or sum:80. One client's randomized answer: response:EPSILON[:DELTA], k-ary:ANSWERS:EPSILON, coin-flip, basic-rappor:EPSILON or symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0. Sum of clients' one-hot reports: rappor:EPSILON0:CLIENTS, and with one aggregator's noise, LAW gaussian or laplace, hedged:EPSILON0:LAW:PARAMETER:CLIENTS. Where aggregators add missing reports take rappor with the target number of clients; where reports are dropped, response with their guarantee
    task:
        In place of mechanisms, a task file: the epsilon of its releases in each trust model
    adjacency:
        Which batches are neighbours: replacement or deletion [default: replacement]
    times:
        Number of releases, once for all or once for each mechanism [default: 1]
    delta:
        Delta of all releases together
    certificate:
        Also write a certificate of the answer to this file, which dp-check verifies
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""

def estimate(
    *,
    task: Value = ...,
    mechanism: Value = ...,
    coordinates: Value = ...,
    confidence: Value = ...,
    aggregators: Value = ...,
    clients: Value = ...,
    bound: Value = ...,
    accuracy: Value = ...,
    std: Value = ...,
    query: Value = ...,
    sensitivity: Value = ...,
    adjacency: Value = ...,
    delta: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Error of estimates, and parameters for a target accuracy.

    ``answer``: the standard deviation and the margin of estimates in the unit of the total,
    or the parameter that meets a target.

    task:
        Task file that gives the mechanism, unless --mechanism does, the aggregators, and with --bound the query
    mechanism:
        laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0; the name alone to compute the parameter
    coordinates:
        Estimates that are to be within the bound at once [default: 1]
    confidence:
        Probability that they are [default: 0.95]
    aggregators:
        Aggregators that each add such noise, with laplace and gaussian [default: 2]
    clients:
        Clients, with rappor
    bound:
        Target: the largest error, with laplace and gaussian
    accuracy:
        Target: the standard deviation of an estimated fraction, with rappor:EPSILON0
    std:
        Target: the standard deviation of an estimated count, with rappor
    query:
        The result that one client changes: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, multihot:LENGTH:WEIGHT, l1boundsum:LENGTH:MAX, one (one number, by 1), pair (two numbers, by 1 each: a histogram under replacement), l1:NUMBER or l2-squared:NUMBER [default: pair]
    sensitivity:
        In place of --query, the most that one client changes: the L1 norm for Laplace noise, the L2 norm for Gaussian noise
    adjacency:
        Which batches are neighbours: replacement or deletion [default: replacement]
    delta:
        Delta of the guarantee, with gaussian and --bound
    certificate:
        Also write a certificate of the answer to this file, which dp-check verifies
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""

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
    delta_for_releases: Value = ...,
    certificate: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Create a ledger with a limit; the file must not exist."""

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
    minimum_batch: Value = ...,
    times: Value = ...,
    shares: Value = ...,
    head: Value = ...,
    certificate: Value = ...,
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
    delta: Value = ...,
    head: Value = ...,
    certificate: Value = ...,
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
    minimum_batch: Value = ...,
    certificate: Value = ...,
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
    honest_aggregators: Value = ...,
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
    strategy: Value = ...,
    html: Value = ...,
    markdown: Value = ...,
    prepared_for: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Rank every policy for a query by its error, with its noise and its guarantees.

    Rows: one policy each, best first. ``std``, ``margin_95`` and ``max_error_95`` are
    errors of an estimate, in the unit of the total. The guarantees ``per_release`` and in
    ``total`` are for each trust model (``oc``: only the client is honest, ``oaoc``: and one
    aggregator, ``oamc``: and most other clients). ``chosen`` is the name of the best
    policy.

    type:
        count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX; with --grid sum, average or sumvec:LENGTH
    for_:
        What a histogram is for: buckets, percentiles (the error of a prefix, the first k buckets together) or ranges (of buckets in a row) [default: buckets]
    grid:
        LOW..HIGH/STEP for real numbers, which are rounded to multiples of STEP
    clients:
        Clients, or reports in one release; computed from a budget and an accuracy
    aggregators:
        Number of aggregators, 2 to 254 [default: 2]
    releases:
        Number of releases about the same clients [default: 1]
    reports_per_client:
        Largest number of reports of one person in one release [default: 1]
    adjacency:
        Which batches are neighbours: replacement by another report, or deletion by one that counts nothing [default: replacement]
    honest_fraction:
        Fraction of honest clients in OAMC, where one aggregator and most clients are honest [default: 1]
    honest_aggregators:
        Print guarantees for up to this many honest aggregators [default: all of them, at most 4]
    epsilon:
        Budget epsilon, with --delta
    delta:
        Delta of the budget, or at which epsilon is printed [default: 0, a pure guarantee; 1e-9 with --rho]
    rho:
        Zero-concentrated budget, in place of --epsilon
    total:
        The budget is for all releases together instead of for each
    against:
        Adversary of the guarantee: collector (OAMC: one aggregator and most clients are honest), one-aggregator (OAOC: the client and one aggregator are), all-aggregators (OC: only the client is) [default: one-aggregator]
    if_all_collude:
        Epsilon of the clients' noise, which remains if all aggregators collude: adds policies with noise of clients and of aggregators
    std:
        Largest standard deviation of one estimate; 1% means of all clients, or of the largest value
    margin:
        Largest error that one estimate exceeds in 5 % of cases
    all:
        Print every policy and every guarantee instead of the best three
    policy:
        Take this policy of the table instead of the best one, for --task and --strategy
    task:
        Write the task, for `simulate --task`: TOML, or JSON if the name ends in .json. If other clients' noise counts, this takes up to two seconds more
    strategy:
        Write the aggregators' noise for servers built on libprio (`dp_strategy`)
    html:
        Also write a report to this file, as HTML to show and print; - or no FILE prints it in place of the text
    markdown:
        Also write a report as Markdown, for pull requests and wikis
    prepared_for:
        Name in the report the person for whom it was made
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""

def policies(
    *,
    type: Value = ...,
    task: Value = ...,
    policy: Value = ...,
    epsilon: Value = ...,
    rho: Value = ...,
    delta: Value = ...,
    epsilon0: Value = ...,
    local_epsilon: Value = ...,
    false_positive_rate: Value = ...,
    clients: Value = ...,
    aggregators: Value = ...,
    length: Value = ...,
    max_measurement: Value = ...,
    max_weight: Value = ...,
    wanted_honest_clients: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """List every policy with its guarantees and its error.

    Rows: one policy each with its guarantees, and with ``std`` and ``margin_95`` of an
    estimate in the unit of the total.

    type:
        Only policies for this query: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX
    task:
        Task file that gives the query, the aggregators and the budget, unless options do
    policy:
        Only this policy
    epsilon:
        Epsilon of one aggregator's noise, or of one client's answer [default: the task's, or 1]
    rho:
        Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    delta:
        Delta at which every epsilon holds, and of the budget of Gaussian noise [default: the task's, or 1e-9]
    epsilon0:
        RAPPOR's parameter: the privacy loss of one bit [default: the task's, or 1]
    local_epsilon:
        Epsilon of one client's answer where aggregators add noise as well [default: epsilon]
    false_positive_rate:
        Largest rate of valid reports that RAPPOR drops [default: next to nothing of --delta]
    clients:
        Clients of a batch, all of them honest [default: 10000]
    aggregators:
        Number of aggregators, 2 to 254 [default: the task's, or 2]
    length:
        Entries of vectors and buckets of histograms, without --type [default: 10]
    max_measurement:
        Largest number, without --type [default: 10]
    max_weight:
        Largest weight of a vector of bits, without --type [default: 2]
    wanted_honest_clients:
        Number of honest clients up to which compensated-rappor fills a batch [default: twice --clients]
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""

def simulate(
    *,
    policy: Value = ...,
    task: Value = ...,
    epsilon: Value = ...,
    delta: Value = ...,
    rho: Value = ...,
    epsilon0: Value = ...,
    local_epsilon: Value = ...,
    max_weight: Value = ...,
    false_positive_rate: Value = ...,
    wanted_honest_clients: Value = ...,
    assumed_malicious_clients: Value = ...,
    aggregators: Value = ...,
    honest_clients: Value = ...,
    honest_aggregators: Value = ...,
    accept_weak_guarantee: bool = ...,
    data: Table = ...,
    counts: Table = ...,
    count_column: Value = ...,
    synthetic: Value = ...,
    type: Value = ...,
    delimiter: Value = ...,
    column: Value = ...,
    columns: Value = ...,
    bins: Value = ...,
    overflow_bins: bool = ...,
    max_measurement: Value = ...,
    grid: Value = ...,
    clamp: bool = ...,
    yes: Value = ...,
    no: Value = ...,
    missing: Value = ...,
    missing_value: Value = ...,
    ideal: bool = ...,
    clients: Value = ...,
    trials: Value = ...,
    consistent: bool = ...,
    percentiles: Value = ...,
    median: bool = ...,
    between: Value = ...,
    seed: Value = ...,
    threads: Value = ...,
    checkpoints: Value = ...,
    resume: bool = ...,
    range: Value = ...,
    html: Value = ...,
    markdown: Value = ...,
    prepared_for: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Run clients, aggregators and a collector over real Prio3 and compare estimates with the truth.

    Rows: one total of one trial each, with ``truth``, ``estimate``, ``standard_error`` and
    ``margin_95`` in the unit of the total. ``summary`` has the predicted and the observed
    standard deviation in the same unit, and ``seconds``.

    policy:
        Name of a policy, as `policies` lists it [default: histogram-laplace, with --rho histogram-gaussian]
    task:
        Task file in TOML or JSON, which has all parameters; --policy beside it takes another policy for the same query
    epsilon:
        Epsilon of one aggregator's noise [default: 0.906], or of one client's answer [default: 3]
    delta:
        Delta at which every epsilon holds, and of the budget of Gaussian noise [default: 1e-9]
    rho:
        Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    epsilon0:
        RAPPOR's parameter: the privacy loss of one bit [default: 3]
    local_epsilon:
        Epsilon of one client's answer where aggregators add noise as well [default: 3]
    max_weight:
        Largest weight of a measurement of multihot policies [default: all columns, or 1 with --bins]
    false_positive_rate:
        Rate of honest reports that RAPPOR may drop [default: so low that it uses next to nothing of --delta]
    wanted_honest_clients:
        Number of honest clients up to which compensated-rappor fills a batch [default: 10000]
    assumed_malicious_clients:
        Clients of a batch that compensated-rappor assumes to be malicious [default: 0]
    aggregators:
        Number of aggregators, 2 to 254 [default: 2]
    honest_clients:
        Number of honest clients in OAMC, where one aggregator and most clients are honest [default: the task's, or all]
    honest_aggregators:
        Also print guarantees for up to this many honest aggregators [default: the task's, or 1]
    accept_weak_guarantee:
        Run even if every guarantee has an epsilon above 20 or a delta above 0.001, which protects nobody
    data:
        CSV file with a header line [default: the heights and diagnoses of 1629 people]
    counts:
        CSV file in which a column gives the number of people that a row stands for
    count_column:
        Column of --counts with the number of people [default: count]
    synthetic:
        Distribution of synthetic measurements, read from no file: uniform, zipf or normal [default with --task and no data: zipf for buckets and bits, normal for one number, else uniform]
    type:
        Type of synthetic data without --task: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX; with --grid sum, average or sumvec:LENGTH
    delimiter:
        Separator of values: comma, semicolon, tab, bar, or the character [default: the only one in the header]
    column:
        Column to count in bins, to sum, or to count --yes in [default: height_cm, for sums cigarettes_per_day, for counts asthma]
    columns:
        Columns of a vector, separated by commas [default: the 14 diagnoses]
    bins:
        LOW..HIGH/WIDTH, values such as 0,1,2 or ios,android, or the word distinct for the values that occur, at most 1000000 [default for heights: 140..200/5]
    overflow_bins:
        Count values outside of --bins in bins of their own: below and above, or other
    max_measurement:
        Sum integers from 0 to this [default with --columns: count --yes instead]
    grid:
        Sum real numbers, LOW..HIGH/STEP such as 40..140/0.1: each is rounded to the nearest step
    clamp:
        Count a number beyond --bins, --max-measurement or --grid as the nearest one within; a task's grid always does
    yes:
        Values in --columns that count as yes, separated by commas [default: 1]
    no:
        Values in --columns that count as no [default: 0,2]
    missing:
        Effect of a missing value: skip leaves its row out, zero counts it as 0, refuse ends the run [default: refuse]
    missing_value:
        Values that mean a missing one, separated by commas, beside the empty one, NA, N/A, NaN and null
    ideal:
        Draw the totals from their exact distribution, as Prio3 computes them for honest clients, without any report; for up to 10^12 clients
    clients:
        Number of clients, each a row drawn at random with replacement [default: one for each row; with synthetic data the clients that the task needs, or 10000]
    trials:
        Number of trials [default: 1]
    consistent:
        Also adjust the estimates to the nearest possible totals: none negative, buckets that add up to the number of reports
    percentiles:
        Also estimate these percentiles, such as 5,25,50,75,95, as buckets with intervals
    median:
        Also estimate the median: the same as --percentiles 50
    between:
        Also estimate the number of people from LOW up to, but not including, HIGH: ends of bins, or numbers of buckets; may be repeated
    seed:
        Seed that makes the estimates reproducible [default: the sweep's, or from the operating system]
    threads:
        Number of threads [default: one for each processor]
    checkpoints:
        Write results to this folder every second or two, so that a run that ends early can go on
    resume:
        Continue the run in --checkpoints, or begin it if there is none
    range:
        Compute only the I-th of N shares of the run, such as 2/4; `merge` reports once all are in --checkpoints
    html:
        Also write a report to this file, as HTML to show and print; - or no FILE prints it in place of the text
    markdown:
        Also write a report as Markdown, for pull requests and wikis
    prepared_for:
        Name in the report the person for whom it was made
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""

def statement(
    *,
    task: Value = ...,
    deployment: Value = ...,
    template: Value = ...,
    releases: Value = ...,
    markdown: Value = ...,
    yaml: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Write the privacy statement of a deployment: a page for people, a record for machines.

    ``page`` is the statement for people, in Markdown; ``record`` has every figure for each
    trust model.

    task:
        Task file
    deployment:
        Deployment file in TOML: purpose, operators, retention, contact
    template:
        Write a deployment file to fill in, with every field, for the aggregators of --task, or 2; - or no FILE prints it
    releases:
        Number of releases in which one person takes part, with one report in each [default: the task's]
    markdown:
        Write the page for people to this file; - prints it
    yaml:
        Write the record for machines to this file; - prints it
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""

def sweep(
    file: Value,
    /,
    *,
    cell: Value = ...,
    seed: Value = ...,
    threads: Value = ...,
    checkpoints: Value = ...,
    resume: bool = ...,
    range: Value = ...,
    csv: Value = ...,
    html: Value = ...,
    markdown: Value = ...,
    prepared_for: Value = ...,
    json: Value = ...,
    force: bool = ...,
) -> Answer:
    """Simulate every combination of lists of policies, budgets, clients and lengths.

    Rows: one combination each, with errors in the unit of the total and times in seconds.

    file:
        The sweep, in TOML
    cell:
        Run only these cells, by their numbers: 7, or 7,12..15
    seed:
        Seed that makes the estimates reproducible [default: the sweep's, or from the operating system]
    threads:
        Number of threads [default: one for each processor]
    checkpoints:
        Write results to this folder every second or two, so that a run that ends early can go on
    resume:
        Continue the run in --checkpoints, or begin it if there is none
    range:
        Compute only the I-th of N shares of the run, such as 2/4; `merge` reports once all are in --checkpoints
    csv:
        Also write the rows to this file, as CSV; - or no FILE prints them in place of the text
    html:
        Also write a report to this file, as HTML to show and print; - or no FILE prints it in place of the text
    markdown:
        Also write a report as Markdown, for pull requests and wikis
    prepared_for:
        Name in the report the person for whom it was made
    json:
        Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    force:
        Replace files that this command did not write"""
