//! Caches, filter policies, rate limiters and bounds on memtables.

use super::callbacks::give_policy;
use super::ffi::{give, live, retire};
use super::types::{
    rocksdb_cache_t, rocksdb_filterpolicy_t, rocksdb_hyper_clock_cache_options_t,
    rocksdb_lru_cache_options_t, rocksdb_ratelimiter_t, rocksdb_write_buffer_manager_t,
};
use crate::cache::Cache;
use crate::env::Env;
use crate::env::rate_limiter::{Limits, RateLimiter};
use crate::filter::FilterPolicy;
use crate::options::WriteBufferManager;
use std::ffi::c_int;
use std::sync::Arc;

/// Makes a block cache of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_cache_create_lru(capacity: usize) -> *mut rocksdb_cache_t {
    give(rocksdb_cache_t(Cache::lru(capacity, -1, false)))
}

/// Makes a block cache that never holds more than so many bytes: what does not fit fails.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_cache_create_lru_with_strict_capacity_limit(
    capacity: usize,
) -> *mut rocksdb_cache_t {
    give(rocksdb_cache_t(Cache::lru(capacity, -1, true)))
}

/// Makes a block cache by options.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_lru_opts(
    options: *const rocksdb_lru_cache_options_t,
) -> *mut rocksdb_cache_t {
    live!(options);
    give(rocksdb_cache_t(Cache::lru(options.capacity, options.num_shard_bits, false)))
}

/// Makes the options of a clock cache.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_hyper_clock_cache_options_create(
    capacity: usize,
    estimated_entry_charge: usize,
) -> *mut rocksdb_hyper_clock_cache_options_t {
    give(rocksdb_hyper_clock_cache_options_t {
        capacity,
        estimated_entry_charge,
        num_shard_bits: -1,
    })
}

/// Makes a clock cache of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_cache_create_hyper_clock(
    capacity: usize,
    estimated_entry_charge: usize,
) -> *mut rocksdb_cache_t {
    give(rocksdb_cache_t(Cache::clock(capacity, estimated_entry_charge, -1, false)))
}

/// Makes a clock cache by options.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_create_hyper_clock_opts(
    options: *const rocksdb_hyper_clock_cache_options_t,
) -> *mut rocksdb_cache_t {
    live!(options);
    let charge = options.estimated_entry_charge;
    give(rocksdb_cache_t(Cache::clock(options.capacity, charge, options.num_shard_bits, false)))
}

/// Destroys the handle; options and stores keep their share.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_destroy(cache: *mut rocksdb_cache_t) {
    retire!(cache);
}

/// Accepted: freeing a cache is quick enough.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_disown_data(cache: *mut rocksdb_cache_t) {
    let _ = cache;
}

/// Sets how many bytes it may hold; what is too much goes at once.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_set_capacity(cache: *mut rocksdb_cache_t, capacity: usize) {
    live!(cache);
    cache.0.set_capacity(capacity);
}

/// How many bytes it may hold.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_capacity(cache: *const rocksdb_cache_t) -> usize {
    live!(cache);
    cache.0.capacity()
}

/// How many bytes it holds, what others still hold of it included.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_usage(cache: *const rocksdb_cache_t) -> usize {
    live!(cache);
    cache.0.usage()
}

/// How many of these are held by others.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_pinned_usage(cache: *const rocksdb_cache_t) -> usize {
    live!(cache);
    cache.0.pinned_usage()
}

/// How many places its tables have.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_table_address_count(
    cache: *const rocksdb_cache_t,
) -> usize {
    live!(cache);
    cache.0.table_address_count()
}

/// How many entries it holds.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cache_get_occupancy_count(cache: *const rocksdb_cache_t) -> usize {
    live!(cache);
    cache.0.occupancy_count()
}

/// Makes Bloom filters of so many bits a key.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_filterpolicy_create_bloom(
    bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    give_policy(Arc::new(FilterPolicy::bloom(bits_per_key)))
}

/// Makes Bloom filters of so many bits a key.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_filterpolicy_create_bloom_full(
    bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    give_policy(Arc::new(FilterPolicy::bloom(bits_per_key)))
}

/// Makes Ribbon filters as good as Bloom filters of so many bits a key.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_filterpolicy_create_ribbon(
    bloom_equivalent_bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    give_policy(Arc::new(FilterPolicy::ribbon(bloom_equivalent_bits_per_key)))
}

/// Makes Bloom filters above a level and Ribbon filters from it on.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_filterpolicy_create_ribbon_hybrid(
    bloom_equivalent_bits_per_key: f64,
    bloom_before_level: c_int,
) -> *mut rocksdb_filterpolicy_t {
    give_policy(Arc::new(FilterPolicy::ribbon_hybrid(
        bloom_equivalent_bits_per_key,
        bloom_before_level,
    )))
}

/// Makes a bound on memtables that counts against a cache.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write_buffer_manager_create_with_cache(
    buffer_size: usize,
    cache: *const rocksdb_cache_t,
    allow_stall: bool,
) -> *mut rocksdb_write_buffer_manager_t {
    // SAFETY: the promise of the entry point.
    let cache = unsafe { cache.as_ref() }.map(|cache| Arc::clone(&cache.0));
    give(rocksdb_write_buffer_manager_t(Arc::new(WriteBufferManager::new(
        buffer_size,
        allow_stall,
        cache,
    ))))
}

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
    wbm.0.reserved_in_cache()
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
