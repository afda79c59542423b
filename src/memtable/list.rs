//! The immutable memtables of a family that wait for their flush, newest first.
//!
//! A plain value under the store's lock; readers get the shared list inside their super-version.
//! Flushes take memtables oldest first and may run side by side, but their results are installed
//! oldest first: a log may go only when everything in it is in tables.
#![forbid(unsafe_code)]

use super::MemTable;
use std::sync::Arc;

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub struct ImmutableList {
    newest_first: Vec<Arc<MemTable>>,
}

impl ImmutableList {
    /// All, newest first.
    #[must_use]
    pub fn tables(&self) -> &[Arc<MemTable>] {
        &self.newest_first
    }

    /// Takes in the memtable that was active until now.
    pub fn push(&mut self, table: Arc<MemTable>) {
        debug_assert!(self.newest_first.first().is_none_or(|t| t.id() < table.id()));
        self.newest_first.insert(0, table);
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.newest_first.len()
    }

    /// Is there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.newest_first.is_empty()
    }

    /// How many no flush has taken yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.newest_first.iter().filter(|t| !t.is_flushing()).count()
    }

    /// Bytes of memory of all.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.newest_first.iter().map(|t| t.memory()).sum()
    }

    /// Takes all that wait and have an id of at most `last_id`, newest first, and marks them as being
    /// flushed.
    pub fn take_for_flush(&mut self, last_id: u64) -> Vec<Arc<MemTable>> {
        let taken: Vec<_> = self
            .newest_first
            .iter()
            .filter(|t| !t.is_flushing() && t.id() <= last_id)
            .cloned()
            .collect();
        for table in &taken {
            table.set_flushing(true);
        }
        taken
    }

    /// A flush failed: its memtables wait again.
    pub fn give_back(&mut self, tables: &[Arc<MemTable>]) {
        for table in tables {
            table.set_flushing(false);
        }
    }

    /// Are these the oldest ones, so that their flush may be installed now?
    #[must_use]
    pub fn are_oldest(&self, tables: &[Arc<MemTable>]) -> bool {
        let from = self.newest_first.len().saturating_sub(tables.len());
        self.newest_first[from..].iter().all(|t| tables.iter().any(|o| o.id() == t.id()))
    }

    /// Removes memtables whose flush is installed and hands them out, to be dropped outside the lock.
    pub fn remove(&mut self, tables: &[Arc<MemTable>]) -> Vec<Arc<MemTable>> {
        let (gone, kept) = std::mem::take(&mut self.newest_first)
            .into_iter()
            .partition(|t| tables.iter().any(|o| o.id() == t.id()));
        self.newest_first = kept;
        gone
    }

    /// The oldest log that any of them needs.
    #[must_use]
    pub fn oldest_log(&self) -> Option<u64> {
        self.newest_first.iter().map(|t| t.log_number()).min()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::memtable::MemTableSettings;
    use crate::options::CfOptions;

    #[test]
    fn flushes_take_all_that_wait_and_are_installed_oldest_first() {
        let settings = MemTableSettings::from_options(&CfOptions::default());
        let mut list = ImmutableList::default();
        for id in 1..=3 {
            let table = MemTable::new(settings.clone(), id);
            table.set_log_number(id * 10);
            list.push(Arc::new(table));
        }
        let first = list.take_for_flush(2);
        assert_eq!(first.iter().map(|t| t.id()).collect::<Vec<_>>(), [2, 1]);
        let second = list.take_for_flush(u64::MAX);
        assert_eq!((second.len(), list.waiting()), (1, 0));
        assert!(!list.are_oldest(&second) && list.are_oldest(&first));
        list.give_back(&first);
        assert_eq!(list.waiting(), 2);
        let first = list.take_for_flush(u64::MAX);
        assert_eq!(list.remove(&first).len(), 2);
        assert_eq!((list.oldest_log(), list.len()), (Some(30), 1));
        assert!(list.are_oldest(&second));
    }
}
