//! One shard: an open-addressed table whose slots are the clock's positions as well.
//!
//! Invariants: an entry sits between its home slot and the next free one (removal shifts back those
//! behind it); at least a quarter of the slots is free; an entry whose `Arc` has one owner is held by
//! the table alone, and as clones are made under the lock only, it stays so while the lock is held
//! exclusively.
#![forbid(unsafe_code)]

use super::{CacheKey, Entry, Priority, Value};
use crate::base::sync::RwLock;
use crate::base::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::Arc;

const MAX_VISITS: u8 = 3;
const MIN_SLOTS: usize = 16;

#[derive(Debug, Default)]
struct Slot {
    key: [u64; 2],
    entry: Option<Arc<Entry>>,
    /// How often the hand passes by before it takes the entry. Relaxed: a hint.
    visits: AtomicU8,
}

#[derive(Debug)]
struct Table {
    slots: Box<[Slot]>,
    len: usize,
    hand: usize,
    capacity: usize,
}

/// A part of the keys with a part of the capacity.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Shard {
    table: RwLock<Table>,
    usage: Arc<AtomicUsize>,
}

/// What became of an insertion.
pub(super) enum Inserted {
    /// Here it is, in the table or not.
    Yes(Arc<Entry>),
    /// There is no room.
    Full,
}

impl Shard {
    pub(super) fn new(capacity: usize) -> Self {
        let table = Table { slots: empty_slots(MIN_SLOTS), len: 0, hand: 0, capacity };
        Self { table: RwLock::new(table), usage: Arc::new(AtomicUsize::new(0)) }
    }

    #[inline]
    pub(super) fn get(&self, hash: u64, key: &CacheKey) -> Option<Arc<Entry>> {
        let table = self.table.read();
        let slot = &table.slots[table.find(hash, key)?];
        // Written only while it changes something: hot entries are read by many cores.
        let visits = slot.visits.load(Ordering::Relaxed);
        if visits < MAX_VISITS {
            slot.visits.store(visits + 1, Ordering::Relaxed);
        }
        slot.entry.clone()
    }

    pub(super) fn insert(
        &self,
        hash: u64,
        key: CacheKey,
        value: Value,
        charge: usize,
        priority: Priority,
        strict: bool,
    ) -> Inserted {
        let mut garbage = Vec::new(); // dropped behind the lock
        let mut table = self.table.write();
        if let Some(at) = table.find(hash, &key) {
            garbage.extend(uncounted(table.remove(at)));
        }
        let capacity = table.capacity;
        self.evict(&mut table, capacity.saturating_sub(charge), &mut garbage);
        let fits = self.usage().saturating_add(charge) <= capacity;
        if !fits && strict {
            return Inserted::Full;
        }
        let entry = Entry::counted(value, charge, &self.usage);
        if fits {
            let visits = match priority {
                Priority::High => MAX_VISITS,
                Priority::Low => 1,
                Priority::Bottom => 0,
            };
            table.add(hash, key, Arc::clone(&entry), visits);
        }
        drop(table);
        Inserted::Yes(entry)
    }

    /// Turns the clock until no more than `limit` bytes exist, or all that is left is pinned.
    fn evict(&self, table: &mut Table, limit: usize, garbage: &mut Vec<Arc<Entry>>) {
        let mut steps = table.slots.len() * (usize::from(MAX_VISITS) + 2);
        while self.usage() > limit && table.len > 0 && steps > 0 {
            steps -= 1;
            let at = table.hand & (table.slots.len() - 1);
            let slot = &mut table.slots[at];
            // Relaxed: the table is locked for this thread alone.
            let visits = slot.visits.load(Ordering::Relaxed);
            if slot.entry.as_ref().is_none_or(|e| visits > 0 || Arc::strong_count(e) > 1) {
                slot.visits.store(visits.saturating_sub(1), Ordering::Relaxed);
                table.hand = at + 1;
                continue;
            }
            // Another entry may shift into this slot; the hand stays to look at it.
            garbage.extend(uncounted(table.remove(at)));
        }
    }

    pub(super) fn erase(&self, hash: u64, key: &CacheKey) {
        let mut table = self.table.write();
        let removed = table.find(hash, key).and_then(|at| table.remove(at));
        drop(table);
        drop(removed);
    }

    pub(super) fn erase_unpinned(&self) {
        let mut garbage = Vec::new();
        let mut table = self.table.write();
        let mut at = 0;
        while at < table.slots.len() {
            match &table.slots[at].entry {
                Some(e) if Arc::strong_count(e) == 1 => garbage.extend(table.remove(at)),
                _ => at += 1,
            }
        }
        // What the last slots shifted around the end is caught by a second look at the beginning.
        let wrapped = |t: &Table| t.slots.iter().position(|s| s.is_unpinned());
        while let Some(at) = wrapped(&table) {
            garbage.extend(table.remove(at));
        }
        drop(table);
    }

    pub(super) fn set_capacity(&self, capacity: usize) {
        let mut garbage = Vec::new();
        let mut table = self.table.write();
        table.capacity = capacity;
        self.evict(&mut table, capacity, &mut garbage);
        drop(table);
    }

    pub(super) fn usage(&self) -> usize {
        self.usage.load(Ordering::Relaxed)
    }

    pub(super) fn pinned_usage(&self) -> usize {
        let table = self.table.read();
        let unpinned = table.slots.iter().filter(|s| s.is_unpinned());
        let unpinned: usize = unpinned.filter_map(|s| s.entry.as_ref()).map(|e| e.charge()).sum();
        self.usage().saturating_sub(unpinned)
    }

    pub(super) fn len(&self) -> usize {
        self.table.read().len
    }

    pub(super) fn slots(&self) -> usize {
        self.table.read().slots.len()
    }
}

/// Takes the charge of an entry that nobody else holds off at once, so that others who look for room
/// do not evict for it again; held ones count until they are let go.
fn uncounted(entry: Option<Arc<Entry>>) -> Option<Arc<Entry>> {
    let mut entry = entry?;
    if let Some(alone) = Arc::get_mut(&mut entry) {
        alone.uncount();
    }
    Some(entry)
}

fn empty_slots(count: usize) -> Box<[Slot]> {
    std::iter::repeat_with(Slot::default).take(count).collect()
}

impl Slot {
    fn is_unpinned(&self) -> bool {
        self.entry.as_ref().is_some_and(|e| Arc::strong_count(e) == 1)
    }
}

impl Table {
    #[inline]
    fn find(&self, hash: u64, key: &CacheKey) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = &self.slots[at];
            slot.entry.as_ref()?;
            if slot.key == key.0 {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a key that is not there.
    fn add(&mut self, hash: u64, key: CacheKey, entry: Arc<Entry>, visits: u8) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.place(hash, Slot { key: key.0, entry: Some(entry), visits: AtomicU8::new(visits) });
        self.len += 1;
    }

    fn place(&mut self, hash: u64, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].entry.is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    fn grow(&mut self) {
        let larger = empty_slots(self.slots.len() * 2);
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|s| s.entry.is_some()) {
            self.place(CacheKey(slot.key).hash(), slot);
        }
    }

    fn remove(&mut self, at: usize) -> Option<Arc<Entry>> {
        let removed = self.slots[at].entry.take()?;
        self.len -= 1;
        let mask = self.slots.len() - 1;
        let (mut free, mut at) = (at, at);
        loop {
            at = (at + 1) & mask;
            if self.slots[at].entry.is_none() {
                return Some(removed);
            }
            // May it move to the free slot, or would that be in front of its home?
            let home = CacheKey(self.slots[at].key).hash() as usize & mask;
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(free) & mask {
                self.slots.swap(free, at);
                free = at;
            }
        }
    }
}
