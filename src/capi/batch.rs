//! Write batches.
//!
//! The header gives the record calls no way to fail. A record that cannot be taken (4 GiB and more)
//! leaves the batch as it was, and writing the batch then fails with the reason: RocksDB would write
//! the rest without a word.

use super::ffi::{bytes, give, guarded, list, live, live_mut, needs_mut, put, retire};
use super::types::{rocksdb_column_family_handle_t, rocksdb_writebatch_t};
use crate::base::Result;
use crate::format::batch::{Record, WriteBatch, records};
use std::ffi::{c_char, c_int, c_void};

impl rocksdb_writebatch_t {
    pub(super) fn new(batch: WriteBatch) -> Self {
        Self { batch, refused: None }
    }

    /// Remembers the first record that could not be taken.
    fn note(&mut self, result: Result<()>) {
        if let (Err(error), None) = (result, &self.refused) {
            self.refused = Some(error);
        }
    }

    /// Was every record taken?
    pub(super) fn check(&self) -> Result<()> {
        self.refused.clone().map_or(Ok(()), Err)
    }
}

/// The parts of a key or a value.
fn count(n: c_int) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Makes an empty batch.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_writebatch_create() -> *mut rocksdb_writebatch_t {
    give(rocksdb_writebatch_t::new(WriteBatch::new()))
}

/// Makes a batch of the bytes that `rocksdb_writebatch_data` gave. They are checked when it is written.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_create_from(
    rep: *const c_char,
    size: usize,
) -> *mut rocksdb_writebatch_t {
    bytes!(rep[size]);
    give(rocksdb_writebatch_t::new(WriteBatch::from_bytes(rep.to_vec())))
}

/// Destroys a batch.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_destroy(b: *mut rocksdb_writebatch_t) {
    retire!(b);
}

/// Removes all records and save points.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_clear(b: *mut rocksdb_writebatch_t) {
    live_mut!(b);
    b.batch.clear();
    b.refused = None;
}

/// How many records there are, notes for the log left out.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_count(b: *mut rocksdb_writebatch_t) -> c_int {
    live!(b);
    b.batch.count().cast_signed()
}

/// Sets a key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put(
    b: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    live_mut!(b);
    bytes!(key[klen], val[vlen]);
    let result = b.batch.put(0, key, val);
    b.note(result);
}

/// Sets a key of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    live_mut!(b);
    live!(column_family);
    bytes!(key[klen], val[vlen]);
    let result = b.batch.put(column_family.0.id(), key, val);
    b.note(result);
}

/// Sets a key; key and value come in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_putv(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    live_mut!(b);
    list!(keys_list[keys_list_sizes; count(num_keys)], values_list[values_list_sizes; count(num_values)]);
    let result = b.batch.put_parts(0, &keys_list, &values_list);
    b.note(result);
}

/// Sets a key of a family; key and value come in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_putv_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    live_mut!(b);
    live!(column_family);
    list!(keys_list[keys_list_sizes; count(num_keys)], values_list[values_list_sizes; count(num_values)]);
    let result = b.batch.put_parts(column_family.0.id(), &keys_list, &values_list);
    b.note(result);
}

/// Adds an operand to a key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_merge(
    b: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    live_mut!(b);
    bytes!(key[klen], val[vlen]);
    let result = b.batch.merge(0, key, val);
    b.note(result);
}

/// Adds an operand to a key of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_merge_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
    val: *const c_char,
    vlen: usize,
) {
    live_mut!(b);
    live!(column_family);
    bytes!(key[klen], val[vlen]);
    let result = b.batch.merge(column_family.0.id(), key, val);
    b.note(result);
}

/// Adds an operand to a key; both come in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_mergev(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    live_mut!(b);
    list!(keys_list[keys_list_sizes; count(num_keys)], values_list[values_list_sizes; count(num_values)]);
    let result = b.batch.merge_parts(0, &keys_list, &values_list);
    b.note(result);
}

/// Adds an operand to a key of a family; both come in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_mergev_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
    num_values: c_int,
    values_list: *const *const c_char,
    values_list_sizes: *const usize,
) {
    live_mut!(b);
    live!(column_family);
    list!(keys_list[keys_list_sizes; count(num_keys)], values_list[values_list_sizes; count(num_values)]);
    let result = b.batch.merge_parts(column_family.0.id(), &keys_list, &values_list);
    b.note(result);
}

/// Removes a key.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete(
    b: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
) {
    live_mut!(b);
    bytes!(key[klen]);
    let result = b.batch.delete(0, key);
    b.note(result);
}

/// Removes a key of a family.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    live_mut!(b);
    live!(column_family);
    bytes!(key[klen]);
    let result = b.batch.delete(column_family.0.id(), key);
    b.note(result);
}

/// Removes a key that was set once.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_singledelete(
    b: *mut rocksdb_writebatch_t,
    key: *const c_char,
    klen: usize,
) {
    live_mut!(b);
    bytes!(key[klen]);
    let result = b.batch.single_delete(0, key);
    b.note(result);
}

/// Removes a key of a family that was set once.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_singledelete_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    key: *const c_char,
    klen: usize,
) {
    live_mut!(b);
    live!(column_family);
    bytes!(key[klen]);
    let result = b.batch.single_delete(column_family.0.id(), key);
    b.note(result);
}

/// Removes a key that comes in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_deletev(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    live_mut!(b);
    list!(keys_list[keys_list_sizes; count(num_keys)]);
    let result = b.batch.delete_parts(0, &keys_list);
    b.note(result);
}

/// Removes a key of a family that comes in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_deletev_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    keys_list: *const *const c_char,
    keys_list_sizes: *const usize,
) {
    live_mut!(b);
    live!(column_family);
    list!(keys_list[keys_list_sizes; count(num_keys)]);
    let result = b.batch.delete_parts(column_family.0.id(), &keys_list);
    b.note(result);
}

/// Removes the keys from a start to before an end.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_range(
    b: *mut rocksdb_writebatch_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
) {
    live_mut!(b);
    bytes!(start_key[start_key_len], end_key[end_key_len]);
    let result = b.batch.delete_range(0, start_key, end_key);
    b.note(result);
}

/// Removes the keys of a family from a start to before an end.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_range_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    start_key: *const c_char,
    start_key_len: usize,
    end_key: *const c_char,
    end_key_len: usize,
) {
    live_mut!(b);
    live!(column_family);
    bytes!(start_key[start_key_len], end_key[end_key_len]);
    let result = b.batch.delete_range(column_family.0.id(), start_key, end_key);
    b.note(result);
}

/// Removes the keys of a range whose ends come in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_rangev(
    b: *mut rocksdb_writebatch_t,
    num_keys: c_int,
    start_keys_list: *const *const c_char,
    start_keys_list_sizes: *const usize,
    end_keys_list: *const *const c_char,
    end_keys_list_sizes: *const usize,
) {
    live_mut!(b);
    let n = count(num_keys);
    list!(start_keys_list[start_keys_list_sizes; n], end_keys_list[end_keys_list_sizes; n]);
    let result = b.batch.delete_range_parts(0, &start_keys_list, &end_keys_list);
    b.note(result);
}

/// Removes the keys of a range of a family whose ends come in parts.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_delete_rangev_cf(
    b: *mut rocksdb_writebatch_t,
    column_family: *mut rocksdb_column_family_handle_t,
    num_keys: c_int,
    start_keys_list: *const *const c_char,
    start_keys_list_sizes: *const usize,
    end_keys_list: *const *const c_char,
    end_keys_list_sizes: *const usize,
) {
    live_mut!(b);
    live!(column_family);
    let n = count(num_keys);
    list!(start_keys_list[start_keys_list_sizes; n], end_keys_list[end_keys_list_sizes; n]);
    let result = b.batch.delete_range_parts(column_family.0.id(), &start_keys_list, &end_keys_list);
    b.note(result);
}

/// Adds a note for readers of the log; the store itself ignores it.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_put_log_data(
    b: *mut rocksdb_writebatch_t,
    blob: *const c_char,
    len: usize,
) {
    live_mut!(b);
    bytes!(blob[len]);
    let result = b.batch.put_log_data(blob);
    b.note(result);
}

/// Calls back for each put and deletion of the default family, until a record of another family or a range deletion.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_iterate(
    b: *mut rocksdb_writebatch_t,
    state: *mut c_void,
    put: Option<
        unsafe extern "C" fn(
            state: *mut c_void,
            k: *const c_char,
            klen: usize,
            v: *const c_char,
            vlen: usize,
        ),
    >,
    deleted: Option<unsafe extern "C" fn(state: *mut c_void, k: *const c_char, klen: usize)>,
) {
    live!(b);
    let Ok(all) = records(b.batch.data()) else { return };
    for record in all {
        match record {
            Ok(Record::Put { cf: 0, key, value }) => {
                if let Some(put) = put {
                    let (k, v) = (key.as_ptr().cast(), value.as_ptr().cast());
                    // SAFETY: the caller gave function and state to each other.
                    unsafe { put(state, k, key.len(), v, value.len()) };
                }
            }
            Ok(Record::Delete { cf: 0, key }) => {
                if let Some(deleted) = deleted {
                    // SAFETY: as above.
                    unsafe { deleted(state, key.as_ptr().cast(), key.len()) };
                }
            }
            Ok(
                Record::SingleDelete { cf: 0, .. }
                | Record::Merge { cf: 0, .. }
                | Record::LogData(_),
            ) => {}
            _ => return,
        }
    }
}

/// The bytes of the batch, good until its next change.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_data(
    b: *mut rocksdb_writebatch_t,
    size: *mut usize,
) -> *const c_char {
    put!(size, 0);
    live!(b);
    put!(size, b.batch.data().len());
    b.batch.data().as_ptr().cast()
}

/// Marks a place to come back to.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_set_save_point(b: *mut rocksdb_writebatch_t) {
    live_mut!(b);
    b.batch.set_save_point();
}

/// Removes what was added since the newest mark, and the mark.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_rollback_to_save_point(
    b: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs_mut!(b);
        b.batch.rollback_to_save_point()
    })
}

/// Removes the newest mark.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writebatch_pop_save_point(
    b: *mut rocksdb_writebatch_t,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs_mut!(b);
        b.batch.pop_save_point()
    })
}
