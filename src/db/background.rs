//! What to run next, on which thread: flushes on high-priority threads, compactions on low ones.
#![forbid(unsafe_code)]

use super::background_error::Work;
use super::{FamilyState, Inner, State};
use crate::base::Result;
use crate::compaction::pick::{self, InProgress, Pick};
use crate::compaction::{picker, score};
use crate::env::Priority;
use crate::options::{CompactionStyle, DbOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A compaction under way, as the picker and those who wait for it see it.
pub(super) struct Running {
    /// Cleared of its marks when it ends.
    pub(super) pick: Pick,
    pub(super) range: pick::Running,
    pub(super) cancel: AtomicBool,
}

/// (flushes, compactions) that may run at once.
fn limits(options: &DbOptions) -> (usize, usize) {
    let jobs = options.max_background_jobs.max(1);
    let (flushes, compactions) =
        if options.max_background_flushes == -1 && options.max_background_compactions == -1 {
            ((jobs / 4).max(1), (jobs - (jobs / 4).max(1)).max(1))
        } else {
            (options.max_background_flushes.max(1), options.max_background_compactions.max(1))
        };
    (usize::try_from(flushes).unwrap_or(1), usize::try_from(compactions).unwrap_or(1))
}

impl Inner {
    /// Makes the pool large enough for this store.
    pub(super) fn size_pool(&self) {
        let (flushes, compactions) = limits(&self.options.load());
        self.env.pool.grow_threads(Priority::High, flushes);
        self.env.pool.grow_threads(Priority::Low, compactions);
    }

    /// Starts what is due and allowed.
    pub(super) fn schedule(self: &Arc<Self>, state: &mut State) {
        if self.read_only || self.is_closing() || state.cancelled {
            return;
        }
        let (flushes, compactions) = limits(&self.options.load());
        let may_flush = !Self::must_wait_for_retry(state, Work::Flush);
        let due: Vec<u32> = state
            .families
            .iter()
            .filter(|(_, f)| may_flush && f.flush_requested && !f.flushing && !f.imm.is_empty())
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            if state.running_flushes >= flushes {
                break;
            }
            state.running_flushes += 1;
            if let Some(family) = state.families.get_mut(&id) {
                family.flushing = true;
            }
            let this = Arc::clone(self);
            self.env.pool.schedule(Priority::High, Box::new(move || this.flush_job(id)));
        }
        if Self::must_wait_for_retry(state, Work::Compaction) {
            return;
        }
        let wanting = state.families.values().filter(|f| Self::wants_compaction(f)).count();
        while state.scheduled_compactions < compactions.min(wanting) && state.exclusive_manual == 0
        {
            state.scheduled_compactions += 1;
            let this = Arc::clone(self);
            self.env.pool.schedule(Priority::Low, Box::new(move || this.compaction_job()));
        }
    }

    pub(super) fn wants_compaction(family: &FamilyState) -> bool {
        let options = family.core.options.load();
        !family.frozen
            && !options.disable_auto_compactions
            && options.compaction_style != CompactionStyle::None
            && family.scores.needs_compaction()
    }

    fn flush_job(self: Arc<Self>, id: u32) {
        let result = if self.is_closing() { Ok(()) } else { guarded(|| self.flush_family(id)) };
        let failed = result.err();
        self.log_stalls();
        if failed.is_none() {
            let ended = self.state.lock().failures.flush.take();
            // Writers and callers wait for memory, not for the deletion of files.
            self.changed.notify_all();
            self.work_goes_on(Work::Flush, ended);
        }
        match failed {
            Some(error) if !self.is_closing() => self.background_failed(Work::Flush, &error),
            _ => self.purge(),
        }
        {
            // Last: whoever ends the store waits for this, and may open it anew then.
            let mut state = self.state.lock();
            state.running_flushes -= 1;
            if let Some(family) = state.families.get_mut(&id) {
                (family.flushing, family.flushing_from) = (false, None);
            }
            self.schedule(&mut state);
        }
        self.changed.notify_all();
    }

    fn compaction_job(self: Arc<Self>) {
        let picked = {
            let mut state = self.state.lock();
            if self.is_closing() || state.cancelled || state.exclusive_manual > 0 {
                None
            } else {
                self.pick(&mut state)
            }
        };
        let worked = picked.is_some();
        let result = picked.map_or(Ok(()), |(id, running)| self.compact(id, &running));
        let failed = result.err();
        if failed.is_none() && worked {
            let ended = self.state.lock().failures.compaction.take();
            self.work_goes_on(Work::Compaction, ended);
        }
        match failed {
            Some(error) if !self.is_closing() && !is_cancel(&error) => {
                self.background_failed(Work::Compaction, &error);
            }
            _ if worked => self.purge(),
            _ => {}
        }
        {
            // Last, as in `flush_job`.
            let mut state = self.state.lock();
            state.scheduled_compactions -= 1;
            if worked {
                self.schedule(&mut state);
            }
        }
        self.changed.notify_all();
    }

    /// The most urgent compaction that can run beside those that do.
    fn pick(&self, state: &mut State) -> Option<(u32, Arc<Running>)> {
        let mut order: Vec<(f64, u32)> = state
            .families
            .iter()
            .filter(|(_, f)| Self::wants_compaction(f))
            .map(|(id, f)| (f.scores.levels.first().map_or(0.0, |(_, score)| *score), *id))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, id) in order {
            let Some(family) = state.families.get(&id) else { continue };
            let options = family.core.options.load();
            let in_progress = self.in_progress(family);
            if let Some(pick) = picker::pick(&family.version, &options, &in_progress) {
                return Some((id, self.register(state, id, pick)));
            }
        }
        None
    }

    /// Notes that `pick` runs, so that no other takes its files or its output range.
    pub(super) fn register(&self, state: &mut State, id: u32, pick: Pick) -> Arc<Running> {
        pick.mark(true);
        state.running_compactions += 1;
        let Some(family) = state.families.get_mut(&id) else {
            unreachable!("the pick came from this family under this lock");
        };
        let range = pick.running(&**family.core.order.user());
        let running = Arc::new(Running { pick, range, cancel: AtomicBool::new(false) });
        family.running.push(Arc::clone(&running));
        family.scores = score::compute(&family.version, &family.core.options.load());
        running
    }

    /// Undoes `register`.
    pub(super) fn unregister(&self, id: u32, running: &Arc<Running>) {
        let mut state = self.state.lock();
        running.pick.mark(false);
        state.running_compactions -= 1;
        if let Some(family) = state.families.get_mut(&id) {
            family.running.retain(|r| !Arc::ptr_eq(r, running));
            family.scores = score::compute(&family.version, &family.core.options.load());
        }
        self.update_stall(&state);
        drop(state);
        self.log_stalls();
        // A close may wait for this one, whose end nobody else tells when it was cancelled.
        self.changed.notify_all();
    }
}

/// A panic of a job is its failure: counters, marks and those who wait must not be left behind.
pub(super) fn guarded(job: impl FnOnce() -> Result<()>) -> Result<()> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(job))
        .unwrap_or_else(|_| Err(crate::base::Error::aborted("background work panicked")))
}

/// Is this the end that somebody asked for?
pub(super) fn is_cancel(error: &crate::base::Error) -> bool {
    use crate::base::{ErrorKind, SubKind};
    error.kind() == ErrorKind::ShutdownInProgress
        || (error.kind() == ErrorKind::Incomplete && error.sub() == SubKind::ManualCompactionPaused)
}

impl Inner {
    /// What a picker knows of the moment.
    pub(super) fn in_progress(&self, family: &FamilyState) -> InProgress {
        InProgress {
            family: family.core.id,
            running: family.running.iter().map(|r| r.range.clone()).collect(),
            now_seconds: self.env.clock.now_micros() / 1_000_000,
            oldest_snapshot: self
                .snapshots
                .oldest()
                .map_or_else(|| self.published(), |(sequence, _)| sequence),
        }
    }
}

impl super::Db {
    /// Stops background work for good, after flushing what no log holds; reads go on.
    pub fn cancel_all_background_work(&self, wait: bool) {
        let inner = &self.inner;
        // Nobody to tell: the caller gave up background work.
        let _: Result<()> = inner.flush_unlogged();
        let mut state = inner.state.lock();
        state.cancelled = true;
        for running in state.families.values().flat_map(|f| &f.running) {
            running.cancel.store(true, Ordering::Release);
        }
        drop(state);
        inner.changed.notify_all();
        if wait {
            inner.wait_until(|s| {
                (s.running_flushes == 0
                    && s.running_compactions == 0
                    && s.scheduled_compactions == 0)
                    .then_some(())
            });
        }
    }
}
