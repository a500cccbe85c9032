//! Nanoseconds per item, side by side.
//!
//! Each contestant runs in windows of a few milliseconds, the contestants in turn, and the fastest
//! window counts: whatever else the machine does only ever adds time, and it adds to all alike.
//! A contestant whose work is random has luck in its fastest window; windows of at least
//! [`Effort::LEAST_ITEMS`] items keep that to a few per cent, in its favour.

use std::fmt;
use std::time::{Duration, Instant};

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How long a window lasts at least.
    pub window: Duration,
    /// Windows of each contestant; as few as a third where a window has to be much longer.
    pub windows: u32,
    /// After this time the rounds end, whether all windows were given or not.
    pub limit: Duration,
}

impl Default for Effort {
    /// 24 windows of 3 ms, and a second in all.
    fn default() -> Self {
        Self {
            window: Duration::from_millis(3),
            windows: 24,
            limit: Duration::from_secs(1),
        }
    }
}

impl Effort {
    /// The items that a window holds at least.
    pub const LEAST_ITEMS: u32 = 1000;
}

/// Work that can be repeated, counted in items.
pub struct Contestant {
    items: u32,
    batch: Box<dyn FnMut()>,
}

impl Contestant {
    /// Work of which each call of `batch` does `items` items, at least one.
    pub fn new(items: u32, batch: impl FnMut() + 'static) -> Self {
        Self {
            items: items.max(1),
            batch: Box::new(batch),
        }
    }

    /// The items of a batch.
    #[must_use]
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Does one batch.
    pub fn run(&mut self) {
        (self.batch)();
    }

    fn time(&mut self, batches: u32) -> Duration {
        let start = Instant::now();
        for _ in 0..batches {
            (self.batch)();
        }
        start.elapsed()
    }

    /// How to fill a window, after a first try that also warms up.
    fn plan(&mut self, effort: Effort) -> Plan {
        let mut batches = 1_u32;
        let mut tried = self.time(batches);
        while tried < effort.window / 4 && batches < u32::MAX / 2 {
            batches *= 2;
            tried = self.time(batches);
        }
        let (tried, window) = (tried.as_nanos().max(1), effort.window.as_nanos().max(1));
        let filling = (window * u128::from(batches)).div_ceil(tried);
        let filling = u32::try_from(filling).unwrap_or(u32::MAX).max(1);
        let least = Effort::LEAST_ITEMS.div_ceil(self.items);
        // Where a window has to be many times longer, there are fewer of them.
        let batches = filling.max(least);
        let stride = (batches / filling).clamp(1, (effort.windows / 3).max(1));
        Plan { batches, stride }
    }
}

impl fmt::Debug for Contestant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Contestant")
            .field("items", &self.items)
            .finish_non_exhaustive()
    }
}

/// How a contestant takes part in a race.
struct Plan {
    /// Batches in a window.
    batches: u32,
    /// One window in so many rounds.
    stride: u32,
}

/// Nanoseconds per item of each contestant, in the order given.
pub fn race(contestants: &mut [Contestant], effort: Effort) -> Vec<f64> {
    let start = Instant::now();
    let plans: Vec<Plan> = contestants.iter_mut().map(|one| one.plan(effort)).collect();
    let mut fastest = vec![f64::INFINITY; contestants.len()];
    for round in 0..effort.windows.max(1) {
        if round > 0 && start.elapsed() > effort.limit {
            break;
        }
        for ((one, plan), fastest) in contestants.iter_mut().zip(&plans).zip(&mut fastest) {
            if round % plan.stride == 0 {
                let items = f64::from(plan.batches) * f64::from(one.items);
                let window = one.time(plan.batches);
                *fastest = fastest.min(window.as_secs_f64() * 1e9 / items);
            }
        }
    }
    fastest
}
