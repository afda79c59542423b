//! The write path: who leads, what a group is, and the order log, memtables, publish.
//!
//! 1. The caller checks its batch: a refused batch leaves no trace (no log record, no number used).
//! 2. Nobody leads: lead, without queue, allocation or hand-off. Else wait in the queue; the leader that
//!    ends wakes the first in it, who takes the others that fit along as its group.
//! 3. The leader looks after full memtables, stalls and logs when `attention` is set.
//! 4. One log record for the whole group, in one append; sync if anybody in it asked.
//! 5. Into the memtables. 6. Publish the last number. 7. Wake the group, hand over.
//!
//! A failed append or sync fails the whole group: its record is cut off the log again and its numbers are
//! not used up.
#![forbid(unsafe_code)]

use super::{Db, Family, FamilyTable, Inner};
use crate::base::sync::{Condvar, Mutex};
use crate::base::{Error, Result, Sequence};
use crate::format::batch::{self, Record, WriteBatch};
use crate::options::WriteOptions;
use crate::stats::{HistogramKind, Ticker, ticker::tick};
use crate::version::SuperVersion;
use std::cmp::Ordering as Order;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The queue of writers.
#[derive(Default)]
pub(super) struct WriteQueue(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    leading: bool,
    waiting: VecDeque<Arc<Waiter>>,
}

const WAITING: u8 = 0;
const LEADER: u8 = 1;
const DONE: u8 = 2;

/// Looks at its stage before it sleeps: on two cores a leader is often done within this many turns.
const SPINS: u32 = 200;

struct Waiter {
    stage: AtomicU8,
    slot: Mutex<Slot>,
    wake: Condvar,
    /// `None`: wants to be alone (memtable switches, family changes).
    options: Option<WriteOptions>,
    bytes: usize,
}

struct Slot {
    batch: WriteBatch,
    result: Result<()>,
}

impl Waiter {
    fn new(options: Option<WriteOptions>, batch: WriteBatch) -> Self {
        Self {
            stage: AtomicU8::new(WAITING),
            bytes: batch.data().len(),
            slot: Mutex::new(Slot { batch, result: Ok(()) }),
            wake: Condvar::new(),
            options,
        }
    }

    fn move_to(&self, stage: u8) {
        let _slot = self.slot.lock();
        // Release: pairs with the Acquire in `wait`; what the leader left in the slot is seen.
        self.stage.store(stage, Ordering::Release);
        self.wake.notify_one();
    }

    fn wait(&self) -> u8 {
        for _ in 0..SPINS {
            let stage = self.stage.load(Ordering::Acquire);
            if stage != WAITING {
                return stage;
            }
            std::hint::spin_loop();
        }
        let mut slot = self.slot.lock();
        loop {
            let stage = self.stage.load(Ordering::Acquire);
            if stage != WAITING {
                return stage;
            }
            self.wake.wait(&mut slot);
        }
    }
}

impl WriteQueue {
    /// Leads if nobody does.
    pub(super) fn try_lead(&self) -> Option<Lead<'_>> {
        let mut queue = self.0.lock();
        let free = !std::mem::replace(&mut queue.leading, true);
        // Made only when it is one: dropping it hands over.
        free.then(|| Lead(self))
    }

    /// Leads at once, or queues `waiter`.
    fn lead_or_queue(
        &self,
        waiter: impl FnOnce() -> Arc<Waiter>,
    ) -> std::result::Result<Lead<'_>, Arc<Waiter>> {
        let mut queue = self.0.lock();
        if !queue.leading {
            queue.leading = true;
            return Ok(Lead(self));
        }
        let waiter = waiter();
        queue.waiting.push_back(Arc::clone(&waiter));
        Err(waiter)
    }

    /// Waits until nobody else writes, switches memtables or changes families.
    pub(super) fn lead_alone(&self) -> Lead<'_> {
        match self.lead_or_queue(|| Arc::new(Waiter::new(None, WriteBatch::new()))) {
            Ok(lead) => lead,
            Err(waiter) => {
                waiter.wait();
                Lead(self)
            }
        }
    }

    /// Turns away those in the queue that would rather fail than wait for a stall to end.
    pub(super) fn refuse_hasty(&self) {
        let mut queue = self.0.lock();
        queue.waiting.retain(|waiter| {
            let hasty = waiter.options.is_some_and(|o| o.no_slowdown);
            if hasty {
                waiter.slot.lock().result = Err(Error::incomplete("Write stall"));
                waiter.move_to(DONE);
            }
            !hasty
        });
    }

    /// Those at the front that may share a record with a leader of `options`.
    fn take_group(&self, options: &WriteOptions, mut bytes: usize, limit: u64) -> Vec<Arc<Waiter>> {
        let mut queue = self.0.lock();
        let mut group = Vec::new();
        while let Some(next) = queue.waiting.front() {
            let fits = next.options.is_some_and(|o| {
                o.disable_wal == options.disable_wal
                    && o.no_slowdown == options.no_slowdown
                    && (options.sync || !o.sync)
            });
            if !fits || bytes + next.bytes > usize::try_from(limit).unwrap_or(usize::MAX) {
                break;
            }
            bytes += next.bytes;
            group.extend(queue.waiting.pop_front());
        }
        group
    }
}

/// The right to write. Dropping it (after a panic as well) hands over to the next in the queue.
pub(super) struct Lead<'a>(&'a WriteQueue);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let next = {
            let mut queue = self.0.0.lock();
            let next = queue.waiting.pop_front();
            queue.leading = next.is_some();
            next
        };
        if let Some(next) = next {
            next.move_to(LEADER);
        }
    }
}

impl Inner {
    /// Leads alone, if the store is open still: a close waits for a leader, but not for those behind it.
    pub(super) fn lead_alone(&self) -> Result<Lead<'_>> {
        let lead = self.queue.lead_alone();
        self.check_writable()?;
        Ok(lead)
    }

    /// A write, with its time in the statistics when somebody asked for them.
    fn timed_write(self: &Arc<Self>, options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        let Some(statistics) = self.statistics.as_deref() else {
            return self.write(options, batch);
        };
        let began = self.env.clock.nanos();
        let written = self.write(options, batch);
        let micros = (self.env.clock.nanos() - began).div_ceil(1000);
        statistics.record(HistogramKind::DbWrite, micros);
        statistics.record(HistogramKind::BytesPerWrite, batch.data().len() as u64);
        written
    }

    pub(super) fn write(
        self: &Arc<Self>,
        options: &WriteOptions,
        batch: &mut WriteBatch,
    ) -> Result<()> {
        self.check_writable()?;
        if options.sync && options.disable_wal {
            return Err(Error::invalid_argument("Sync writes has to enable WAL."));
        }
        self.check_batch(options, batch)?;
        if options.no_slowdown && (self.stall.is_stopped() || self.stall.is_delayed()) {
            // The queue may be where the wait is.
            return Err(Error::incomplete("Write stall"));
        }
        let queued = self
            .queue
            .lead_or_queue(|| Arc::new(Waiter::new(Some(*options), std::mem::take(batch))));
        let waiter = match queued {
            Ok(_lead) => {
                self.check_writable()?;
                tick(self.statistics.as_deref(), Ticker::WriteDoneBySelf, 1);
                return self.write_group(options, &mut [batch]);
            }
            Err(waiter) => waiter,
        };
        if waiter.wait() == LEADER {
            let lead = Lead(&self.queue);
            *batch = std::mem::take(&mut waiter.slot.lock().batch);
            // What the store was when this waited says nothing of now.
            self.check_writable()?;
            let limit = self.options.load().max_write_batch_group_size_bytes;
            let others = self.queue.take_group(options, waiter.bytes, limit);
            let result = self.write_for(options, batch, &others);
            drop(lead);
            return result;
        }
        let mut slot = waiter.slot.lock();
        *batch = std::mem::take(&mut slot.batch);
        std::mem::replace(&mut slot.result, Ok(()))
    }

    /// Writes the leader's batch with those of `others`, and wakes them.
    fn write_for(
        self: &Arc<Self>,
        options: &WriteOptions,
        batch: &mut WriteBatch,
        others: &[Arc<Waiter>],
    ) -> Result<()> {
        let mut theirs: Vec<WriteBatch> =
            others.iter().map(|w| std::mem::take(&mut w.slot.lock().batch)).collect();
        let mut group: Vec<&mut WriteBatch> = Vec::with_capacity(1 + theirs.len());
        group.push(batch);
        group.extend(theirs.iter_mut());
        let result = self.write_group(options, &mut group);
        tick(self.statistics.as_deref(), Ticker::WriteDoneBySelf, 1);
        tick(self.statistics.as_deref(), Ticker::WriteDoneByOther, others.len() as u64);
        for (waiter, batch) in others.iter().zip(theirs) {
            {
                let mut slot = waiter.slot.lock();
                slot.batch = batch;
                slot.result.clone_from(&result);
            }
            waiter.move_to(DONE);
        }
        result
    }

    fn write_group(
        self: &Arc<Self>,
        options: &WriteOptions,
        group: &mut [&mut WriteBatch],
    ) -> Result<()> {
        let bytes: usize = group.iter().map(|b| b.data().len()).sum();
        // Acquire: pairs with the Release of whoever asked for attention.
        if self.attention.load(Ordering::Acquire) {
            self.attend(options, bytes)?;
        }
        let families = self.families.load();
        let first = self.published.load(Ordering::Relaxed) + 1;
        let mut next = first;
        for batch in group.iter_mut() {
            batch.set_sequence(next);
            next += u64::from(batch.count());
        }
        if !options.disable_wal {
            self.log_group(options, group, first, next - first)?;
        }
        let mut full = false;
        for batch in group.iter() {
            full |= insert(&families, batch)?;
        }
        // Release: whoever reads the number sees the entries it covers.
        self.published.store(next - 1, Ordering::Release);
        if full || self.memory_is_short(&families) {
            self.attention.store(true, Ordering::Release);
        }
        self.counters.wrote(group.len() as u64, next - first, bytes as u64, options.disable_wal);
        if let Some(s) = self.statistics.as_deref() {
            s.add(Ticker::KeysWritten, next - first);
            s.add(Ticker::BytesWritten, bytes as u64);
            s.add(Ticker::WriteWithWal, if options.disable_wal { 0 } else { group.len() as u64 });
        }
        Ok(())
    }

    fn log_group(
        self: &Arc<Self>,
        options: &WriteOptions,
        group: &[&mut WriteBatch],
        first: Sequence,
        count: u64,
    ) -> Result<()> {
        let mut wal = self.wal.lock();
        let written = match group {
            [one] => wal.append(one.data(), options.sync),
            many => {
                let count = u32::try_from(count)
                    .map_err(|_| Error::invalid_argument("too many records in one group"))?;
                let mut rep = wal.take_scratch();
                batch::merge_into(&mut rep, first, count, many.iter().map(|b| b.data()));
                let written = wal.append(&rep, options.sync);
                wal.give_scratch(rep);
                written
            }
        };
        if options.sync && written.is_ok() {
            tick(self.statistics.as_deref(), Ticker::WalFileSynced, 1);
        }
        match &written {
            Ok(bytes) => {
                tick(self.statistics.as_deref(), Ticker::WalFileBytes, *bytes);
                if wal.number_bytes() > self.wal_attention_bytes() {
                    self.attention.store(true, Ordering::Release);
                }
            }
            Err(error) => {
                drop(wal);
                self.wal_failed(error);
            }
        }
        written.map(|_| ())
    }

    /// Reads the whole batch once before anything is done: its form, its families, what it asks of them.
    fn check_batch(&self, options: &WriteOptions, batch: &WriteBatch) -> Result<()> {
        let families = self.families.load();
        for record in batch.records()? {
            let record = record?;
            let Some(id) = record.family() else {
                if record.is_transaction_marker() {
                    return Err(Error::not_supported("prepared transactions in a write batch"));
                }
                continue;
            };
            let Some(family) = families.get(id) else {
                if options.ignore_missing_column_families {
                    continue;
                }
                return Err(Error::invalid_argument(
                    "Invalid column family specified in write batch",
                ));
            };
            match record {
                Record::Merge { .. } if family.merge_operator().is_none() => {
                    return Err(Error::not_supported("Provide a merge_operator when opening DB"));
                }
                Record::DeleteRange { begin, end, .. }
                    if family.order.compare_user(begin, end) == Order::Greater =>
                {
                    return Err(Error::invalid_argument("end key comes before start key"));
                }
                Record::BlobIndex { .. } => {
                    return Err(Error::not_supported("blob references in a write batch"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Puts the records of a batch, which was checked, into the memtables, and says whether one of them is
/// full. Families that were dropped since are skipped; their records keep their numbers.
fn insert(families: &FamilyTable, batch: &WriteBatch) -> Result<bool> {
    let records = batch::records(batch.data())?;
    let mut sequence = records.sequence();
    let mut full = false;
    let mut last: Option<(u32, Arc<SuperVersion>)> = None;
    for record in records {
        let record = record?;
        if let Some(id) = record.family() {
            if last.as_ref().is_none_or(|(of, _)| *of != id) {
                full |= last.as_ref().is_some_and(|(_, view)| is_full(view));
                last = families.get(id).map(|f| (id, f.view.load()));
            }
            if let Some((of, view)) = &last
                && *of == id
                && let Some((kind, key, value)) = record.entry()
            {
                view.mem.add(sequence, kind, key, value);
            }
        }
        if record.counts() {
            sequence += 1;
        }
    }
    Ok(full || last.as_ref().is_some_and(|(_, view)| is_full(view)))
}

fn is_full(view: &SuperVersion) -> bool {
    view.mem.should_flush(view.options.write_buffer_size)
}

impl Db {
    /// Writes a batch, all or nothing, and stores its sequence number in it.
    ///
    /// # Errors
    /// `Invalid argument` or `Not implemented` for a batch that cannot be written (nothing happens then);
    /// `IO error` when the log could not be written or synced; `Result incomplete: Write stall` with
    /// `no_slowdown`.
    pub fn write(&self, options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        self.inner.timed_write(options, batch)
    }

    fn write_one(
        &self,
        options: &WriteOptions,
        bytes: usize,
        fill: impl FnOnce(&mut WriteBatch) -> Result<()>,
    ) -> Result<()> {
        // A header, a tag, a family and two lengths: one allocation, unless the value is large.
        let mut batch = WriteBatch::with_capacity(bytes.min(1 << 20) + 28);
        fill(&mut batch)?;
        self.inner.timed_write(options, &mut batch)
    }

    /// Sets `key` to `value`.
    pub fn put(&self, o: &WriteOptions, f: &Family, key: &[u8], value: &[u8]) -> Result<()> {
        self.write_one(o, key.len() + value.len(), |b| b.put(f.id(), key, value))
    }

    /// Deletes `key`.
    pub fn delete(&self, o: &WriteOptions, f: &Family, key: &[u8]) -> Result<()> {
        self.write_one(o, key.len(), |b| b.delete(f.id(), key))
    }

    /// Removes the one put of `key`.
    pub fn single_delete(&self, o: &WriteOptions, f: &Family, key: &[u8]) -> Result<()> {
        self.write_one(o, key.len(), |b| b.single_delete(f.id(), key))
    }

    /// Adds an operand for the merge operator.
    pub fn merge(&self, o: &WriteOptions, f: &Family, key: &[u8], value: &[u8]) -> Result<()> {
        self.write_one(o, key.len() + value.len(), |b| b.merge(f.id(), key, value))
    }

    /// Deletes all keys of [begin, end).
    pub fn delete_range(
        &self,
        o: &WriteOptions,
        f: &Family,
        begin: &[u8],
        end: &[u8],
    ) -> Result<()> {
        self.write_one(o, begin.len() + end.len(), |b| b.delete_range(f.id(), begin, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_lead_takes_nothing_from_who_does() {
        let queue = WriteQueue::default();
        let lead = queue.try_lead().unwrap();
        assert!(queue.try_lead().is_none());
        assert!(queue.try_lead().is_none(), "the first still leads");
        drop(lead);
        assert!(queue.try_lead().is_some());
    }
}
