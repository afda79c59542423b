//! Opening, closing, destroying.

use super::ffi::{self, give, guarded, needs, put};
use super::types::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_t};
use crate::base::Result;
use crate::db::{Db, Family};
use crate::options::CfOptions;
use std::ffi::{c_char, c_int, c_uchar};

/// The one family of a store that is opened without naming any.
fn default_alone(options: &rocksdb_options_t) -> Vec<(String, CfOptions)> {
    vec![("default".to_owned(), options.0.cf.clone())]
}

/// The families that parallel arrays of names and options describe.
///
/// # Safety
/// Both arrays have `count` elements, C strings and live options.
pub(super) unsafe fn families(
    count: c_int,
    names: *const *const c_char,
    options: *const *const rocksdb_options_t,
) -> Result<Vec<(String, CfOptions)>> {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller's promise.
    let names = unsafe { ffi::array(names, count) };
    // SAFETY: the caller's promise.
    let options = unsafe { ffi::array(options, count) };
    let pairs = names.iter().zip(options);
    let family = |(&name, &options): (&*const c_char, &*const rocksdb_options_t)| {
        needs!(options);
        // SAFETY: the caller's promise.
        Ok((unsafe { ffi::c_text(name) }?.to_owned(), options.0.cf.clone()))
    };
    pairs.map(family).collect()
}

/// Hands a store to C.
pub(super) fn give_store(db: Db) -> *mut rocksdb_t {
    let default = db.default_family();
    give(rocksdb_t { db, default })
}

/// Hands handles to C, in order.
///
/// # Safety
/// The array has room for all of them.
unsafe fn give_handles(handles: *mut *mut rocksdb_column_family_handle_t, families: Vec<Family>) {
    for (i, family) in families.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { ffi::store_at(handles, i, give(rocksdb_column_family_handle_t(family))) };
    }
}

/// Opens the store at `name`, which holds no family but the default one.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        let (db, _) = Db::open(&options.0.db, &path, &default_alone(options))?;
        Ok(give_store(db))
    })
}

/// Opens the default family of the store at `name` for reading.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_for_read_only(
    options: *const rocksdb_options_t,
    name: *const c_char,
    error_if_wal_file_exists: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        let strict = error_if_wal_file_exists != 0;
        let (db, _) = Db::open_read_only(&options.0.db, &path, &default_alone(options), strict)?;
        Ok(give_store(db))
    })
}

/// Opens the store at `name`; every family it holds must be named, in any order.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        // SAFETY: the promise of the entry point.
        let wanted =
            unsafe { families(num_column_families, column_family_names, column_family_options) }?;
        let (db, opened) = Db::open(&options.0.db, &path, &wanted)?;
        // SAFETY: the promise of the entry point.
        unsafe { give_handles(column_family_handles, opened) };
        Ok(give_store(db))
    })
}

/// Opens the named families of the store at `name` for reading.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_for_read_only_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    error_if_wal_file_exists: c_uchar,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        // SAFETY: the promise of the entry point.
        let wanted =
            unsafe { families(num_column_families, column_family_names, column_family_options) }?;
        let strict = error_if_wal_file_exists != 0;
        let (db, opened) = Db::open_read_only(&options.0.db, &path, &wanted, strict)?;
        // SAFETY: the promise of the entry point.
        unsafe { give_handles(column_family_handles, opened) };
        Ok(give_store(db))
    })
}

/// Closes the store. Iterators, snapshots and handles should be destroyed before.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_close(db: *mut rocksdb_t) {
    // SAFETY: the promise of the entry point.
    if let Some(store) = unsafe { ffi::take(db) } {
        store.db.close();
    }
}

/// Opens the default family of a store that another process may have open for writing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_as_secondary(
    options: *const rocksdb_options_t,
    name: *const c_char,
    secondary_path: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        // SAFETY: the promise of the entry point.
        let own = unsafe { ffi::c_path(secondary_path) };
        let (db, _) = Db::open_secondary(&options.0.db, &path, &own, &default_alone(options))?;
        Ok(give_store(db))
    })
}

/// Opens named families of a store that another process may have open for writing.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_open_as_secondary_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    secondary_path: *const c_char,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    column_family_options: *const *const rocksdb_options_t,
    column_family_handles: *mut *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_t {
    guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        // SAFETY: the promise of the entry point.
        let own = unsafe { ffi::c_path(secondary_path) };
        // SAFETY: the promise of the entry point.
        let wanted =
            unsafe { families(num_column_families, column_family_names, column_family_options) }?;
        let (db, opened) = Db::open_secondary(&options.0.db, &path, &own, &wanted)?;
        // SAFETY: the promise of the entry point.
        unsafe { give_handles(column_family_handles, opened) };
        Ok(give_store(db))
    })
}

/// Lets a secondary store see what its primary has written since.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_try_catch_up_with_primary(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        db.db.catch_up()
    });
}

/// Removes the store at `name` with all its files. One that is not there is fine.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_destroy_db(
    options: *const rocksdb_options_t,
    name: *const c_char,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        Db::destroy(&options.0.db, &path, &default_alone(options))
    })
}

/// Names the families of the store at `name`, by id; to be given to the matching destroy.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_list_column_families(
    options: *const rocksdb_options_t,
    name: *const c_char,
    lencf: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut *mut c_char {
    let names: Vec<String> = guarded!(errptr, || {
        needs!(options);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(name) };
        Db::list_families(&options.0.db, &path)
    });
    let list: Vec<*mut c_char> = names.iter().map(|name| ffi::malloc_string(name)).collect();
    put!(lencf, list.len());
    ffi::malloc_array(&list)
}

/// Frees what `rocksdb_list_column_families` made.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_list_column_families_destroy(list: *mut *mut c_char, len: usize) {
    // SAFETY: the promise of the entry point.
    for &name in unsafe { ffi::array(list.cast_const(), len) } {
        // SAFETY: malloc'ed by `rocksdb_list_column_families`.
        unsafe { libc::free(name.cast()) };
    }
    // SAFETY: as above.
    unsafe { libc::free(list.cast()) };
}
