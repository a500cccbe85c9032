"""Faults in noise of other libraries, found from outputs alone; sound noise conforms.

`audits.py PYTHON` takes an interpreter that has OpenDP 0.14.2.
"""

import pathlib
import sys

import dp_prio3

FOLDER = pathlib.Path(__file__).parent
HISTOGRAM = FOLDER.parents[1] / "examples" / "audit" / "task.toml"

#: Case, interpreter, task, the most collections, and the fault that is found.
CASES = [
    ("bits", sys.argv[1], FOLDER / "bits.toml", 60, "one of the totals has no noise"),
    ("bits", sys.executable, FOLDER / "bits.toml", 300, None),
    ("add-remove", sys.executable, HISTOGRAM, 60, "the noise of all aggregators is scaled by 1/2"),
    ("replacement", sys.executable, HISTOGRAM, 300, None),
    (
        "float",
        sys.executable,
        HISTOGRAM,
        60,
        "values have another distribution than they should",
    ),
]

for case, python, task, most, fault in CASES:
    command = f"{python} {FOLDER / 'audited.py'} {case}"
    answer = dp_prio3.audit(task=task, command=command, most_collections=most, error=1e-9)
    found = [row["fault"] for row in answer["rows"] if row["outcome"] == "found"]
    finding = found[0] if found else None
    print(f"{case}: {answer['collections']} collections, {finding or 'no fault'}")
    assert finding == fault and answer["conforms"] == (fault is None), answer
