//! The end of a store.
#![forbid(unsafe_code)]

use super::{Db, Inner};
use crate::env::LogLevel;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    /// Ends the store once: unlogged data to tables, background work stopped, the log handed over, the lock free
    /// on return. What readers still hold stays readable.
    pub(super) fn close(self: &Arc<Self>) {
        if self.closing.load(Ordering::Acquire) {
            return;
        }
        self.ending.store(true, Ordering::Release);
        self.tell_all();
        if !self.read_only
            && let Err(error) = self.flush_unlogged()
        {
            self.log(
                LogLevel::Error,
                &format!("Unlogged data could not be flushed at close: {error}"),
            );
        }
        // AcqRel: whoever sees it sees all that was done before, and only one closer goes on.
        if self.closing.swap(true, Ordering::AcqRel) {
            return;
        }
        self.tell_all();
        // Writers in the queue see `closing` and give up; nobody leads after this.
        drop(self.queue.lead_alone());
        self.wait_until(|s| {
            (s.running_flushes == 0 && s.running_compactions == 0 && s.scheduled_compactions == 0)
                .then_some(())
        });
        if !self.read_only {
            // A failed family change is taken back, if that can be; else the next open tells.
            let _ = self.settle_families();
            self.purge();
            *self.no_deletions.write() = true;
            if let Err(error) = self.wal.lock().close() {
                self.log(LogLevel::Error, &format!("The log could not be closed: {error}"));
            }
            let writer = {
                let mut manifest = self.manifest.lock();
                manifest.is_closed = true;
                manifest.writer.take()
            };
            if let Some(mut writer) = writer
                && let Err(error) = writer.close()
            {
                self.log(LogLevel::Error, &format!("The manifest could not be closed: {error}"));
            }
            self.log(LogLevel::Info, "Shutdown complete");
        }
        self.log_stalls();
        self.log.flush();
        drop(self.lock.lock().take());
        // Last: threads end with the last store, and wait for jobs that want none of these locks.
        let pool_user = self.pool_user.lock().take();
        drop(pool_user);
    }
}

impl Db {
    /// Ends the store for all clones: background work stops, data that no log holds is flushed (unless
    /// `avoid_flush_during_shutdown`), and the lock is free on return. Errors go to LOG.
    pub fn close(&self) {
        self.inner.close();
    }
}
