//! Both ends through the released Janus crates, against stand-ins for the servers on this machine.

mod aggregators;
mod task_config;

use aggregators::{Aggregators, Share};
use dp_calibration::{Budget, Query};
use dp_ledger::{Journal, LedgerError, Terms};
use dp_samplers::Seed;
use janus_client::Client;
use janus_collector::{AuthenticationToken, Collector};
use janus_example::client::SurveyClient;
use janus_example::collector::{collect_noisy, collect_survey};
use janus_example::{Error, Survey};
use janus_messages::{Duration, Interval, Time};
use prio::codec::{Encode, ParameterizedDecode};
use prio::vdaf::{AggregateShare, AggregatorWithNoise};
use prio_of_janus::vdaf;
use prio_of_janus::vdaf::prio3::{Prio3, Prio3Histogram};

const BUCKETS: usize = 512;

fn no_noise(share: Share) -> Vec<u8> {
    share.bytes
}

async fn client<V>(servers: &Aggregators<V>, vdaf: V) -> Client<V>
where
    V: vdaf::Client<16>,
{
    let (task, url) = (servers.task, &servers.url);
    let precision = Duration::from_seconds(3600);
    Client::builder(task, url.clone(), url.clone(), precision, vdaf)
        .with_leader_hpke_config(servers.keys[0].config().clone())
        .with_helper_hpke_config(servers.keys[1].config().clone())
        .build()
        .await
        .expect("a client")
}

fn collector<V: vdaf::Collector>(servers: &Aggregators<V>, vdaf: V) -> Collector<V> {
    let token = AuthenticationToken::new_bearer_token_from_string("Y29sbGVjdG9y");
    let key = servers.keys[2].clone();
    Collector::new(servers.task, servers.url.clone(), token.expect("a token"), key, vdaf)
        .expect("a collector")
}

fn an_hour() -> Interval {
    let start = Time::from_seconds_since_epoch(1_800_000_000);
    Interval::new(start, Duration::from_seconds(3600)).expect("an interval")
}

fn journal(directory: &tempfile::TempDir, name: &str, epsilon: &str) -> Journal {
    let epsilon = epsilon.parse().expect("a number");
    let terms = Terms::new(Budget::Pure { epsilon });
    Journal::create(directory.path().join(name), terms).expect("a new journal")
}

fn survey() -> Survey {
    Survey::new(3, "2".parse().expect("a number")).expect("in range")
}

#[tokio::test]
async fn a_survey_by_rappor_goes_through_janus() {
    let (survey, directory) = (survey(), tempfile::tempdir().unwrap());
    let servers = Aggregators::start(survey.vdaf().unwrap(), no_noise).await;

    // 50 clients: all say yes to the first question, a quarter to the second, none to the third.
    let mut rng = Seed::from_u64(5).rng(); // in earnest: dp_samplers::os_rng()
    let janus = client(&servers, survey.vdaf().unwrap()).await;
    for number in 0..50 {
        let journal = journal(&directory, &number.to_string(), "12");
        let mut client = SurveyClient::new(survey.clone(), janus.clone(), journal);
        let answer = [true, number % 4 == 0, false];
        client.answer("monday", &answer, &mut rng).await.unwrap();
    }
    assert_eq!(servers.uploaded(), 50);

    let collector = collector(&servers, survey.vdaf().unwrap());
    let estimates = collect_survey(&collector, an_hour(), &survey).await.unwrap();
    for (estimate, truth) in estimates.iter().zip([50.0, 13.0, 0.0]) {
        assert!((estimate.standard_error - 3.0085).abs() < 1e-4);
        assert!((estimate.value - truth).abs() < 4.0 * estimate.standard_error, "{estimate:?}");
    }
}

#[tokio::test]
async fn a_client_answers_once_a_round_and_stops_when_its_budget_is_spent() {
    let (survey, directory) = (survey(), tempfile::tempdir().unwrap());
    let servers = Aggregators::start(survey.vdaf().unwrap(), no_noise).await;
    // An answer costs 3 · 2; there is enough for two.
    let mut client = SurveyClient::new(
        survey.clone(),
        client(&servers, survey.vdaf().unwrap()).await,
        journal(&directory, "client", "13"),
    );
    let mut rng = Seed::from_u64(6).rng();
    let answer = [true, false, false];

    let error = client.answer("monday", &answer[..2], &mut rng).await.unwrap_err();
    assert!(matches!(error, Error::Parameter(_)));
    client.answer("monday", &answer, &mut rng).await.unwrap();
    let error = client.answer("monday", &answer, &mut rng).await.unwrap_err();
    assert!(matches!(error, Error::Answered(_)));
    client.answer("tuesday", &answer, &mut rng).await.unwrap();
    let error = client.answer("wednesday", &answer, &mut rng).await.unwrap_err();
    assert!(matches!(error, Error::Ledger(LedgerError::Overspend { .. })));
    assert_eq!(servers.uploaded(), 2);
}

/// The encoded share with one server's noise, added by today's release of prio. The older release
/// that Janus uses encodes shares alike.
fn laplace(share: Share) -> Vec<u8> {
    let vdaf = prio::vdaf::prio3::Prio3::new_histogram(2, BUCKETS, 32).expect("in range");
    let mut sum =
        AggregateShare::get_decoded_with_param(&(&vdaf, &()), &share.bytes).expect("a share");
    vdaf.add_noise_to_agg_share(&task_config::strategy(), &(), &mut sum, share.reports)
        .expect("noise for a histogram");
    sum.get_encoded().expect("bytes")
}

fn histogram() -> Prio3Histogram {
    Prio3::new_histogram(2, BUCKETS, 32).expect("in range")
}

#[tokio::test]
async fn noisy_totals_are_read_with_their_sign_and_paid_for() {
    let servers = Aggregators::start(histogram(), laplace).await;
    let client = client(&servers, histogram()).await;
    for bucket in [3, 3, 60] {
        client.upload(&bucket).await.unwrap();
    }

    let directory = tempfile::tempdir().unwrap();
    let mut journal = journal(&directory, "population", "0.01");
    let query = Query::Histogram { length: BUCKETS };
    let collector = collector(&servers, histogram());
    let strategy = task_config::strategy();
    let estimates = collect_noisy(&collector, an_hour(), &query, &strategy, &mut journal, "monday")
        .await
        .unwrap();

    // Two draws of scale 200 each. By chance none of 512 is negative with probability below 2^−50,
    // and one is beyond 60 scales with probability below 1e-10.
    assert_eq!(estimates.len(), BUCKETS);
    assert!(estimates.iter().any(|estimate| estimate.value < 0.0));
    assert!(estimates.iter().all(|estimate| estimate.value.abs() < 60.0 * 200.0));
    assert!((estimates[0].standard_error - 400.0).abs() < 0.1);

    let spent = journal.ledger().spent();
    assert_eq!(spent, Some(strategy.budget().clone().into()));
    let error = collect_noisy(&collector, an_hour(), &query, &strategy, &mut journal, "tuesday");
    assert!(matches!(error.await.unwrap_err(), Error::Ledger(_)));
}
