//! Held sequence numbers.
#![forbid(unsafe_code)]

use super::{Db, Inner};
use crate::base::Sequence;
use crate::base::sync::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sequence numbers that somebody holds, each with a count and the time of its first holder.
#[derive(Default)]
pub(super) struct SnapshotList(Mutex<BTreeMap<Sequence, Held>>);

#[derive(Clone, Copy)]
struct Held {
    count: u64,
    since_seconds: u64,
}

impl SnapshotList {
    /// Held numbers, ascending.
    pub(super) fn list(&self) -> Vec<Sequence> {
        self.0.lock().keys().copied().collect()
    }

    /// Holders, not distinct numbers.
    pub(super) fn count(&self) -> u64 {
        self.0.lock().values().map(|h| h.count).sum()
    }

    /// The smallest held number and when it was first held.
    pub(super) fn oldest(&self) -> Option<(Sequence, u64)> {
        self.0.lock().first_key_value().map(|(&s, h)| (s, h.since_seconds))
    }
}

struct Hold {
    sequence: Sequence,
    list: Arc<SnapshotList>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut list = self.list.0.lock();
        if let Some(held) = list.get_mut(&self.sequence) {
            held.count -= 1;
            if held.count == 0 {
                list.remove(&self.sequence);
            }
        }
    }
}

/// A held sequence number; dropping the last clone lets go. It may outlive the store.
#[derive(Clone)]
pub struct Snapshot(Arc<Hold>);

impl Snapshot {
    /// The number.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.0.sequence
    }
}

impl Inner {
    fn snapshot(&self) -> Snapshot {
        let mut list = self.snapshots.0.lock();
        // Read under the list's lock: a flush that took the list before saw memtables that were
        // sealed before, so nothing this number sees is missing from its output.
        let sequence = self.published();
        let since_seconds = self.env.clock.now_micros() / 1_000_000;
        list.entry(sequence).or_insert(Held { count: 0, since_seconds }).count += 1;
        Snapshot(Arc::new(Hold { sequence, list: Arc::clone(&self.snapshots) }))
    }
}

impl Db {
    /// Holds the present: reads at its number see this moment until it is dropped.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.inner.snapshot()
    }
}
