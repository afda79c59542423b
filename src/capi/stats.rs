//! Statistics, the perf context, memory in use, and `rocksdb_free`.

use super::ffi::{self, give, guarded, live, live_mut, needs, retire};
use super::types::{
    rocksdb_cache_t, rocksdb_memory_consumers_t, rocksdb_memory_usage_t, rocksdb_options_t,
    rocksdb_perfcontext_t, rocksdb_statistics_histogram_data_t, rocksdb_t,
};
use crate::stats::{HistogramData, Statistics};
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;

/// Frees what a call handed out; it is C's own free.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_free(ptr: *mut c_void) {
    // SAFETY: the promise of the entry point.
    unsafe { libc::free(ptr) };
}

/// Gives the options counters, which every store opened with them shares.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_enable_statistics(opt: *mut rocksdb_options_t) {
    live_mut!(opt);
    opt.0.db.statistics = Some(Arc::new(Statistics::default()));
}

/// Sets how much is counted; nothing while statistics are off.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_statistics_level(
    opt: *mut rocksdb_options_t,
    level: c_int,
) {
    live!(opt);
    if let Some(statistics) = &opt.0.db.statistics {
        statistics.set_level(u8::try_from(level.max(0)).unwrap_or(u8::MAX));
    }
}

/// How much is counted; 0 while statistics are off.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_statistics_level(
    opt: *mut rocksdb_options_t,
) -> c_int {
    live!(opt);
    opt.0.db.statistics.as_ref().map_or(0, |s| s.level().into())
}

/// All counters as text to be freed; NULL while statistics are off.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_string(
    opt: *mut rocksdb_options_t,
) -> *mut c_char {
    live!(opt);
    opt.0.db.statistics.as_ref().map_or(ptr::null_mut(), |s| ffi::malloc_string(&s.text()))
}

/// One counter, by its number in RocksDB 8.10; 0 while statistics are off.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_ticker_count(
    opt: *mut rocksdb_options_t,
    ticker_type: u32,
) -> u64 {
    live!(opt);
    opt.0.db.statistics.as_ref().map_or(0, |s| s.ticker_by_number(ticker_type))
}

/// One histogram, by its number in RocksDB 8.10; zeros while statistics are off.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_histogram_data(
    opt: *mut rocksdb_options_t,
    histogram_type: u32,
    data: *mut rocksdb_statistics_histogram_data_t,
) {
    live!(opt);
    live_mut!(data);
    data.0 = opt
        .0
        .db
        .statistics
        .as_ref()
        .map_or_else(HistogramData::default, |s| s.histogram_by_number(histogram_type));
}

/// Accepted. Nothing is counted a thread, whatever the level.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_set_perf_level(level: c_int) {
    let _ = level;
}

/// Makes a view of the calling thread's counters, which all read 0.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_perfcontext_create() -> *mut rocksdb_perfcontext_t {
    give(rocksdb_perfcontext_t { _none: () })
}

/// Does nothing: the counters are 0.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_reset(context: *mut rocksdb_perfcontext_t) {
    let _ = context;
}

/// The counters that are not 0 as text to be freed: an empty one.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_report(
    context: *mut rocksdb_perfcontext_t,
    exclude_zero_counters: c_uchar,
) -> *mut c_char {
    let _ = (context, exclude_zero_counters);
    ffi::malloc_string("")
}

/// A counter: 0.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_metric(
    context: *mut rocksdb_perfcontext_t,
    metric: c_int,
) -> u64 {
    let _ = (context, metric);
    0
}

/// Destroys the view.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_destroy(context: *mut rocksdb_perfcontext_t) {
    retire!(context);
}

/// Adds the memory of a store.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_add_db(
    consumers: *mut rocksdb_memory_consumers_t,
    db: *mut rocksdb_t,
) {
    live_mut!(consumers);
    live!(db);
    consumers.stores.push(db.db.clone());
}

/// Adds the memory of a cache; the same one counts once.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_add_cache(
    consumers: *mut rocksdb_memory_consumers_t,
    cache: *mut rocksdb_cache_t,
) {
    live_mut!(consumers);
    live!(cache);
    if !consumers.caches.iter().any(|known| Arc::ptr_eq(known, &cache.0)) {
        consumers.caches.push(Arc::clone(&cache.0));
    }
}

/// Sums up what the consumers use now.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_create(
    consumers: *mut rocksdb_memory_consumers_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_memory_usage_t {
    guarded!(errptr, || {
        needs!(consumers);
        let mut usage = rocksdb_memory_usage_t::default();
        for db in &consumers.stores {
            let read = |name| db.total_property_int(name).unwrap_or(0);
            usage.mem_table_total += read("rocksdb.size-all-mem-tables");
            usage.mem_table_unflushed += read("rocksdb.cur-size-all-mem-tables");
            // Open tables are the store's: every family tells the same number.
            let readers =
                db.property_int(&db.default_family(), "rocksdb.estimate-table-readers-mem");
            usage.mem_table_readers_total += readers.unwrap_or(0);
        }
        usage.cache_total = consumers.caches.iter().map(|cache| cache.usage() as u64).sum();
        Ok(give(usage))
    })
}
