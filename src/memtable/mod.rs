//! Floor 6: one sorted buffer of writes.
//!
//! A [`MemTable`] takes entries from many writers at once and serves readers meanwhile without
//! locks. What keeps the points sorted is a [`Representation`]; range deletions lie apart, as
//! [`Fragments`] that readers share until the next range deletion.
//!
//! Readers see an entry once its writer has published its sequence number: everything here is ordered
//! by that publication, so counters are relaxed. Nothing is ever removed from a memtable; it is
//! dropped as a whole when the last reader lets go.
#![deny(unsafe_code)]

pub mod list;
pub mod skiplist;
pub mod vector;

pub use list::ImmutableList;

use crate::base::key::{self, MAX_SEQUENCE, pack};
use crate::base::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::base::sync::{ArcCell, Mutex};
use crate::base::{Comparator, InternalComparator, Kind, ParsedKey, Sequence};
use crate::iter::{BoxIter, Fragments, Tombstone};
use crate::options::{CfOptions, MemtableKind};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What keeps the points of a memtable sorted. All calls from any thread, at the same time.
pub trait Representation: Send + Sync {
    /// Takes an entry. False when its internal key is known to be there already (then nothing
    /// changes); a kind that notices only later keeps the first one.
    fn insert(&self, user_key: &[u8], tag: u64, value: &[u8]) -> bool;
    /// Hands out (internal key, value) in order from the first at or behind `target`, until told to
    /// stop.
    #[allow(clippy::type_complexity, reason = "one closure type, spelled out")]
    fn scan(&self, target: &[u8], sink: &mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>);
    /// A cursor that keeps this alive.
    fn iter(self: Arc<Self>) -> BoxIter;
    /// Bytes taken from the allocator.
    fn reserved(&self) -> usize;
    /// Bytes that entries take, overhead included.
    fn used(&self) -> usize;
}

/// How a memtable is made.
#[derive(Clone, Debug)]
pub struct MemTableSettings {
    /// The order of internal keys.
    pub order: InternalComparator,
    /// What keeps it sorted.
    pub kind: MemtableKind,
    /// Bytes by which its arena grows at most.
    pub arena_block_bytes: usize,
    /// Range deletions after which it wants to be flushed; 0 means any number.
    pub max_range_deletions: usize,
}

impl MemTableSettings {
    /// As the family's options say. Settings of RocksDB's that only tune its own memtable (prefix
    /// filters, huge pages, updates in place) have no effect.
    #[must_use]
    pub fn from_options(options: &CfOptions) -> Self {
        // A buffer of few blocks would waste most of its last one.
        let eighth = (options.write_buffer_size / 8).max(4 << 10);
        let arena_block_bytes = match options.arena_block_size {
            0 => eighth.min(1 << 20),
            n => n.min(eighth),
        };
        Self {
            order: InternalComparator::new(Arc::clone(&options.comparator)),
            kind: options.memtable,
            arena_block_bytes,
            max_range_deletions: options.memtable_max_range_deletions as usize,
        }
    }
}

/// Range deletions as readers see them: groups of falling size, so that taking in one more costs
/// little on average, however many there are.
#[derive(Default)]
struct RangeView {
    /// How many of the list are in `groups`.
    taken: usize,
    groups: Vec<Arc<Fragments>>,
    /// All in one, made when first asked for.
    whole: Mutex<Option<Arc<Fragments>>>,
}

/// See the module's text.
pub struct MemTable {
    id: u64,
    settings: MemTableSettings,
    points: Arc<dyn Representation>,
    ranges: Mutex<Vec<Tombstone>>,
    /// Length of `ranges`, and the bytes of its keys.
    range_count: AtomicUsize,
    range_bytes: AtomicUsize,
    range_view: ArcCell<RangeView>,
    entries: AtomicU64,
    deletions: AtomicU64,
    data_bytes: AtomicU64,
    first_sequence: AtomicU64,
    last_sequence: AtomicU64,
    log_number: AtomicU64,
    flushing: AtomicBool,
}

impl std::fmt::Debug for MemTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemTable({}: {} entries, {} B)", self.id, self.entries(), self.memory())
    }
}

impl MemTable {
    /// An empty one. `id` rises from one memtable of a family to the next.
    #[must_use]
    pub fn new(settings: MemTableSettings, id: u64) -> Self {
        let order = settings.order.clone();
        let points: Arc<dyn Representation> = match settings.kind {
            MemtableKind::SkipList => {
                Arc::new(skiplist::SkipList::new(order, settings.arena_block_bytes))
            }
            MemtableKind::Vector => Arc::new(vector::VectorTable::new(order)),
        };
        Self {
            id,
            settings,
            points,
            ranges: Mutex::default(),
            range_count: AtomicUsize::new(0),
            range_bytes: AtomicUsize::new(0),
            range_view: ArcCell::new(Arc::default()),
            entries: AtomicU64::new(0),
            deletions: AtomicU64::new(0),
            data_bytes: AtomicU64::new(0),
            first_sequence: AtomicU64::new(u64::MAX),
            last_sequence: AtomicU64::new(0),
            log_number: AtomicU64::new(0),
            flushing: AtomicBool::new(false),
        }
    }

    /// Takes an entry; of a range deletion `key` is the begin and `value` the end. Any number of
    /// threads at once. False when exactly this internal key was there already.
    pub fn add(&self, sequence: Sequence, kind: Kind, key: &[u8], value: &[u8]) -> bool {
        debug_assert!(sequence <= MAX_SEQUENCE);
        if kind == Kind::RangeDeletion {
            self.add_range(sequence, key, value);
        } else if !self.points.insert(key, pack(sequence, kind as u8), value) {
            return false;
        }
        // Relaxed, all of them: see the module's text.
        self.entries.fetch_add(1, Ordering::Relaxed);
        self.data_bytes.fetch_add((key.len() + value.len() + 8) as u64, Ordering::Relaxed);
        if matches!(kind, Kind::Deletion | Kind::SingleDeletion | Kind::DeletionWithTimestamp) {
            self.deletions.fetch_add(1, Ordering::Relaxed);
        }
        if self.first_sequence.load(Ordering::Relaxed) > sequence {
            self.first_sequence.fetch_min(sequence, Ordering::Relaxed);
        }
        if self.last_sequence.load(Ordering::Relaxed) < sequence {
            self.last_sequence.fetch_max(sequence, Ordering::Relaxed);
        }
        true
    }

    fn add_range(&self, sequence: Sequence, begin: &[u8], end: &[u8]) {
        let tombstone = Tombstone { begin: begin.to_vec(), end: end.to_vec(), sequence };
        // A list entry, two bounds and a few tree places.
        let bytes = 2 * (begin.len() + end.len() + size_of::<Tombstone>());
        self.range_bytes.fetch_add(bytes, Ordering::Relaxed);
        let mut ranges = self.ranges.lock();
        ranges.push(tombstone);
        // Release: pairs with the Acquire in `range_view`.
        self.range_count.store(ranges.len(), Ordering::Release);
    }

    /// The range deletions so far, made ready for look-ups.
    fn range_view(&self) -> Option<Arc<RangeView>> {
        // Acquire: pairs with the Release in `add_range`.
        let count = self.range_count.load(Ordering::Acquire);
        if count == 0 {
            return None;
        }
        let view = self.range_view.load();
        if view.taken >= count {
            return Some(view);
        }
        let ranges = self.ranges.lock();
        let view = self.range_view.load();
        if view.taken >= ranges.len() {
            return Some(view);
        }
        let order = self.settings.order.user().as_ref();
        let mut groups = view.groups.clone();
        let mut fresh = ranges[view.taken..].to_vec();
        while groups.last().is_some_and(|g| g.len() <= 2 * fresh.len()) {
            if let Some(group) = groups.pop() {
                fresh.extend_from_slice(group.tombstones());
            }
        }
        groups.push(Arc::new(Fragments::build(fresh, order)));
        let fresh = Arc::new(RangeView { taken: ranges.len(), groups, whole: Mutex::default() });
        drop(self.range_view.swap(Arc::clone(&fresh)));
        Some(fresh)
    }

    /// The range deletions so far as one. Shared until the next range deletion.
    #[must_use]
    pub fn tombstones(&self) -> Arc<Fragments> {
        let Some(view) = self.range_view() else { return Fragments::empty() };
        if let [only] = &view.groups[..] {
            return Arc::clone(only);
        }
        let mut whole = view.whole.lock();
        let whole = whole.get_or_insert_with(|| {
            let all = view.groups.iter().flat_map(|g| g.tombstones()).cloned().collect();
            Arc::new(Fragments::build(all, self.settings.order.user().as_ref()))
        });
        Arc::clone(whole)
    }

    /// The range deletions so far in a few parts that together say all: cheaper than
    /// [`Self::tombstones`] between writes.
    #[must_use]
    pub fn tombstone_groups(&self) -> Vec<Arc<Fragments>> {
        self.range_view().map_or_else(Vec::new, |v| v.groups.clone())
    }

    /// The newest range deletion at or below `snapshot` that covers `user_key`; 0 when none does.
    #[must_use]
    pub fn max_covering(&self, user_key: &[u8], snapshot: Sequence) -> Sequence {
        let Some(view) = self.range_view() else { return 0 };
        let order: &dyn Comparator = self.settings.order.user().as_ref();
        view.groups.iter().map(|g| g.max_covering(order, user_key, snapshot)).max().unwrap_or(0)
    }

    /// Has it range deletions?
    #[must_use]
    pub fn has_range_deletions(&self) -> bool {
        self.range_deletions() != 0
    }

    /// The point entries of the target's user key from `target` on, newest first, until told to stop.
    pub fn get(
        &self,
        target: &[u8],
        sink: &mut dyn FnMut(ParsedKey<'_>, &[u8]) -> ControlFlow<()>,
    ) {
        let order = &self.settings.order;
        let user_key = key::user_key(target);
        self.points.scan(target, &mut |key, value| {
            let parsed = ParsedKey::parse(key).expect("keys here were made by `add`");
            if order.compare_user(parsed.user_key, user_key).is_ne() {
                return ControlFlow::Break(());
            }
            sink(parsed, value)
        });
    }

    /// A cursor over the points; keeps the memtable's data alive.
    #[must_use]
    pub fn iter(self: &Arc<Self>) -> BoxIter {
        Arc::clone(&self.points).iter()
    }

    /// Its number within the family.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The order of its keys.
    #[must_use]
    pub fn order(&self) -> &InternalComparator {
        &self.settings.order
    }

    /// Bytes of memory it holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.points.reserved() + self.range_bytes.load(Ordering::Relaxed)
    }

    /// Entries of any kind.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Point deletions.
    #[must_use]
    pub fn deletions(&self) -> u64 {
        self.deletions.load(Ordering::Relaxed)
    }

    /// Range deletions.
    #[must_use]
    pub fn range_deletions(&self) -> usize {
        self.range_count.load(Ordering::Acquire)
    }

    /// Bytes of internal keys and values.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        self.data_bytes.load(Ordering::Relaxed)
    }

    /// The smallest sequence in it; 0 when it is empty.
    #[must_use]
    pub fn first_sequence(&self) -> Sequence {
        match self.first_sequence.load(Ordering::Relaxed) {
            u64::MAX => 0,
            n => n,
        }
    }

    /// The largest sequence in it; 0 when it is empty.
    #[must_use]
    pub fn last_sequence(&self) -> Sequence {
        self.last_sequence.load(Ordering::Relaxed)
    }

    /// Is nothing in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries() == 0
    }

    /// The log that was current when it was made: older logs are not needed once it is flushed.
    #[must_use]
    pub fn log_number(&self) -> u64 {
        self.log_number.load(Ordering::Acquire)
    }

    /// Sets [`Self::log_number`].
    pub fn set_log_number(&self, number: u64) {
        self.log_number.store(number, Ordering::Release);
    }

    /// Is a flush writing it out?
    #[must_use]
    pub fn is_flushing(&self) -> bool {
        self.flushing.load(Ordering::Acquire)
    }

    /// Sets [`Self::is_flushing`]. The lock over the list of immutable memtables orders it.
    pub fn set_flushing(&self, flushing: bool) {
        self.flushing.store(flushing, Ordering::Release);
    }

    /// Has it as much in it as it shall hold?
    #[must_use]
    pub fn should_flush(&self, write_buffer_size: usize) -> bool {
        let most = self.settings.max_range_deletions;
        (most != 0 && self.range_deletions() >= most)
            || self.points.used() + self.range_bytes.load(Ordering::Relaxed) >= write_buffer_size
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::base::key::seek_target;
    use crate::base::rng::Rng;

    fn tables() -> [MemTable; 2] {
        let mut settings = MemTableSettings::from_options(&CfOptions::default());
        let first = MemTable::new(settings.clone(), 1);
        settings.kind = MemtableKind::Vector;
        [first, MemTable::new(settings, 2)]
    }

    #[test]
    fn get_hands_out_the_versions_of_one_key_newest_first() {
        for table in tables() {
            for (sequence, key) in [(1, b"a"), (2, b"b"), (3, b"b"), (5, b"b"), (4, b"c")] {
                assert!(table.add(sequence, Kind::Value, key, &[sequence as u8]));
            }
            table.add(6, Kind::Deletion, b"b", b"");
            let versions = |key: &[u8], snapshot| {
                let mut all = Vec::new();
                table.get(&seek_target(key, snapshot), &mut |k, v| {
                    all.push((k.sequence, k.kind, v.to_vec()));
                    ControlFlow::Continue(())
                });
                all
            };
            assert_eq!(versions(b"b", 9)[0], (6, Kind::Deletion, vec![]));
            assert_eq!(versions(b"b", 4).iter().map(|v| v.0).collect::<Vec<_>>(), [3, 2]);
            assert!(versions(b"b", 1).is_empty() && versions(b"bb", 9).is_empty());
            assert_eq!((table.entries(), table.deletions()), (6, 1));
            assert_eq!((table.first_sequence(), table.last_sequence()), (1, 6));
        }
    }

    #[test]
    fn range_deletions_show_at_once_and_for_their_snapshots() {
        let mut rng = Rng::new(3);
        for table in tables() {
            let mut model: Vec<(u8, u8, Sequence)> = Vec::new();
            for sequence in 1..300 {
                let (begin, end) = (rng.below(200) as u8, rng.below(200) as u8);
                if begin < end {
                    table.add(sequence, Kind::RangeDeletion, &[begin], &[end]);
                    model.push((begin, end, sequence));
                }
                let (key, snapshot) = (rng.below(200) as u8, rng.below(sequence + 1));
                let want = model
                    .iter()
                    .filter(|t| t.2 <= snapshot && t.0 <= key && key < t.1)
                    .map(|t| t.2)
                    .max()
                    .unwrap_or(0);
                assert_eq!(table.max_covering(&[key], snapshot), want);
                let order = table.order().user().as_ref();
                assert_eq!(table.tombstones().max_covering(order, &[key], snapshot), want);
            }
            assert_eq!(table.tombstones().len(), model.len());
            assert!(table.tombstone_groups().len() < 12);
        }
    }

    #[test]
    fn it_wants_a_flush_when_full() {
        for table in tables() {
            assert!(table.is_empty() && !table.should_flush(64 << 10));
            let mut sequence = 0;
            while !table.should_flush(64 << 10) {
                sequence += 1;
                table.add(sequence, Kind::Value, &sequence.to_be_bytes(), &[0; 100]);
            }
            assert!((200..800).contains(&sequence), "{sequence}");
            assert!(table.data_bytes() == sequence * 116);
        }
        let mut settings = MemTableSettings::from_options(&CfOptions::default());
        settings.max_range_deletions = 2;
        let table = MemTable::new(settings, 1);
        table.add(1, Kind::RangeDeletion, b"a", b"b");
        assert!(!table.should_flush(1 << 20));
        table.add(2, Kind::RangeDeletion, b"a", b"b");
        assert!(table.should_flush(1 << 20));
    }
}
