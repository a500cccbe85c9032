//! Command lines of a person who guesses names: each is answered, or refused in one line that says what to type. No
//! line leads to noise that was not asked for.

use crate::support::{success, xtask};

/// What is typed, and what is said; nothing if it is answered.
const LINES: &str = "\
sim => did you mean simulate?
simulation --clients 100 => did you mean simulate?
run => expected simulate, sweep, merge, plan,
list => expected simulate, sweep,
planner --type count => did you mean plan?
ledger left my.ledger => did you mean calibrate ledger?
gaussian --epsilon 1 --delta 1e-9 => did you mean calibrate gaussian?
schedule --release 3xpair --epsilon 1 => did you mean calibrate schedule?
calibrate => expected gaussian, laplace,
calibrate histogram --epsilon 1 => expected gaussian, laplace,
calibrate gausian --epsilon 1 => did you mean calibrate gaussian?
calibrate ledger => expected create, record, show or left
calibrate ledger dance budget.ledger => expected create, record, show or left
help sim => did you mean simulate?
completion bash => did you mean completions?
completions tcsh => expected bash, elvish, fish, powershell or zsh
completions => is missing: expected a value
man ledger => command is ledger: expected calibrate ledger
man simulat => command is simulat: expected simulate,
man calibrate-ledger-left =>
man dp-cli-plan =>
--epsilon 1 => expected a command before it
--version =>
simulate --eps 1/2 --n 200 --seed 1 =>
simulate --users 200 --servers 3 --seed 1 =>
simulate --clients 0.2k --seed 1 =>
simulate --num-clients 2e2 --seed 1 =>
simulate --policy multihot-rappor --eps0 1 --n 200 --seed 1 =>
simulate --local_epsilon 1 => did you mean --local-epsilon?
simulate --EPSILON 1 => did you mean --epsilon?
simulate --cliets 100 => did you mean --clients?
simulate --frobnicate => `simulate --help` lists its options
simulate --buckets 12 => `simulate --help` lists its options
simulate --output out.json => `simulate --help` lists its options
simulate --mechanism gaussian => it is an option of calibrate local,
simulate --sensitivity 1 => it is an option of calibrate gaussian, calibrate laplace,
simulate --sigma 7 => `calibrate gaussian --sigma 7 --epsilon 1` says what noise promises
simulate --length 40 => it is an option of policies
simulate histogram:40 => did you mean --type histogram:40?
simulate people.csv => options begin with --, `simulate --help` lists them
simulate --task => a value is required for '--task <FILE>'
simulate --policy laplace => expected histogram-laplace, count-laplace,
simulate --policy rappor => expected multihot-rappor, compensated-rappor,
simulate --policy histogram => histogram-laplace,
simulate --policy Histogram_Laplace => expected histogram-laplace, or
simulate --policy histogam-laplace => expected histogram-laplace, or
simulate --policy gaussian-histogram => expected histogram-gaussian
simulate --policy prio3sum => expected sum-laplace, sum-gaussian
simulate --policy xyzzy => expected a name that `policies` lists
simulate --policy count-response --epsilon0 1 => take --epsilon, what the answer of one client promises
simulate --policy multihot-rappor --epsilon 1 => take --epsilon0, RAPPOR's parameter
simulate --policy histogram-laplace --delta 1e-9 --epsilon0 1 => epsilon0 1 has no meaning
simulate --clients 40 --honest-clients-wanted 10 --policy compensated-rappor =>
simulate --clients 5e9 => clients is 5e9: expected an integer from 1 to 4294967295, or --ideal, where no reports are made
simulate --clients 1e13 --ideal => clients is 1e13: expected an integer from 1 to 1000000000000
simulate --clients 25,00 => clients is 25,00: expected an integer from 1
simulate --epsilon one => epsilon is one: expected a number such as
simulate --epsilon 0,906 => epsilon is 0,906: expected a number such as
simulate --bins 12 => bins is 12: expected LOW..HIGH/WIDTH
simulate --missing drop => expected skip, zero or refuse
simulate --range 0..100 => expected I/N, the I-th of N shares
policies --eps 1 --n 1_000 --type hist:4 =>
policies --type histogram --length 40 => type is histogram: expected histogram:LENGTH, or another of count, sum:MAX,
policies --policy histogram-laplace =>
policies --honest-clients 5 => it is an option of simulate
policies --against OC => it is an option of plan
policies histogram:40 => did you mean --type histogram:40?
policies --type count --rho 1/8 --clients 1 =>
policies --type histogram:4 --false-positive-rate 0.01 =>
policies --false-positive-rate 2 => expected a number above 0 and below 1
plan hist:40 => did you mean --type histogram:40?
plan --type histogram:40 --users 250,000 --eps 1 =>
plan --type Prio3Histogram:40 --clients 250k --epsilon 1 --trust-model OAOC =>
plan --type mean:80 --clients '250_000' --epsilon 1 => clients is '250_000': expected an integer
plan --type mean:80 --clients 0.25M --epsilon 1 =>
plan --type mean --grid 40..140/0.1 --clients 1e5 --epsilon 1 =>
plan --type median:80 --clients 1e4 --epsilon 1 => expected histogram:LENGTH, off whose counts a median is read
plan --type percentile --clients 1e4 --epsilon 1 => histogram:LENGTH
plan --type histogram40 --clients 100 --epsilon 1 => type is histogram40
plan --type count --clients 1e4 --epsilon0 1 => it is an option of simulate, policies,
plan --type count --clients 1e4 --epsilon 1 --honest-clients 9e3 => it is an option of simulate, audit
plan --type count --clients 1e4 --epsilon 1 --against both => expected collector (OAMC:
plan --type count --clients 1e4 --epsilon 1 --policy laplace => expected one of count-laplace
plan --type histogram:40 --clients 1e5 => what is wanted is missing
plan --type histogram:40 --clients 1e5 --epsilon 1 --adjacency add-remove => expected replacement or deletion
plan --sigma 7 --type count --clients 1e4 => `calibrate gaussian --sigma 7 --epsilon 1` says what noise promises
calibrate gaussian --sigma 7 --epsilon 1 =>
calibrate gaussian --sigma 7 --variance 49 --epsilon 1 => cannot be used with
calibrate gaussian --epsilon 1 --delta 1e-9 --sigma 8 => sigma 8 has no meaning with --delta, which is found from it: leave it out
calibrate gaussian --epsilon 1 --delta-at => variance is missing: expected a number greater than 0, such as 2188669/4000, or --sigma
calibrate gaussian --epsilon 1 => delta is missing: expected
calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1.41 => --query l2-squared:2
calibrate gaussian --epsilon 1 --delta 1e-6 --adjacency add-remove => (bounded: one report is another; unbounded: one is left out)
calibrate laplace --eps 1 --sensitivity 1 =>
calibrate laplace --epsilon 1 --sensitivity 1.5 => sensitivity is 1.5: expected an integer
calibrate laplace --epsilon 1 --sensitivity 2 --query pair => cannot be used with
calibrate laplace --epsilon 1 --json --delta 0 =>
calibrate --json laplace --epsilon 1 =>
calibrate rappor --target-epsilon 0.5 --epsilon0 4 --delta 1e-6 =>
calibrate rappor --epsilon0 4 --n 100k --delta 1e-9 =>
calibrate response --epsilon0 2 --answers 2 --clients 5e2 --delta 1e-6 =>
calibrate local --mechanism rappor --epsilon 1 => expected symmetric-rappor:LENGTH,
calibrate compose --sigma 30 --delta 1e-6 => did you mean --mechanism gaussian:900:QUERY? It takes the variance
calibrate compose --sigma=0.5 --delta 1e-6 => did you mean --mechanism gaussian:0.25:QUERY?
calibrate compose --mechanism gaussian:900 --delta 1e-6 => expected gaussian:VARIANCE:QUERY
calibrate compose --mechanism hedged:5:gaussian:547 --delta 1e-6 => hedged:EPSILON0:LAW:PARAMETER:CLIENTS
calibrate compose --mechanism hedged:5:gaussian:547:1k --delta 1e-6 =>
calibrate compose --mechanism gaussian:900:hist:40 --times 1k --delta 1e-6 =>
calibrate utility --sigma 7 => did you mean --mechanism gaussian:49? It takes the variance
calibrate utility --mechanism laplace --bound 24 --sensitivity 2 =>
calibrate schedule --release 2xpair --epsilon 2 --sigma 7 => `calibrate gaussian --sigma 7 --epsilon 1` says
calibrate schedule --release histogram:24x365 --epsilon 2 => release is histogram:24x365: expected TIMESxQUERY
calibrate schedule --release 365*histogram:24 --epsilon 2 => expected TIMESxQUERY
calibrate schedule --release 2xpair --epsilon 2 => delta is missing
calibrate ledger record x --name a --sigma 30 => did you mean --mechanism gaussian:900:QUERY?
calibrate ledger record x --label a --epsilon 0.1 => `calibrate ledger record --help` lists its options
calibrate ledger create x --epsilon 1 --rule rdp => expected basic, zcdp or declared
calibrate ledger create x --epsilon 1 --trust-model nobody => expected all-aggregators (OC
calibrate ledger show --json budget.ledger => since --json took budget.ledger: write --json last";

#[test]
fn a_guessed_name_is_answered_or_corrected_in_one_line() {
    let lines = LINES.lines().map(|line| line.split_once(" =>"));
    let lines: Vec<(&str, &str)> = lines.map(|line| line.expect("an arrow")).collect();
    assert!(lines.len() >= 60, "{}", lines.len());
    let wrong: Vec<String> = lines
        .into_iter()
        .filter_map(|(typed, said)| wrong(typed, said))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with the answer to a line, if anything is.
fn wrong(typed: &str, said: &str) -> Option<String> {
    let output = xtask(&typed.split(' ').collect::<Vec<_>>());
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    let is_right = match said.is_empty() {
        true => output.status.success() && error.is_empty() && !output.stdout.is_empty(),
        false => {
            let is_line = error.lines().count() == 1 && error.chars().count() <= 320;
            output.status.code() == Some(2)
                && output.stdout.is_empty()
                && is_line
                && error.contains(said)
        }
    };
    (!is_right).then(|| format!("{typed}: {error}"))
}

/// What noise of a standard deviation promises is what that of its square as a variance does, to the last digit.
#[test]
fn sigma_is_the_root_of_the_variance() {
    for (sigma, variance) in [("7", "49"), ("3.5", "12.25"), ("7/3", "49/9")] {
        let answer = |option: &str, value: &str| {
            let line = ["calibrate", "gaussian", "--epsilon", "1", option, value];
            success(&line)
        };
        let found = answer("--sigma", sigma);
        assert_eq!(found, answer("--variance", variance), "{sigma}");
        assert!(
            found.contains(&format!("of variance {variance} at")) || sigma == "3.5",
            "{found}"
        );
    }
}

/// A sensitivity is the norm on which the noise depends: L1 for Laplace noise, L2 for Gaussian noise.
#[test]
fn a_sensitivity_is_a_norm() {
    for (mechanism, size, query) in [
        ("laplace", "1", "one"),
        ("laplace", "1_000", "l1:1000"),
        ("gaussian", "1", "one"),
        ("gaussian", "7", "l2-squared:49"),
    ] {
        let answer = |option: &str, value: &str| {
            let line = format!("calibrate {mechanism} --epsilon 1 --delta 1e-6 {option} {value}");
            success(&line.split(' ').collect::<Vec<_>>())
        };
        assert_eq!(
            answer("--sensitivity", size),
            answer("--query", query),
            "{mechanism} {size}"
        );
    }
}
