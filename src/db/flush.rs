//! Memtables to level 0.
//!
//! 1. A leader seals the active memtable: a new one and a new log take its place.
//! 2. A background thread takes the oldest sealed ones of a family and writes one table from them.
//! 3. Other families' older writes must not be lost while this newer data is safe: logs closed before are synced.
//! 4. The manifest gets the table and the new log floor of the family; then memory follows.
//! 5. Logs that nobody needs go.
#![forbid(unsafe_code)]

use super::column_family::FamilyCore;
use super::{Db, Family, FamilyState, Inner, State};
use crate::base::{Error, ParsedKey, Result};
use crate::compaction::folders;
use crate::compaction::output::{OutputOptions, Outputs};
use crate::compaction::pick;
use crate::compaction::stream::{self, CompactionStream, Covers, StreamOptions};
use crate::env::rate_limiter::Urgency;
use crate::env::{LogLevel, WriteMode};
use crate::format::manifest::{FileEntry, VersionEdit};
use crate::format::name;
use crate::iter::{Fragments, RangeDeletions, merging};
use crate::memtable::MemTable;
use crate::options::{CfOptions, FlushOptions, WriteOptions};
use crate::stats::{Ticker, ticker::tick};
use crate::table::BuildOptions;
use crate::version::SuperVersion;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Shall the caller wait for the outcome?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Until it is there.
    Yes,
    /// It comes by itself.
    No,
}

/// Sealed memtables of a family on their way to a table.
struct Sealed {
    core: Arc<FamilyCore>,
    /// Oldest first.
    mems: Vec<Arc<MemTable>>,
    /// The table's number.
    number: u64,
    epoch: u64,
}

impl Inner {
    /// A leader's chores before a write: held-back writers, full memtables, too many or suspect logs.
    pub(super) fn attend(self: &Arc<Self>, options: &WriteOptions, bytes: usize) -> Result<()> {
        // Cleared first: whoever asks again meanwhile is not forgotten.
        self.attention.store(false, Ordering::Release);
        let done = self.chores(options, bytes);
        if done.is_err()
            || self.stall.is_delayed()
            || self.stall.is_stopped()
            || self.wal.lock().newest_suspect().is_some()
        {
            self.attention.store(true, Ordering::Release);
        }
        done
    }

    fn chores(self: &Arc<Self>, options: &WriteOptions, bytes: usize) -> Result<()> {
        self.settle_families()?;
        let (full, pressing) = {
            let current = self.wal.lock().number_bytes();
            let state = self.state.lock();
            let mut full: Vec<u32> = state
                .families
                .iter()
                .filter(|(_, f)| f.core.is_mem_full())
                .map(|(id, _)| *id)
                .collect();
            let mut pressing = self.families_of_old_logs(&state, current);
            full.extend_from_slice(&pressing);
            if full.is_empty() {
                pressing.extend(self.largest_memtable(&state));
                full.clone_from(&pressing);
            }
            (full, pressing)
        };
        if !full.is_empty() || self.wal.lock().needs_new() {
            self.seal(&full)?;
        }
        if !pressing.is_empty() {
            // However few of them: waiting for more to merge them with would be for ever.
            let mut state = self.state.lock();
            for id in pressing {
                if let Some(family) = state.families.get_mut(&id) {
                    family.flush_requested |= !family.imm.is_empty();
                }
            }
            self.schedule(&mut state);
        }
        let wait = if options.sync { Wait::Yes } else { Wait::No };
        self.leave_suspects(wait)?;
        self.hold_back(options, bytes)
    }

    /// Brings what is in logs whose sync failed to tables. Only a leader may call this.
    pub(super) fn leave_suspects(self: &Arc<Self>, wait: Wait) -> Result<()> {
        let Some(newest) = self.wal.lock().newest_suspect() else { return Ok(()) };
        let left = |state: &State| {
            state.families.values().all(|f| f.oldest_log().is_none_or(|log| log > newest))
        };
        let unsealed: Vec<u32> = {
            let state = self.state.lock();
            let holds = |f: &FamilyState| !f.mem.is_empty() && f.mem.log_number() <= newest;
            state.families.iter().filter(|(_, f)| holds(f)).map(|(id, _)| *id).collect()
        };
        if !unsealed.is_empty() || self.wal.lock().needs_new() {
            self.seal(&unsealed)?;
        }
        let done = {
            let mut state = self.state.lock();
            for family in state.families.values_mut() {
                family.flush_requested |= !family.imm.is_empty();
            }
            if wait == Wait::Yes {
                // Somebody asks: what failed before is tried now.
                state.failures.flush = None;
            }
            self.schedule(&mut state);
            left(&state)
        };
        if !done && wait == Wait::No {
            return Ok(());
        }
        self.wait_until(|state| {
            if left(state) {
                return Some(Ok(()));
            }
            if let Some(error) = &state.failures.flush {
                return Some(Err(error.clone()));
            }
            if self.is_closing() || state.cancelled {
                return Some(Err(Error::shutdown("")));
            }
            self.schedule(state);
            None
        })?;
        self.purge();
        Ok(())
    }

    /// `max_total_wal_size`: families whose data keeps the oldest log alive.
    fn families_of_old_logs(&self, state: &State, current: u64) -> Vec<u32> {
        if self.live_log_bytes(state, current) <= self.wal_limit(state) {
            return Vec::new();
        }
        let of_family = |(id, f): (&u32, &FamilyState)| f.oldest_log().map(|log| (*id, log));
        let held: Vec<(u32, u64)> = state.families.iter().filter_map(of_family).collect();
        let oldest = held.iter().map(|(_, log)| *log).min();
        held.into_iter().filter(|(_, log)| Some(*log) == oldest).map(|(id, _)| id).collect()
    }

    fn wal_limit(&self, state: &State) -> u64 {
        match self.options.load().max_total_wal_size {
            0 => state
                .families
                .values()
                .map(|f| {
                    let o = f.core.options.load();
                    4 * o.write_buffer_size as u64
                        * u64::try_from(o.max_write_buffer_number).unwrap_or(2)
                })
                .sum(),
            limit => limit,
        }
    }

    /// Works out from which size of the current log on a leader must look at the total.
    pub(super) fn update_wal_attention(&self, state: &State) {
        let closed = self.live_log_bytes(state, 0);
        let left = self.wal_limit(state).saturating_sub(closed);
        self.counters.wal_attention.store(left, Ordering::Relaxed);
    }

    /// Seals the active memtables of `ids`. Only a leader may call this.
    pub(super) fn seal(self: &Arc<Self>, ids: &[u32]) -> Result<()> {
        let is_clean = {
            let wal = self.wal.lock();
            (!wal.has_records() && !wal.needs_new()).then_some(wal.number())
        };
        let log = is_clean.map_or_else(|| self.new_log(), Ok)?;
        let mut old: Vec<Option<Arc<SuperVersion>>> = Vec::new();
        let mut state = self.state.lock();
        for id in ids {
            let Some(family) = state.families.get_mut(id) else { continue };
            if family.mem.is_empty() {
                continue;
            }
            let fresh = family.core.memtable(log);
            let sealed = std::mem::replace(&mut family.mem, fresh);
            family.imm.push(sealed);
            let enough =
                usize::try_from(family.core.options.load().min_write_buffer_number_to_merge)
                    .unwrap_or(1);
            family.flush_requested |= family.imm.len() >= enough.max(1);
            old.push(self.install_view(&mut state, *id));
        }
        // Empty memtables hold nothing of older logs.
        for family in state.families.values().filter(|f| f.mem.is_empty()) {
            family.mem.set_log_number(log);
        }
        self.update_wal_attention(&state);
        self.schedule(&mut state);
        drop(state);
        drop(old);
        Ok(())
    }

    /// Flushes what is sealed of a family, on a background thread. Behind a failed log sync all families
    /// go together: their tables must become part of the store at once.
    pub(super) fn flush_family(self: &Arc<Self>, id: u32) -> Result<()> {
        let all = self.wal.lock().newest_suspect().is_some();
        let sealed: Vec<Sealed> = {
            let mut state = self.state.lock();
            let together = |other: u32, f: &FamilyState| other == id || (all && !f.flushing);
            let families: Vec<u32> = state
                .families
                .iter()
                .filter(|(other, f)| together(**other, f))
                .map(|(other, _)| *other)
                .collect();
            families.into_iter().filter_map(|f| self.take_sealed(&mut state, f)).collect()
        };
        if sealed.is_empty() {
            return Ok(());
        }
        let result = self.flush_sealed(&sealed);
        let mut state = self.state.lock();
        for of in &sealed {
            state.pending_outputs.remove(&of.number);
            if let Some(family) = state.families.get_mut(&of.core.id) {
                family.flush_requested |= result.is_err();
                // That of `id` is the job's to clear.
                if of.core.id != id {
                    (family.flushing, family.flushing_from) = (false, None);
                }
            }
        }
        result
    }

    fn take_sealed(&self, state: &mut State, id: u32) -> Option<Sealed> {
        let family = state.families.get_mut(&id)?;
        family.flush_requested = false;
        if family.imm.is_empty() {
            return None;
        }
        family.flushing = true;
        family.flushing_from = family.imm.first().map(|m| m.id());
        family.next_epoch += 1;
        let (epoch, number) = (family.next_epoch - 1, self.new_file_number());
        let sealed =
            Sealed { core: Arc::clone(&family.core), mems: family.imm.clone(), number, epoch };
        state.pending_outputs.insert(number);
        Some(sealed)
    }

    fn flush_sealed(self: &Arc<Self>, sealed: &[Sealed]) -> Result<()> {
        let began = self.env.clock.nanos();
        let mut edits = Vec::with_capacity(sealed.len());
        let written = self.write_sealed(sealed, &mut edits);
        if let Err(error) = written {
            for (_, file) in edits.iter().flat_map(|e| &e.new_files) {
                self.discard_table(file.number);
            }
            return Err(error);
        }
        let bytes = edits.iter().flat_map(|e| &e.new_files).map(|(_, f)| f.size).sum();
        let mut old = Vec::new();
        let mut flushed = Vec::new();
        self.log_edits(&edits, |state| {
            for (of, edit) in sealed.iter().zip(&edits) {
                if let Some(family) = state.families.get_mut(&of.core.id) {
                    flushed.extend(family.imm.drain(..of.mems.len()));
                    // Somebody may have asked for what was on its way already.
                    family.flush_requested &= !family.imm.is_empty();
                    family.log_number = edit.log_number.unwrap_or(family.log_number);
                }
                old.push(self.install_view(state, of.core.id));
            }
        })?;
        drop((old, flushed));
        tick(self.statistics.as_deref(), Ticker::FlushWriteBytes, bytes);
        self.counters.flushed(bytes, (self.env.clock.nanos() - began) / 1000);
        for of in sealed {
            let (name, count, number) = (&of.core.name, of.mems.len(), of.number);
            let text =
                format!("[{name}] Flushed {count} memtables to table {number}: {bytes} bytes");
            self.log(LogLevel::Info, &text);
        }
        Ok(())
    }

    /// The tables of sealed memtables and the edits that bring them into the store.
    fn write_sealed(
        self: &Arc<Self>,
        sealed: &[Sealed],
        edits: &mut Vec<VersionEdit>,
    ) -> Result<()> {
        for of in sealed {
            let written = self.write_level0(&of.core, &of.mems, of.number, of.epoch)?;
            let (log_number, log_floors) = {
                let state = self.state.lock();
                let family = state.families.get(&of.core.id);
                let next = family.map(|f| f.imm.get(of.mems.len()).unwrap_or(&f.mem).log_number());
                let log = state.logs.iter().find(|l| Some(l.number) == next);
                (next, log.map(|l| (l.number, l.floor)).into_iter().collect())
            };
            let family = of.core.id;
            let mut edit = VersionEdit { family, log_number, log_floors, ..VersionEdit::default() };
            edit.new_files.extend(written.map(|f| (0, f)));
            edits.push(edit);
        }
        self.keep_order(sealed, edits)
    }

    /// Sees to it that no older write of another family can be lost once `edits` are safe.
    fn keep_order(self: &Arc<Self>, sealed: &[Sealed], edits: &[VersionEdit]) -> Result<()> {
        let upto = edits.iter().filter_map(|e| e.log_number).max().unwrap_or(0);
        if self.families.load().list.len() < 2 {
            return Ok(());
        }
        let (synced, suspect) = {
            let mut wal = self.wal.lock();
            (wal.sync_closed(upto), wal.suspect_below(upto))
        };
        if let Err(error) = synced {
            self.wal_failed(&error);
            return Err(error);
        }
        let Some((log, error)) = suspect else { return Ok(()) };
        let state = self.state.lock();
        let flushed = |id: u32| sealed.iter().find(|s| s.core.id == id).map_or(0, |s| s.mems.len());
        let unsafe_data = state.families.iter().any(|(id, f)| {
            let mut left = f.imm.iter().skip(flushed(*id)).chain(std::iter::once(&f.mem));
            left.any(|m| !m.is_empty() && m.log_number() <= log)
        });
        if unsafe_data { Err(error) } else { Ok(()) }
    }

    /// Removes a table that became part of nothing.
    pub(super) fn discard_table(&self, number: u64) {
        self.tables.evict(number);
        let folders = self.table_folders(&self.state.lock());
        for folder in folders {
            self.remove(&folder.join(name::table(number)));
        }
    }

    /// Writes one level-0 table from memtables, oldest first. `None` if nothing of them survives.
    pub(super) fn write_level0(
        &self,
        core: &FamilyCore,
        mems: &[Arc<MemTable>],
        number: u64,
        epoch: u64,
    ) -> Result<Option<FileEntry>> {
        let options = core.options.load();
        let order = core.order.clone();
        let snapshots = self.snapshots.list();
        let tombstones: Vec<_> =
            mems.iter().flat_map(|m| m.tombstones().tombstones().to_vec()).collect();
        let tombstones = Arc::new(Fragments::build(tombstones, &**order.user()));
        let mut covering = RangeDeletions::new(order.clone());
        covering.add(Arc::clone(&tombstones), None);
        let covers: Option<Covers> = (!tombstones.is_empty())
            .then(|| Box::new(move |k: &ParsedKey<'_>, s| covering.covers(k, s)) as Covers);
        let survivors = stream::surviving(&tombstones, &order, &snapshots, |_, _| true);
        let stream_options = StreamOptions {
            snapshots,
            merge_operator: options.merge_operator.clone(),
            covers,
            ..StreamOptions::new(order.clone())
        };
        let children = mems.iter().map(MemTable::iter).collect();
        let mut stream = CompactionStream::new(merging::merge(order, children), stream_options);
        let new_number = || number;
        let mut outputs =
            Outputs::new(self.level0_options(core, &options, epoch), survivors, &new_number);
        let mut write = || -> Result<Option<FileEntry>> {
            while stream.advance()? {
                outputs.add(stream.key(), stream.value())?;
            }
            let done = outputs.finish()?;
            if !done.is_empty() {
                self.env.fs.sync_dir(folders::of(core.tables.folders(), 0))?;
            }
            Ok(done.into_iter().next().map(|o| o.entry))
        };
        let written = write();
        if written.is_err() {
            outputs.abandon();
            self.tables.evict(number);
        }
        written
    }

    fn level0_options(&self, core: &FamilyCore, options: &CfOptions, epoch: u64) -> OutputOptions {
        let now = self.env.clock.now_micros() / 1_000_000;
        let (compression, compression_opts) = pick::compression_of(options, 0, 1, false);
        OutputOptions {
            fs: Arc::clone(&self.env.fs),
            limiter: self.options.load().rate_limiter.clone().map(|l| (l, Urgency::High)),
            write_mode: WriteMode {
                direct: self.options.load().use_direct_io_for_flush_and_compaction,
            },
            build: BuildOptions {
                compression,
                compression_opts,
                level: 0,
                creation_time: now,
                file_creation_time: now,
                ..self.build_options(core, options)
            },
            level: 0,
            folder: (0, folders::of(core.tables.folders(), 0).clone()),
            max_file_size: u64::MAX,
            grandparents: Vec::new(),
            max_grandparent_overlap: u64::MAX,
            epoch,
        }
    }

    /// What all tables of a family say of their origin.
    pub(super) fn build_options(&self, core: &FamilyCore, options: &CfOptions) -> BuildOptions {
        BuildOptions {
            prefix_extractor: options.prefix_extractor.clone(),
            family: (core.id, core.name.clone()),
            db_id: self.identity.clone(),
            db_session_id: self.session.clone(),
            db_host_id: self.host_id(),
            merge_operator: options
                .merge_operator
                .as_ref()
                .map_or_else(|| "nullptr".to_owned(), |m| m.name().to_owned()),
            statistics: self.statistics.clone(),
            ..BuildOptions::new(core.order.clone(), Arc::clone(&options.table))
        }
    }

    /// Flushes families whose memtables hold data that no log holds.
    pub(super) fn flush_unlogged(self: &Arc<Self>) -> Result<()> {
        if self.read_only
            || self.options.load().avoid_flush_during_shutdown
            || !self.counters.has_unlogged()
        {
            return Ok(());
        }
        let ids: Vec<u32> = self.state.lock().families.keys().copied().collect();
        self.flush_and_wait(&ids)
    }

    /// Seals and flushes families and waits for it.
    pub(super) fn flush_and_wait(self: &Arc<Self>, ids: &[u32]) -> Result<()> {
        let targets = self.request_flush(ids)?;
        self.wait_for_flush(&targets)
    }

    /// Seals and requests; says which memtables (by family and id) the caller may wait for.
    fn request_flush(self: &Arc<Self>, ids: &[u32]) -> Result<Vec<(u32, u64)>> {
        let lead = self.lead_alone()?;
        self.leave_suspects(Wait::No)?;
        self.seal(ids)?;
        drop(lead);
        let mut state = self.state.lock();
        // Somebody asks: what failed before is tried now, not at the next planned time.
        state.failures.flush = None;
        let mut targets = Vec::new();
        for id in ids {
            if let Some(family) = state.families.get_mut(id)
                && let Some(newest) = family.imm.last()
            {
                targets.push((*id, newest.id()));
                family.flush_requested = true;
            }
        }
        self.schedule(&mut state);
        Ok(targets)
    }

    fn wait_for_flush(self: &Arc<Self>, targets: &[(u32, u64)]) -> Result<()> {
        self.wait_until(|state| {
            let waiting = targets.iter().any(|(id, newest)| {
                state.families.get(id).is_some_and(|f| {
                    let oldest = f.imm.first().map(|m| m.id());
                    oldest.into_iter().chain(f.flushing_from).any(|id| id <= *newest)
                })
            });
            if !waiting {
                return Some(Ok(()));
            }
            if let Some(error) = &state.failures.flush {
                return Some(Err(error.clone()));
            }
            if self.is_closing() || state.cancelled {
                return Some(Err(Error::shutdown("")));
            }
            self.schedule(state);
            None
        })
    }
}

impl Db {
    /// Writes the memtables of `families` to tables.
    ///
    /// # Errors
    /// `Column family dropped`; with `wait`, the error of the flush (which is tried again by itself).
    pub fn flush(&self, options: &FlushOptions, families: &[Family]) -> Result<()> {
        self.inner.check_writable()?;
        if families.iter().any(|f| f.0.is_dropped()) {
            return Err(Error::dropped(""));
        }
        let ids: Vec<u32> = families.iter().map(Family::id).collect();
        let targets = self.inner.request_flush(&ids)?;
        if options.wait { self.inner.wait_for_flush(&targets) } else { Ok(()) }
    }
}
