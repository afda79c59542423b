//! Append, then sort: for bulk loads that are read only after they end.
//!
//! Writers take a lock and push. The first read after a write sorts what is there into a picture
//! that later reads and cursors share; a cursor keeps its picture, so it does not see later entries
//! (which lie beyond its reader's sequence anyway). Reading between writes costs a sort each time.
#![forbid(unsafe_code)]

use super::Representation;
use crate::base::key::{TAG_BYTES, append_internal};
use crate::base::sync::Mutex;
use crate::base::{InternalComparator, Result};
use crate::iter::{BoxIter, InternalIterator};
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Key and value in one allocation.
struct Entry {
    key_bytes: usize,
    bytes: Box<[u8]>,
}

impl Entry {
    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_bytes]
    }
    fn value(&self) -> &[u8] {
        &self.bytes[self.key_bytes..]
    }
}

type Picture = Arc<Vec<Arc<Entry>>>;

#[derive(Default)]
struct State {
    entries: Vec<Arc<Entry>>,
    bytes: usize,
    sorted: Option<Picture>,
}

/// See the module's text.
pub struct VectorTable {
    order: InternalComparator,
    state: Mutex<State>,
}

impl std::fmt::Debug for VectorTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VectorTable({} entries)", self.state.lock().entries.len())
    }
}

impl VectorTable {
    /// Empty.
    #[must_use]
    pub fn new(order: InternalComparator) -> Self {
        Self { order, state: Mutex::default() }
    }

    fn picture(&self) -> Picture {
        let mut state = self.state.lock();
        if let Some(sorted) = &state.sorted {
            return Arc::clone(sorted);
        }
        let order = &self.order;
        // Stable, so that of equal internal keys the first one written stays. Sorted in place: the
        // next sort then finds one long run.
        state.entries.sort_by(|a, b| order.compare(a.key(), b.key()));
        state.entries.dedup_by(|a, b| a.key() == b.key());
        let sorted = Arc::new(state.entries.clone());
        state.sorted = Some(Arc::clone(&sorted));
        sorted
    }
}

fn first_at_or_behind(order: &InternalComparator, all: &[Arc<Entry>], target: &[u8]) -> usize {
    all.partition_point(|e| order.compare(e.key(), target) == Ordering::Less)
}

impl Representation for VectorTable {
    fn insert(&self, user_key: &[u8], tag: u64, value: &[u8]) -> bool {
        let key_bytes = user_key.len() + TAG_BYTES;
        let mut bytes = Vec::with_capacity(key_bytes + value.len());
        append_internal(&mut bytes, user_key, tag);
        bytes.extend_from_slice(value);
        let entry = Arc::new(Entry { key_bytes, bytes: bytes.into_boxed_slice() });
        let mut state = self.state.lock();
        state.bytes += entry.bytes.len();
        state.entries.push(entry);
        state.sorted = None;
        true
    }

    fn scan(&self, target: &[u8], sink: &mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>) {
        let all = self.picture();
        for e in &all[first_at_or_behind(&self.order, &all, target)..] {
            if sink(e.key(), e.value()).is_break() {
                return;
            }
        }
    }

    fn iter(self: Arc<Self>) -> BoxIter {
        Box::new(Cursor { order: self.order.clone(), all: self.picture(), at: None })
    }

    fn reserved(&self) -> usize {
        self.used()
    }

    fn used(&self) -> usize {
        let state = self.state.lock();
        // Each entry has two allocations and up to two pointers besides its bytes.
        state.bytes + state.entries.len() * 64
    }
}

struct Cursor {
    order: InternalComparator,
    all: Picture,
    at: Option<usize>,
}

impl InternalIterator for Cursor {
    fn valid(&self) -> bool {
        self.at.is_some()
    }
    fn seek_to_first(&mut self) {
        self.at = (!self.all.is_empty()).then_some(0);
    }
    fn seek_to_last(&mut self) {
        self.at = self.all.len().checked_sub(1);
    }
    fn seek(&mut self, target: &[u8]) {
        let at = first_at_or_behind(&self.order, &self.all, target);
        self.at = Some(at).filter(|&i| i < self.all.len());
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        let order = &self.order;
        self.at = self
            .all
            .partition_point(|e| order.compare(e.key(), target) != Ordering::Greater)
            .checked_sub(1);
    }
    fn next(&mut self) {
        self.at = self.at.map(|i| i + 1).filter(|&i| i < self.all.len());
    }
    fn prev(&mut self) {
        self.at = self.at.and_then(|i| i.checked_sub(1));
    }
    fn key(&self) -> &[u8] {
        self.at.map_or(&[], |i| self.all[i].key())
    }
    fn value(&self) -> &[u8] {
        self.at.map_or(&[], |i| self.all[i].value())
    }
    fn status(&self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::bytewise;
    use crate::base::key::{Kind, internal, pack};
    use crate::base::rng::Rng;
    use crate::iter::fixed::check_against;

    #[test]
    fn it_equals_a_sorted_list() {
        let order = InternalComparator::new(bytewise());
        let mut rng = Rng::new(5);
        let table = Arc::new(VectorTable::new(order.clone()));
        let mut all = Vec::new();
        for sequence in 0..500 {
            let len = rng.below(5) as usize;
            let (user, value) = (rng.bytes(len), rng.bytes(2));
            table.insert(&user, pack(sequence, 1), &value);
            all.push((internal(&user, sequence, Kind::Value), value));
            if rng.one_in(50) {
                all.sort_by(|a, b| order.compare(&a.0, &b.0));
                let mut iter = Representation::iter(Arc::clone(&table));
                check_against(iter.as_mut(), &all, &order, &mut rng, 50, true);
            }
        }
    }
}
