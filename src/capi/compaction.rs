//! Compactions: asked for, waited for, paused; files let go.
//!
//! Calls that take long hold the store and the family themselves: another thread may close the store
//! meanwhile, which ends them early.

use super::ffi::{self, bound, guarded, live, live_mut, needs};
use super::types::{
    rocksdb_column_family_handle_t, rocksdb_compactoptions_t, rocksdb_t,
    rocksdb_wait_for_compact_options_t,
};
use crate::db::{Db, Family};
use crate::options::CompactRangeOptions;
use std::ffi::{c_char, c_uchar};

/// Compacts a range. The header has no way to report an error; the store's log has it.
fn compact(
    db: Db,
    family: Family,
    options: &CompactRangeOptions,
    start: Option<&[u8]>,
    limit: Option<&[u8]>,
) {
    let _ = db.compact_range(options, &family, start, limit);
}

/// Compacts the default family from a key to a key; NULL is no bound.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range(
    db: *mut rocksdb_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    live!(db);
    bound!(start_key[start_key_len], limit_key[limit_key_len]);
    let options = CompactRangeOptions::default();
    compact(db.db.clone(), db.default.clone(), &options, start_key, limit_key);
}

/// Compacts a family from a key to a key; NULL is no bound.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    live!(db, column_family);
    bound!(start_key[start_key_len], limit_key[limit_key_len]);
    let options = CompactRangeOptions::default();
    compact(db.db.clone(), column_family.0.clone(), &options, start_key, limit_key);
}

/// Compacts the default family from a key to a key, with options.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range_opt(
    db: *mut rocksdb_t,
    opt: *mut rocksdb_compactoptions_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    live!(db, opt);
    bound!(start_key[start_key_len], limit_key[limit_key_len]);
    compact(db.db.clone(), db.default.clone(), &opt.0.clone(), start_key, limit_key);
}

/// Compacts a family from a key to a key, with options.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compact_range_cf_opt(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    opt: *mut rocksdb_compactoptions_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
) {
    live!(db, column_family, opt);
    bound!(start_key[start_key_len], limit_key[limit_key_len]);
    compact(db.db.clone(), column_family.0.clone(), &opt.0.clone(), start_key, limit_key);
}

/// Sets the oldest user timestamp to keep. There are none, so such a compaction is refused.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactoptions_set_full_history_ts_low(
    opt: *mut rocksdb_compactoptions_t,
    ts: *mut c_char,
    tslen: usize,
) {
    live_mut!(opt);
    bound!(ts[tslen]);
    opt.0.full_history_ts_low = ts.map(<[u8]>::to_vec);
}

/// Marks the files of a range of the default family for compaction.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_suggest_compact_range(
    db: *mut rocksdb_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        bound!(start_key[start_key_len], limit_key[limit_key_len]);
        db.db.suggest_compact_range(&db.default, start_key, limit_key)
    })
}

/// Marks the files of a range of a family for compaction.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_suggest_compact_range_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, column_family);
        bound!(start_key[start_key_len], limit_key[limit_key_len]);
        db.db.suggest_compact_range(&column_family.0, start_key, limit_key)
    })
}

/// Waits until no flush and no compaction is due.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact(
    db: *mut rocksdb_t,
    options: *mut rocksdb_wait_for_compact_options_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        let (db, options) = (db.db.clone(), options.0);
        db.wait_for_compact(&options)
    })
}

/// Stops background work for good; with `wait`, returns when it has ended.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cancel_all_background_work(db: *mut rocksdb_t, wait: c_uchar) {
    live!(db);
    db.db.cancel_all_background_work(wait != 0);
}

/// Ends manual compactions, and later ones at once, until they are enabled again.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_disable_manual_compaction(db: *mut rocksdb_t) {
    live!(db);
    db.db.disable_manual_compaction();
}

/// Takes back one `rocksdb_disable_manual_compaction`.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_enable_manual_compaction(db: *mut rocksdb_t) {
    live!(db);
    db.db.enable_manual_compaction();
}

/// Keeps obsolete files, until deletions are enabled as often.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_disable_file_deletions(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        db.db.disable_file_deletions()
    })
}

/// Takes back one `rocksdb_disable_file_deletions`, or all with `force`.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_enable_file_deletions(
    db: *mut rocksdb_t,
    force: c_uchar,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        db.db.enable_file_deletions(force != 0)
    })
}

/// Deletes a table by the name that `rocksdb_livefiles_name` gives.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_file(db: *mut rocksdb_t, name: *const c_char) {
    live!(db);
    // SAFETY: the promise of the entry point.
    if let Ok(name) = unsafe { ffi::c_text(name) } {
        // The header has no way to report an error.
        let _ = db.db.delete_file(name);
    }
}

/// Drops the tables that lie wholly within a range of the default family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_file_in_range(
    db: *mut rocksdb_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        bound!(start_key[start_key_len], limit_key[limit_key_len]);
        db.db.delete_files_in_range(&db.default, start_key, limit_key)
    })
}

/// Drops the tables that lie wholly within a range of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_file_in_range_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    limit_key: *const c_char,
    limit_key_len: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, column_family);
        bound!(start_key[start_key_len], limit_key[limit_key_len]);
        db.db.delete_files_in_range(&column_family.0, start_key, limit_key)
    })
}
