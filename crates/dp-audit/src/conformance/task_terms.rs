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

    /// The terms of a task. Without a number of releases it plans one, as its guarantee does.
    pub(super) fn of_task(task: &Task) -> Self {
        Self {
            releases: Some(task.releases().into()),
            reports_of_a_person: Some(task.circumstances().reports_per_client.into()),
            digest: Some(task.digest().to_string()),
            ..Self::of(task.policy())
        }
    }

    /// Whether this number of releases of a person is more than planned.
    pub(super) fn are_too_many(&self, releases: u64) -> bool {
        self.releases.is_some_and(|most| releases > most)
    }

    /// The terms that a collection breaks; `releases` is the number of batches of the same people
    /// so far, this one included.
    pub(super) fn broken(&self, collected: &Collected, releases: u64) -> Vec<Fault> {
        let (reports, stated) = (collected.reports, &collected.stated);
        let of_person = stated.reports_of_a_person.zip(self.reports_of_a_person);
        let is_above = of_person.is_some_and(|(stated, most)| stated > most);
        let digests = stated.digest.as_ref().zip(self.digest.as_ref());
        let is_other_task = digests.is_some_and(|(one, own)| !one.eq_ignore_ascii_case(own));
        let broken = [
            (Fault::FewerReports, reports < *self.reports.start()),
            (Fault::MoreReports, reports > *self.reports.end()),
            (Fault::MoreReleases, stated.people.is_some() && self.are_too_many(releases)),
            (Fault::MoreReportsOfPerson, is_above),
            (Fault::OtherAggregators, stated.aggregators.is_some_and(|n| n != self.aggregators)),
            (Fault::OtherTask, is_other_task),
        ];
        broken.into_iter().filter_map(|(fault, is_broken)| is_broken.then_some(fault)).collect()
    }
}
