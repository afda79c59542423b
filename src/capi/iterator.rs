//! Iterators.

use super::ffi::{self, bytes, give, guarded, live, live_mut, needs, put, retire};
use super::types::{
    rocksdb_column_family_handle_t, rocksdb_iterator_t, rocksdb_readoptions_t, rocksdb_t,
};
use crate::base::Result;
use crate::db::Family;
use std::ffi::{c_char, c_uchar};

/// Makes a cursor over the default family; it stands nowhere until the first seek.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterator(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
) -> *mut rocksdb_iterator_t {
    live!(db, options);
    give(rocksdb_iterator_t(db.db.iter(&options.0, &db.default)))
}

/// Makes a cursor over a family; it stands nowhere until the first seek.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterator_cf(
    db: *mut rocksdb_t,
    options: *const rocksdb_readoptions_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_iterator_t {
    live!(db, options, column_family);
    give(rocksdb_iterator_t(db.db.iter(&options.0, &column_family.0)))
}

/// Makes cursors over families, all as of one moment.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_iterators(
    db: *mut rocksdb_t,
    opts: *mut rocksdb_readoptions_t,
    column_families: *mut *mut rocksdb_column_family_handle_t,
    iterators: *mut *mut rocksdb_iterator_t,
    size: usize,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, opts);
        // SAFETY: the promise of the entry point.
        let handles = unsafe { ffi::array(column_families.cast_const(), size) };
        let families = handles.iter().map(|&handle| {
            needs!(handle);
            Ok(handle.0.clone())
        });
        let families: Vec<Family> = families.collect::<Result<_>>()?;
        for (i, iter) in db.db.iters(&opts.0, &families)?.into_iter().enumerate() {
            // SAFETY: the promise of the entry point.
            unsafe { ffi::store_at(iterators, i, give(rocksdb_iterator_t(iter))) };
        }
        Ok(())
    })
}

/// Destroys a cursor.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_destroy(iter: *mut rocksdb_iterator_t) {
    retire!(iter);
}

/// Does it stand on an entry? If not, `rocksdb_iter_get_error` tells an end from a failure.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_valid(iter: *const rocksdb_iterator_t) -> c_uchar {
    live!(iter);
    iter.0.valid().into()
}

/// Goes to the first key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_first(iter: *mut rocksdb_iterator_t) {
    live_mut!(iter);
    iter.0.seek_to_first();
}

/// Goes to the last key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_to_last(iter: *mut rocksdb_iterator_t) {
    live_mut!(iter);
    iter.0.seek_to_last();
}

/// Goes to the first key at or behind `k`.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek(
    iter: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    live_mut!(iter);
    bytes!(k[klen]);
    iter.0.seek(k);
}

/// Goes to the last key at or before `k`.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_seek_for_prev(
    iter: *mut rocksdb_iterator_t,
    k: *const c_char,
    klen: usize,
) {
    live_mut!(iter);
    bytes!(k[klen]);
    iter.0.seek_for_prev(k);
}

/// Goes one key forward.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_next(iter: *mut rocksdb_iterator_t) {
    live_mut!(iter);
    iter.0.next();
}

/// Goes one key back.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_prev(iter: *mut rocksdb_iterator_t) {
    live_mut!(iter);
    iter.0.prev();
}

/// The key, good until the next move; NULL and 0 when it stands nowhere.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_key(
    iter: *const rocksdb_iterator_t,
    klen: *mut usize,
) -> *const c_char {
    put!(klen, 0);
    live!(iter);
    if !iter.0.valid() {
        return std::ptr::null();
    }
    put!(klen, iter.0.key().len());
    iter.0.key().as_ptr().cast()
}

/// The value, good until the next move; NULL and 0 when it stands nowhere.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_value(
    iter: *const rocksdb_iterator_t,
    vlen: *mut usize,
) -> *const c_char {
    put!(vlen, 0);
    live!(iter);
    if !iter.0.valid() {
        return std::ptr::null();
    }
    put!(vlen, iter.0.value().len());
    iter.0.value().as_ptr().cast()
}

/// There are no user timestamps: NULL and 0.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_timestamp(
    iter: *const rocksdb_iterator_t,
    tslen: *mut usize,
) -> *const c_char {
    put!(tslen, 0);
    let _ = iter;
    std::ptr::null()
}

/// Reports why it stands nowhere, unless that is because it came to an end.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_iter_get_error(
    iter: *const rocksdb_iterator_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(iter);
        iter.0.status()
    })
}
