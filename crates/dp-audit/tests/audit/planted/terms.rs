//! Deployments that break a field of the task on which a guarantee rests.

use dp_audit::{
    Collected, Conformance, ExpectedRelease, Fault, InProcessDeployment, StatedTerms, Submissions,
    Task,
};
use dp_prio3::BatchLimits;
use dp_task::PolicyName;

/// The example of `count-laplace` for batches of 3 to 20 reports, two releases of a person and two reports
/// in each.
fn task() -> Task {
    let policy = PolicyName::find("count-laplace").expect("a policy");
    let mut document = policy.example().expect("an example");
    document.batch = BatchLimits { min_reports: 3, max_reports: Some(20) };
    (document.trust.releases, document.trust.reports_per_client) = (Some(2), Some(2));
    Task::new(document).expect("a task")
}

#[test]
fn collections_that_break_a_field_of_the_task_do_not_conform() {
    let task = task();
    let stated = StatedTerms {
        people: Some("first".to_owned()),
        reports_of_a_person: Some(2),
        aggregators: Some(2),
        digest: Some(task.digest().to_string()),
    };
    let sound = |batch: u32| Collected {
        batch: batch.to_string(),
        attempt: 1,
        reports: 3,
        submitted: 3,
        truths: vec![1],
        released: vec![f64::from(batch)],
        stated: stated.clone(),
    };
    let found = |collections: [Collected; 3]| {
        let expected = ExpectedRelease::of_task(&task, 3).expect("a distribution");
        let mut test = Conformance::new(expected, 1e-6).expect("a test");
        collections.iter().for_each(|one| test.observe(one).expect("taken"));
        assert!(!test.result().conforms());
        test.result().found().map(|found| found.fault)
    };
    type Alter = fn(&mut Collected);
    let breaks: [(Option<Fault>, Alter); 8] = [
        (None, |third| third.stated.people = Some("second".to_owned())),
        (Some(Fault::MoreReleases), |_| {}),
        (Some(Fault::FewerReports), |third| (third.reports, third.submitted) = (2, 2)),
        (Some(Fault::MoreReports), |third| (third.reports, third.submitted) = (21, 21)),
        (Some(Fault::MoreReportsOfPerson), |third| third.stated.reports_of_a_person = Some(3)),
        (Some(Fault::OtherAggregators), |third| third.stated.aggregators = Some(3)),
        (Some(Fault::OtherTask), |third| third.stated.digest = Some("00".repeat(32))),
        (None, |third| third.stated = StatedTerms::default()),
    ];
    for (fault, alter) in breaks {
        let mut collections = [sound(0), sound(1), sound(2)];
        // Only the fault that is planted: the third batch is of other people but for one.
        if fault != Some(Fault::MoreReleases) {
            collections[2].stated.people = Some("second".to_owned());
        }
        alter(&mut collections[2]);
        assert_eq!(found(collections), fault);
    }
}

/// A table of the kind: many releases of the same people, of whom too few sent a report.
#[test]
fn a_file_of_small_batches_and_many_releases_does_not_conform() {
    let lines = (0..400).map(|batch| format!("{batch},1,2,1,{}\n", batch % 5 - 1));
    let text = "batch,attempt,reports,truth,released\n".to_owned() + &lines.collect::<String>();
    let expected = ExpectedRelease::of_task(&task(), 2).expect("a distribution");
    let mut test = Conformance::new(expected, 1e-6).expect("a test");
    for collected in Collected::read(&text).expect("collections") {
        test.observe(&collected).expect("taken");
    }
    let result = test.result();
    let is_found = |fault| result.verdicts.iter().any(|verdict| verdict.fault == fault);
    assert!(is_found(Fault::FewerReports) && is_found(Fault::MoreReleases), "{result:?}");
    assert!(!result.conforms());
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
        let expected = ExpectedRelease::of_task(&task, 10).expect("a distribution");
        let result = Conformance::of(&mut parties, &submissions, expected, 1e-6, 3);
        result.expect("a result").found().map(|found| found.fault)
    };
    let limits = |min_reports, max_reports| BatchLimits { min_reports, max_reports };
    assert_eq!(tested(limits(3, Some(20))), None);
    assert_eq!(tested(limits(1, Some(20))), Some(Fault::FewerReports));
    assert_eq!(tested(limits(3, None)), Some(Fault::MoreReports));
}
