//! A bound on memtable memory that several stores share.
//!
//! Every store that has one reports what its memtables take; the manager says when to flush and
//! when to hold writers. Numbers only: who waits and who flushes is the store's business.
#![forbid(unsafe_code)]

use crate::base::sync::Mutex;
use crate::base::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::cache::{Cache, Reservation};
use std::sync::Arc;

/// Memtable bytes of all stores that share it. Any thread may call anything at any time.
#[derive(Debug)]
pub struct WriteBufferManager {
    // Relaxed throughout: each is a gauge that orders nothing.
    size: AtomicUsize,
    allow_stall: AtomicBool,
    used: AtomicUsize,
    active: AtomicUsize,
    /// What the cache was told.
    reservation: Option<Mutex<Reservation>>,
}

/// Memtable bytes of one store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemtableMemory {
    /// Of memtables that no flush has taken yet.
    pub active: usize,
    /// Of all.
    pub used: usize,
}

fn shift(gauge: &AtomicUsize, before: usize, after: usize) {
    if after >= before {
        gauge.fetch_add(after - before, Ordering::Relaxed);
    } else {
        gauge.fetch_sub(before - after, Ordering::Relaxed);
    }
}

/// The cache is told in steps of this many bytes, so that it is not told at each write.
const STEP_BYTES: usize = 256 << 10;

impl WriteBufferManager {
    /// With a bound of `size` bytes (0: none). With `allow_stall`, writers wait above it.
    /// The memory is told to `cache` when there is one.
    #[must_use]
    pub fn new(size: usize, allow_stall: bool, cache: Option<Arc<Cache>>) -> Self {
        Self {
            size: AtomicUsize::new(size),
            allow_stall: AtomicBool::new(allow_stall),
            used: AtomicUsize::new(0),
            active: AtomicUsize::new(0),
            reservation: cache.map(|cache| Mutex::new(cache.reserve())),
        }
    }

    /// Is there a bound?
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.buffer_size() > 0
    }

    /// The bound.
    #[must_use]
    pub fn buffer_size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// Sets the bound.
    pub fn set_buffer_size(&self, size: usize) {
        self.size.store(size, Ordering::Relaxed);
    }

    /// Do writers wait above the bound?
    #[must_use]
    pub fn allow_stall(&self) -> bool {
        self.allow_stall.load(Ordering::Relaxed)
    }

    /// Sets that.
    pub fn set_allow_stall(&self, allow: bool) {
        self.allow_stall.store(allow, Ordering::Relaxed);
    }

    /// Is a cache told of the memory?
    #[must_use]
    pub fn cost_to_cache(&self) -> bool {
        self.reservation.is_some()
    }

    /// Bytes that the cache was told of.
    #[must_use]
    pub fn reserved_in_cache(&self) -> usize {
        self.reservation.as_ref().map_or(0, |r| r.lock().bytes())
    }

    fn tell_cache(&self) {
        if let Some(reservation) = &self.reservation {
            let mut reservation = reservation.lock();
            let bytes = self.memory_usage().next_multiple_of(STEP_BYTES);
            if bytes != reservation.bytes() {
                // A strict cache that is full says no; memtables are there all the same.
                let _ = reservation.set(bytes);
            }
        }
    }

    /// Bytes of all memtables.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes of memtables that no flush has taken yet.
    #[must_use]
    pub fn active_memory_usage(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// A store's memtables take `after` now, and took `before` when it last said so.
    pub fn change(&self, before: MemtableMemory, after: MemtableMemory) {
        shift(&self.active, before.active, after.active);
        shift(&self.used, before.used, after.used);
        self.tell_cache();
    }

    /// Is it time to flush something? RocksDB's rule: seven eighths of the bound in active
    /// memtables, or the bound passed with half of it active.
    #[must_use]
    pub fn should_flush(&self) -> bool {
        let size = self.buffer_size();
        if size == 0 {
            return false;
        }
        let active = self.active_memory_usage();
        active > size / 8 * 7 || (self.memory_usage() >= size && active >= size / 2)
    }

    /// Shall writers wait?
    #[must_use]
    pub fn should_stall(&self) -> bool {
        self.allow_stall() && self.enabled() && self.memory_usage() >= self.buffer_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(active: usize, used: usize) -> MemtableMemory {
        MemtableMemory { active, used }
    }

    #[test]
    fn a_flush_is_due_before_the_bound_and_a_stall_at_it() {
        let m = WriteBufferManager::new(800, true, None);
        m.change(memory(0, 0), memory(700, 700));
        assert!(!m.should_flush() && !m.should_stall());
        m.change(memory(0, 0), memory(1, 1));
        assert!(m.should_flush() && !m.should_stall());
        m.change(memory(700, 700), memory(799, 799));
        assert!(m.should_stall());
        m.change(memory(799, 799), memory(0, 799));
        assert!(!m.should_flush() && m.should_stall());
        m.change(memory(0, 799), memory(0, 0));
        assert!(!m.should_stall());
        m.set_buffer_size(0);
        assert!(!m.enabled());
    }

    #[test]
    fn a_cache_is_told_of_the_memory() {
        let cache = Cache::lru(8 << 20, 0, false);
        let m = WriteBufferManager::new(1 << 20, false, Some(Arc::clone(&cache)));
        m.change(memory(0, 0), memory(1, 1));
        assert_eq!((m.reserved_in_cache(), cache.usage()), (STEP_BYTES, STEP_BYTES));
        m.change(memory(1, 1), memory(0, 0));
        assert_eq!((m.reserved_in_cache(), cache.usage()), (0, 0));
    }
}
