//! The time of a client that pays for its own reports depends neither on its account nor on its
//! measurement: callgrind counts the instructions of whole reports.
//!
//! Without valgrind the test is skipped, with a message.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::{env, fs};

use dp_ledger::{
    Adjacency, BigUint, Budget, IndividualCosts, Journal, Ledger, Release, Rule, Terms,
};
use dp_prio3::mechanisms::DiscreteGaussian;
use dp_prio3::spending::{Account, IndividualClient};
use dp_prio3::types::Sum;
use dp_prio3::{AggregatorNoise, Circumstances, Client, Rho, TimeWindow, TrustModel};

/// Counted reports of each case. Their median is compared, as a hash table grows now and then.
const REPORTS: usize = 7;

/// Earlier reports of each client: each measures 80 of at most 80, which costs ρ = 0.01.
const BEFORE: usize = 20;

/// A limit on ρ that the earlier reports spend, and a limit beyond all reports of the test.
const EMPTY: &str = "0.2";
const ENOUGH: &str = "1";

/// Limits and measurements; the counts of each case are compared with the first case.
const CASES: [(&str, u64); 6] =
    [(ENOUGH, 80), (EMPTY, 80), (ENOUGH, 0), (EMPTY, 0), (ENOUGH, 8), (ENOUGH, 37)];

/// Runs `work`: callgrind counts only in this function, which it finds by name.
#[inline(never)]
fn counted_by_callgrind(work: &mut dyn FnMut()) {
    work();
    // With nothing after it the call would be a jump, which callgrind does not see return.
    black_box(());
}

/// The number of instructions of each counted call of a test, in order.
fn counts(arguments: &[&str]) -> Vec<u64> {
    let name = concat!(module_path!(), "::counted_by_callgrind");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--toggle-collect={name}"))
        .arg(format!("--dump-after={name}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env::current_exe().expect("this test"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("valgrind runs");
    assert!(output.status.success(), "{output:?}");
    // One file per call; the file without a number is about the time after the last call.
    (1..)
        .map(|call| out.with_extension(call.to_string()))
        .take_while(|file| file.exists())
        .map(|file| {
            let text = fs::read_to_string(&file).expect("a file of callgrind");
            let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
            total.and_then(|total| total.parse().ok()).expect("a total")
        })
        .collect()
}

fn terms(limit: &str) -> Terms {
    let rho = limit.parse().expect("positive");
    let limit = Budget::ZeroConcentrated { rho };
    let rule = Rule::zero_concentrated(&limit).expect("a rule");
    let terms = Terms::new(limit).with_adjacency(Adjacency::Deletion);
    terms.with_rule(rule)
}

fn client(account: impl Into<Account>) -> IndividualClient<Sum, u64> {
    let day: Rho = "0.01".parse().expect("positive");
    let sum = Sum::new(2, 80).expect("valid");
    let policy: AggregatorNoise<_, DiscreteGaussian> =
        AggregatorNoise::new(sum, day).expect("a valid budget");
    let client = Client::new(Arc::new(policy), b"individual").expect("a short context");
    let alone = Circumstances::new(1, "1e-9".parse().expect("valid"));
    let model = TrustModel::OneAggregatorOneClient;
    IndividualClient::new(client, account, model, &alone, 0).expect("a sum has zeros")
}

/// Makes reports of `measurement` under callgrind.
fn count(account: impl Into<Account>, measurement: u64) {
    let mut client = client(account);
    for day in 0..BEFORE {
        client.report(&format!("day {day:04}"), TimeWindow(0), &80).expect("valid");
    }
    for day in 0..REPORTS {
        let name = format!("and {day:04}");
        let measurement = black_box(measurement);
        counted_by_callgrind(&mut || {
            black_box(client.report(&name, TimeWindow(0), &measurement).expect("valid"));
        });
    }
}

/// The planted fault: a client that first tries its own cost and, if refused, pays for zeros.
fn count_in_two_attempts(limit: &str) {
    let mut ledger = Ledger::new(terms(limit)).expect("a limit");
    let rho = "0.01".parse().expect("positive");
    let worst = Release::new(Budget::ZeroConcentrated { rho });
    let worst = worst.with_adjacency(Adjacency::Deletion);
    let one = "0.01".parse().expect("a number");
    let costs = IndividualCosts::new(&terms(limit), &worst, &one).expect("own costs");
    let mut spend = |name: String| {
        if ledger.spend(&name, &worst, None).is_err() {
            let zeros = ledger.spend_individual(&name, &costs, &BigUint::ZERO);
            zeros.expect("zeros fit");
        }
    };
    (0..BEFORE).for_each(|day| spend(format!("day {day:04}")));
    for day in 0..REPORTS {
        counted_by_callgrind(&mut || spend(format!("and {day:04}")));
    }
}

/// The counted calls; the other test runs them under callgrind.
#[test]
#[ignore = "run by the other test"]
fn reports() {
    for (limit, measurement) in CASES {
        count(Ledger::new(terms(limit)).expect("a limit"), measurement);
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (limit, measurement)) in CASES.into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        let journal = Journal::create(path, terms(limit)).expect("a new ledger");
        count(journal, measurement);
    }
    count_in_two_attempts(ENOUGH);
    count_in_two_attempts(EMPTY);
}

#[test]
fn a_report_takes_the_same_steps_whatever_is_left_and_whatever_is_measured() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("no valgrind (apt-get install valgrind): no instructions are counted");
        return;
    }
    let arguments = ["--exact", "reports", "--ignored", "--test-threads=1"];
    let found = counts(&arguments);
    let (groups, rest) = found.as_chunks::<REPORTS>();
    assert_eq!((groups.len(), rest.len()), (2 * CASES.len() + 2, 0));
    let median = |group: usize| {
        let mut reports = groups[group];
        reports.sort_unstable();
        reports[REPORTS / 2]
    };
    for accounts in [0, CASES.len()] {
        let first = median(accounts);
        for (case, place) in CASES.iter().zip(accounts..) {
            let found = median(place);
            assert!(is_close(found, first), "{case:?}: {found} beside {first}");
        }
    }
    let planted = [2, 1].map(|back| median(groups.len() - back));
    assert!(!is_close(planted[1], planted[0]), "{planted:?}");
}

/// Whether two counts differ by less than 1.5 %. Counts of one case differ by up to 0.6 % between
/// runs, whose hash keys and addresses differ. The planted fault makes one count five times the
/// other.
fn is_close(one: u64, other: u64) -> bool {
    one.abs_diff(other) * 200 < 3 * other
}
