//! Memory of memtables, told to the bound that several stores share.
//!
//! The leader of a write group tells after it inserted, and whoever judges the pressure on writers tells
//! before. Without a `write_buffer_manager` and a `db_write_buffer_size` nothing is added up.
#![forbid(unsafe_code)]

use super::{FamilyState, FamilyTable, Inner, State};
use crate::base::sync::Mutex;
use crate::options::{DbOptions, MemtableMemory, WriteBufferManager};
use std::sync::Arc;

/// What this store told so far.
pub(super) struct MemoryWatch {
    manager: Option<Arc<WriteBufferManager>>,
    limit: usize,
    told: Mutex<MemtableMemory>,
}

impl MemoryWatch {
    pub(super) fn new(options: &DbOptions) -> Self {
        Self {
            manager: options.write_buffer_manager.clone(),
            limit: options.db_write_buffer_size,
            told: Mutex::default(),
        }
    }

    /// Does anybody bound the memory of all families together?
    pub(super) fn is_on(&self) -> bool {
        self.limit > 0 || self.manager.is_some()
    }

    fn tell(&self, now: MemtableMemory) {
        if let Some(manager) = &self.manager {
            let mut told = self.told.lock();
            manager.change(*told, now);
            *told = now;
        }
    }

    /// Is it time to flush, with `active` bytes in this store's active memtables?
    fn should_flush(&self, active: usize) -> bool {
        (self.limit > 0 && active > self.limit / 8 * 7)
            || self.manager.as_ref().is_some_and(|m| m.should_flush())
    }

    fn should_stall(&self) -> bool {
        self.manager.as_ref().is_some_and(|m| m.should_stall())
    }
}

impl Drop for MemoryWatch {
    fn drop(&mut self) {
        self.tell(MemtableMemory::default());
    }
}

impl Inner {
    /// Adds up after a write, and says whether something shall be flushed.
    pub(super) fn memory_is_short(&self, families: &FamilyTable) -> bool {
        if !self.memory.is_on() {
            return false;
        }
        let mut now = MemtableMemory::default();
        for family in &families.list {
            let view = family.view.load();
            now.active += view.mem.memory();
            now.used += view.imm.iter().map(|m| m.memory()).sum::<usize>();
        }
        now.used += now.active;
        self.memory.tell(now);
        self.memory.should_flush(now.active)
    }

    /// The family with the most unflushed data, when all together have too much.
    pub(super) fn largest_memtable(&self, state: &State) -> Option<u32> {
        if !self.memory.is_on() {
            return None;
        }
        let active = state.families.values().map(|f| f.mem.memory()).sum();
        if !self.memory.should_flush(active) {
            return None;
        }
        let held = state.families.iter().filter(|(_, f)| !f.mem.is_empty());
        held.max_by_key(|(_, f)| f.mem.memory()).map(|(id, _)| *id)
    }

    /// Why writers must wait for memory, if they must. They wait only while a flush of this store is to
    /// come: what other stores hold may stay for ever.
    pub(super) fn memory_pressure(&self, state: &State) -> Option<String> {
        if !self.memory.is_on() {
            return None;
        }
        let active = state.families.values().map(|f| f.mem.memory()).sum::<usize>();
        let sealed: usize = state.families.values().flat_map(|f| &f.imm).map(|m| m.memory()).sum();
        self.memory.tell(MemtableMemory { active, used: active + sealed });
        let to_come = |f: &FamilyState| f.flushing || (f.flush_requested && !f.imm.is_empty());
        (state.families.values().any(to_come) && self.memory.should_stall())
            .then(|| "the write buffer manager's bound is passed".to_owned())
    }
}
