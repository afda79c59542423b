//! Clocks: the operating system's, and one that only moves when told or slept on.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "this is the floor that the rest of the crate is sent to"
)]

use super::{Clock, Random};
use crate::base::rng::Rng;
use crate::base::sync::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The operating system's time.
#[derive(Clone, Copy, Debug, Default)]
pub struct PosixClock;

impl Clock for PosixClock {
    fn now_micros(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
    }

    fn nanos(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        let since = START.get_or_init(Instant::now).elapsed();
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    fn sleep_micros(&self, micros: u64) {
        std::thread::sleep(Duration::from_micros(micros));
    }
}

/// A clock that stands still but for [`ManualClock::advance`] and sleepers, who move it at once.
#[derive(Debug)]
pub struct ManualClock {
    micros: AtomicU64,
}

impl ManualClock {
    /// A clock that shows `micros` since 1970.
    #[must_use]
    pub fn new(micros: u64) -> Self {
        Self { micros: AtomicU64::new(micros) }
    }

    /// Moves it forward.
    pub fn advance(&self, micros: u64) {
        // Relaxed: the number stands alone, nothing is published by it.
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Moves it forward to `micros`, if it is not there yet.
    pub fn advance_to(&self, micros: u64) {
        // Relaxed: as in `advance`.
        self.micros.fetch_max(micros, Ordering::Relaxed);
    }
}

impl Default for ManualClock {
    /// The first second of 2024.
    fn default() -> Self {
        Self::new(1_704_067_200_000_000)
    }
}

impl Clock for ManualClock {
    fn now_micros(&self) -> u64 {
        // Relaxed: as in `advance`.
        self.micros.load(Ordering::Relaxed)
    }

    fn nanos(&self) -> u64 {
        self.now_micros() * 1000
    }

    fn sleep_micros(&self, micros: u64) {
        self.advance(micros);
    }
}

/// A generator that replays from its seed.
#[derive(Debug)]
pub struct SeededRandom(Mutex<Rng>);

impl SeededRandom {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(Rng::new(seed)))
    }
}

impl Random for SeededRandom {
    fn next(&self) -> u64 {
        self.0.lock().next()
    }
}
