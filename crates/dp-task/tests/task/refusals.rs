//! A field that is missing, unknown, of another kind, out of its range or in contradiction to
//! another field is refused on one line with the field, its value and the accepted values.

use dp_task::Task;

use crate::common::{COMPENSATED, HISTOGRAM, RAPPOR, WEIGHTS, edited};

/// Each line of `table` has an edit of the document, the field of the error, and a part of its
/// message, between bars. An edit is `old → new`, several have `;;` between them, and ⏎ is a new
/// line.
fn each_is_refused(document: &str, table: &str) {
    assert!(Task::from_toml(document).is_ok(), "{:?}", Task::from_toml(document));
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [edits, field, message] = columns[..] else {
            panic!("{line} has not three columns");
        };
        let edits = edits.replace('⏎', "\n");
        let edits = edits.split(";;").map(|edit| edit.split_once('→').expect("an edit"));
        let edits: Vec<_> =
            edits.map(|(old, new)| (old.trim_matches(' '), new.trim_matches(' '))).collect();
        let error = Task::from_toml(edited(document, &edits)).expect_err(line);
        let said = error.to_string();
        assert_eq!(error.field(), Some(field), "{line}: {said}");
        assert!(said.contains(message), "{line}: {said}");
        assert!(!said.contains('\n'), "{said:?}");
    }
}

#[test]
fn a_missing_field_or_section_is_named() {
    each_is_refused(
        HISTOGRAM,
        r#"
        version = 2 →                | version                 | version is missing: expected 2
        name = "heights" →           | name                    | name is missing
        type = "Prio3Histogram" →    | vdaf.type               | is missing: expected one of Prio3Count, Prio3Sum
        aggregators = 2 →            | vdaf.aggregators        | is missing: expected an integer from 2 to 254
        type = "discrete-gaussian" → | aggregator_noise.type   | is missing: expected one of discrete-laplace
        budget = { → #               | aggregator_noise.budget | is missing: expected a table with one of pure, approximate
        epsilon = "0.5", →           | aggregator_noise.budget.approximate.epsilon | is missing: expected an exact number
        "OAOC" → "OAMC"              | trust.honest_clients    | is missing: expected an integer from 1 to batch.min_reports, 100
        Prio3Histogram → Prio3SumVec | vdaf.range              | is missing: expected a table with one of max_measurement, grid
        "#,
    );
    for (from, to, section) in [
        ("[vdaf]", "[aggregator_noise]", "vdaf"),
        ("[aggregator_noise]", "[trust]", "aggregator_noise"),
        ("[trust]", "[batch]", "trust"),
    ] {
        let (from, to) = (HISTOGRAM.find(from), HISTOGRAM.find(to));
        let (from, to) = (from.expect("a section"), to.expect("a section"));
        let error =
            Task::from_toml([&HISTOGRAM[..from], &HISTOGRAM[to..]].concat()).expect_err(section);
        assert_eq!(error.field(), Some(section), "{error}");
    }
}

#[test]
fn an_unknown_field_is_named_with_the_ones_that_exist() {
    each_is_refused(
        HISTOGRAM,
        r#"
        version → colour = 3⏎version      | colour                 | colour is 3: expected no such field here, only version, name, vdaf
        length → lenght                   | vdaf.lenght            | only aggregators, length, chunk_length
        [batch] → [privacy]⏎[batch]       | privacy                | no such field here
        length → max_weight = 2⏎length    | vdaf.max_weight        | expected no such field with Prio3Histogram, only aggregators, length
        Histogram → Count                 | vdaf.length            | is 12: expected no such field with Prio3Count, only aggregators
        { approximate = { → { pure = {    | aggregator_noise.budget.pure.delta | is 1e-9: expected no such field here, only epsilon
        OAOC" → OAOC"⏎honest_clients = 9  | trust.honest_clients   | counts on none
        length = 12 → length = 12⏎range = { grid = { low = 0, high = 1, granularity = 1 } } | vdaf.range | no such field with Prio3Histogram
        "#,
    );
    each_is_refused(
        RAPPOR,
        r#"
        epsilon0 → epsilon = 1⏎epsilon0   | client_noise.epsilon   | is 1: expected no such field with symmetric-rappor, only epsilon0, input_weight
        symmetric-rappor → basic-rappor ;; input_weight = 2 → | client_noise.epsilon0 | with basic-rappor
        "#,
    );
}

#[test]
fn a_value_of_another_kind_is_named() {
    each_is_refused(
        HISTOGRAM,
        r#"
        "0.5" → 0.5                       | aggregator_noise.budget.approximate.epsilon | is 0.5: expected an exact number: an integer, or a string such as "0.317"
        "0.5" → "half"                    | aggregator_noise.budget.approximate.epsilon | approximate.epsilon is half: expected a number such as 0.317
        "1e-9" → 1                        | aggregator_noise.budget.approximate.delta   | is 1: expected a number from 0 up to but not including 1
        length = 12 → length = 12.0       | vdaf.length            | is 12.0: expected an integer from 1 to 16777216
        Prio3Histogram → Prio4            | vdaf.type              | vdaf.type is Prio4: expected one of Prio3Count
        budget = { approximate = { epsilon = "0.5", delta = "1e-9" } } → budget = "pure" | aggregator_noise.budget | is pure: expected a table with one of pure
        OAOC" → OAOC"⏎accept_weak_guarantee = 1 | trust.accept_weak_guarantee | is 1: expected true or false
        version = 2 → version = 1         | version                | version 1 of the schema is no longer read
        "heights" → ""                    | name                   | 1 to 256 bytes
        "heights" → "a\nb"                | name                   | control characters
        "#,
    );
    let json = Task::from_toml(HISTOGRAM).and_then(|task| task.to_json()).expect("JSON");
    let refused = |new| Task::from_json(edited(&json, &[("12", new)])).expect_err(new).to_string();
    assert!(
        refused("1e30").starts_with("vdaf.length is 1e30: expected an integer from 1 to 16777216")
    );
    for nothing in ["null", "18446744073709551615"] {
        assert!(refused(nothing).starts_with("not a document in JSON: "), "{}", refused(nothing));
    }
    let error = Task::from_json("[]").expect_err("a list");
    assert_eq!(error.to_string(), "document is […]: expected a table");
}

#[test]
fn the_same_field_twice_is_refused() {
    let twice = edited(HISTOGRAM, &[("length = 12", "length = 12\nlength = 12")]);
    let line = Task::from_toml(twice).expect_err("twice").to_string();
    assert!(line.contains("line 9: duplicate key"), "{line}");
    let line = Task::from_json(r#"{"version": 2, "version": 2}"#).expect_err("twice").to_string();
    assert!(line.contains("duplicate key: `version`"), "{line}");
}

#[test]
fn a_parameter_out_of_its_range_is_named() {
    each_is_refused(
        HISTOGRAM,
        r#"
        aggregators = 2 → aggregators = 1    | vdaf.aggregators   | from 2 to 254
        length = 12 → length = 999999999     | vdaf.length        | from 1 to 16777216
        length = 12 → length = 12⏎chunk_length = 13 | vdaf.chunk_length | 1 to 12
        Histogram → Sum ;; length = 12 → range = { max_measurement = "99999999999999999999" } | vdaf.range.max_measurement | at most 63 bits
        Histogram → MultihotCountVec ;; length = 12 → length = 12⏎max_weight = 13 | vdaf.max_weight | from 1 to 12
        min_reports = 100 → min_reports = 0  | batch.min_reports  | from 1 to 18446744073709551615
        OAOC" → OAOC"⏎releases = 0           | trust.releases     | an integer from 1 to 1048576
        "#,
    );
    each_is_refused(
        RAPPOR,
        r#"
        input_weight = 2 → input_weight = 11 | client_noise.input_weight        | 1 to 10
        1e-3 → 0.6                           | client_noise.false_positive_rate | 0.6
        "#,
    );
    each_is_refused(
        WEIGHTS,
        r#"
        "0.1" → 0.1              | vdaf.range.grid.granularity | is 0.1: expected an exact number: an integer, or a string such as
        "140" → "40"             | vdaf.range.grid.high        | high is 40: expected
        range = { grid → range = { max_measurement = 100, grid | vdaf.range | a table with one of max_measurement, grid
        "#,
    );
}

#[test]
fn a_field_that_contradicts_another_is_named() {
    each_is_refused(
        HISTOGRAM,
        r#"
        approximate = { epsilon = "0.5", delta = "1e-9" } → pure = { epsilon = "0.5" } | aggregator_noise.budget | approximate
        gaussian → laplace ;; approximate = { epsilon = "0.5", delta = "1e-9" } → zero_concentrated = { rho = "0.5" } | aggregator_noise.budget | pure
        [aggregator_noise] → [client_noise] ;; discrete-gaussian → randomized-response ;; budget = { approximate = { epsilon = "0.5", delta = "1e-9" } } → epsilon = 1 | client_noise.type | randomized-response: expected noise that makes one of the policies histogram-gaussian
        max_reports = 1000 → max_reports = 99  | batch.max_reports    | at least batch.min_reports, 100
        OAOC → 3AOC                            | trust.model          | vdaf.aggregators
        OAOC → OC                              | trust.model          | in which histogram-gaussian guarantees something: clients send their measurements without
        OAOC" → OAMC"⏎honest_clients = 101     | trust.honest_clients | batch.min_reports, 100
        "#,
    );
    each_is_refused(
        RAPPOR,
        r#"
        OC" → OAMC"⏎honest_clients = 100           | trust.delta     | trust.delta is missing
        OC" → OAMC"⏎honest_clients = 100⏎delta = 0 | trust.delta     | clients hide each other only except for some delta
        length = 10 → length = 10⏎max_weight = 2   | vdaf.max_weight | client_noise.false_positive_rate
        "#,
    );
    each_is_refused(
        COMPENSATED,
        r#"
        = 5000 → = 0                               | aggregator_noise.target_honest_clients     | is 0: expected
        clients = 10 → clients = 100               | aggregator_noise.assumed_malicious_clients | is 100: expected below batch.min_reports, 100
        max_reports = 1000 → max_reports = 20000000000 | batch.max_reports | is 20000000000: expected
        "compensation" → "discrete-laplace"        | aggregator_noise.assumed_malicious_clients | is 10: expected no such field with discrete-laplace, only budget
        "#,
    );
}

#[test]
fn noise_and_totals_that_could_wrap_around_the_field_are_refused() {
    let integers = [("Histogram", "Sum"), ("length = 12", "range = { max_measurement = 1 }")];
    each_is_refused(
        &edited(HISTOGRAM, &integers),
        r#"
        max_measurement = 1 → max_measurement = 10000000000000000     | batch.max_reports       | totals and noise must not wrap around the field
        max_measurement = 1 → max_measurement = "4611686018427387904" | aggregator_noise.budget | wrap around the field
        "#,
    );
    each_is_refused(
        &edited(WEIGHTS, &[("Average", "Sum")]),
        r#"
        "0.1" → "1e-14" | batch.max_reports | wrap around the field
        high = "140" → high = "9223372036854775847" ;; "0.1" → 1 | vdaf.range.grid.granularity | is 1: expected a larger one
        "#,
    );
}
