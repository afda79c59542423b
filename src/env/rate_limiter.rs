//! So many bytes a second, shared by whoever asks.
//!
//! A request takes its bytes at once and waits until the rate has caught up with them; so requests of
//! any size pass, in the order they came, and no thread has to hand out turns. Two lanes: the urgent one (flushes)
//! waits for urgent bytes only, the other (compactions) for all. What was not used in one refill
//! period may be used in the next one, no more.
//!
//! Many threads may ask at a time; time is a [`Clock`]'s.
#![forbid(unsafe_code)]

use super::{Clock, WritableFile};
use crate::base::Result;
use crate::base::sync::Mutex;
use std::sync::Arc;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// Compactions.
    Low,
    /// Flushes.
    High,
}

/// Which transfers are held back. The numbers are RocksDB's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// 0: only reads.
    Reads,
    /// 1: only writes.
    Writes,
    /// 2: both.
    All,
}

struct Bucket {
    bytes_per_second: u64,
    /// When the urgent bytes taken so far are paid for.
    high_free_nanos: u64,
    /// When all bytes taken so far are.
    free_nanos: u64,
    bytes: u64,
    requests: u64,
}

impl Bucket {
    /// Takes `bytes` and says how many nanoseconds from `now` to wait for them.
    fn take(&mut self, now: u64, burst: u64, bytes: u64, urgency: Urgency) -> u64 {
        self.bytes += bytes;
        self.requests += 1;
        let cost = u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_per_second);
        let cost = u64::try_from(cost).unwrap_or(u64::MAX / 4);
        let earliest = now.saturating_sub(burst);
        self.free_nanos = self.free_nanos.max(earliest).saturating_add(cost);
        let paid = match urgency {
            Urgency::Low => self.free_nanos,
            Urgency::High => {
                self.high_free_nanos = self.high_free_nanos.max(earliest).saturating_add(cost);
                self.high_free_nanos
            }
        };
        paid.saturating_sub(now)
    }
}

/// The limiter.
pub struct RateLimiter {
    clock: Arc<dyn Clock>,
    refill_nanos: u64,
    limits: Limits,
    bucket: Mutex<Bucket>,
}

impl RateLimiter {
    /// Of `bytes_per_second`, where what is unused is kept for `refill_micros`.
    #[must_use]
    pub fn new(
        clock: Arc<dyn Clock>,
        bytes_per_second: u64,
        refill_micros: u64,
        limits: Limits,
    ) -> Arc<Self> {
        let bucket = Bucket {
            bytes_per_second: bytes_per_second.max(1),
            high_free_nanos: 0,
            free_nanos: 0,
            bytes: 0,
            requests: 0,
        };
        let refill_nanos = refill_micros.saturating_mul(1000);
        Arc::new(Self { clock, refill_nanos, limits, bucket: Mutex::new(bucket) })
    }

    /// Which transfers are to ask.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Takes `bytes` and waits for them.
    pub fn request(&self, bytes: u64, urgency: Urgency) {
        let now = self.clock.nanos();
        let wait = self.bucket.lock().take(now, self.refill_nanos, bytes, urgency);
        if wait > 0 {
            self.clock.sleep_micros(wait.div_ceil(1000));
        }
    }

    /// Changes the rate for what is asked from now on.
    pub fn set_bytes_per_second(&self, bytes_per_second: u64) {
        self.bucket.lock().bytes_per_second = bytes_per_second.max(1);
    }

    /// The rate.
    #[must_use]
    pub fn bytes_per_second(&self) -> u64 {
        self.bucket.lock().bytes_per_second
    }

    /// Bytes taken so far.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.bucket.lock().bytes
    }

    /// Requests so far.
    #[must_use]
    pub fn total_requests(&self) -> u64 {
        self.bucket.lock().requests
    }

    /// `file`, with its appends held back if writes are.
    #[must_use]
    pub fn writer(
        self: &Arc<Self>,
        file: Box<dyn WritableFile>,
        urgency: Urgency,
    ) -> Box<dyn WritableFile> {
        if self.limits == Limits::Reads {
            return file;
        }
        Box::new(Limited { file, limiter: Arc::clone(self), urgency })
    }
}

struct Limited {
    file: Box<dyn WritableFile>,
    limiter: Arc<RateLimiter>,
    urgency: Urgency,
}

impl WritableFile for Limited {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.limiter.request(bytes.len() as u64, self.urgency);
        self.file.append(bytes)
    }

    fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    fn fsync(&mut self) -> Result<()> {
        self.file.fsync()
    }

    fn range_sync(&mut self, upto: u64) -> Result<()> {
        self.file.range_sync(upto)
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        self.file.truncate(len)
    }

    fn allocate(&mut self, len: u64) -> Result<()> {
        self.file.allocate(len)
    }

    fn size(&self) -> u64 {
        self.file.size()
    }

    fn close(&mut self) -> Result<()> {
        self.file.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::clock::ManualClock;

    #[test]
    fn the_rate_is_kept_over_time() {
        let clock = Arc::new(ManualClock::default());
        let limiter = RateLimiter::new(clock.clone(), 1000, 100_000, Limits::Writes);
        let start = clock.now_micros();
        for _ in 0..100 {
            limiter.request(100, Urgency::Low);
        }
        // 10,000 bytes at 1000 a second, with a tenth of a second's worth saved up before.
        assert_eq!(clock.now_micros() - start, 9_900_000);
        assert_eq!((limiter.total_bytes(), limiter.total_requests()), (10_000, 100));
    }

    #[test]
    fn urgent_requests_do_not_wait_for_others() {
        let mut bucket = Bucket {
            bytes_per_second: 1_000_000_000,
            high_free_nanos: 0,
            free_nanos: 0,
            bytes: 0,
            requests: 0,
        };
        assert_eq!(bucket.take(1000, 0, 500, Urgency::Low), 500);
        assert_eq!(bucket.take(1000, 0, 100, Urgency::High), 100);
        assert_eq!(bucket.take(1000, 0, 10, Urgency::Low), 610, "others wait for urgent ones");
        assert_eq!(bucket.take(5000, 50, 10, Urgency::Low), 0, "unused time is kept a while");
    }
}
