//! What a store tells about itself: properties, files, levels, sizes.

use super::ffi::{self, give, guarded, list, live, needs, put, retire};
use super::types::{
    rocksdb_column_family_handle_t, rocksdb_column_family_metadata_t, rocksdb_level_metadata_t,
    rocksdb_livefiles_t, rocksdb_sst_file_metadata_t, rocksdb_t,
};
use crate::base::Result;
use crate::db::{Db, Family, LiveFile};
use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::sync::Arc;

/// A property as text, or null when there is none of the name.
///
/// # Safety
/// `name` is a C string.
unsafe fn text_property(db: &Db, family: &Family, name: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    let name = unsafe { ffi::c_text(name) };
    let value = name.ok().and_then(|name| db.property(family, name));
    value.map_or(ptr::null_mut(), |value| ffi::malloc_string(&value))
}

/// A property as a number: 0, or -1 when there is none of the name.
///
/// # Safety
/// `name` is a C string, `out` is null or writable.
unsafe fn int_property(db: &Db, family: &Family, name: *const c_char, out: *mut u64) -> c_int {
    // SAFETY: the caller's promise.
    let name = unsafe { ffi::c_text(name) };
    match name.ok().and_then(|name| db.property_int(family, name)) {
        Some(value) => {
            put!(out, value);
            0
        }
        None => -1,
    }
}

/// A property of the default family as text to be freed; NULL when there is none of the name.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_value(
    db: *mut rocksdb_t,
    propname: *const c_char,
) -> *mut c_char {
    live!(db);
    // SAFETY: the promise of the entry point.
    unsafe { text_property(&db.db, &db.default, propname) }
}

/// A property of a family as text to be freed; NULL when there is none of the name.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_value_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    propname: *const c_char,
) -> *mut c_char {
    live!(db, column_family);
    // SAFETY: the promise of the entry point.
    unsafe { text_property(&db.db, &column_family.0, propname) }
}

/// A property of the default family as a number. Returns 0, or -1 when there is none of the name.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_int(
    db: *mut rocksdb_t,
    propname: *const c_char,
    out_val: *mut u64,
) -> c_int {
    // SAFETY: the promise of the entry point.
    let Some(db) = (unsafe { db.as_ref() }) else { return -1 };
    // SAFETY: the promise of the entry point.
    unsafe { int_property(&db.db, &db.default, propname, out_val) }
}

/// A property of a family as a number. Returns 0, or -1 when there is none of the name.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_int_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    propname: *const c_char,
    out_val: *mut u64,
) -> c_int {
    // SAFETY: the promise of the entry point.
    let Some(db) = (unsafe { db.as_ref() }) else { return -1 };
    // SAFETY: the promise of the entry point.
    let Some(family) = (unsafe { column_family.as_ref() }) else { return -1 };
    // SAFETY: the promise of the entry point.
    unsafe { int_property(&db.db, &family.0, propname, out_val) }
}

/// Fills `sizes` with the bytes of each range; with zeros when that fails.
///
/// # Safety
/// The arrays have `count` elements.
unsafe fn fill_sizes(result: Result<Vec<u64>>, count: usize, sizes: *mut u64) -> Result<()> {
    let (found, result) = match result {
        Ok(found) => (found, Ok(())),
        Err(error) => (Vec::new(), Err(error)),
    };
    for i in 0..count {
        // SAFETY: the caller's promise.
        unsafe { ffi::store_at(sizes, i, found.get(i).copied().unwrap_or(0)) };
    }
    result
}

/// Bytes that ranges of the default family take in tables.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_sizes(
    db: *mut rocksdb_t,
    num_ranges: c_int,
    range_start_key: *const *const c_char,
    range_start_key_len: *const usize,
    range_limit_key: *const *const c_char,
    range_limit_key_len: *const usize,
    sizes: *mut u64,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db);
        let count = usize::try_from(num_ranges).unwrap_or(0);
        list!(range_start_key[range_start_key_len; count], range_limit_key[range_limit_key_len; count]);
        let ranges: Vec<_> = range_start_key.into_iter().zip(range_limit_key).collect();
        let result = db.db.approximate_sizes(&db.default, &ranges, true, false);
        // SAFETY: the promise of the entry point.
        unsafe { fill_sizes(result, count, sizes) }
    })
}

/// Bytes that ranges of a family take in tables.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_sizes_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_ranges: c_int,
    range_start_key: *const *const c_char,
    range_start_key_len: *const usize,
    range_limit_key: *const *const c_char,
    range_limit_key_len: *const usize,
    sizes: *mut u64,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(db, column_family);
        let count = usize::try_from(num_ranges).unwrap_or(0);
        list!(range_start_key[range_start_key_len; count], range_limit_key[range_limit_key_len; count]);
        let ranges: Vec<_> = range_start_key.into_iter().zip(range_limit_key).collect();
        let result = db.db.approximate_sizes(&column_family.0, &ranges, true, false);
        // SAFETY: the promise of the entry point.
        unsafe { fill_sizes(result, count, sizes) }
    })
}

/// A C string; what follows a NUL is lost to C anyway.
fn c_string(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|&b| b != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// The tables of a store, to be given to the matching destroy.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles(db: *mut rocksdb_t) -> *const rocksdb_livefiles_t {
    live!(db);
    let files = db.db.live_files();
    let seen = |file: LiveFile| {
        let (name, family) = (c_string(&file.name), c_string(&file.family));
        (file, name, family)
    };
    give(rocksdb_livefiles_t(files.into_iter().map(seen).collect()))
}

/// File `index` of a list.
macro_rules! file {
    ($files:ident[$index:ident]) => {
        live!($files);
        let index = usize::try_from($index).unwrap_or(usize::MAX);
        let Some($files) = $files.0.get(index) else { return Default::default() };
    };
}

/// How many there are.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_count(files: *const rocksdb_livefiles_t) -> c_int {
    live!(files);
    c_int::try_from(files.0.len()).unwrap_or(c_int::MAX)
}

/// The name of a table, with a slash before it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_name(
    files: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    file!(files[index]);
    files.1.as_ptr()
}

/// The family that a table belongs to.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_column_family_name(
    files: *const rocksdb_livefiles_t,
    index: c_int,
) -> *const c_char {
    file!(files[index]);
    files.2.as_ptr()
}

/// The level that a table is on.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_level(
    files: *const rocksdb_livefiles_t,
    index: c_int,
) -> c_int {
    file!(files[index]);
    files.0.level
}

/// The bytes of a table.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_size(
    files: *const rocksdb_livefiles_t,
    index: c_int,
) -> usize {
    file!(files[index]);
    usize::try_from(files.0.size).unwrap_or(usize::MAX)
}

/// The first key of a table.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_smallestkey(
    files: *const rocksdb_livefiles_t,
    index: c_int,
    size: *mut usize,
) -> *const c_char {
    put!(size, 0);
    file!(files[index]);
    put!(size, files.0.smallest_key.len());
    files.0.smallest_key.as_ptr().cast()
}

/// The last key of a table.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_largestkey(
    files: *const rocksdb_livefiles_t,
    index: c_int,
    size: *mut usize,
) -> *const c_char {
    put!(size, 0);
    file!(files[index]);
    put!(size, files.0.largest_key.len());
    files.0.largest_key.as_ptr().cast()
}

/// The entries of a table.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_entries(
    files: *const rocksdb_livefiles_t,
    index: c_int,
) -> u64 {
    file!(files[index]);
    files.0.entries
}

/// The deletions of a table.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_deletions(
    files: *const rocksdb_livefiles_t,
    index: c_int,
) -> u64 {
    file!(files[index]);
    files.0.deletions
}

/// Destroys the list and all that it handed out.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_destroy(files: *const rocksdb_livefiles_t) {
    retire!(files.cast_mut());
}

/// The levels of the default family, to be given to the matching destroy.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata(
    db: *mut rocksdb_t,
) -> *mut rocksdb_column_family_metadata_t {
    live!(db);
    give(rocksdb_column_family_metadata_t(Arc::new(db.db.family_metadata(&db.default))))
}

/// The levels of a family, to be given to the matching destroy.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_column_family_metadata_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
) -> *mut rocksdb_column_family_metadata_t {
    live!(db, column_family);
    give(rocksdb_column_family_metadata_t(Arc::new(db.db.family_metadata(&column_family.0))))
}

/// Destroys it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_destroy(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) {
    retire!(cf_meta);
}

/// The bytes of all levels.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_size(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> u64 {
    live!(cf_meta);
    cf_meta.0.size
}

/// The files of all levels.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_file_count(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> usize {
    live!(cf_meta);
    cf_meta.0.file_count
}

/// The name of the family, to be freed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_name(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> *mut c_char {
    live!(cf_meta);
    ffi::malloc_string(&cf_meta.0.name)
}

/// How many levels there are, empty ones too.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_level_count(
    cf_meta: *mut rocksdb_column_family_metadata_t,
) -> usize {
    live!(cf_meta);
    cf_meta.0.levels.len()
}

/// One level, to be given to the matching destroy; NULL when there is none of the number.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_column_family_metadata_get_level_metadata(
    cf_meta: *mut rocksdb_column_family_metadata_t,
    i: usize,
) -> *mut rocksdb_level_metadata_t {
    live!(cf_meta);
    let level = cf_meta.0.levels.get(i).cloned();
    level.map_or(ptr::null_mut(), |level| give(rocksdb_level_metadata_t(level)))
}

/// Destroys it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_destroy(level_meta: *mut rocksdb_level_metadata_t) {
    retire!(level_meta);
}

/// The number of the level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_level(
    level_meta: *mut rocksdb_level_metadata_t,
) -> c_int {
    live!(level_meta);
    level_meta.0.level
}

/// The bytes of the level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_size(
    level_meta: *mut rocksdb_level_metadata_t,
) -> u64 {
    live!(level_meta);
    level_meta.0.size
}

/// The files of the level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_file_count(
    level_meta: *mut rocksdb_level_metadata_t,
) -> usize {
    live!(level_meta);
    level_meta.0.files.len()
}

/// One file, to be given to the matching destroy; NULL when there is none of the number.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_level_metadata_get_sst_file_metadata(
    level_meta: *mut rocksdb_level_metadata_t,
    i: usize,
) -> *mut rocksdb_sst_file_metadata_t {
    live!(level_meta);
    let file = level_meta.0.files.get(i).cloned();
    file.map_or(ptr::null_mut(), |file| give(rocksdb_sst_file_metadata_t(file)))
}

/// Destroys it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_destroy(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) {
    retire!(file_meta);
}

/// The name of the file, to be freed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_relative_filename(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> *mut c_char {
    live!(file_meta);
    ffi::malloc_string(file_meta.0.name.trim_start_matches('/'))
}

/// The folder of the file, to be freed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_directory(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> *mut c_char {
    live!(file_meta);
    ffi::malloc_string(&file_meta.0.directory)
}

/// The bytes of the file.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_size(
    file_meta: *mut rocksdb_sst_file_metadata_t,
) -> u64 {
    live!(file_meta);
    file_meta.0.size
}

/// The first key of the file, to be freed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_smallestkey(
    file_meta: *mut rocksdb_sst_file_metadata_t,
    len: *mut usize,
) -> *mut c_char {
    put!(len, 0);
    live!(file_meta);
    put!(len, file_meta.0.smallest_key.len());
    ffi::malloc_bytes(&file_meta.0.smallest_key)
}

/// The last key of the file, to be freed.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_sst_file_metadata_get_largestkey(
    file_meta: *mut rocksdb_sst_file_metadata_t,
    len: *mut usize,
) -> *mut c_char {
    put!(len, 0);
    live!(file_meta);
    put!(len, file_meta.0.largest_key.len());
    ffi::malloc_bytes(&file_meta.0.largest_key)
}
