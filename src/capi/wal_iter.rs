//! The batches of the logs.

use super::ffi::{give, guarded, live, live_mut, needs, put, retire};
use super::types::{
    rocksdb_t, rocksdb_wal_iterator_t, rocksdb_wal_readoptions_t, rocksdb_writebatch_t,
};
use std::ffi::{c_char, c_uchar};

/// Makes a cursor that stands on the batch with a number, or the first one behind it.
///
/// The options say nothing that matters: checksums are always verified.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_updates_since(
    db: *mut rocksdb_t,
    seq_number: u64,
    options: *const rocksdb_wal_readoptions_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_wal_iterator_t {
    let _ = options;
    guarded!(errptr, || {
        needs!(db);
        Ok(give(rocksdb_wal_iterator_t(db.db.updates_since(seq_number)?)))
    })
}

/// Goes to the next batch; behind the last one, to what was written since.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_next(iter: *mut rocksdb_wal_iterator_t) {
    live_mut!(iter);
    iter.0.next();
}

/// Does it stand on a batch?
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_valid(arg0: *const rocksdb_wal_iterator_t) -> c_uchar {
    live!(arg0);
    arg0.0.valid().into()
}

/// Reports why it stands nowhere, unless that is because it came to the end.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_status(
    iter: *const rocksdb_wal_iterator_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(iter);
        iter.0.status()
    })
}

/// A copy of the batch, and the number of its first record; NULL when it stands nowhere.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_get_batch(
    iter: *const rocksdb_wal_iterator_t,
    seq: *mut u64,
) -> *mut rocksdb_writebatch_t {
    put!(seq, 0);
    let null = std::ptr::null_mut();
    // SAFETY: the promise of the entry point: null or live for the call.
    let Some(iter) = (unsafe { iter.as_ref() }) else { return null };
    if !iter.0.valid() {
        return null;
    }
    let batch = iter.0.batch();
    put!(seq, batch.sequence());
    give(rocksdb_writebatch_t::new(batch))
}

/// Destroys a cursor.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wal_iter_destroy(iter: *const rocksdb_wal_iterator_t) {
    retire!(iter.cast_mut());
}
