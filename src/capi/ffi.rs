//! The only place where C's memory rules are spelled out: errors, panics, strings, bytes, arrays,
//! handles and scalars. Everything else in `capi/` calls this.
//!
//! The macros here hold the unsafe steps that every entry point repeats. Each entry point's
//! `# Safety` section gives the promise that they lean on: **a pointer that C hands in is null, or
//! points to what the header says it does, for the length of the call.**

use crate::base::{Error, Result};
use crate::env::LogLevel;
use crate::options::{
    AccessHint, BottommostCompaction, ChecksumType, CompactionStyle, Compression,
    DataBlockIndexType, IndexType, PrepopulateBlob, ReadTier, StopStyle, WalRecoveryMode,
};
use std::ffi::{CStr, OsStr, c_char, c_int, c_uchar};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Turns the pointers of these names into references. A null one ends the function with the zero
/// of its result: RocksDB leaves that undefined, so nothing depends on it.
macro_rules! live {
    ($($pointer:ident),+) => {$(
        // SAFETY: the promise of the entry point: null or live for the call.
        let Some($pointer) = (unsafe { $pointer.as_ref() }) else { return Default::default() };
    )+};
}

/// The same for objects that the call changes; C must not share these among threads.
macro_rules! live_mut {
    ($($pointer:ident),+) => {$(
        // SAFETY: the promise of the entry point: null, or live and used by nobody else meanwhile.
        let Some($pointer) = (unsafe { $pointer.as_mut() }) else { return Default::default() };
    )+};
}

/// The same within `guarded!`: a null pointer is an error that names it.
macro_rules! needs {
    ($($pointer:ident),+) => {$(
        // SAFETY: the promise of the entry point: null or live for the call.
        let Some($pointer) = (unsafe { $pointer.as_ref() }) else {
            return Err($crate::capi::ffi::null(stringify!($pointer)));
        };
    )+};
}

/// The same for objects that the call changes.
macro_rules! needs_mut {
    ($($pointer:ident),+) => {$(
        // SAFETY: the promise of the entry point: null, or live and used by nobody else meanwhile.
        let Some($pointer) = (unsafe { $pointer.as_mut() }) else {
            return Err($crate::capi::ffi::null(stringify!($pointer)));
        };
    )+};
}

/// `bytes!(key[keylen])`: the bytes of that pointer and length; null is empty.
macro_rules! bytes {
    ($($pointer:ident[$len:ident]),+) => {$(
        // SAFETY: the promise of the entry point: null, or so many readable bytes.
        let $pointer = unsafe { $crate::capi::ffi::slice($pointer, $len) };
    )+};
}

/// `bound!(start[len])`: the same, but null is no bound at all.
macro_rules! bound {
    ($($pointer:ident[$len:ident]),+) => {$(
        // SAFETY: the promise of the entry point: null, or so many readable bytes.
        let $pointer = unsafe { $crate::capi::ffi::optional_bytes($pointer, $len) };
    )+};
}

/// `list!(keys[sizes; count])`: the byte strings of two parallel arrays.
macro_rules! list {
    ($($pointers:ident[$lengths:ident; $count:expr]),+) => {$(
        // SAFETY: the promise of the entry point: two arrays of so many elements.
        let $pointers = unsafe { $crate::capi::ffi::slices($pointers, $lengths, $count) };
    )+};
}

/// Runs a fallible body; an error or a panic lands in `*errptr` and the zero of the result is
/// returned.
macro_rules! guarded {
    ($errptr:ident, $body:expr) => {{
        let body = $body;
        // SAFETY: the promise of the entry point: the header's rule about errptr.
        unsafe { $crate::capi::ffi::guard($errptr, body) }
    }};
}

/// `put!(vallen, 3)`: writes to an output pointer, unless it is null.
macro_rules! put {
    ($at:expr, $value:expr) => {{
        let (at, value) = ($at, $value);
        // SAFETY: the promise of the entry point: null or writable.
        unsafe { $crate::capi::ffi::store(at, value) }
    }};
}

/// Ends the life of an object that C owned; null is fine.
macro_rules! retire {
    ($pointer:expr) => {{
        let pointer = $pointer;
        // SAFETY: the promise of the entry point: null, or made by `give` and never used again.
        drop(unsafe { $crate::capi::ffi::take(pointer) })
    }};
}

pub(super) use {bound, bytes, guarded, list, live, live_mut, needs, needs_mut, put, retire};

/// The error about a null pointer where the header wants an object.
pub(super) fn null(name: &str) -> Error {
    Error::invalid_argument(format!("{name} is NULL"))
}

/// Copies bytes into memory that the caller gives to `free`; never null, however few there are.
pub(super) fn malloc_bytes(bytes: &[u8]) -> *mut c_char {
    // SAFETY: malloc takes any size.
    let at = unsafe { libc::malloc(bytes.len().max(1)) }.cast::<u8>();
    assert!(!at.is_null(), "out of memory");
    // SAFETY: `at` is fresh, so it overlaps nothing, and holds that many bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) };
    at.cast()
}

/// Copies `text` and a NUL into memory that the caller gives to `free`.
pub(super) fn malloc_string(text: &str) -> *mut c_char {
    let mut bytes = text.as_bytes().to_vec();
    // A NUL inside would hide the rest from C.
    bytes.retain(|&b| b != 0);
    bytes.push(0);
    malloc_bytes(&bytes)
}

/// Copies `items` into an array that the caller gives to `free`; never null.
pub(super) fn malloc_array<T: Copy>(items: &[T]) -> *mut T {
    // SAFETY: malloc takes any size.
    let at = unsafe { libc::malloc(size_of_val(items).max(1)) }.cast::<T>();
    assert!(!at.is_null(), "out of memory");
    // SAFETY: `at` is fresh and holds that many; malloc aligns for every type of the API.
    unsafe { std::ptr::copy_nonoverlapping(items.as_ptr(), at, items.len()) };
    at
}

/// Puts an error where C looks for it, in the place of an older one.
///
/// # Safety
/// `errptr` is null, or points to null or to a malloc'ed string that this call may free.
pub(super) unsafe fn fail(errptr: *mut *mut c_char, error: &Error) {
    if errptr.is_null() {
        return;
    }
    // SAFETY: the caller's promise about errptr.
    let old = unsafe { std::ptr::replace(errptr, malloc_string(&error.to_string())) };
    // SAFETY: null, or malloc'ed by the same promise.
    unsafe { libc::free(old.cast()) };
}

/// Runs a fallible entry point; an error or a panic lands in `*errptr` and yields the zero of `T`.
///
/// # Safety
/// As `fail`.
pub(super) unsafe fn guard<T: Default>(
    errptr: *mut *mut c_char,
    body: impl FnOnce() -> Result<T>,
) -> T {
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(error)) => error,
        Err(_) => Error::aborted("internal panic"),
    };
    // SAFETY: the caller's promise about errptr.
    unsafe { fail(errptr, &error) };
    T::default()
}

/// What a function that is not served yet answers.
///
/// # Safety
/// As `fail`.
pub(super) unsafe fn missing<T: Default>(errptr: *mut *mut c_char, name: &str) -> T {
    // SAFETY: the caller's promise about errptr.
    unsafe { fail(errptr, &Error::not_supported(name)) };
    T::default()
}

/// The same for the calls that answer key by key.
///
/// # Safety
/// The three arrays are null or have `count` elements.
pub(super) unsafe fn missing_for_each(
    count: usize,
    values: *mut *mut c_char,
    sizes: *mut usize,
    errors: *mut *mut c_char,
    name: &str,
) {
    for i in 0..count {
        let error = malloc_string(&Error::not_supported(name).to_string());
        // SAFETY: element `i` of an array of `count`, or null.
        unsafe { store_at(values, i, std::ptr::null_mut()) };
        // SAFETY: as above.
        unsafe { store_at(sizes, i, 0) };
        // SAFETY: as above.
        unsafe { store_at(errors, i, error) };
    }
}

/// Writes to `at` unless it is null.
///
/// # Safety
/// `at` is null or writable.
pub(super) unsafe fn store<T>(at: *mut T, value: T) {
    if !at.is_null() {
        // SAFETY: the caller's promise. What was there before is the caller's, so it is not dropped.
        unsafe { at.write(value) };
    }
}

/// Writes to element `i` of an array unless it is null.
///
/// # Safety
/// `array` is null or has more than `i` writable elements.
pub(super) unsafe fn store_at<T>(array: *mut T, i: usize, value: T) {
    if !array.is_null() {
        // SAFETY: inside the array.
        let at = unsafe { array.add(i) };
        // SAFETY: writable; what was there is the caller's, so it is not dropped.
        unsafe { at.write(value) };
    }
}

/// Hands an object to C.
pub(super) fn give<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Takes an object back from C.
///
/// # Safety
/// `pointer` is null, or came from `give` and is not used again.
pub(super) unsafe fn take<T>(pointer: *mut T) -> Option<Box<T>> {
    // SAFETY: the caller's promise; null was sorted out.
    (!pointer.is_null()).then(|| unsafe { Box::from_raw(pointer) })
}

/// The bytes at `pointer`; null is empty.
///
/// # Safety
/// `pointer` is null or has `len` readable bytes for as long as the result is used.
pub(super) unsafe fn slice<'a>(pointer: *const c_char, len: usize) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { optional_bytes(pointer, len) }.unwrap_or_default()
}

/// The bytes at `pointer`; null is none.
///
/// # Safety
/// As `slice`.
pub(super) unsafe fn optional_bytes<'a>(pointer: *const c_char, len: usize) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise; null was sorted out.
    (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer.cast(), len) })
}

/// The elements at `pointer`; null or no count is empty.
///
/// # Safety
/// `pointer` is null or has `count` elements for as long as the result is used.
pub(super) unsafe fn array<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// The byte strings that two parallel arrays describe.
///
/// # Safety
/// Both arrays have `count` elements, and each element its bytes, as long as the result is used.
pub(super) unsafe fn slices<'a>(
    pointers: *const *const c_char,
    lengths: *const usize,
    count: usize,
) -> Vec<&'a [u8]> {
    // SAFETY: the caller's promise.
    let pointers = unsafe { array(pointers, count) };
    // SAFETY: the caller's promise.
    let lengths = unsafe { array(lengths, count) };
    // SAFETY: the caller's promise.
    pointers.iter().zip(lengths).map(|(&p, &len)| unsafe { slice(p, len) }).collect()
}

/// The bytes of a C string, without its NUL; null is empty.
///
/// # Safety
/// `text` is null or ends in NUL.
pub(super) unsafe fn c_bytes<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// A C string as text.
///
/// # Safety
/// As `c_bytes`.
pub(super) unsafe fn c_text<'a>(text: *const c_char) -> Result<&'a str> {
    // SAFETY: the caller's promise.
    std::str::from_utf8(unsafe { c_bytes(text) }).map_err(|_| Error::invalid_argument("not UTF-8"))
}

/// A C string as a path; any bytes will do.
///
/// # Safety
/// As `c_bytes`.
pub(super) unsafe fn c_path(text: *const c_char) -> PathBuf {
    // SAFETY: the caller's promise.
    PathBuf::from(OsStr::from_bytes(unsafe { c_bytes(text) }))
}

/// A setting as a C scalar and back. A number that means nothing leaves the setting as it is.
pub(super) trait Scalar<C> {
    /// Takes the number that C hands in.
    fn put(&mut self, value: C);
    /// The number that C sees.
    fn take(&self) -> C;
}

/// `type as C type`: numbers that keep their value, or wrap as C's own conversions would.
macro_rules! numbers {
    ($($field:ty as $($c:ty),+;)*) => {$($(
        impl Scalar<$c> for $field {
            #[allow(
                trivial_numeric_casts,
                clippy::unnecessary_cast,
                reason = "the same line for types that differ and types that don't"
            )]
            fn put(&mut self, value: $c) {
                *self = value as $field;
            }
            #[allow(
                trivial_numeric_casts,
                clippy::unnecessary_cast,
                reason = "the same line for types that differ and types that don't"
            )]
            fn take(&self) -> $c {
                *self as $c
            }
        }
    )+)*};
}

numbers! {
    i32 as i32;
    u32 as u32, i32;
    i64 as i64;
    u64 as u64, usize;
    usize as u64, usize;
    f64 as f64;
}

macro_rules! flags {
    ($($c:ty),+) => {$(
        impl Scalar<$c> for bool {
            fn put(&mut self, value: $c) {
                *self = value != 0;
            }
            fn take(&self) -> $c {
                <$c>::from(*self)
            }
        }
    )+};
}

flags!(c_uchar, c_int);

macro_rules! choices {
    ($($field:ty as $c:ty;)*) => {$(
        impl Scalar<$c> for $field {
            #[allow(trivial_numeric_casts, reason = "the same line for int and narrower types")]
            fn put(&mut self, value: $c) {
                if let Some(choice) = Self::from_number(value as i32) {
                    *self = choice;
                }
            }
            #[allow(
                trivial_numeric_casts,
                clippy::unnecessary_cast,
                clippy::cast_possible_truncation,
                reason = "the numbers of the narrower ones are small"
            )]
            fn take(&self) -> $c {
                self.number() as $c
            }
        }
    )*};
}

choices! {
    AccessHint as c_int;
    BottommostCompaction as c_uchar;
    ChecksumType as c_char;
    CompactionStyle as c_int;
    Compression as c_int;
    DataBlockIndexType as c_int;
    IndexType as c_int;
    PrepopulateBlob as c_int;
    ReadTier as c_int;
    StopStyle as c_int;
    WalRecoveryMode as c_int;
}

impl Scalar<c_int> for LogLevel {
    fn put(&mut self, value: c_int) {
        *self = match value {
            0 => Self::Debug,
            1 => Self::Info,
            2 => Self::Warn,
            3 => Self::Error,
            4 => Self::Fatal,
            5 => Self::Header,
            _ => return,
        };
    }
    fn take(&self) -> c_int {
        *self as c_int
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_replaces_the_older_one_and_success_leaves_it() {
        let mut slot: *mut c_char = std::ptr::null_mut();
        let errptr = &raw mut slot;
        for text in ["a", "b"] {
            // SAFETY: a live slot that holds null or what `fail` put there.
            unsafe { fail(errptr, &Error::not_found(text)) };
        }
        // SAFETY: as above.
        let seven = unsafe { guard(errptr, || Ok(7)) };
        // SAFETY: a string that `fail` made.
        let text = unsafe { CStr::from_ptr(slot) }.to_str().unwrap().to_owned();
        assert_eq!((seven, text.as_str()), (7, "NotFound: b"));
        // SAFETY: as above.
        let zero: i32 = unsafe { guard(errptr, || panic!("on purpose")) };
        // SAFETY: a string that `guard` made.
        let text = unsafe { CStr::from_ptr(slot) }.to_str().unwrap().to_owned();
        assert_eq!((zero, text.as_str()), (0, "Operation aborted: internal panic"));
        // SAFETY: malloc'ed, and not used again.
        unsafe { libc::free(slot.cast()) };
    }

    #[test]
    fn an_unknown_number_changes_nothing() {
        let mut style = CompactionStyle::Universal;
        style.put(77);
        assert_eq!(style, CompactionStyle::Universal);
        let mut width = u32::MAX;
        assert_eq!(<u32 as Scalar<i32>>::take(&width), -1);
        <u32 as Scalar<i32>>::put(&mut width, 5);
        assert_eq!(width, 5);
    }
}
