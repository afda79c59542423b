//! Writes and flushes.

use super::ffi::{self, bytes, guarded, needs, needs_mut};
use super::types::{
    rocksdb_column_family_handle_t, rocksdb_flushoptions_t, rocksdb_t, rocksdb_writebatch_t,
    rocksdb_writeoptions_t,
};
use crate::base::Result;
use crate::db::Family;
use std::ffi::{c_char, c_int, c_uchar};

/// Sets a key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_put(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        bytes!(key[keylen], val[vallen]);
        db.db.put(&options.0, &db.default, key, val)
    })
}

/// Sets a key of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_put_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options, column_family);
        bytes!(key[keylen], val[vallen]);
        db.db.put(&options.0, &column_family.0, key, val)
    })
}

/// Removes a key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        bytes!(key[keylen]);
        db.db.delete(&options.0, &db.default, key)
    })
}

/// Removes a key of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options, column_family);
        bytes!(key[keylen]);
        db.db.delete(&options.0, &column_family.0, key)
    })
}

/// Removes a key that was set once.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_singledelete(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        bytes!(key[keylen]);
        db.db.single_delete(&options.0, &db.default, key)
    })
}

/// Removes a key of a family that was set once.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_singledelete_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options, column_family);
        bytes!(key[keylen]);
        db.db.single_delete(&options.0, &column_family.0, key)
    })
}

/// Removes the keys from a start to before an end.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_delete_range_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options, column_family);
        bytes!(start_key[start_key_len], end_key[end_key_len]);
        db.db.delete_range(&options.0, &column_family.0, start_key, end_key)
    })
}

/// Adds an operand to a key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_merge(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        bytes!(key[keylen], val[vallen]);
        db.db.merge(&options.0, &db.default, key, val)
    })
}

/// Adds an operand to a key of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_merge_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    val: *const c_char,
    vallen: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options, column_family);
        bytes!(key[keylen], val[vallen]);
        db.db.merge(&options.0, &column_family.0, key, val)
    })
}

/// Makes all writes of a batch as one. The batch keeps them, and the sequence number they got.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_write(
    db: *mut rocksdb_t,
    options: *const rocksdb_writeoptions_t,
    batch: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        needs_mut!(batch);
        batch.check()?;
        db.db.write(&options.0, &mut batch.batch)
    })
}

/// Writes the memtables of the default family to tables.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        let (db, family) = (db.db.clone(), db.default.clone());
        db.flush(&options.0.clone(), &[family])
    })
}

/// Writes the memtables of a family to tables.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options, column_family);
        let (db, family) = (db.db.clone(), column_family.0.clone());
        db.flush(&options.0.clone(), &[family])
    })
}

/// Writes the memtables of families to tables.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_cfs(
    db: *mut rocksdb_t,
    options: *const rocksdb_flushoptions_t,
    column_family: *mut *mut rocksdb_column_family_handle_t,
    num_column_families: c_int,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, options);
        let count = usize::try_from(num_column_families).unwrap_or(0);
        // SAFETY: the promise of the entry point.
        let handles = unsafe { ffi::array(column_family.cast_const(), count) };
        let families = handles.iter().map(|&handle| {
            needs!(handle);
            Ok(handle.0.clone())
        });
        let families: Vec<Family> = families.collect::<Result<_>>()?;
        db.db.clone().flush(&options.0.clone(), &families)
    })
}

/// Hands what is buffered of the log to the system; with `sync`, to the medium.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flush_wal(
    db: *mut rocksdb_t,
    sync: c_uchar,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        db.db.flush_wal(sync != 0)
    })
}
