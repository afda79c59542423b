//! The only door to locks, atomics and epochs; under `--cfg loom` the atomics are loom's.
#![forbid(unsafe_code)]

pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::Arc;

#[cfg(loom)]
pub use loom::sync::atomic;
#[cfg(not(loom))]
pub use std::sync::atomic;

/// A shared pointer that is swapped rarely and read often.
#[derive(Debug)]
pub struct ArcCell<T: ?Sized>(RwLock<Arc<T>>);

impl<T: ?Sized> ArcCell<T> {
    /// Holding `value`.
    pub fn new(value: Arc<T>) -> Self {
        Self(RwLock::new(value))
    }

    /// The value of this moment.
    #[inline]
    pub fn load(&self) -> Arc<T> {
        Arc::clone(&self.0.read())
    }

    /// Puts `value` in place and hands back the old one, which the caller drops outside any lock.
    pub fn swap(&self, value: Arc<T>) -> Arc<T> {
        std::mem::replace(&mut *self.0.write(), value)
    }
}
