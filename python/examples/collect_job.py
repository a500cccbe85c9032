"""A job that appends what a collector receives to a table: run it once for each batch.

python collect_job.py TASK TABLE COLLECT [ARGUMENT]... runs Janus's `collect`, or another command
that prints the same, and adds its rows to TABLE, a file of CSV or of Parquet (by pyarrow).
"""

import pathlib
import subprocess
import sys

import pandas as pd

import dp_prio3 as dp

KEY = ["task_digest", "batch", "entry"]
NOT_READY = 75


def main(task, table, *command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == NOT_READY:
        return NOT_READY
    new = pd.DataFrame(dp.rows(done.stdout or done.stderr, task=task))
    is_csv, path = table.endswith(".csv"), pathlib.Path(table)
    if path.exists():
        old = pd.read_csv(path) if is_csv else pd.read_parquet(path)
        both = new.merge(old, on=KEY, suffixes=("", "_old"))
        # Other numbers for one batch would be a second release of it.
        if (both["estimate"] != both["estimate_old"]).any():
            raise SystemExit(f"{path}: this batch is there with other numbers")
        new = pd.concat([old, new]).drop_duplicates(KEY)
    new.to_csv(path, index=False) if is_csv else new.to_parquet(path, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
