//! Point reads.

use super::ffi::{self, bytes, give, guarded, list, live, needs, put, retire};
use super::types::{
    rocksdb_column_family_handle_t, rocksdb_pinnableslice_t, rocksdb_readoptions_t, rocksdb_t,
};
use crate::base::{Bytes, Result};
use crate::db::Family;
use std::ffi::{c_char, c_uchar};
use std::ptr;

/// A value as C wants it: a copy and its length, or null and 0.
///
/// # Safety
/// `len` is null or writable.
unsafe fn give_value(value: Option<Bytes>, len: *mut usize) -> *mut c_char {
    let (copy, size) = match &value {
        Some(value) => (ffi::malloc_bytes(value), value.len()),
        None => (ptr::null_mut(), 0),
    };
    put!(len, size);
    copy
}

/// A pinned value as C wants it, or null.
fn give_pinned(value: Option<Bytes>) -> *mut rocksdb_pinnableslice_t {
    value.map_or(ptr::null_mut(), |value| give(rocksdb_pinnableslice_t(value)))
}

/// Writes slot `i` of the three arrays that a multi-get fills.
///
/// # Safety
/// Each array is null or has more than `i` elements.
unsafe fn fill(
    i: usize,
    result: Result<Option<Bytes>>,
    values: *mut *mut c_char,
    sizes: *mut usize,
    errors: *mut *mut c_char,
) {
    let (value, size, error) = match result {
        Ok(Some(value)) => (ffi::malloc_bytes(&value), value.len(), ptr::null_mut()),
        Ok(None) => (ptr::null_mut(), 0, ptr::null_mut()),
        Err(error) => (ptr::null_mut(), 0, ffi::malloc_string(&error.to_string())),
    };
    // SAFETY: the caller's promise.
    unsafe { ffi::store_at(values, i, value) };
    // SAFETY: the caller's promise.
    unsafe { ffi::store_at(sizes, i, size) };
    // SAFETY: the caller's promise.
    unsafe { ffi::store_at(errors, i, error) };
}

/// Reads a key. NULL and length 0 when it is not there or on error; else a copy to be freed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    put!(vallen, 0);
    let value = guarded!(errptr, || {
        needs!(db, options);
        bytes!(key[keylen]);
        db.db.get(&options.0, &db.default, key)
    });
    // SAFETY: the promise of the entry point.
    unsafe { give_value(value, vallen) }
}

/// Reads a key of a family, as `rocksdb_get` does.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    vallen: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut c_char {
    put!(vallen, 0);
    let value = guarded!(errptr, || {
        needs!(db, options, column_family);
        bytes!(key[keylen]);
        db.db.get(&options.0, &column_family.0, key)
    });
    // SAFETY: the promise of the entry point.
    unsafe { give_value(value, vallen) }
}

/// Reads a key without a copy. NULL when it is not there or on error.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    give_pinned(guarded!(errptr, || {
        needs!(db, options);
        bytes!(key[keylen]);
        db.db.get(&options.0, &db.default, key)
    }))
}

/// Reads a key of a family without a copy. NULL when it is not there or on error.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_pinned_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    keylen: usize,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_pinnableslice_t {
    give_pinned(guarded!(errptr, || {
        needs!(db, options, column_family);
        bytes!(key[keylen]);
        db.db.get(&options.0, &column_family.0, key)
    }))
}

/// The bytes of a pinned value, good until it is destroyed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnableslice_value(
    t: *const rocksdb_pinnableslice_t,
    vlen: *mut usize,
) -> *const c_char {
    put!(vlen, 0);
    live!(t);
    put!(vlen, t.0.len());
    t.0.as_ptr().cast()
}

/// Lets go of a pinned value; NULL is fine.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pinnableslice_destroy(v: *mut rocksdb_pinnableslice_t) {
    retire!(v);
}

/// Reads many keys as of one moment. Every slot of the three arrays is written.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_multi_get(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    list!(keys_list[keys_list_sizes; num_keys]);
    // SAFETY: the promise of the entry point.
    let results = match (unsafe { db.as_ref() }, unsafe { options.as_ref() }) {
        (Some(db), Some(options)) => {
            let wanted: Vec<_> = keys_list.iter().map(|&key| (&db.default, key)).collect();
            db.db.multi_get(&options.0, &wanted)
        }
        _ => keys_list.iter().map(|_| Err(ffi::null("db or options"))).collect(),
    };
    for (i, result) in results.into_iter().enumerate() {
        // SAFETY: the promise of the entry point.
        unsafe { fill(i, result, values_list, values_list_sizes, errs) };
    }
}

/// Reads many keys, each of its own family, as of one moment. Every slot is written.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_multi_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_families: *const *const rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values_list: *mut *mut c_char,
    values_list_sizes: *mut usize,
    errs: *mut *mut c_char,
) {
    list!(keys_list[keys_list_sizes; num_keys]);
    // SAFETY: the promise of the entry point.
    let handles = unsafe { ffi::array(column_families, num_keys) };
    let families: Option<Vec<&Family>> = handles
        .iter()
        // SAFETY: the promise of the entry point.
        .map(|&handle| unsafe { handle.as_ref() }.map(|handle| &handle.0))
        .collect();
    // SAFETY: the promise of the entry point.
    let results = match (unsafe { db.as_ref() }, unsafe { options.as_ref() }, families) {
        (Some(db), Some(options), Some(families)) => {
            let wanted: Vec<_> = families.into_iter().zip(keys_list).collect();
            db.db.multi_get(&options.0, &wanted)
        }
        _ => keys_list.iter().map(|_| Err(ffi::null("db, options or a family"))).collect(),
    };
    for (i, result) in results.into_iter().enumerate() {
        // SAFETY: the promise of the entry point.
        unsafe { fill(i, result, values_list, values_list_sizes, errs) };
    }
}

/// Reads many keys of one family without copies. Every slot of both arrays is written.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_batched_multi_get_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: usize,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    values: *mut *mut rocksdb_pinnableslice_t,
    errs: *mut *mut c_char,
    sorted_input: bool,
) {
    // Sorted or not, the reads are the same.
    let _ = sorted_input;
    list!(keys_list[keys_list_sizes; num_keys]);
    // SAFETY: the promise of the entry point.
    let family = unsafe { column_family.as_ref() };
    // SAFETY: the promise of the entry point.
    let results = match (unsafe { db.as_ref() }, unsafe { options.as_ref() }, family) {
        (Some(db), Some(options), Some(family)) => {
            let wanted: Vec<_> = keys_list.iter().map(|&key| (&family.0, key)).collect();
            db.db.multi_get(&options.0, &wanted)
        }
        _ => keys_list.iter().map(|_| Err(ffi::null("db, options or the family"))).collect(),
    };
    for (i, result) in results.into_iter().enumerate() {
        let (value, error) = match result {
            Ok(value) => (give_pinned(value), ptr::null_mut()),
            Err(error) => (ptr::null_mut(), ffi::malloc_string(&error.to_string())),
        };
        // SAFETY: the promise of the entry point.
        unsafe { ffi::store_at(values, i, value) };
        // SAFETY: the promise of the entry point.
        unsafe { ffi::store_at(errs, i, error) };
    }
}

/// 0 when a key is surely not there, found without I/O. A value that is in memory is copied out.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_key_may_exist(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    key: *const c_char,
    key_len: usize,
    value: *mut *mut c_char,
    val_len: *mut usize,
    timestamp: *const c_char,
    timestamp_len: usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    let _ = (timestamp, timestamp_len);
    live!(db, options);
    bytes!(key[key_len]);
    let answer = db.db.key_may_exist(&options.0, &db.default, key);
    // SAFETY: the promise of the entry point.
    unsafe { give_maybe(answer, value, val_len, value_found) }
}

/// The same for a key of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_key_may_exist_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    key_len: usize,
    value: *mut *mut c_char,
    val_len: *mut usize,
    timestamp: *const c_char,
    timestamp_len: usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    let _ = (timestamp, timestamp_len);
    live!(db, options, column_family);
    bytes!(key[key_len]);
    let answer = db.db.key_may_exist(&options.0, &column_family.0, key);
    // SAFETY: the promise of the entry point.
    unsafe { give_maybe(answer, value, val_len, value_found) }
}

/// What `rocksdb_key_may_exist` answers: a value goes out only to those who asked whether there is one.
///
/// # Safety
/// The pointers are null or writable.
unsafe fn give_maybe(
    (may_exist, found): (bool, Option<Bytes>),
    value: *mut *mut c_char,
    len: *mut usize,
    value_found: *mut c_uchar,
) -> c_uchar {
    if !value_found.is_null() {
        put!(value_found, found.is_some().into());
        if let Some(found) = found {
            put!(len, found.len());
            if !value.is_null() {
                put!(value, ffi::malloc_bytes(&found));
            }
        }
    }
    may_exist.into()
}
