//! Memtables to level 0.
//!
//! 1. A leader seals the active memtable: a new one and a new log take its place.
//! 2. A background thread takes the oldest sealed ones of a family and writes one table from them.
//! 3. Other families' older writes must not be lost while this newer data is safe: logs closed before are synced.
//! 4. The manifest gets the table and the new log floor of the family; then memory follows.
//! 5. Logs that nobody needs go.
#![forbid(unsafe_code)]

use super::column_family::FamilyCore;
use super::{Db, Family, Inner, State};
use crate::base::{Error, ParsedKey, Result};
use crate::compaction::output::{OutputOptions, Outputs};
use crate::compaction::pick;
use crate::compaction::stream::{self, CompactionStream, Covers, StreamOptions};
use crate::env::rate_limiter::Urgency;
use crate::env::{LogLevel, WriteMode};
use crate::format::manifest::{FileEntry, VersionEdit};
use crate::iter::{Fragments, RangeDeletions, merging};
use crate::memtable::MemTable;
use crate::options::{CfOptions, FlushOptions, WriteOptions};
use crate::stats::{Ticker, ticker::tick};
use crate::table::BuildOptions;
use crate::version::SuperVersion;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    /// A leader's chores before a write: held-back writers, full memtables, too many or suspect logs.
    pub(super) fn attend(self: &Arc<Self>, options: &WriteOptions, bytes: usize) -> Result<()> {
        // Cleared first: whoever asks again meanwhile is not forgotten.
        self.attention.store(false, Ordering::Release);
        let suspect = self.wal.lock().is_suspect();
        let full: Vec<u32> = {
            let state = self.state.lock();
            let mut full: Vec<u32> = state
                .families
                .iter()
                .filter(|(_, f)| f.core.is_mem_full() || (suspect && !f.mem.is_empty()))
                .map(|(id, _)| *id)
                .collect();
            self.add_families_of_old_logs(&state, &mut full);
            self.add_largest_memtable(&state, &mut full);
            full
        };
        if !full.is_empty() {
            let switched = self.seal(&full);
            if let Err(error) = switched {
                self.attention.store(true, Ordering::Release);
                return Err(error);
            }
            if suspect {
                self.request_all_flushes();
            }
        }
        self.hold_back(options, bytes)?;
        if self.stall.is_delayed() || self.stall.is_stopped() {
            self.attention.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Every sealed memtable is wanted in tables soon.
    fn request_all_flushes(self: &Arc<Self>) {
        let mut state = self.state.lock();
        for family in state.families.values_mut() {
            family.flush_requested |= !family.imm.is_empty();
        }
        self.schedule(&mut state);
    }

    /// `max_total_wal_size`: families whose data keeps the oldest log alive.
    fn add_families_of_old_logs(&self, state: &State, full: &mut Vec<u32>) {
        let limit = self.wal_limit(state);
        let total = self.live_log_bytes(state, self.wal.lock().number_bytes());
        if total <= limit {
            return;
        }
        let Some(oldest) = state.families.values().filter_map(super::FamilyState::oldest_log).min()
        else {
            return;
        };
        for (id, family) in &state.families {
            let keeps = !family.mem.is_empty() && family.mem.log_number() <= oldest;
            if keeps && !full.contains(id) {
                full.push(*id);
            }
        }
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
        let log = if self.wal.lock().number_bytes() > 0 || self.wal.lock().is_suspect() {
            self.new_log()?
        } else {
            self.wal.lock().number()
        };
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

    /// Flushes what is sealed of a family, on a background thread.
    pub(super) fn flush_family(self: &Arc<Self>, id: u32) -> Result<()> {
        let (core, mems, number, epoch) = {
            let mut state = self.state.lock();
            let number = self.new_file_number();
            let Some(family) = state.families.get_mut(&id) else { return Ok(()) };
            family.flush_requested = false;
            if family.imm.is_empty() {
                return Ok(());
            }
            let epoch = family.next_epoch;
            family.next_epoch += 1;
            let found = (Arc::clone(&family.core), family.imm.clone(), number, epoch);
            state.pending_outputs.insert(number);
            found
        };
        let result = self.flush_memtables(&core, &mems, number, epoch);
        let mut state = self.state.lock();
        state.pending_outputs.remove(&number);
        if result.is_err()
            && let Some(family) = state.families.get_mut(&id)
        {
            family.flush_requested = true;
        }
        result
    }

    fn flush_memtables(
        self: &Arc<Self>,
        core: &Arc<FamilyCore>,
        mems: &[Arc<MemTable>],
        number: u64,
        epoch: u64,
    ) -> Result<()> {
        let began = self.env.clock.nanos();
        let written = self.write_level0(core, mems, number, epoch)?;
        let id = core.id;
        let next_log = {
            let state = self.state.lock();
            let Some(family) = state.families.get(&id) else { return Ok(()) };
            family.imm.get(mems.len()).unwrap_or(&family.mem).log_number()
        };
        if self.families.load().list.len() > 1 {
            let synced = self.wal.lock().sync_closed(next_log);
            if let Err(error) = synced {
                self.wal_failed(&error);
                // The tables of the other families will bring their data to safety; until then this
                // newer data stays out of the manifest.
                return Err(error);
            }
        }
        let mut edit =
            VersionEdit { family: id, log_number: Some(next_log), ..VersionEdit::default() };
        let bytes = written.as_ref().map_or(0, |f| f.size);
        edit.new_files.extend(written.map(|f| (0, f)));
        let mut old = None;
        let mut flushed = Vec::new();
        self.log_edits(&[edit], |state| {
            if let Some(family) = state.families.get_mut(&id) {
                flushed.extend(family.imm.drain(..mems.len()));
                family.log_number = next_log;
            }
            old = self.install_view(state, id);
        })?;
        drop((old, flushed));
        tick(self.statistics.as_deref(), Ticker::FlushWriteBytes, bytes);
        self.counters.flushed(bytes, (self.env.clock.nanos() - began) / 1000);
        self.log(
            LogLevel::Info,
            &format!(
                "[{}] Flushed {} memtables to table {number}: {bytes} bytes",
                core.name,
                mems.len()
            ),
        );
        Ok(())
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
                self.env.fs.sync_dir(&self.path)?;
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
            folder: (0, self.path.clone()),
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
        let lead = self.queue.lead_alone();
        self.seal(ids)?;
        drop(lead);
        let mut state = self.state.lock();
        // Somebody asks: what failed before is tried now, not at the next planned time.
        state.background_error = None;
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
                state
                    .families
                    .get(id)
                    .is_some_and(|f| f.imm.first().is_some_and(|m| m.id() <= *newest))
            });
            if !waiting {
                return Some(Ok(()));
            }
            if let Some(error) = &state.background_error {
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
