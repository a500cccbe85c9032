-- Loads the rows that `estimate --rows` writes. A repeated load changes nothing: one key, one estimate.
-- A task has no bounds of its buckets: low and high are null for these. Join a table of bounds by task_digest and entry.

-- DuckDB, PostgreSQL, SQLite
CREATE TABLE IF NOT EXISTS estimates (
  task_digest TEXT NOT NULL,
  batch TEXT NOT NULL,
  entry BIGINT NOT NULL,
  label TEXT NOT NULL,
  interval_start TIMESTAMP NOT NULL,
  interval_end TIMESTAMP NOT NULL,
  reports BIGINT NOT NULL,
  low DOUBLE PRECISION,
  high DOUBLE PRECISION,
  estimate DOUBLE PRECISION,
  standard_error DOUBLE PRECISION,
  lower_95 DOUBLE PRECISION,
  upper_95 DOUBLE PRECISION,
  epsilon DOUBLE PRECISION,
  delta DOUBLE PRECISION,
  trust_model TEXT NOT NULL,
  releases_planned BIGINT,
  releases_so_far BIGINT,
  PRIMARY KEY (task_digest, batch, entry)
);

-- DuckDB: CREATE OR REPLACE TEMP TABLE new_rows AS FROM read_json('estimates.jsonl', format = 'newline_delimited');
-- SQLite: DROP TABLE IF EXISTS new_rows;
-- SQLite: .import --csv estimates.csv new_rows
INSERT INTO estimates SELECT * FROM new_rows WHERE true ON CONFLICT DO NOTHING;
-- SQLite, where an empty cell is a text:
-- UPDATE estimates SET low = NULLIF(low, ''), high = NULLIF(high, ''), epsilon = NULLIF(epsilon, ''), delta = NULLIF(delta, ''),
--   releases_planned = NULLIF(releases_planned, ''), releases_so_far = NULLIF(releases_so_far, '');
-- What is known with another estimate, as of a second release, was not loaded. There should be none:
SELECT task_digest, batch, entry FROM new_rows JOIN estimates AS known USING (task_digest, batch, entry)
WHERE CAST(new_rows.estimate AS DOUBLE PRECISION) <> known.estimate;

-- BigQuery, with tables `estimates` and `new_rows` of the schema `rows.bigquery.json`:
-- bq load --replace --source_format=NEWLINE_DELIMITED_JSON reports.new_rows estimates.jsonl rows.bigquery.json
MERGE reports.estimates AS known USING reports.new_rows AS new
ON known.task_digest = new.task_digest AND known.batch = new.batch AND known.entry = new.entry
WHEN NOT MATCHED THEN INSERT ROW;
