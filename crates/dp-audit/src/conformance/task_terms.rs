//! The fields of a task on which its guarantees rest beside the noise: how many reports a batch
//! has, how often a person takes part, and which parties run which task.

use std::ops::RangeInclusive;

use dp_prio3::Policy;
use dp_task::Task;

use super::Collected;
use super::fault::Fault;

/// What a policy or a task admits; `None` where it does not say.
#[derive(Clone, Debug)]
pub(super) struct AdmittedTerms {
    /// Numbers of reports with which a batch is released.
    pub(super) reports: RangeInclusive<u64>,
    aggregators: u64,
    /// The largest number of releases in which one person takes part.
    releases: Option<u64>,
    /// The largest number of reports of one person in a release.
    reports_of_a_person: Option<u64>,
    digest: Option<String>,
}

impl AdmittedTerms {
    /// The terms of a policy: the reports of a batch, and the aggregators.
    pub(super) fn of(policy: &Policy) -> Self {
        Self {
            reports: policy.min_reports()..=policy.max_reports(),
            aggregators: policy.aggregators() as u64,
            releases: None,
            reports_of_a_person: None,
            digest: None,
        }
    }

    /// The terms of a task. A document without a number of releases does not limit them.
    pub(super) fn of_task(task: &Task) -> Self {
        Self {
            releases: task.document().trust.releases.map(u64::from),
            reports_of_a_person: Some(task.circumstances().reports_per_client.into()),
            digest: Some(task.digest().to_string()),
            ..Self::of(task.policy())
        }
    }

    /// The terms that a collection breaks; `releases` is the number of batches of the same people
    /// so far, this one included.
    pub(super) fn broken(&self, collected: &Collected, releases: u64) -> Vec<Fault> {
        let (reports, stated) = (collected.reports, &collected.stated);
        let is_above =
            |stated: Option<u64>, most| stated.zip(most).is_some_and(|(n, most)| n > most);
        let digests = stated.digest.as_ref().zip(self.digest.as_ref());
        let is_other_task = digests.is_some_and(|(one, own)| !one.eq_ignore_ascii_case(own));
        let most_of_person = self.reports_of_a_person;
        let broken = [
            (Fault::FewerReports, reports < *self.reports.start()),
            (Fault::MoreReports, reports > *self.reports.end()),
            (Fault::MoreReleases, is_above(Some(releases), self.releases)),
            (Fault::MoreReportsOfPerson, is_above(stated.reports_of_a_person, most_of_person)),
            (Fault::OtherAggregators, stated.aggregators.is_some_and(|n| n != self.aggregators)),
            (Fault::OtherTask, is_other_task),
        ];
        broken.into_iter().filter_map(|(fault, is_broken)| is_broken.then_some(fault)).collect()
    }
}
