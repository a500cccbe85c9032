//! A policy that runs every day: the day that would overspend is refused, and nothing is spent
//! twice. What a crash leaves is shown by the tests of `dp-ledger`.

use dp_ledger::{Cost, Journal, LedgerError, Mechanism, Release, Rule, Terms};
use dp_prio3::spending::{SpendingError, collect, cost_of_a_release};
use tempfile::TempDir;

use crate::support::*;

/// A journal with its folder, and the cost of a release.
struct Account {
    journal: Journal,
    cost: Release,
    _folder: TempDir,
}

impl Account {
    fn new(terms: Terms, cost: Release) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::create(folder.path().join("journal"), terms).expect("in range");
        Self { journal, cost, _folder: folder }
    }

    fn collect(
        &mut self,
        task: &Task,
        day: &str,
        shares: &[EncodedAggregateShare],
    ) -> Result<Collection, SpendingError> {
        collect(&task.collector, &mut self.journal, day, &self.cost, shares)
    }
}

/// A daily histogram, each day ε = 0.5.
fn daily(limit: &str) -> (Task, Account) {
    let task = Task::new(histogram_laplace(2, 3), 8);
    let cost = cost_of_a_release(&task.policy, OAOC, &alone()).expect("a guarantee");
    let account = Account::new(Terms::new(pure(limit)), cost);
    (task, account)
}

fn shares_of_a_day(task: &mut Task) -> Vec<EncodedAggregateShare> {
    task.send(Bucket(1));
    task.finish()
}

/// Several reports of a person are one larger step: of Gaussian noise three cost nine times the ρ
/// of one, and of other noise less than every mechanism with this ε.
#[test]
fn several_reports_of_a_person_are_charged_as_a_larger_step() {
    let of_ranges = AggregatorNoise::RangesLaplace { budget: pure("0.5") };
    let limit = concentrated("99");
    let rule = Rule::zero_concentrated(&limit).expect("a rule");
    let terms = Terms { rule, ..Terms::new(limit) };
    for parts in [
        histogram_gaussian(2, 4),
        histogram_laplace(2, 3),
        noise_parts(multihot(9, Some(3)), laplace(pure("0.5"))),
        noise_parts(sum_vec(2, 5, 255), k_norm(pure("0.5"))),
        noise_parts(histogram(2, 4), of_ranges),
    ] {
        let policy = policy_of(parts);
        let charged = |reports| {
            let cost = cost_of_a_release(&policy, OAOC, &alone().with_reports_per_client(reports));
            let cost = cost.expect("a guarantee");
            assert!(matches!(cost.mechanism, Mechanism::Aggregators(_)), "{}", policy.name());
            match terms.charge("a day", &cost).expect("a cost") {
                Cost::Concentrated { rho, delta, .. } if delta.is_zero() => rho.to_f64(),
                other => panic!("{other}"),
            }
        };
        let noise = policy.mechanism().expect("noise").distribution();
        let contribution = policy.query().contribution(Adjacency::Replacement, 3, 1).expect("one");
        let known = contribution.accounted(noise.kind()).rho(&noise.accounted()).expect("one");
        let ratio = charged(3) / known.value().to_f64();
        assert!((ratio - 1.0).abs() < 1e-9, "{}: {ratio}", policy.name());
        if let Budget::Pure { epsilon } = policy.mechanism().expect("noise").budget() {
            let all = 3.0 * epsilon.value().to_f64();
            assert!(charged(3) < 0.85 * all * (all / 2.0).tanh(), "{}", policy.name());
        } else {
            assert!((charged(3) / charged(1) - 9.0).abs() < 1e-12);
        }
    }
}

/// The mean of many releases of one batch under one name would be its total, for one charge.
#[test]
fn a_name_is_paid_for_once_with_its_shares_and_fresh_noise_under_it_is_refused() {
    let (mut task, mut account) = daily("1");
    let monday = shares_of_a_day(&mut task);
    let collection = account.collect(&task, "monday", &monday).unwrap();
    assert_eq!(account.journal.ledger().spent(), Some(pure("0.5").into()));
    // A repeated release reveals nothing new, in whatever order its shares come.
    let reversed: Vec<_> = monday.iter().rev().cloned().collect();
    assert_eq!(account.collect(&task, "monday", &reversed).unwrap(), collection);
    for _ in 0..20 {
        let shares = shares_of_a_day(&mut task);
        let refused = account.collect(&task, "monday", &shares);
        assert!(matches!(refused, Err(SpendingError::Ledger(LedgerError::OtherShares { .. }))));
    }
    let tuesday = shares_of_a_day(&mut task);
    account.collect(&task, "tuesday", &tuesday).unwrap();
    assert_eq!(
        (account.journal.ledger().spent(), account.journal.ledger().left()),
        (Some(pure("1").into()), None)
    );
    let wednesday = shares_of_a_day(&mut task);
    assert!(account.collect(&task, "wednesday", &wednesday).is_err());
    // Against all aggregators together their noise guarantees nothing.
    let none = cost_of_a_release(&task.policy, OC, &alone());
    assert!(matches!(none, Err(SpendingError::NoGuarantee { .. })));
}

/// Ten thousand honest clients hide each other, three do not: their ε is near the local one.
#[test]
fn a_batch_of_fewer_reports_than_the_cost_counts_on_is_refused() {
    let mut task = Task::new(one_hot_rappor(4, "3", "1e-12"), 9);
    let cost = cost_of_a_release(&task.policy, OAMC, &among(10_000, "1e-6")).unwrap();
    let Budget::Approximate { epsilon: each, .. } = &cost.budget else {
        panic!("an approximate budget");
    };
    assert!(*each.value() < Rational::one() && cost.minimum_batch == 10_000, "{each}");
    for _ in 0..3 {
        task.send(Bits(&[true, false, false, false]));
    }
    let shares = task.finish();
    let terms = Terms { trust_model: OAMC, ..Terms::new(epsilon_delta("10", "1e-3")) };
    let mut account = Account::new(terms, cost);
    let refused = account.collect(&task, "monday", &shares);
    assert!(matches!(refused, Err(SpendingError::TooFewReports { minimum: 10_000, .. })));
    assert_eq!(account.journal.ledger().entries().len(), 0);
}

#[test]
fn shares_are_paid_for_before_anything_depends_on_their_totals() {
    let (mut task, mut account) = daily("0.5");
    let shares = shares_of_a_day(&mut task);
    let missing = account.collect(&task, "monday", &shares[..1]);
    assert!(matches!(missing, Err(SpendingError::Collect(CollectError::NotOneOfEach { .. }))));
    assert_eq!(account.journal.ledger().entries().len(), 0);

    // A dishonest aggregator shifts the total out of its range: the refusal shows it, and is paid.
    let mut shifted = shares.clone();
    let last = shifted[1].share.len() - 1;
    shifted[1].share[last - 1] ^= 0x7f;
    let refused = account.collect(&task, "monday", &shifted);
    assert!(matches!(refused, Err(SpendingError::Collect(CollectError::OutOfRange { .. }))));
    assert_eq!(account.journal.ledger().left(), None);
    // With nothing left, no refusal says anything of the totals.
    shifted[1].share[last - 1] ^= 1;
    for name in ["monday", "tuesday"] {
        let refused = account.collect(&task, name, &shifted);
        assert!(matches!(refused, Err(SpendingError::Ledger(_))), "{name}");
    }
}
