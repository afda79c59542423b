//! Environments and their threads.

use super::ffi::{self, give, guarded, live, needs, retire};
use super::types::rocksdb_env_t;
use crate::env::{Env, Priority};
use std::ffi::{c_char, c_int};
use std::sync::Arc;

fn set_threads(env: &rocksdb_env_t, priority: Priority, count: c_int) {
    env.0.pool.set_threads(priority, usize::try_from(count).unwrap_or(0));
}

fn threads(env: &rocksdb_env_t, priority: Priority) -> c_int {
    c_int::try_from(env.0.pool.threads(priority)).unwrap_or(c_int::MAX)
}

/// Makes a handle of the operating system, with the threads that all stores share.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_create_default_env() -> *mut rocksdb_env_t {
    give(rocksdb_env_t(Arc::new(Env::posix())))
}

/// Makes an environment whose files live in memory; it shares the operating system's threads.
#[unsafe(no_mangle)]
pub extern "C" fn rocksdb_create_mem_env() -> *mut rocksdb_env_t {
    give(rocksdb_env_t(Arc::new(Env::in_memory())))
}

/// Destroys the handle. Files that live in memory are gone with the last store on them.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_destroy(env: *mut rocksdb_env_t) {
    retire!(env);
}

/// Sets how many threads compact.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_background_threads(env: *mut rocksdb_env_t, n: c_int) {
    live!(env);
    set_threads(env, Priority::Low, n);
}

/// How many threads compact.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_background_threads(env: *mut rocksdb_env_t) -> c_int {
    live!(env);
    threads(env, Priority::Low)
}

/// Sets how many threads compact.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_low_priority_background_threads(
    env: *mut rocksdb_env_t,
    n: c_int,
) {
    live!(env);
    set_threads(env, Priority::Low, n);
}

/// How many threads compact.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_low_priority_background_threads(
    env: *mut rocksdb_env_t,
) -> c_int {
    live!(env);
    threads(env, Priority::Low)
}

/// Sets how many threads flush.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_high_priority_background_threads(
    env: *mut rocksdb_env_t,
    n: c_int,
) {
    live!(env);
    set_threads(env, Priority::High, n);
}

/// How many threads flush.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_high_priority_background_threads(
    env: *mut rocksdb_env_t,
) -> c_int {
    live!(env);
    threads(env, Priority::High)
}

/// Sets how many threads compact the last level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_set_bottom_priority_background_threads(
    env: *mut rocksdb_env_t,
    n: c_int,
) {
    live!(env);
    set_threads(env, Priority::Bottom, n);
}

/// How many threads compact the last level.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_get_bottom_priority_background_threads(
    env: *mut rocksdb_env_t,
) -> c_int {
    live!(env);
    threads(env, Priority::Bottom)
}

/// Waits until no background job waits or runs.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_join_all_threads(env: *mut rocksdb_env_t) {
    live!(env);
    env.0.pool.join();
}

/// Accepted. Threads keep the priority that the process has.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_thread_pool_io_priority(env: *mut rocksdb_env_t) {
    let _ = env;
}

/// Accepted. Threads keep the priority that the process has.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_high_priority_thread_pool_io_priority(
    env: *mut rocksdb_env_t,
) {
    let _ = env;
}

/// Accepted. Threads keep the priority that the process has.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_thread_pool_cpu_priority(env: *mut rocksdb_env_t) {
    let _ = env;
}

/// Accepted. Threads keep the priority that the process has.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_env_lower_high_priority_thread_pool_cpu_priority(
    env: *mut rocksdb_env_t,
) {
    let _ = env;
}

/// Makes a folder, unless it is there.
///
/// # Safety
/// Pointers are what `ffi` says they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_create_dir_if_missing(
    env: *mut rocksdb_env_t,
    path: *const c_char,
    errptr: *mut *mut c_char,
) {
    guarded!(errptr, || {
        needs!(env);
        // SAFETY: the promise of the entry point.
        let path = unsafe { ffi::c_path(path) };
        env.0.fs.create_dir(&path)
    })
}
