//! Column families: made, dropped, asked.

use super::ffi::{self, give, guarded, live, needs, put, retire};
use super::types::{rocksdb_column_family_handle_t, rocksdb_options_t, rocksdb_t};
use crate::base::Result;
use std::ffi::{c_char, c_int};

/// Makes a family. NULL on failure.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_family(
    db: *mut rocksdb_t,
    column_family_options: *const rocksdb_options_t,
    column_family_name: *const c_char,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_column_family_handle_t {
    guarded!(errptr, || {
        needs!(db, column_family_options);
        // SAFETY: the promise of the entry point.
        let name = unsafe { ffi::c_text(column_family_name) }?;
        let family = db.db.create_family(&column_family_options.0.cf, name)?;
        Ok(give(rocksdb_column_family_handle_t(family)))
    })
}

/// Makes several families alike; the count tells how many there are after a failure.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_families(
    db: *mut rocksdb_t,
    column_family_options: *const rocksdb_options_t,
    num_column_families: c_int,
    column_family_names: *const *const c_char,
    lencfs: *mut usize,
    errptr: *mut *mut c_char,
) -> *mut *mut rocksdb_column_family_handle_t {
    let mut made = Vec::new();
    let body = || -> Result<()> {
        needs!(db, column_family_options);
        let count = usize::try_from(num_column_families).unwrap_or(0);
        // SAFETY: the promise of the entry point.
        for &name in unsafe { ffi::array(column_family_names, count) } {
            // SAFETY: the promise of the entry point.
            let name = unsafe { ffi::c_text(name) }?;
            let family = db.db.create_family(&column_family_options.0.cf, name)?;
            made.push(give(rocksdb_column_family_handle_t(family)));
        }
        Ok(())
    };
    guarded!(errptr, body);
    put!(lencfs, made.len());
    ffi::malloc_array(&made)
}

/// Frees the array of `rocksdb_create_column_families`, not the handles in it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_column_families_destroy(
    list: *mut *mut rocksdb_column_family_handle_t,
) {
    // SAFETY: malloc'ed by `rocksdb_create_column_families`, or null.
    unsafe { libc::free(list.cast()) };
}

/// Drops a family. Its handles can still read it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_drop_column_family(
    db: *mut rocksdb_t,
    handle: *mut rocksdb_column_family_handle_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, handle);
        db.db.drop_family(&handle.0)
    })
}

/// Destroys a handle; the family stays.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_destroy(
    handle: *mut rocksdb_column_family_handle_t,
) {
    retire!(handle);
}

/// The number of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_get_id(
    handle: *mut rocksdb_column_family_handle_t,
) -> u32 {
    live!(handle);
    handle.0.id()
}

/// The name of a family, to be freed; it does not end in NUL.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_handle_get_name(
    handle: *mut rocksdb_column_family_handle_t,
    name_len: *mut usize,
) -> *mut c_char {
    live!(handle);
    put!(name_len, handle.0.name().len());
    ffi::malloc_bytes(handle.0.name().as_bytes())
}
