//! A policy that runs every day: the day that would overspend is refused, and nothing is spent
//! twice. What a crash leaves is shown by the tests of `dp-ledger`.

use std::sync::Arc;

use crate::support::{
    OAOC, OC, Task, WINDOW, alone, epsilon, epsilon_delta, histogram_gaussian, histogram_laplace,
    rational,
};
use dp_calibration::{Budget, NoiseDistribution};
use dp_exact::Rational;
use dp_ledger::{Cost, Journal, LedgerError, Release, Rule, Terms};
use dp_prio3::message::EncodedAggregateShare;
use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::spending::{SpendingError, collect, cost_of_a_release, report};
use dp_prio3::types::{Count, Histogram};
use dp_prio3::{
    AggregatorNoise, Circumstances, Client, ClientNoise, CollectError, Collection, DpPolicy,
    MultihotRappor, TrustModel,
};
use tempfile::TempDir;

fn pure(text: &str) -> Budget {
    Budget::Pure { epsilon: epsilon(text) }
}

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

    fn report<P: DpPolicy>(
        &mut self,
        client: &Client<P>,
        day: &str,
        measurement: &P::Measurement,
    ) -> Result<(), SpendingError> {
        report(client, &mut self.journal, day, &self.cost, WINDOW, measurement).map(drop)
    }

    fn collect<P: DpPolicy>(
        &mut self,
        task: &Task<P>,
        day: &str,
        shares: &[EncodedAggregateShare],
    ) -> Result<Collection, SpendingError> {
        collect(&task.collector, &mut self.journal, day, &self.cost, shares)
    }

    fn spent(&self) -> Option<Cost> {
        self.journal.ledger().spent()
    }

    fn left(&self) -> Option<Cost> {
        self.journal.ledger().left()
    }

    fn entries(&self) -> usize {
        self.journal.ledger().entries().len()
    }
}

#[test]
fn a_client_pays_for_each_report_once_and_makes_none_beyond_its_limit() {
    let response = RandomizedResponse::new(epsilon("0.4")).expect("a valid epsilon");
    let policy = ClientNoise::new(Count::new(2).unwrap(), response).unwrap();
    let cost = cost_of_a_release(&policy, OC, &alone()).unwrap();
    let client = Client::new(Arc::new(policy), b"daily").unwrap();
    // A client that relies on nobody.
    let mut account = Account::new(Terms { trust_model: OC, ..Terms::new(pure("1")) }, cost);
    account.report(&client, "monday", &true).unwrap();
    account.report(&client, "tuesday", &true).unwrap();
    let again = account.report(&client, "tuesday", &true);
    assert!(matches!(again, Err(SpendingError::AlreadyReported { .. })));
    for day in ["wednesday", "thursday"] {
        let refused = account.report(&client, day, &true);
        assert!(matches!(refused, Err(SpendingError::Ledger(LedgerError::Overspend { .. }))));
    }
    assert_eq!(account.spent(), Some(pure("0.8").into()));
    assert_eq!(account.left(), Some(pure("0.2").into()));
}

#[test]
fn a_measurement_that_is_not_valid_costs_nothing_and_a_dropped_report_costs_all() {
    let policy = MultihotRappor::vectors(2, 12, 1, epsilon("1"), &rational("1/2")).unwrap();
    let cost = cost_of_a_release(&policy, OC, &alone()).unwrap();
    let client = Client::new(Arc::new(policy), b"daily").unwrap();
    let mut account = Account::new(Terms { trust_model: OC, ..Terms::new(pure("1000")) }, cost);
    assert!(account.report(&client, "day", &[true; 12][..]).is_err());
    assert_eq!(account.spent(), None);

    // Each report is dropped with probability above 0.2: none of 100 with less than 2^−30.
    let mut bits = [false; 12];
    bits[0] = true;
    for day in 0..100 {
        let before = account.entries();
        let result = account.report(&client, &day.to_string(), &bits[..]);
        assert_eq!(account.entries(), before + 1);
        if let Err(error) = result {
            assert!(matches!(error, SpendingError::Client(dp_prio3::Error::Dropped { .. })));
            return;
        }
    }
    panic!("no report was dropped");
}

/// A daily histogram, each day ε = 0.5.
fn daily(limit: &str) -> (Task<AggregatorNoise<Histogram>>, Account) {
    let task = Task::new(histogram_laplace(2, 3), 8);
    let cost = cost_of_a_release(&*task.policy, OAOC, &alone()).expect("a guarantee");
    let account = Account::new(Terms::new(pure(limit)), cost);
    (task, account)
}

fn shares_of_a_day(task: &mut Task<AggregatorNoise<Histogram>>) -> Vec<EncodedAggregateShare> {
    task.send(&1);
    task.finish()
}

/// The mean of many releases of one batch under one name would be its total, for one charge.
#[test]
fn a_name_is_paid_for_once_with_its_shares_and_fresh_noise_under_it_is_refused() {
    let (mut task, mut account) = daily("1");
    let monday = shares_of_a_day(&mut task);
    let collection = account.collect(&task, "monday", &monday).unwrap();
    assert_eq!(account.spent(), Some(pure("0.5").into()));
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
    assert_eq!((account.spent(), account.left()), (Some(pure("1").into()), None));
    let wednesday = shares_of_a_day(&mut task);
    assert!(account.collect(&task, "wednesday", &wednesday).is_err());
}

/// Ten thousand honest clients hide each other, three do not: their ε is near the local one.
#[test]
fn a_batch_of_fewer_reports_than_the_cost_counts_on_is_refused() {
    let rate = rational("1e-12");
    let policy = MultihotRappor::one_hot(2, 4, epsilon("3"), &rate).unwrap();
    let mut task = Task::new(policy, 9);
    let many_clients = Circumstances::new(10_000, "1e-6".parse().unwrap());
    let model = TrustModel::OneAggregatorMostClients;
    let cost = cost_of_a_release(&*task.policy, model, &many_clients).unwrap();
    let Budget::Approximate { epsilon: each, .. } = &cost.budget else {
        panic!("an approximate budget");
    };
    assert!(*each.value() < Rational::one() && cost.minimum_batch == 10_000, "{each}");
    for _ in 0..3 {
        task.send(&[true, false, false, false][..]);
    }
    let shares = task.finish();
    let terms = Terms { trust_model: model, ..Terms::new(epsilon_delta("10", "1e-3")) };
    let mut account = Account::new(terms, cost);
    let refused = account.collect(&task, "monday", &shares);
    assert!(matches!(refused, Err(SpendingError::TooFewReports { minimum: 10_000, .. })));
    assert_eq!(account.entries(), 0);
}

#[test]
fn shares_are_paid_for_before_anything_depends_on_their_totals() {
    let (mut task, mut account) = daily("0.5");
    let shares = shares_of_a_day(&mut task);
    let missing = account.collect(&task, "monday", &shares[..1]);
    assert!(matches!(missing, Err(SpendingError::Collect(CollectError::NoSet(_)))));
    assert_eq!(account.entries(), 0);

    // A dishonest aggregator shifts the total out of its range: the refusal shows it, and is paid.
    let mut shifted = shares.clone();
    let last = shifted[1].share.len() - 1;
    shifted[1].share[last - 1] ^= 0x7f;
    let refused = account.collect(&task, "monday", &shifted);
    assert!(matches!(refused, Err(SpendingError::Collect(CollectError::OutOfRange(_)))));
    assert_eq!(account.left(), None);
    // With nothing left, no refusal says anything of the totals.
    shifted[1].share[last - 1] ^= 1;
    for name in ["monday", "tuesday"] {
        let refused = account.collect(&task, name, &shifted);
        assert!(matches!(refused, Err(SpendingError::Ledger(_))), "{name}");
    }
}

/// By the guarantee (0.906, 1e-9) of each day a year is ε = 330.7; the recorded noise makes it
/// 24.44.
#[test]
fn a_filter_is_charged_by_the_mechanism_that_a_policy_records() {
    let year = epsilon_delta("24.5", "1e-9");
    let rule = Rule::zero_concentrated(&year).unwrap();
    let mut task = Task::new(histogram_gaussian(2, 3), 10);
    let NoiseDistribution::DiscreteGaussian { variance } = task.policy.mechanism().distribution()
    else {
        panic!("{:?}", task.policy);
    };
    let variance = variance.clone();
    let cost = cost_of_a_release(&*task.policy, OAOC, &alone()).unwrap();
    let mut account = Account::new(Terms::new(year).with_rule(rule), cost.clone());
    assert_eq!(account.journal.ledger().room_for(&cost).unwrap(), 365);
    task.send(&1);
    let shares = task.finish();
    account.collect(&task, "monday", &shares).unwrap();
    // Two counts that change by 1.
    let exact = variance.reciprocal().unwrap();
    let Some(Cost::Concentrated { rho, delta, .. }) = account.spent() else {
        panic!("no cost in rho");
    };
    assert!(delta.is_zero() && rho >= exact && rho <= &exact * &rational("1.000000000001"));
    assert_eq!(account.journal.ledger().room_for(&cost).unwrap(), 364);
}

/// The guarantee of noise at one aggregator is none against all of them together.
#[test]
fn a_ledger_that_trusts_nobody_pays_for_no_guarantee_that_does() {
    let (mut task, account) = daily("1");
    let mut account =
        Account::new(Terms { trust_model: OC, ..Terms::new(pure("1")) }, account.cost);
    let shares = shares_of_a_day(&mut task);
    let refused = account.collect(&task, "monday", &shares);
    assert!(matches!(refused, Err(SpendingError::Ledger(LedgerError::TrustModel { .. }))));
    let none = cost_of_a_release(&*task.policy, OC, &alone());
    assert!(matches!(none, Err(SpendingError::NoGuarantee { .. })));
}
