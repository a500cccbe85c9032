//! The period of time that a report is of.

use std::fmt;

/// The period of time that a client says its report is of, by number: the days since 1970, say.
///
/// A report is bound to it, and an aggregator takes no report of a window that has expired: so what
/// was spent in it can be forgotten ([`SeenReports::expire_before`](crate::replay::SeenReports::expire_before)).
/// All aggregators read it, so it should be no finer than they may know. Where it is not used it
/// is 0, and aggregators take no other, unless they are given a store that does
/// ([`MemoryReports::new`](crate::replay::MemoryReports::new)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Window(pub u64);

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
