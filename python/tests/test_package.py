"""What the package adds to the command: conversions, errors, threads, documentation."""

import copy
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction

import jsonschema
import nbclient
import nbformat
import numpy
import pandas
import pytest
import yaml

import dp_prio3 as dp
from dp_prio3 import _native

FOLDER = pathlib.Path(__file__).parents[1]
HISTOGRAM = {
    "type": "histogram:40",
    "clients": 250_000,
    "ideal": True,
    "synthetic": "zipf",
    "seed": 1,
}


HISTOGRAM_TASK = FOLDER.parent / "examples" / "tasks" / "histogram.toml"


def document(*line):
    """The document of a command, without this package's conversion."""
    return json.loads(_native.answer([*line, "--json"])["json"])


def test_the_ten_lines_of_the_readme_run_as_they_are(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 10
    names = {}
    exec(code, names)
    assert names["frame"].shape[0] == 40
    assert names["frame"]["truth"].dtype == "int64"
    assert 0 < names["year"] < 365 / 2
    assert "bucket 39" in capsys.readouterr().out


def test_numbers_are_the_documents_numbers_with_all_digits():
    answer = dp.calibrate("gaussian", epsilon=0.317, delta=1e-9)
    plain = document("calibrate", "gaussian", "--epsilon", "0.317", "--delta", "1e-9")
    for name, text in plain["answer"].items():
        assert answer["answer"][name].exact == text
        assert float(answer["answer"][name]) == float(Fraction(text))
    assert answer["question"] == plain["question"].replace("1e-9", "1e-09")
    assert answer["inputs"]["epsilon"] == "0.317"


def test_a_number_that_is_passed_on_is_passed_exactly():
    variance = dp.calibrate("gaussian", epsilon="1/3", delta="1e-9")["answer"]["variance"]
    assert "/" in variance.exact and Fraction(float(variance)) != Fraction(variance.exact)
    assert (
        dp.calibrate("gaussian", delta_at=True, variance=variance, epsilon="1/3")["inputs"][
            "variance"
        ]
        == variance.exact
    )


def test_options_are_flags_lists_and_repetitions():
    answer = dp.compose(
        mechanism=["gaussian:900:one", "laplace:20:pair"],
        times=(52, 12),
        delta=1e-9,
        adjacency=None,
    )
    assert answer["inputs"]["mechanism"] == ["gaussian:900:one", "laplace:20:pair"]
    assert answer["inputs"]["times"] == ["52", "12"]
    columns = dp.simulate(
        policy="multihot-rappor", columns=["asthma", "tb"], ideal=True, consistent=False, seed=1
    )
    assert columns["inputs"]["columns"] == "asthma,tb" and "consistent" not in columns["inputs"]
    assert [row["label"] for row in columns["rows"]] == ["asthma", "tb"]


def test_what_is_no_value_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    question = {"type": "count", "clients": 100, "epsilon": 1}
    for name, value in [
        ("json", True),
        ("json", 3),
        ("html", ["a.html"]),
        ("json", b"plan.json"),
        ("task", len),
        ("aggregators", len),
        ("grid", b"0..1/1"),
    ]:
        with pytest.raises(ValueError, match="expected"):
            dp.plan(**question, **{name: value})
    assert list(tmp_path.iterdir()) == []
    for left_out in (None, False):
        assert dp.plan(**question, delta=left_out)["job"] == dp.plan(**question)["job"]


def test_an_option_that_is_a_word_of_python_has_an_underscore_behind():
    plan = dp.plan(type="histogram:40", clients=1000, epsilon=1, for_="percentiles")
    assert plan["inputs"]["for"] == "percentiles"


def test_a_negative_number_is_a_value_and_not_an_option():
    assert (
        dp.plan(type="average", grid="-5..5/0.5", clients=1000, epsilon=1)["inputs"]["grid"]
        == "-5..5/0.5"
    )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: dp.plan(type="histogram:40", epsilon=-1),
            "epsilon is -1: expected a number greater than 0",
        ),
        (
            lambda: dp.plan(espilon=1),
            "unexpected argument '--espilon' found: a similar argument exists: '--epsilon'",
        ),
        (
            lambda: dp.plan(type="histogram:40", epsilon=float("nan")),
            "epsilon is nan: expected a number such as",
        ),
        (
            lambda: dp.run("plam"),
            "unrecognized subcommand 'plam': a similar subcommand exists: 'plan'",
        ),
        (lambda: dp.ledger("show", "no.ledger"), "no.ledger: "),
        (lambda: dp.simulate(ideal=5), "unexpected value '5' for '--ideal'"),
        (
            lambda: dp.simulate(data={"age": [1, "x"]}, column="age", bins="0..9/1"),
            "data: line 3: age is x: expected a number",
        ),
        (lambda: dp.simulate(data={"a": [1], "b": []}), "data has columns of lengths"),
        (lambda: dp.simulate(data=pandas.cut(pandas.Series([1]), [0, 2])), "data has Interval("),
        (lambda: dp.simulate(data=[[1, 2]]), "data has [1, 2]: expected"),
        (lambda: dp.simulate(data=numpy.zeros((2, 2))), "data has array([0., 0.]): expected"),
        (lambda: dp.plan(epsilon=numpy.array([[1]])), "epsilon has array([1]): expected"),
        (lambda: dp.simulate(task=dp.policies()), "task is an answer: expected"),
        (lambda: dp.rows("x", task=HISTOGRAM_TASK), "text: line 1 is x"),
        (lambda: dp.plan(type="\0\n\ud7ff" * 10_000), "type is "),
    ],
)
def test_an_error_is_the_commands_sentence(call, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        call()
    assert "\n" not in str(error.value)


def test_lists_of_values_are_runs():
    answer = dp.simulate(ideal=True, seed=1, type="count", policy="count-laplace", epsilon=[0.5, 1])
    assert [row["epsilon"] for row in answer["rows"]] == [0.5, 1]
    assert all(row["predicted_std"] > 0 for row in answer["rows"])


def test_a_data_frame_is_data_and_rows_are_a_data_frame():
    heights = pandas.read_csv(FOLDER / "notebooks" / "heights.csv")
    run = dp.simulate(
        data=heights, column="height_cm", bins="140..200/5", ideal=True, seed=1, overflow_bins=True
    )
    frame = pandas.DataFrame(run["rows"])
    expected = pandas.cut(heights["height_cm"], range(140, 201, 5), right=False).value_counts(
        sort=False
    )
    assert frame["truth"].tolist()[1:-1] == expected.tolist()
    assert frame["standard_error"].dtype == "float64"


def test_the_same_seed_gives_the_commands_run():
    plain = document("simulate", "--seed", "1", "--ideal")
    assert (
        dp.simulate(seed=1, ideal=True)["summary"]["results_digest"]
        == plain["summary"]["results_digest"]
    )


def test_nested_fields_are_columns():
    rows = dp.plan(type="histogram:40", clients=1000, epsilon=1)["rows"]
    assert rows[0]["total_oaoc_epsilon"] == 1
    assert not any(isinstance(value, dict) for row in rows for value in row.values())


def test_a_notebook_shows_the_report_and_print_the_text():
    plan = dp.plan(type="histogram:40", clients=1000, epsilon=1)
    assert (
        plan._repr_html_().startswith("<iframe sandbox srcdoc=")
        and "&lt;html" in plan._repr_html_()
    )
    assert str(plan).startswith("Take histogram-laplace")
    noise = dp.calibrate("laplace", epsilon=1)
    assert noise._repr_html_().startswith("<pre>") and "scale" in str(noise)


def test_files_are_written_where_they_are_asked_for(tmp_path):
    plan = dp.plan(
        type="histogram:40",
        clients=1000,
        epsilon=1,
        task=tmp_path / "a.toml",
        html=tmp_path / "a.html",
        json=tmp_path / "a",
    )
    assert plan["chosen"] == "histogram-laplace" and (tmp_path / "a.html").stat().st_size > 1000
    assert (
        dp.simulate(task=tmp_path / "a.toml", ideal=True, seed=1)["policy"] == "histogram-laplace"
    )


def test_a_ledger_lasts_from_call_to_call(tmp_path):
    path = tmp_path / "visits.ledger"
    dp.ledger("create", path, epsilon=1, delta=1e-6)
    dp.ledger("record", path, name="1", epsilon=0.6, delta=1e-9)
    with pytest.raises(ValueError, match="2 does not fit"):
        dp.ledger("record", path, name="2", epsilon=0.6, delta=1e-9)
    assert [row["name"] for row in dp.ledger("show", path, entries=True)["rows"]] == ["1"]


def test_numbers_survive_copies_and_pickles():
    third = dp.Number("1/3")
    for copied in (copy.deepcopy(third), pickle.loads(pickle.dumps(third))):
        assert copied == third == 1 / 3 and copied.exact == "1/3"
    answer = dp.calibrate("laplace", epsilon=1)
    copied = pickle.loads(pickle.dumps(answer))
    assert copied == answer and str(copied) == str(answer)


def test_other_threads_run_meanwhile():
    run = threading.Thread(target=dp.simulate, kwargs={"clients": 20_000, "seed": 1, "threads": 1})
    run.start()
    turns = 0
    while run.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 20


def test_ctrl_c_ends_the_call_at_once():
    # A shell's background jobs begin with the signal ignored.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import dp_prio3 as dp; print('go', flush=True); dp.simulate(clients=100_000_000, seed=1)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"go\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT and b"KeyboardInterrupt" in errors


def test_the_stub_has_every_option():
    stubs = subprocess.run(
        [sys.executable, "-c", "import stubs; print(stubs.stub(), end='')"],
        cwd=FOLDER,
        capture_output=True,
        check=True,
    )
    assert stubs.stdout.decode() == (FOLDER / "dp_prio3" / "__init__.pyi").read_text(), (
        "run python/stubs.py"
    )


def test_noisy_totals_become_estimates(tmp_path):
    task = HISTOGRAM_TASK
    totals = [-3, *range(10), 1587]
    for given in (totals, numpy.array(totals), pandas.Series(totals)):
        answer = dp.estimate(task=task, reports=1629, totals=given, median=True, raw_totals=True)
        assert [row["estimate"] for row in answer["rows"]] == totals
    assert answer["percentiles"][0]["percentile"] == 50
    # Each total of questions that are answered with 0 or 1 counts people.
    task = planned(tmp_path / "questions.toml", type="sumvec:2:1", clients=100)
    fractions = dp.estimate(task=task, reports=100, totals=(7, 50), fractions=True)
    assert [row["estimate"] for row in fractions["rows"]] == [0.07, 0.5]
    task = HISTOGRAM_TASK
    with pytest.raises(ValueError, match="number of totals is 2: expected 12"):
        dp.estimate(task=task, reports=1629, totals=[1, 2])


SAMPLES = FOLDER.parent / "crates" / "dp-cli" / "tests" / "collected"


def planned(path, **job):
    dp.plan(epsilon=1, delta="1e-9", task=path, **job)
    return path


def test_what_collect_printed_becomes_rows(tmp_path):
    task = planned(tmp_path / "count.toml", type="count", clients=1200)
    text = (SAMPLES / "count.fixed_size.stdout").read_text()
    (row,) = dp.rows(text, task=task)
    assert row["estimate"] == -10 and row["lower_95"] < -10 < row["upper_95"]
    assert isinstance(row["reports"], int) and row["trust_model"] == "OAOC"
    assert pandas.DataFrame([row])["standard_error"].dtype == "float64"
    job = {"type": "histogram:64", "clients": 46, "policy": "histogram-gaussian"}
    task = planned(tmp_path / "ages.toml", **job)
    text = (SAMPLES / "histogram_gaussian.run.stdout").read_text()
    assert dp.rows(text, task=task, bins="0..128/2")[63]["label"] == "126..128"
    task = tmp_path / "count.toml"
    with pytest.raises(ValueError, match="is not ready"):
        dp.rows((SAMPLES / "histogram_gaussian.polljob.stdout").read_text(), task=task)


@pytest.mark.parametrize("table", ["rows.csv", "rows.parquet"])
def test_the_job_loads_each_batch_once_and_refuses_other_numbers(tmp_path, table):
    source = FOLDER / "examples" / "collect_job.py"
    assert len(source.read_text().splitlines()) <= 40
    task = planned(
        tmp_path / "task.toml", type="histogram:64", clients=46, policy="histogram-gaussian"
    )
    text = (SAMPLES / "histogram_gaussian.run.stdout").read_text()

    def job(printed):
        (tmp_path / "printed").write_text(printed)
        line = [sys.executable, source, task, tmp_path / table, "cat", tmp_path / "printed"]
        return subprocess.run(line, capture_output=True, text=True)

    for printed in (text, text, text.replace("11-28", "11-29")):
        done = job(printed)
        assert done.returncode == 0, done.stderr
    read = pandas.read_csv if table.endswith("csv") else pandas.read_parquet
    assert len(read(tmp_path / table)) == 2 * 64
    assert "with other numbers" in job(text.replace("[49", "[48")).stderr


def test_a_series_an_array_and_a_list_are_data():
    heights = pandas.read_csv(FOLDER / "notebooks" / "heights.csv")["height_cm"]
    question = {"bins": "140..200/5", "ideal": True, "seed": 1, "overflow_bins": True}
    runs = [
        dp.simulate(data=data, **question)["rows"]
        for data in (heights, heights.to_numpy(), heights.tolist(), tuple(heights))
    ]
    assert all(run == runs[0] for run in runs)
    assert sum(row["truth"] for row in runs[0]) == len(heights)
    quarter = heights.iloc[:400].round().astype("Int64")
    quarter.iloc[7] = None
    for data in (quarter, {"cm": list(quarter)}):
        run = dp.simulate(data=data, missing="skip", **question)
        assert sum(row["truth"] for row in run["rows"]) == 399
    with pytest.raises(ValueError, match="data is 5: expected a file"):
        dp.simulate(data=5, **question)


def test_names_with_commas_and_truth_values_are_columns():
    frame = pandas.DataFrame({"smokes, now": [True, False, True], 'says "no"': [1, 1, 0]})
    question = {"data": frame, "columns": frame.columns, "ideal": True, "seed": 1}
    for policy in ("multihot-rappor", "sumvec-laplace"):
        run = dp.simulate(policy=policy, **question)
        assert [(row["label"], row["truth"]) for row in run["rows"]] == [
            ("smokes, now", 2),
            ('says "no"', 2),
        ]
    flags = pandas.Series([True, None], dtype="boolean")
    run = dp.simulate(policy="count-laplace", data=flags, missing="skip", ideal=True)
    assert run["rows"][0]["truth"] == 1
    run = dp.simulate(policy="count-laplace", data=[True, False, False], yes="False", no="True")
    assert run["rows"][0]["truth"] == 2


def test_every_command_has_an_answer_whatever_its_document_is(tmp_path):
    audit = dp.audit(policy="average-laplace", runs=2000, seed=1)
    assert {row["trust_model"] for row in audit["rows"]} == {"OAOC", "OAMC"}
    dp.statement(template=tmp_path / "deployment.toml", task=HISTOGRAM_TASK)
    share = {"share": "1/2", "trials": 4, "json": tmp_path / "1.json", "seed": 1, "ideal": True}
    assert "Share 1/2 is done" in str(dp.simulate(**share))
    cube = dp.compose(mechanism="cube:1:sumvec:6:1", times=12, delta=1e-9)["answer"]
    assert cube["epsilon_lower"] is None and 0 < cube["epsilon_upper"] <= 12
    task = tmp_path / "task.toml"
    plan = dp.plan(type="count", clients=1_000_000, epsilon=1, task=task)
    assert f"dp.simulate(task='{task}', clients=1000000, ideal=True)" in str(plan)
    dp.ledger("create", tmp_path / "a.ledger", epsilon=1)
    dp.ledger("record", tmp_path / "a.ledger", name="007", epsilon=0.5)
    assert dp.ledger("show", tmp_path / "a.ledger")["answer"]["last_entry"] == "007"


def test_a_record_is_valid_by_the_schema_of_the_registry(tmp_path):
    schema = json.loads((FOLDER / "tests" / "registry.json").read_text())
    examples = FOLDER.parent / "examples"
    for name in ("count", "histogram", "multihot", "sum"):
        dp.statement(
            task=examples / "tasks" / f"{name}.toml",
            deployment=examples / "deployments" / "heights.toml",
            releases=12,
            accept_weak_guarantee=True,
            yaml=tmp_path / f"{name}.yaml",
        )
        record = yaml.safe_load((tmp_path / f"{name}.yaml").read_text())
        jsonschema.validate(record, schema)
        for broken in ({"tier": 4}, {"status": "New"}, {"further": 1}):
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({**record, **broken}, schema)


def test_every_function_says_what_it_returns_and_takes():
    for name in (
        "plan",
        "calibrate",
        "compose",
        "ledger",
        "simulate",
        "estimate",
        "audit",
        "policies",
        "statement",
    ):
        doc = getattr(dp, name).__doc__
        assert len(doc.splitlines()) > 8 and "json:" in doc


def test_the_notebook_runs():
    path = FOLDER / "notebooks" / "heights.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": os.fspath(path.parent)}}
    ).execute()
    outputs = [
        output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]
    assert not any(output.output_type == "error" for output in outputs)
    assert sum("text/html" in output.get("data", {}) for output in outputs) >= 3
