//! What a failure of background work does.
//!
//! The store stays open for reading and, as long as memtables have room, for writing. The work is tried
//! again by itself, after a second at first; its success clears the error. Writers that would have to wait for
//! the failed work get its error instead. A failing compaction holds up no flush. Nothing a caller passes in
//! can bring this state about.
#![forbid(unsafe_code)]

use super::flush::Wait;
use super::{Inner, State};
use crate::base::Error;
use crate::env::{LogLevel, Priority};
use std::sync::Arc;

/// Kinds of background work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Work {
    /// Memtables to tables.
    #[default]
    Flush,
    /// Tables to tables.
    Compaction,
}

/// What each kind of work failed with last, until it succeeds.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) flush: Option<Error>,
    pub(super) compaction: Option<Error>,
}

impl Failures {
    fn of(&mut self, work: Work) -> &mut Option<Error> {
        match work {
            Work::Flush => &mut self.flush,
            Work::Compaction => &mut self.compaction,
        }
    }

    /// The failure of a kind of work.
    pub(super) fn get(&self, work: Work) -> Option<&Error> {
        match work {
            Work::Flush => self.flush.as_ref(),
            Work::Compaction => self.compaction.as_ref(),
        }
    }

    /// Any of them.
    pub(super) fn any(&self) -> Option<&Error> {
        self.flush.as_ref().or(self.compaction.as_ref())
    }
}

impl Inner {
    /// Notes that background work failed and plans the next try.
    pub(super) fn background_failed(self: &Arc<Self>, work: Work, error: &Error) {
        self.log(LogLevel::Error, &format!("{work:?} failed, will be tried again: {error}"));
        self.counters.background_errors.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut state = self.state.lock();
        *state.failures.of(work) = Some(error.clone());
        self.plan_retry(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// Looks again, after a while, for work that is due.
    pub(super) fn plan_retry(self: &Arc<Self>, state: &mut State) {
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
                if let Some(this) = this.upgrade() {
                    this.retry();
                }
            }),
        );
    }

    fn retry(self: &Arc<Self>) {
        self.state.lock().retry_scheduled = false;
        if self.is_closing() {
            return;
        }
        // A writer that leads sees to a log whose sync failed; without one this thread does.
        if self.wal.lock().newest_suspect().is_some()
            && let Some(_lead) = self.queue.try_lead()
            && !self.is_closing()
            && let Err(error) = self.leave_suspects(Wait::No)
        {
            self.background_failed(Work::Flush, &error);
        }
        let mut state = self.state.lock();
        // Work that is not due any more (its family was dropped) has not failed any more either.
        if !state.families.values().any(|f| f.flushing || !f.imm.is_empty()) {
            state.failures.flush = None;
        }
        if !state.families.values().any(Self::wants_compaction) {
            state.failures.compaction = None;
        }
        self.schedule(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// Background work went well: what failed before has been done.
    pub(super) fn work_goes_on(&self, work: Work, failure: Option<Error>) {
        if let Some(error) = failure {
            self.log(LogLevel::Info, &format!("{work:?} goes on; it had failed: {error}"));
        }
    }

    /// Is a retry of this work pending? Then it is not scheduled before.
    pub(super) fn must_wait_for_retry(state: &State, work: Work) -> bool {
        state.retry_scheduled && state.failures.get(work).is_some()
    }
}
