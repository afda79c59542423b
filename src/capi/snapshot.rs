//! Snapshots and sequence numbers.

use super::ffi::{give, live, retire};
use super::types::{rocksdb_snapshot_t, rocksdb_t};

/// Holds on to the present moment.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_snapshot(db: *mut rocksdb_t) -> *const rocksdb_snapshot_t {
    live!(db);
    give(rocksdb_snapshot_t(db.db.snapshot()))
}

/// Lets go of a moment.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_release_snapshot(
    db: *mut rocksdb_t,
    snapshot: *const rocksdb_snapshot_t,
) {
    let _ = db;
    retire!(snapshot.cast_mut());
}

/// The number of the newest write that reads can see.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_latest_sequence_number(db: *mut rocksdb_t) -> u64 {
    live!(db);
    db.db.latest_sequence()
}
