//! Caches, filter policies, rate limiters and bounds on memtables.

use super::ffi::{give, live, retire};
use super::types::{rocksdb_ratelimiter_t, rocksdb_write_buffer_manager_t};
use crate::env::Env;
use crate::env::rate_limiter::{Limits, RateLimiter};
use crate::options::WriteBufferManager;
use std::sync::Arc;

/// Makes a bound on the memtables of all stores that share it; 0 means none.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_write_buffer_manager_create(
    buffer_size: usize,
    allow_stall: bool,
) -> *mut rocksdb_write_buffer_manager_t {
    give(rocksdb_write_buffer_manager_t(Arc::new(WriteBufferManager::new(
        buffer_size,
        allow_stall,
        None,
    ))))
}

/// Destroys the handle; stores keep their share.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_destroy(
    wbm: *mut rocksdb_write_buffer_manager_t,
) {
    retire!(wbm);
}

/// Is there a bound?
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_enabled(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> bool {
    live!(wbm);
    wbm.0.enabled()
}

/// Is a cache told of the memory?
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_cost_to_cache(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> bool {
    live!(wbm);
    wbm.0.cost_to_cache()
}

/// Bytes of all memtables.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_memory_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    live!(wbm);
    wbm.0.memory_usage()
}

/// Bytes of memtables that no flush has taken yet.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_mutable_memtable_memory_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    live!(wbm);
    wbm.0.active_memory_usage()
}

/// Bytes that the cache was told of.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    live!(wbm);
    if wbm.0.cost_to_cache() { wbm.0.memory_usage() } else { 0 }
}

/// The bound.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_buffer_size(
    wbm: *mut rocksdb_write_buffer_manager_t,
) -> usize {
    live!(wbm);
    wbm.0.buffer_size()
}

/// Sets the bound.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_set_buffer_size(
    wbm: *mut rocksdb_write_buffer_manager_t,
    new_size: usize,
) {
    live!(wbm);
    wbm.0.set_buffer_size(new_size);
}

/// Sets whether writers wait above the bound.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_set_allow_stall(
    wbm: *mut rocksdb_write_buffer_manager_t,
    new_allow_stall: bool,
) {
    live!(wbm);
    wbm.0.set_allow_stall(new_allow_stall);
}

/// Makes a bound on the bytes a second that flushes and compactions write.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_ratelimiter_create(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
) -> *mut rocksdb_ratelimiter_t {
    let _ = fairness;
    give(rocksdb_ratelimiter_t(limiter(rate_bytes_per_sec, refill_period_us)))
}

/// The same; the rate stays where it is set.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_ratelimiter_create_auto_tuned(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
) -> *mut rocksdb_ratelimiter_t {
    let _ = fairness;
    give(rocksdb_ratelimiter_t(limiter(rate_bytes_per_sec, refill_period_us)))
}

/// Destroys the handle; stores keep their share.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_destroy(limiter: *mut rocksdb_ratelimiter_t) {
    retire!(limiter);
}

fn limiter(bytes_per_second: i64, refill_micros: i64) -> Arc<RateLimiter> {
    let positive = |n: i64| u64::try_from(n).unwrap_or(0);
    let clock = Env::posix().clock;
    RateLimiter::new(clock, positive(bytes_per_second), positive(refill_micros), Limits::Writes)
}
