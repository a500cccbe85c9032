//! Where a thread's count and limit are kept.
//!
//! Without the feature `std` there are no threads to tell apart, and nothing is counted.

/// The count and the limit of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    pub(super) spent: u64,
    /// The count above which the work of the scope is refused; none outside of scopes.
    pub(super) limit: Option<u64>,
}

const NEW: Meter = Meter {
    spent: 0,
    limit: None,
};

#[cfg(feature = "std")]
std::thread_local! {
    static METER: core::cell::Cell<Meter> = const { core::cell::Cell::new(NEW) };
}

impl Meter {
    /// That of this thread.
    #[cfg(feature = "std")]
    pub(super) fn get() -> Self {
        METER.get()
    }

    /// Makes this that of the thread.
    #[cfg(feature = "std")]
    pub(super) fn set(self) {
        METER.set(self);
    }

    #[cfg(not(feature = "std"))]
    pub(super) const fn get() -> Self {
        NEW
    }

    #[cfg(not(feature = "std"))]
    pub(super) const fn set(self) {}
}
