//! Checkpoints.

use super::ffi::{self, give, guarded, needs, retire};
use super::types::{rocksdb_checkpoint_t, rocksdb_t};
use std::ffi::c_char;

/// Makes the object that makes checkpoints of a store.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_object_create(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_checkpoint_t {
    guarded!(errptr, || {
        needs!(db);
        Ok(give(rocksdb_checkpoint_t(db.db.clone())))
    })
}

/// Copies the store as it is now into a folder that must not exist.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_create(
    checkpoint: *mut rocksdb_checkpoint_t,
    checkpoint_dir: *const c_char,
    log_size_for_flush: u64,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(checkpoint);
        // SAFETY: the promise of the entry point.
        let dir = unsafe { ffi::c_path(checkpoint_dir) };
        checkpoint.0.checkpoint(&dir, log_size_for_flush)
    })
}

/// Destroys the object, also after the store was closed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_checkpoint_object_destroy(checkpoint: *mut rocksdb_checkpoint_t) {
    retire!(checkpoint);
}
