//! What a failure of background work does.
//!
//! The store stays open for reading and, as long as memtables have room, for writing. The work is tried
//! again by itself, after a second at first; its success clears the error. Writers that would have to wait for
//! the failed work get its error instead. Nothing a caller passes in can bring this state about.
#![forbid(unsafe_code)]

use super::{Inner, State};
use crate::base::Error;
use crate::env::{LogLevel, Priority};
use std::sync::Arc;

impl Inner {
    /// Notes that background work failed and plans the next try.
    pub(super) fn background_failed(self: &Arc<Self>, what: &str, error: &Error) {
        self.log(LogLevel::Error, &format!("{what} failed, will be tried again: {error}"));
        self.counters.background_errors.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut state = self.state.lock();
        state.background_error = Some(error.clone());
        self.plan_retry(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    fn plan_retry(self: &Arc<Self>, state: &mut State) {
        if state.retry_scheduled || self.is_closing() {
            return;
        }
        state.retry_scheduled = true;
        let micros = self.options.load().bgerror_resume_retry_interval.max(1000);
        let this = Arc::downgrade(self);
        self.env.pool.schedule_after(
            micros,
            Priority::High,
            Box::new(move || {
                let Some(this) = this.upgrade() else { return };
                let mut state = this.state.lock();
                state.retry_scheduled = false;
                this.schedule(&mut state);
            }),
        );
    }

    /// Background work went well: what failed before has been done.
    pub(super) fn background_succeeded(&self, state: &mut State) {
        if let Some(error) = state.background_error.take() {
            self.log(LogLevel::Info, &format!("Background work goes on; it had failed: {error}"));
        }
    }

    /// Is a retry pending? Then nothing is scheduled before it.
    pub(super) fn must_wait_for_retry(state: &State) -> bool {
        state.background_error.is_some() && state.retry_scheduled
    }
}
