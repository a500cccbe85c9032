//! Deployments that break a field of the task on which a guarantee rests.

use dp_audit::{
    Collected, Conformance, ExpectedRelease, Fault, FaultStatus, InProcessDeployment, StatedTerms,
    Submissions, Task, Verdict,
};
use dp_prio3::BatchLimits;
use dp_task::PolicyName;

use super::collected;

/// The example of `count-laplace` for batches of 3 to 20 reports, two releases of a person and two
/// reports in each.
fn task() -> Task {
    let policy = PolicyName::find("count-laplace").expect("a policy");
    let mut document = policy.example();
    document.batch = BatchLimits { min_reports: 3, max_reports: Some(20) };
    (document.trust.releases, document.trust.reports_per_client) = (Some(2), Some(2));
    Task::new(document).expect("a task")
}

#[test]
fn collections_that_break_a_field_of_the_task_do_not_conform() {
    let task = task();
    type Alter = fn(&mut Collected);
    let breaks: [(Option<Fault>, Alter); 7] = [
        (None, |_| {}),
        (Some(Fault::MoreReleases), |third| third.stated.people = Some("0".to_owned())),
        (Some(Fault::FewerReports), |third| third.reports = 2),
        (Some(Fault::MoreReports), |third| third.reports = 21),
        (Some(Fault::MoreReportsOfPerson), |third| third.stated.reports_of_a_person = Some(3)),
        (Some(Fault::OtherAggregators), |third| third.stated.aggregators = Some(3)),
        (Some(Fault::OtherTask), |third| third.stated.digest = Some("00".repeat(32))),
    ];
    for (fault, alter) in breaks {
        let expected = ExpectedRelease::of_task(&task).expect("a distribution");
        let mut test = Conformance::new(expected, 1e-6).expect("a test");
        for batch in 0..3 {
            let mut collected = collected(batch, 3, &[1], vec![f64::from(batch)]);
            collected.stated = StatedTerms {
                people: Some((batch / 2).to_string()),
                reports_of_a_person: Some(2),
                aggregators: Some(2),
                digest: Some(task.digest().to_string()),
            };
            if collected.batch == "2" {
                alter(&mut collected);
            }
            test.observe(&collected).expect("taken");
        }
        assert_eq!(test.result().found().map(|found| found.fault), fault);
        assert!(!test.result().conforms());
    }
}

/// A guarantee that does not name a number of releases is about one. Where nobody says who took
/// part, no fault is found, and the deployment does not conform.
#[test]
fn people_in_more_releases_than_planned_are_found_if_they_are_named() {
    let is_more = |verdict: &&Verdict| verdict.fault == Fault::MoreReleases;
    let mut document = task().document().clone();
    for (planned, most) in [(None, 1), (Some(2), 2), (Some(100), 100)] {
        document.trust.releases = planned;
        let task = Task::new(document.clone()).expect("a task");
        let expected = ExpectedRelease::of_task(&task).expect("a distribution");
        for people in [None, Some("all".to_owned())] {
            let mut test = Conformance::new(expected.clone(), 1e-6).expect("a test");
            for batch in 0..=most {
                let mut one = collected(batch, 3, &[1], vec![1.0]);
                assert_eq!(test.result().verdicts.iter().find(is_more), None);
                if people.is_some() {
                    // The first attempt names others.
                    one.stated.people = Some(batch.to_string());
                    test.observe(&one).expect("taken");
                    one.attempt = 2;
                }
                one.stated.people = people.clone();
                test.observe(&one).expect("taken");
            }
            let result = test.result();
            let more = result.verdicts.iter().find(is_more);
            let status = if people.is_some() { FaultStatus::Found } else { FaultStatus::Open };
            assert_eq!(more.map(|verdict| verdict.outcome), Some(status), "{planned:?}");
            assert!(!result.conforms());
        }
    }
}

#[test]
fn terms_of_a_repeated_answer_are_read_too() {
    let task = task();
    let expected = ExpectedRelease::of_task(&task).expect("a distribution");
    let mut test = Conformance::new(expected, 1e-6).expect("a test");
    for (attempt, aggregators) in [(1, 2), (2, 1)] {
        let mut again = collected("a", 3, &[1], vec![1.0]);
        (again.attempt, again.stated.aggregators) = (attempt, Some(aggregators));
        test.observe(&again).expect("taken");
    }
    assert_eq!(test.result().found().map(|found| found.fault), Some(Fault::OtherAggregators));
}

#[test]
fn batches_that_the_task_does_not_admit_are_offered_and_have_to_be_refused() {
    let task = task();
    let submissions = Submissions::of_task("offered", &task, None).expect("submissions");
    let tested = |limits| {
        let mut document = task.document().clone();
        document.batch = limits;
        let parties = Task::new(document).expect("a task");
        let parties = parties.policy();
        let aggregators = vec![parties.clone(); 2];
        let mut parties = InProcessDeployment::new(parties, &aggregators, 1).expect("parties");
        let expected = ExpectedRelease::of_task(&task).expect("a distribution");
        let mut collect = |request: &_| parties.answers(request);
        let result = Conformance::of(&mut collect, &submissions, expected, 1e-6, 3);
        result.expect("a result").found().map(|found| found.fault)
    };
    let limits = |min_reports, max_reports| BatchLimits { min_reports, max_reports };
    assert_eq!(tested(limits(3, Some(20))), None);
    assert_eq!(tested(limits(1, Some(20))), Some(Fault::FewerReports));
    assert_eq!(tested(limits(3, None)), Some(Fault::MoreReports));
}
