//! Options that take more than one value, an object or a text. Single values are in `fields.tbl`.

use super::callbacks::{
    KeptPolicy, filter_factory, filter_policy as kept_policy, merge_operator, slice_transform,
};
use super::ffi::{self, Scalar, array, bound, give, guarded, live, live_mut, needs, put};
use super::types::{
    rocksdb_backup_engine_options_t, rocksdb_block_based_table_options_t, rocksdb_cache_t,
    rocksdb_column_family_handle_t, rocksdb_compactionfilter_t, rocksdb_compactionfilterfactory_t,
    rocksdb_comparator_t, rocksdb_cuckoo_table_options_t, rocksdb_dbpath_t, rocksdb_env_t,
    rocksdb_fifo_compaction_options_t, rocksdb_filterpolicy_t, rocksdb_logger_t,
    rocksdb_mergeoperator_t, rocksdb_options_t, rocksdb_ratelimiter_t, rocksdb_readoptions_t,
    rocksdb_slicetransform_t, rocksdb_snapshot_t, rocksdb_t,
    rocksdb_universal_compaction_options_t, rocksdb_write_buffer_manager_t,
};
use crate::base::{Result, comparator};
use crate::env::Env;
use crate::extra::latest_options;
use crate::hooks::merge::UInt64Add;
use crate::options::{
    CfOptions, CompactOnDeletion, Compression, CompressionOptions, DbOptions, MemtableKind,
    Options, TableOptions,
};
use std::ffi::{c_char, c_int, c_uchar};
use std::path::PathBuf;
use std::sync::Arc;

/// Copies options; objects that were set are shared.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_create_copy(
    options: *mut rocksdb_options_t,
) -> *mut rocksdb_options_t {
    live!(options);
    give(options.clone())
}

/// Copies options and changes them as a text like "a=1;b={c=2}" says; on error, not at all.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_options_from_string(
    base_options: *const rocksdb_options_t,
    opts_str: *const c_char,
    new_options: *mut rocksdb_options_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(base_options);
        let base = base_options.0.clone();
        // SAFETY: the promise of the entry point.
        let Some(new_options) = (unsafe { new_options.as_mut() }) else {
            return Err(ffi::null("new_options"));
        };
        new_options.0 = base.clone();
        // SAFETY: the promise of the entry point.
        new_options.0 = Options::from_text(&base, unsafe { ffi::c_text(opts_str) }?)?;
        Ok(())
    })
}

/// Sets background threads for so many cores.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_increase_parallelism(
    opt: *mut rocksdb_options_t,
    total_threads: c_int,
) {
    live_mut!(opt);
    opt.0.increase_parallelism(total_threads);
}

/// Prepares for gets alone, with a block cache of so many MiB.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_for_point_lookup(
    opt: *mut rocksdb_options_t,
    block_cache_size_mb: u64,
) {
    live_mut!(opt);
    opt.0.optimize_for_point_lookup(block_cache_size_mb);
}

/// Sets the level style for memtables of so many bytes in all.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_level_style_compaction(
    opt: *mut rocksdb_options_t,
    memtable_memory_budget: u64,
) {
    live_mut!(opt);
    opt.0.optimize_level_style_compaction(memtable_memory_budget);
}

/// Sets the universal style for memtables of so many bytes in all.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_universal_style_compaction(
    opt: *mut rocksdb_options_t,
    memtable_memory_budget: u64,
) {
    live_mut!(opt);
    opt.0.optimize_universal_style_compaction(memtable_memory_budget);
}

/// Lets level 0 grow without bound and compacts nothing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_prepare_for_bulk_load(opt: *mut rocksdb_options_t) {
    live_mut!(opt);
    opt.0.prepare_for_bulk_load();
}

/// Sets compression from a level on, none above it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_min_level_to_compress(
    opt: *mut rocksdb_options_t,
    level: c_int,
) {
    live_mut!(opt);
    opt.0.set_min_level_to_compress(level);
}

/// Sets compression level by level; what was set for all no longer counts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_per_level(
    opt: *mut rocksdb_options_t,
    level_values: *const c_int,
    num_levels: usize,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    let numbers = unsafe { array(level_values, num_levels) };
    let chosen = numbers.iter().map(|&n| Compression::from_number(n).unwrap_or(Compression::None));
    opt.0.cf.compression_per_level = chosen.collect();
}

/// Sets extra growth level by level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_max_bytes_for_level_multiplier_additional(
    opt: *mut rocksdb_options_t,
    level_values: *mut c_int,
    num_levels: usize,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    let numbers = unsafe { array(level_values.cast_const(), num_levels) };
    opt.0.cf.max_bytes_for_level_multiplier_additional = numbers.to_vec();
}

fn set_compression(
    options: &mut CompressionOptions,
    window_bits: c_int,
    level: c_int,
    strategy: c_int,
    max_dict_bytes: c_int,
) {
    options.window_bits = window_bits;
    options.level = level;
    options.strategy = strategy;
    options.max_dict_bytes = max_dict_bytes;
}

/// Sets how hard to compress.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_options(
    opt: *mut rocksdb_options_t,
    window_bits: c_int,
    level: c_int,
    strategy: c_int,
    max_dict_bytes: c_int,
) {
    live_mut!(opt);
    let options = &mut opt.0.cf.compression_opts;
    set_compression(options, window_bits, level, strategy, max_dict_bytes);
}

/// Sets how hard to compress the last level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options(
    opt: *mut rocksdb_options_t,
    window_bits: c_int,
    level: c_int,
    strategy: c_int,
    max_dict_bytes: c_int,
    enabled: c_uchar,
) {
    live_mut!(opt);
    let options = &mut opt.0.cf.bottommost_compression_opts;
    set_compression(options, window_bits, level, strategy, max_dict_bytes);
    options.enabled = enabled != 0;
}

/// Sets the bytes that train a dictionary of the last level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(
    opt: *mut rocksdb_options_t,
    bytes: c_int,
    enabled: c_uchar,
) {
    live_mut!(opt);
    let options = &mut opt.0.cf.bottommost_compression_opts;
    options.zstd_max_train_bytes.put(bytes);
    options.enabled = enabled != 0;
}

/// Sets whether dictionaries of the last level are trained.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(
    opt: *mut rocksdb_options_t,
    use_trainer: c_uchar,
    enabled: c_uchar,
) {
    live_mut!(opt);
    let options = &mut opt.0.cf.bottommost_compression_opts;
    options.use_zstd_dict_trainer = use_trainer != 0;
    options.enabled = enabled != 0;
}

/// Sets the bytes buffered for a dictionary of the last level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(
    opt: *mut rocksdb_options_t,
    bytes: u64,
    enabled: c_uchar,
) {
    live_mut!(opt);
    let options = &mut opt.0.cf.bottommost_compression_opts;
    options.max_dict_buffer_bytes = bytes;
    options.enabled = enabled != 0;
}

/// Sets the order of keys, which must outlive all that uses it; NULL means plain byte order.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_comparator(
    opt: *mut rocksdb_options_t,
    cmp: *mut rocksdb_comparator_t,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.cf.comparator = match unsafe { cmp.as_ref() } {
        Some(cmp) => Arc::clone(&cmp.0) as _,
        None => comparator::bytewise(),
    };
}

/// Sets the merge operator, which the options own from now on; NULL means none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_merge_operator(
    opt: *mut rocksdb_options_t,
    mergeoperator: *mut rocksdb_mergeoperator_t,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.cf.merge_operator = unsafe { merge_operator(mergeoperator) };
}

/// Sets the merge operator that adds 8-byte little-endian numbers.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_uint64add_merge_operator(opt: *mut rocksdb_options_t) {
    live_mut!(opt);
    opt.0.cf.merge_operator = Some(Arc::new(UInt64Add));
}

/// Sets a compaction filter, which must outlive all that uses it; NULL means none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compaction_filter(
    opt: *mut rocksdb_options_t,
    filter: *mut rocksdb_compactionfilter_t,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.cf.compaction_filter = unsafe { filter.as_ref() }.map(|f| Arc::clone(&f.0) as _);
}

/// Sets a factory of compaction filters, which the options own from now on; NULL means none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compaction_filter_factory(
    opt: *mut rocksdb_options_t,
    factory: *mut rocksdb_compactionfilterfactory_t,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.cf.compaction_filter_factory = unsafe { filter_factory(factory) };
}

/// Sets the prefix extractor, which the options own from now on; NULL means none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_prefix_extractor(
    opt: *mut rocksdb_options_t,
    transform: *mut rocksdb_slicetransform_t,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.cf.prefix_extractor = unsafe { slice_transform(transform) };
}

/// Sets the environment; NULL means the operating system.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_env(
    opt: *mut rocksdb_options_t,
    env: *mut rocksdb_env_t,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.db.env = unsafe { env.as_ref() }.map(|env| Arc::clone(&env.0));
}

/// Sets where log lines go; NULL changes nothing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_info_log(
    opt: *mut rocksdb_options_t,
    logger: *mut rocksdb_logger_t,
) {
    live_mut!(opt);
    live!(logger);
    opt.0.db.info_log = Some(Arc::clone(&logger.0));
}

/// Sets the folder of the info log.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_db_log_dir(
    opt: *mut rocksdb_options_t,
    dir: *const c_char,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.db.db_log_dir = String::from_utf8_lossy(unsafe { ffi::c_bytes(dir) }).into_owned();
}

/// Sets the folder of the logs.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_wal_dir(
    opt: *mut rocksdb_options_t,
    dir: *const c_char,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.db.wal_dir = String::from_utf8_lossy(unsafe { ffi::c_bytes(dir) }).into_owned();
}

/// The folders that an array of pointers describes.
///
/// # Safety
/// The array has `count` elements, null or live.
unsafe fn paths(values: *mut *const rocksdb_dbpath_t, count: usize) -> Vec<(PathBuf, u64)> {
    // SAFETY: the caller's promise.
    let values = unsafe { array(values.cast_const(), count) };
    // SAFETY: the caller's promise.
    let live = values.iter().filter_map(|&path| unsafe { path.as_ref() });
    live.map(|path| (path.path.clone(), path.target_size)).collect()
}

/// Sets the folders of tables.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_db_paths(
    opt: *mut rocksdb_options_t,
    path_values: *mut *const rocksdb_dbpath_t,
    num_paths: usize,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.db.db_paths = unsafe { paths(path_values, num_paths) };
}

/// Sets the folders of tables of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_cf_paths(
    opt: *mut rocksdb_options_t,
    path_values: *mut *const rocksdb_dbpath_t,
    num_paths: usize,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.cf.cf_paths = unsafe { paths(path_values, num_paths) };
}

/// Makes a folder of tables with the bytes it is meant to hold.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_dbpath_create(
    path: *const c_char,
    target_size: u64,
) -> *mut rocksdb_dbpath_t {
    // SAFETY: the promise of the entry point.
    give(rocksdb_dbpath_t { path: unsafe { ffi::c_path(path) }, target_size })
}

/// Destroys it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_dbpath_destroy(path: *mut rocksdb_dbpath_t) {
    ffi::retire!(path);
}

/// Copies table options into the options; NULL changes nothing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_block_based_table_factory(
    opt: *mut rocksdb_options_t,
    table_options: *mut rocksdb_block_based_table_options_t,
) {
    live_mut!(opt);
    live!(table_options);
    opt.0.cf.table = Arc::new(table_options.0.clone());
    opt.1.clone_from(&table_options.1);
}

/// Accepted: tables are written in the block-based format all the same.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_cuckoo_table_factory(
    opt: *mut rocksdb_options_t,
    table_options: *mut rocksdb_cuckoo_table_options_t,
) {
    live_mut!(opt);
    live!(table_options);
    let _ = table_options;
    opt.0.cf.table = Arc::new(TableOptions::default());
    opt.1 = None;
}

/// Accepted: tables are written in the block-based format all the same.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_plain_table_factory(
    opt: *mut rocksdb_options_t,
    user_key_len: u32,
    bloom_bits_per_key: c_int,
    hash_table_ratio: f64,
    index_sparseness: usize,
    huge_page_tlb_size: usize,
    encoding_type: c_char,
    full_scan_mode: c_uchar,
    store_index_in_file: c_uchar,
) {
    live_mut!(opt);
    let _ = (user_key_len, bloom_bits_per_key, hash_table_ratio, index_sparseness);
    let _ = (huge_page_tlb_size, encoding_type, full_scan_mode, store_index_in_file);
    opt.0.cf.table = Arc::new(TableOptions::default());
    opt.1 = None;
}

/// Buffers writes in an array that is sorted when it is read.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_memtable_vector_rep(opt: *mut rocksdb_options_t) {
    live_mut!(opt);
    opt.0.cf.memtable = MemtableKind::Vector;
}

/// Accepted: a skiplist without a hash serves.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_hash_skip_list_rep(
    opt: *mut rocksdb_options_t,
    bucket_count: usize,
    skiplist_height: i32,
    skiplist_branching_factor: i32,
) {
    live_mut!(opt);
    let _ = (bucket_count, skiplist_height, skiplist_branching_factor);
    opt.0.cf.memtable = MemtableKind::SkipList;
}

/// Accepted: a skiplist without a hash serves.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_hash_link_list_rep(
    opt: *mut rocksdb_options_t,
    bucket_count: usize,
) {
    live_mut!(opt);
    let _ = bucket_count;
    opt.0.cf.memtable = MemtableKind::SkipList;
}

/// Copies the options of the universal style into the options.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_universal_compaction_options(
    opt: *mut rocksdb_options_t,
    universal: *mut rocksdb_universal_compaction_options_t,
) {
    live_mut!(opt);
    live!(universal);
    opt.0.cf.universal = universal.0;
}

/// Copies the options of the FIFO style into the options.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_fifo_compaction_options(
    opt: *mut rocksdb_options_t,
    fifo: *mut rocksdb_fifo_compaction_options_t,
) {
    live_mut!(opt);
    live!(fifo);
    opt.0.cf.fifo = fifo.0;
}

/// Shares a rate limiter; NULL changes nothing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_ratelimiter(
    opt: *mut rocksdb_options_t,
    limiter: *mut rocksdb_ratelimiter_t,
) {
    live_mut!(opt);
    live!(limiter);
    opt.0.db.rate_limiter = Some(Arc::clone(&limiter.0));
}

/// Shares a bound on memtables; NULL changes nothing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_write_buffer_manager(
    opt: *mut rocksdb_options_t,
    wbm: *mut rocksdb_write_buffer_manager_t,
) {
    live_mut!(opt);
    live!(wbm);
    opt.0.db.write_buffer_manager = Some(Arc::clone(&wbm.0));
}

/// Shares a cache of entries; NULL changes nothing. Accepted: the block cache serves.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_row_cache(
    opt: *mut rocksdb_options_t,
    cache: *mut rocksdb_cache_t,
) {
    live_mut!(opt);
    live!(cache);
    opt.0.db.row_cache = Some(Arc::clone(&cache.0));
}

/// Shares a cache of blob values; NULL changes nothing. Accepted: there are no blob files.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_blob_cache(
    opt: *mut rocksdb_options_t,
    blob_cache: *mut rocksdb_cache_t,
) {
    live_mut!(opt);
    live!(blob_cache);
    opt.0.cf.blob_cache = Some(Arc::clone(&blob_cache.0));
}

/// Marks files for compaction in which deletions crowd.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory(
    opt: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
) {
    live_mut!(opt);
    let trigger = num_dels_trigger;
    opt.0.cf.compact_on_deletion.push(CompactOnDeletion {
        window: window_size,
        trigger,
        ratio: 0.0,
    });
}

/// Marks files for compaction in which deletions crowd, or make up a share of all entries.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(
    opt: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
    deletion_ratio: f64,
) {
    live_mut!(opt);
    opt.0.cf.compact_on_deletion.push(CompactOnDeletion {
        window: window_size,
        trigger: num_dels_trigger,
        ratio: deletion_ratio,
    });
}

/// Sets the filter policy, which the options own from now on; NULL means none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_filter_policy(
    options: *mut rocksdb_block_based_table_options_t,
    filter_policy: *mut rocksdb_filterpolicy_t,
) {
    live_mut!(options);
    // SAFETY: the promise of the entry point.
    options.1 = unsafe { kept_policy(filter_policy) };
    options.0.filter_policy = options.1.as_ref().map(KeptPolicy::policy);
}

/// Shares a block cache; NULL changes nothing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_block_cache(
    options: *mut rocksdb_block_based_table_options_t,
    block_cache: *mut rocksdb_cache_t,
) {
    live_mut!(options);
    live!(block_cache);
    options.0.block_cache = Some(Arc::clone(&block_cache.0));
}

/// Reads as of a snapshot; NULL means now.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_snapshot(
    opt: *mut rocksdb_readoptions_t,
    snapshot: *const rocksdb_snapshot_t,
) {
    live_mut!(opt);
    // SAFETY: the promise of the entry point.
    opt.0.snapshot = unsafe { snapshot.as_ref() }.map(|snapshot| snapshot.0.sequence());
}

/// Copies the first key that cursors must not reach; NULL means none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iterate_upper_bound(
    opt: *mut rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
) {
    live_mut!(opt);
    bound!(key[keylen]);
    opt.0.iterate_upper_bound = key.map(<[u8]>::to_vec);
}

/// Copies the first key that cursors may reach; NULL means none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iterate_lower_bound(
    opt: *mut rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
) {
    live_mut!(opt);
    bound!(key[keylen]);
    opt.0.iterate_lower_bound = key.map(<[u8]>::to_vec);
}

/// Sets the user timestamp to read at. There are none, so such reads fail.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_timestamp(
    opt: *mut rocksdb_readoptions_t,
    ts: *const c_char,
    tslen: usize,
) {
    live_mut!(opt);
    bound!(ts[tslen]);
    opt.0.timestamp = ts.map(<[u8]>::to_vec);
}

/// Sets the oldest user timestamp to show. There are none, so such reads fail.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_iter_start_ts(
    opt: *mut rocksdb_readoptions_t,
    ts: *const c_char,
    tslen: usize,
) {
    live_mut!(opt);
    bound!(ts[tslen]);
    opt.0.iter_start_ts = ts.map(<[u8]>::to_vec);
}

/// Makes the options of backups in a folder.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_create(
    backup_dir: *const c_char,
) -> *mut rocksdb_backup_engine_options_t {
    let options = give(rocksdb_backup_engine_options_t::default());
    // SAFETY: fresh, and ours until the return.
    unsafe { rocksdb_backup_engine_options_set_backup_dir(options, backup_dir) };
    options
}

/// Sets the folder of backups.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_backup_dir(
    options: *mut rocksdb_backup_engine_options_t,
    backup_dir: *const c_char,
) {
    live_mut!(options);
    // SAFETY: the promise of the entry point.
    options.0.backup_dir = unsafe { ffi::c_path(backup_dir) };
}

/// Sets where the files of backups live; NULL means where those of the store do.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_backup_engine_options_set_env(
    options: *mut rocksdb_backup_engine_options_t,
    env: *mut rocksdb_env_t,
) {
    live_mut!(options);
    // SAFETY: the promise of the entry point.
    options.0.backup_env = unsafe { env.as_ref() }.map(|env| Arc::clone(&env.0));
}

/// Names and values that parallel arrays of C strings give.
///
/// # Safety
/// Both arrays have `count` C strings.
unsafe fn changes<'a>(
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
) -> Result<Vec<(&'a str, &'a str)>> {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller's promise.
    let keys = unsafe { array(keys, count) };
    // SAFETY: the caller's promise.
    let values = unsafe { array(values, count) };
    let pair = |(&key, &value): (&*const c_char, &*const c_char)| {
        // SAFETY: the caller's promise.
        let key = unsafe { ffi::c_text(key) }?;
        // SAFETY: the caller's promise.
        Ok((key, unsafe { ffi::c_text(value) }?))
    };
    keys.iter().zip(values).map(pair).collect()
}

/// Changes options of the default family while it is open: all of them or none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_options(
    db: *mut rocksdb_t,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        // SAFETY: the promise of the entry point.
        db.db.set_options(&db.default, &unsafe { changes(count, keys, values) }?)
    })
}

/// Changes options of a family while it is open: all of them or none.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_options_cf(
    db: *mut rocksdb_t,
    handle: *mut rocksdb_column_family_handle_t,
    count: c_int,
    keys: *const *const c_char,
    values: *const *const c_char,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, handle);
        // SAFETY: the promise of the entry point.
        db.db.set_options(&handle.0, &unsafe { changes(count, keys, values) }?)
    })
}

/// Reads the options that the store at `db_path` had last, of all its families; to be given to the matching destroy.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_load_latest_options(
    db_path: *const c_char,
    env: *mut rocksdb_env_t,
    ignore_unknown_options: bool,
    cache: *mut rocksdb_cache_t,
    db_options: *mut *mut rocksdb_options_t,
    num_column_families: *mut usize,
    column_family_names: *mut *mut *mut c_char,
    column_family_options: *mut *mut *mut rocksdb_options_t,
    errptr: *mut *mut c_char,
) {
    put!(db_options, std::ptr::null_mut());
    put!(num_column_families, 0);
    put!(column_family_names, std::ptr::null_mut());
    put!(column_family_options, std::ptr::null_mut());
    guarded!(errptr, || {
        // SAFETY: the promise of the entry point.
        let env = unsafe { env.as_ref() }.map_or_else(Env::posix, |env| (*env.0).clone());
        // SAFETY: the promise of the entry point.
        let cache = unsafe { cache.as_ref() }.map(|cache| &cache.0);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(db_path) };
        let latest = latest_options::load(&env, &path, ignore_unknown_options, cache)?;
        let options = |db, cf| give(rocksdb_options_t(Options { db, cf }, None));
        let (names, each): (Vec<_>, Vec<_>) = latest
            .families
            .into_iter()
            .map(|(name, cf)| (ffi::malloc_string(&name), options(DbOptions::default(), cf)))
            .unzip();
        put!(db_options, options(latest.db, CfOptions::default()));
        put!(num_column_families, names.len());
        put!(column_family_names, ffi::malloc_array(&names));
        put!(column_family_options, ffi::malloc_array(&each));
        Ok(())
    })
}

/// Destroys what `rocksdb_load_latest_options` made.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_load_latest_options_destroy(
    db_options: *mut rocksdb_options_t,
    list_column_family_names: *mut *mut c_char,
    list_column_family_options: *mut *mut rocksdb_options_t,
    len: usize,
) {
    ffi::retire!(db_options);
    // SAFETY: the promise of the entry point.
    for &name in unsafe { array(list_column_family_names.cast_const(), len) } {
        // SAFETY: malloc'ed by `rocksdb_load_latest_options`.
        unsafe { libc::free(name.cast()) };
    }
    // SAFETY: the promise of the entry point.
    for &options in unsafe { array(list_column_family_options.cast_const(), len) } {
        ffi::retire!(options);
    }
    // SAFETY: malloc'ed by `rocksdb_load_latest_options`, or null.
    unsafe { libc::free(list_column_family_names.cast()) };
    // SAFETY: as above.
    unsafe { libc::free(list_column_family_options.cast()) };
}
