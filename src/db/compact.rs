//! Carrying out compactions: automatic ones, and ranges that a user asks for.
#![forbid(unsafe_code)]

use super::background::{Running, guarded, is_cancel};
use super::background_error::Work;
use super::{Db, Family, Inner, WaitForCompactOptions};
use crate::base::range::KeyRange;
use crate::base::{Error, Result, SubKind};
use crate::compaction::folders;
use crate::compaction::job::{self, JobContext, JobResult};
use crate::compaction::picker::leveled::{self, Manual, RangePick};
use crate::compaction::score;
use crate::env::LogLevel;
use crate::format::manifest::VersionEdit;
use crate::format::name::FileName;
use crate::options::{BottommostCompaction, CompactRangeOptions, CompactionStyle};
use crate::version::FileMeta;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn paused() -> Error {
    Error::incomplete("").with_sub(SubKind::ManualCompactionPaused)
}

impl Inner {
    /// Runs a registered compaction and installs its result.
    pub(super) fn compact(self: &Arc<Self>, id: u32, running: &Arc<Running>) -> Result<()> {
        let result = guarded(|| self.compact_registered(id, running));
        self.unregister(id, running);
        result
    }

    fn compact_registered(self: &Arc<Self>, id: u32, running: &Arc<Running>) -> Result<()> {
        let (core, version) = {
            let state = self.state.lock();
            let Some(family) = state.families.get(&id) else { return Ok(()) };
            (Arc::clone(&family.core), Arc::clone(&family.version))
        };
        let options = core.options.load();
        // Numbers of outputs are kept from the sweepers until the manifest knows them.
        let made = crate::base::sync::Mutex::new(Vec::new());
        let new_number = || {
            let number = self.new_file_number();
            self.state.lock().pending_outputs.insert(number);
            made.lock().push(number);
            number
        };
        let go_on = {
            let (this, running) = (Arc::clone(self), Arc::clone(running));
            Arc::new(move || {
                if this.is_closing() {
                    return Err(Error::shutdown(""));
                }
                let paused_now =
                    running.pick.is_manual && this.manual_paused.load(Ordering::Acquire) > 0;
                if paused_now || running.cancel.load(Ordering::Acquire) {
                    return Err(paused());
                }
                Ok(())
            })
        };
        let context = JobContext {
            fs: Arc::clone(&self.env.fs),
            clock: Arc::clone(&self.env.clock),
            tables: Arc::clone(&self.tables),
            settings: core.tables.settings().clone(),
            db_options: self.options.load(),
            version,
            snapshots: self.snapshots.list(),
            build: self.build_options(&core, &options),
            output_path_id: folders::for_pick(core.tables.folders(), &options, &running.pick),
            folders: core.tables.folders().to_vec(),
            options,
            new_number: &new_number,
            go_on: Some(go_on),
        };
        let pick = &running.pick;
        let installed = job::run(&context, pick).and_then(|result| {
            let mut old = None;
            self.log_edits(std::slice::from_ref(&result.edit), |state| {
                old = self.install_view(state, id);
            })?;
            drop(old);
            Ok(result)
        });
        {
            let mut state = self.state.lock();
            for number in made.lock().drain(..) {
                state.pending_outputs.remove(&number);
            }
        }
        let result = installed?;
        self.counters.compacted(
            pick.start_level(),
            pick.output_level,
            result.bytes_read.0 + result.bytes_read.1,
            result.bytes_written,
            result.micros,
        );
        self.log(LogLevel::Info, &compaction_line(&core.name, running, &result));
        self.changed.notify_all();
        Ok(())
    }

    /// Compacts a range level by level, on the caller's thread.
    fn compact_range(
        self: &Arc<Self>,
        options: &CompactRangeOptions,
        family: &Family,
        range: KeyRange<'_>,
    ) -> Result<()> {
        let id = family.id();
        self.check_manual(options)?;
        if self.overlaps_memtables(id, range) {
            self.flush_and_wait(&[id])?;
        }
        if options.exclusive_manual_compaction {
            let mut state = self.state.lock();
            state.exclusive_manual += 1;
            drop(state);
            self.wait_until(|s| {
                let alone = s.running_compactions == 0;
                (alone || self.check_manual_in(s).is_err()).then_some(())
            });
        }
        let result = self.compact_levels(options, family, range);
        let mut state = self.state.lock();
        if options.exclusive_manual_compaction {
            state.exclusive_manual -= 1;
        }
        self.schedule(&mut state);
        drop(state);
        self.purge();
        result
    }

    fn check_manual(&self, _options: &CompactRangeOptions) -> Result<()> {
        if self.is_closing() || self.state.lock().cancelled {
            return Err(Error::shutdown(""));
        }
        if self.manual_paused.load(Ordering::Acquire) > 0 {
            return Err(paused());
        }
        Ok(())
    }

    fn overlaps_memtables(&self, id: u32, range: KeyRange<'_>) -> bool {
        let state = self.state.lock();
        let Some(family) = state.families.get(&id) else { return false };
        let order = family.core.order.user();
        family.imm.iter().chain(std::iter::once(&family.mem)).any(|mem| {
            if mem.is_empty() {
                return false;
            }
            if mem.has_range_deletions() || (range.begin.is_none() && range.end.is_none()) {
                return true;
            }
            let mut iter = mem.iter();
            match range.begin {
                Some(begin) => {
                    iter.seek(&crate::base::key::seek_target(begin, crate::base::key::MAX_SEQUENCE))
                }
                None => iter.seek_to_first(),
            }
            iter.valid()
                && range.end.is_none_or(|end| {
                    order.compare(crate::base::key::user_key(iter.key()), end).is_le()
                })
        })
    }

    fn compact_levels(
        self: &Arc<Self>,
        options: &CompactRangeOptions,
        family: &Family,
        range: KeyRange<'_>,
    ) -> Result<()> {
        let id = family.id();
        let mut last = None;
        // Files that this call makes have numbers from here on.
        let first_new = self.next_file.load(Ordering::Relaxed);
        let mut level = 0;
        loop {
            let (next, deepest) = {
                let state = self.state.lock();
                let Some(f) = state.families.get(&id) else { return Err(Error::dropped("")) };
                let o = f.core.options.load();
                let deepest =
                    (0..f.version.num_levels()).filter(|l| f.version.overlaps(*l, range)).max();
                if o.compaction_style != CompactionStyle::Level {
                    (0, deepest)
                } else {
                    (leveled::next_level(&f.version, &o, level), deepest)
                }
            };
            let Some(deepest) = deepest else { break };
            if level >= deepest {
                // Data on level 0 alone still moves down one level.
                if level == 0 && next > 0 {
                    self.compact_level(family, level, next, range, None)?;
                    last = Some(next);
                } else {
                    last = last.or(Some(level));
                }
                break;
            }
            self.compact_level(family, level, next.max(level), range, None)?;
            last = Some(next);
            if next <= level {
                break;
            }
            level = next;
        }
        if let Some(bottom) = last.filter(|b| *b > 0) {
            let choice = options.bottommost_level_compaction;
            if leveled::rewrites_bottom(&family.0.options.load(), choice) {
                let ignore = (choice != BottommostCompaction::Force).then_some(first_new);
                self.compact_level(family, bottom, bottom, range, ignore)?;
            }
        }
        if options.change_level
            && let Some(bottom) = last
        {
            self.change_level(family, bottom, options.target_level)?;
        }
        Ok(())
    }

    /// Compacts the files of one level in a range; waits for those in the way.
    fn compact_level(
        self: &Arc<Self>,
        family: &Family,
        level: usize,
        output_level: usize,
        range: KeyRange<'_>,
        ignore_from_number: Option<u64>,
    ) -> Result<()> {
        let id = family.id();
        let mut begin = range.begin.map(<[u8]>::to_vec);
        loop {
            let running = self.wait_until(|state| {
                if let Err(error) = self.check_manual_in(state) {
                    return Some(Err(error));
                }
                let Some(f) = state.families.get(&id) else {
                    return Some(Err(Error::dropped("")));
                };
                if f.frozen {
                    return None;
                }
                let manual = Manual {
                    level,
                    output_level,
                    range: KeyRange { begin: begin.as_deref(), end: range.end },
                    ignore_from_number,
                };
                let o = f.core.options.load();
                match leveled::pick_range(&f.version, &o, &self.in_progress(f), &manual) {
                    RangePick::Nothing => Some(Ok(None)),
                    RangePick::Conflict => None,
                    RangePick::Pick(pick) => Some(Ok(Some(self.register(state, id, *pick)))),
                }
            })?;
            let Some(running) = running else { return Ok(()) };
            self.compact(id, &running)?;
            begin.clone_from(&running.pick.next_begin);
            if begin.is_none() {
                return Ok(());
            }
        }
    }

    fn check_manual_in(&self, state: &super::State) -> Result<()> {
        if self.is_closing() || state.cancelled {
            return Err(Error::shutdown(""));
        }
        if self.manual_paused.load(Ordering::Acquire) > 0 {
            return Err(paused());
        }
        Ok(())
    }

    /// Moves all files of `from` to `target` (-1: the highest level that fits), which must be empty, as
    /// must be those between.
    fn change_level(self: &Arc<Self>, family: &Family, from: usize, target: i32) -> Result<()> {
        let id = family.id();
        let edit = self.wait_until(|state| {
            if let Err(error) = self.check_manual_in(state) {
                return Some(Err(error));
            }
            let Some(f) = state.families.get_mut(&id) else {
                return Some(Err(Error::dropped("")));
            };
            if f.frozen || !f.running.is_empty() {
                return None;
            }
            let version = &f.version;
            let empty_between = |to: usize| {
                (to + 1..from).all(|l| version.files(l).is_empty()) && version.files(to).is_empty()
            };
            let to = match usize::try_from(target) {
                Ok(to) if to >= version.num_levels() => {
                    return Some(Err(Error::invalid_argument(
                        "target level exceeds number of levels",
                    )));
                }
                Ok(to) if to == from => return Some(Ok(None)),
                Ok(to) => to,
                Err(_) => {
                    let bytes = version.level_bytes(from);
                    let (base, targets) = score::targets(version, &f.core.options.load());
                    let mut to = from;
                    for l in (base.max(1)..from).rev() {
                        if !version.files(l).is_empty()
                            || targets.get(l).is_some_and(|t| *t < bytes)
                        {
                            break;
                        }
                        to = l;
                    }
                    if to == from {
                        return Some(Ok(None));
                    }
                    to
                }
            };
            if to > from {
                if (from + 1..=to).any(|l| !version.files(l).is_empty()) {
                    return Some(Err(Error::not_supported(
                        "Levels between source and target are not empty for a move.",
                    )));
                }
            } else if !empty_between(to) {
                return Some(Err(Error::not_supported(
                    "Levels between source and target are not empty for a move.",
                )));
            }
            let (from_i, to_i) = (i32::try_from(from).unwrap_or(0), i32::try_from(to).unwrap_or(0));
            let edit = VersionEdit {
                family: id,
                deleted_files: version.files(from).iter().map(|f| (from_i, f.number())).collect(),
                new_files: version.files(from).iter().map(|f| (to_i, f.entry.clone())).collect(),
                ..VersionEdit::default()
            };
            f.frozen = true;
            Some(Ok(Some(edit)))
        })?;
        edit.map_or(Ok(()), |edit| self.install_frozen(id, edit))
    }

    /// Carries out `edit` of a family that the caller froze, and thaws it.
    fn install_frozen(self: &Arc<Self>, id: u32, edit: VersionEdit) -> Result<()> {
        let mut old = None;
        let done = self.log_edits(&[edit], |state| old = self.install_view(state, id));
        drop(old);
        {
            let mut state = self.state.lock();
            if let Some(family) = state.families.get_mut(&id) {
                family.frozen = false;
            }
            self.schedule(&mut state);
        }
        self.changed.notify_all();
        done
    }

    /// Takes whole files out of the store.
    fn delete_files(
        self: &Arc<Self>,
        family: &Family,
        choose: impl Fn(usize, &FileMeta) -> bool,
    ) -> Result<()> {
        let id = family.id();
        let edit = self.wait_until(|state| {
            if self.is_closing() {
                return Some(Err(Error::shutdown("")));
            }
            let Some(f) = state.families.get_mut(&id) else {
                return Some(Err(Error::dropped("")));
            };
            if f.frozen {
                return None;
            }
            let deleted_files: Vec<(i32, u64)> = f
                .version
                .all_files()
                .filter(|(level, file)| !file.is_being_compacted() && choose(*level, file))
                .map(|(level, file)| (i32::try_from(level).unwrap_or(0), file.number()))
                .collect();
            f.frozen = !deleted_files.is_empty();
            Some(Ok(VersionEdit { family: id, deleted_files, ..VersionEdit::default() }))
        })?;
        if edit.deleted_files.is_empty() {
            return Ok(());
        }
        self.install_frozen(id, edit)?;
        self.purge();
        Ok(())
    }
}

fn compaction_line(name: &str, running: &Running, result: &JobResult) -> String {
    let pick = &running.pick;
    let files: Vec<String> =
        pick.files().map(|(level, f)| format!("{}@{level}", f.number())).collect();
    format!(
        "[{name}] Compacted {} to level {} ({:?}): {} bytes in, {} files and {} bytes out, {} us",
        files.join(" "),
        pick.output_level,
        pick.reason,
        result.bytes_read.0 + result.bytes_read.1,
        result.edit.new_files.len(),
        result.bytes_written,
        result.micros
    )
}

impl Db {
    /// Compacts [begin, end] (open where `None`) of a family down to its last level and waits for it.
    ///
    /// # Errors
    /// Those of the flush and of the compactions; `Result incomplete: Manual compaction paused` while manual
    /// compactions are disabled; `Shutdown in progress` when the store closes meanwhile.
    pub fn compact_range(
        &self,
        options: &CompactRangeOptions,
        family: &Family,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.inner.check_writable()?;
        self.inner.compact_range(options, family, KeyRange { begin, end })
    }

    /// Compacts a range soon, in the background.
    pub fn suggest_compact_range(
        &self,
        family: &Family,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.inner.check_writable()?;
        let (inner, family) = (Arc::clone(&self.inner), family.clone());
        let (begin, end) = (begin.map(<[u8]>::to_vec), end.map(<[u8]>::to_vec));
        self.inner.state.lock().scheduled_compactions += 1;
        self.inner.env.pool.schedule(
            crate::env::Priority::Low,
            Box::new(move || {
                let range = KeyRange { begin: begin.as_deref(), end: end.as_deref() };
                let work = || inner.compact_levels(&CompactRangeOptions::default(), &family, range);
                match guarded(work) {
                    Err(error) if !is_cancel(&error) && !family.0.is_dropped() => {
                        inner.background_failed(Work::Compaction, &error);
                    }
                    _ => inner.purge(),
                }
                {
                    // Last: a close waits for this.
                    let mut state = inner.state.lock();
                    state.scheduled_compactions -= 1;
                    inner.schedule(&mut state);
                }
                inner.changed.notify_all();
            }),
        );
        Ok(())
    }

    /// Takes files out of the store that lie wholly inside [begin, end]. Level 0 is left alone: its files
    /// may hide others.
    pub fn delete_files_in_range(
        &self,
        family: &Family,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.inner.check_writable()?;
        let order = family.comparator();
        self.inner.delete_files(family, |level, file| {
            level > 0
                && begin.is_none_or(|b| order.compare(b, file.smallest_user()).is_le())
                && end.is_none_or(|e| {
                    let past = order.compare(file.largest_user(), e);
                    past.is_lt() || (past.is_eq() && file.largest_is_exclusive()) || past.is_eq()
                })
        })
    }

    /// Takes one table out of the store, by the name that `live_files` gives. Only a file of the last level in
    /// use, or the oldest of level 0, can go: others hide older data.
    ///
    /// # Errors
    /// `Invalid argument` for a name that is no live table, or one that cannot go.
    pub fn delete_file(&self, name: &str) -> Result<()> {
        self.inner.check_writable()?;
        let refused = || Error::invalid_argument(format!("File {name} cannot be deleted"));
        let Some(FileName::Table(number)) = FileName::parse(name.trim_start_matches('/')) else {
            return Err(Error::invalid_argument("Invalid file name"));
        };
        let found = {
            let state = self.inner.state.lock();
            state.families.values().find_map(|f| {
                let version = &f.version;
                let (level, _) = version.all_files().find(|(_, file)| file.number() == number)?;
                let deeper =
                    (level + 1..version.num_levels()).any(|l| !version.files(l).is_empty());
                let oldest = version.files(0).last().is_some_and(|file| file.number() == number);
                Some((Family(Arc::clone(&f.core)), !deeper && (level > 0 || oldest)))
            })
        };
        match found {
            None => Err(Error::invalid_argument("File not found")),
            Some((_, false)) => Err(refused()),
            Some((family, true)) => self.inner.delete_files(&family, |_, f| f.number() == number),
        }
    }

    /// Waits until no flush or compaction is due or runs.
    pub fn wait_for_compact(&self, options: &WaitForCompactOptions) -> Result<()> {
        let inner = &self.inner;
        inner.check_writable()?;
        if options.flush {
            let ids: Vec<u32> = inner.state.lock().families.keys().copied().collect();
            inner.flush_and_wait(&ids)?;
        }
        let limit = match options.timeout_micros {
            0 => u64::MAX,
            micros => inner.env.clock.nanos().saturating_add(micros.saturating_mul(1000)),
        };
        loop {
            let mut state = inner.state.lock();
            if inner.is_closing() || state.cancelled {
                return Err(Error::shutdown(""));
            }
            if options.abort_on_pause && inner.manual_paused.load(Ordering::Acquire) > 0 {
                return Err(Error::aborted(""));
            }
            if let Some(error) = state.failures.any() {
                return Err(error.clone());
            }
            inner.schedule(&mut state);
            let flushing = state.families.values().any(|f| f.flush_requested || f.flushing);
            if !flushing
                && state.running_flushes == 0
                && state.scheduled_compactions == 0
                && state.running_compactions == 0
            {
                break;
            }
            if inner.env.clock.nanos() >= limit {
                return Err(Error::timed_out(""));
            }
            let stepped =
                crate::base::sync::MutexGuard::unlocked(&mut state, || inner.env.pool.run_one());
            if !stepped {
                inner.changed.wait_for(&mut state, std::time::Duration::from_millis(10));
            }
        }
        if options.close_db {
            self.close();
        }
        Ok(())
    }

    /// Running and later manual compactions end at once; calls are counted.
    pub fn disable_manual_compaction(&self) {
        self.inner.manual_paused.fetch_add(1, Ordering::AcqRel);
        self.inner.tell_all();
        let inner = &self.inner;
        inner.wait_until(|s| {
            let manual = s.families.values().flat_map(|f| &f.running).any(|r| r.pick.is_manual);
            (!manual).then_some(())
        });
    }

    /// Undoes one `disable_manual_compaction`.
    pub fn enable_manual_compaction(&self) {
        // A surplus call changes nothing.
        let _ = self
            .inner
            .manual_paused
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1));
    }

    /// Turns automatic compactions of the families on again.
    pub fn enable_auto_compaction(&self, families: &[Family]) -> Result<()> {
        for family in families {
            self.set_options(family, &[("disable_auto_compactions", "false")])?;
        }
        Ok(())
    }

    /// Numbers of all live tables.
    #[must_use]
    pub fn live_table_numbers(&self) -> BTreeSet<u64> {
        let state = self.inner.state.lock();
        state
            .families
            .values()
            .flat_map(|f| f.version.all_files().map(|(_, f)| f.number()).collect::<Vec<_>>())
            .collect()
    }
}
