//! Range deletions: who covers a key, and at which sequence number.
//!
//! A tombstone `[begin, end)` at sequence T hides, at a snapshot S >= T, every entry of a key in the
//! range whose sequence is below T.
//!
//! The begins and ends of all tombstones cut the keys into elementary intervals, *fragments*. Over
//! the fragments stands a segment tree: each tombstone hangs on O(log n) nodes, each node keeps
//! its sequences newest first. So n tombstones take O(n log n) room whatever their overlap, where
//! lists for each fragment would take n * n for nested ones (and a small hostile file gigabytes).
//! A look-up is a binary search for the fragment and a walk from its leaf to the root.
//!
//! A tombstone kept in a file holds only within the file's own bounds (`clip`): outside them it may
//! be older than what a compaction made of the keys there.
#![forbid(unsafe_code)]

use crate::base::key::{self, Kind, MAX_SEQUENCE};
use crate::base::{Comparator, InternalComparator, ParsedKey, Sequence};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// One range deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// First user key hidden.
    pub begin: Vec<u8>,
    /// First user key no longer hidden.
    pub end: Vec<u8>,
    /// When it was written.
    pub sequence: Sequence,
}

/// One elementary interval and everything that covers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment<'a> {
    /// First user key.
    pub begin: &'a [u8],
    /// End, exclusive.
    pub end: &'a [u8],
    /// Sequences of the tombstones that cover it, newest first; never empty.
    pub sequences: Vec<Sequence>,
}

/// Tombstones made ready for look-ups. Immutable.
#[derive(Debug, Default)]
pub struct Fragments {
    /// Sorted by begin, then newest first; none is empty.
    tombstones: Vec<Tombstone>,
    /// Sorted distinct begins and ends; fragment i is `bounds[i]..bounds[i + 1]`.
    bounds: Vec<Vec<u8>>,
    /// Node i of the tree has `sequences[starts[i]..starts[i + 1]]`, newest first.
    starts: Vec<u32>,
    sequences: Vec<Sequence>,
}

impl Fragments {
    /// No tombstones.
    #[must_use]
    pub fn empty() -> Arc<Self> {
        static EMPTY: OnceLock<Arc<Fragments>> = OnceLock::new();
        Arc::clone(EMPTY.get_or_init(Arc::default))
    }

    /// From tombstones in any order, overlapping or not; those with `begin >= end` count as nothing.
    #[must_use]
    pub fn build(mut tombstones: Vec<Tombstone>, order: &dyn Comparator) -> Self {
        tombstones.retain(|t| order.compare(&t.begin, &t.end) == Ordering::Less);
        tombstones.sort_by(|a, b| {
            order
                .compare(&a.begin, &b.begin)
                .then(b.sequence.cmp(&a.sequence))
                .then_with(|| order.compare(&a.end, &b.end))
        });
        tombstones.dedup();
        let mut bounds: Vec<&Vec<u8>> =
            tombstones.iter().flat_map(|t| [&t.begin, &t.end]).collect();
        bounds.sort_by(|a, b| order.compare(a, b));
        bounds.dedup_by(|a, b| order.compare(a, b) == Ordering::Equal);
        let bounds: Vec<Vec<u8>> = bounds.into_iter().cloned().collect();

        let leaves = bounds.len().saturating_sub(1);
        let slot = |k: &[u8]| bounds.partition_point(|b| order.compare(b, k) == Ordering::Less);
        let spans: Vec<(usize, usize, Sequence)> =
            tombstones.iter().map(|t| (slot(&t.begin), slot(&t.end), t.sequence)).collect();
        let mut starts = vec![0u32; 2 * leaves + 1];
        for &(from, to, _) in &spans {
            hang(leaves, from, to, |node| starts[node + 1] += 1);
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut sequences = vec![0; starts.last().map_or(0, |&n| n as usize)];
        let mut fill = starts.clone();
        for &(from, to, sequence) in &spans {
            hang(leaves, from, to, |node| {
                sequences[fill[node] as usize] = sequence;
                fill[node] += 1;
            });
        }
        for node in starts.windows(2) {
            sequences[node[0] as usize..node[1] as usize].sort_unstable_by(|a, b| b.cmp(a));
        }
        Self { tombstones, bounds, starts, sequences }
    }

    /// Is there none?
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tombstones.is_empty()
    }

    /// Number of tombstones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tombstones.len()
    }

    /// The tombstones by begin, newest first where begins are equal.
    #[must_use]
    pub fn tombstones(&self) -> &[Tombstone] {
        &self.tombstones
    }

    /// Bytes of memory it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let keys: usize = self.tombstones.iter().map(|t| t.begin.len() + t.end.len()).sum();
        let bounds: usize = self.bounds.iter().map(|b| b.len() + size_of::<Vec<u8>>()).sum();
        keys + bounds
            + self.tombstones.len() * size_of::<Tombstone>()
            + self.sequences.len() * 8
            + self.starts.len() * 4
    }

    /// The newest tombstone at or below `snapshot` that covers `user_key`; 0 when none does.
    #[must_use]
    pub fn max_covering(
        &self,
        order: &dyn Comparator,
        user_key: &[u8],
        snapshot: Sequence,
    ) -> Sequence {
        if self.bounds.is_empty() {
            return 0;
        }
        self.newest_at(self.slot(order, user_key), snapshot)
    }

    /// Number of bounds at or before `user_key`: 0 in front of all, `bounds.len()` behind all,
    /// i + 1 inside fragment i.
    fn slot(&self, order: &dyn Comparator, user_key: &[u8]) -> usize {
        self.bounds.partition_point(|b| order.compare(b, user_key) != Ordering::Greater)
    }

    fn is_slot(&self, order: &dyn Comparator, slot: usize, user_key: &[u8]) -> bool {
        (slot == 0 || order.compare(&self.bounds[slot - 1], user_key) != Ordering::Greater)
            && (slot == self.bounds.len()
                || order.compare(user_key, &self.bounds[slot]) == Ordering::Less)
    }

    /// The newest sequence at or below `snapshot` that covers the fragment of `slot`.
    fn newest_at(&self, slot: usize, snapshot: Sequence) -> Sequence {
        let leaves = self.bounds.len().saturating_sub(1);
        if slot == 0 || slot > leaves {
            return 0;
        }
        let mut newest = 0;
        let mut node = leaves + slot - 1;
        while node > 0 {
            let list = &self.sequences[self.starts[node] as usize..self.starts[node + 1] as usize];
            let visible = match list.first() {
                Some(&s) if s <= snapshot => Some(s),
                Some(_) => list.get(list.partition_point(|&s| s > snapshot)).copied(),
                None => None,
            };
            newest = newest.max(visible.unwrap_or(0));
            node /= 2;
        }
        newest
    }

    /// Calls `f` with each covered fragment in key order, sequences newest first. The list may be as
    /// long as there are tombstones; see [`Self::stripes`] for a bounded one.
    pub fn fragments(&self, order: &dyn Comparator, mut f: impl FnMut(Fragment<'_>)) {
        // Sweep: tombstones come in by begin and go out by end.
        let mut ends: Vec<(&[u8], Sequence)> =
            self.tombstones.iter().map(|t| (&t.end[..], t.sequence)).collect();
        ends.sort_by(|a, b| order.compare(a.0, b.0));
        let (mut next_begin, mut next_end) = (0, 0);
        let mut active: BTreeMap<Sequence, u32> = BTreeMap::new();
        for pair in self.bounds.windows(2) {
            while let Some(&(end, sequence)) = ends.get(next_end) {
                if order.compare(end, &pair[0]) == Ordering::Greater {
                    break;
                }
                if let Some(n) = active.get_mut(&sequence) {
                    *n -= 1;
                    if *n == 0 {
                        active.remove(&sequence);
                    }
                }
                next_end += 1;
            }
            while let Some(t) = self.tombstones.get(next_begin) {
                if order.compare(&t.begin, &pair[0]) == Ordering::Greater {
                    break;
                }
                *active.entry(t.sequence).or_insert(0) += 1;
                next_begin += 1;
            }
            if !active.is_empty() {
                let sequences = active.keys().rev().copied().collect();
                f(Fragment { begin: &pair[0], end: &pair[1], sequences });
            }
        }
    }

    /// Like [`Self::fragments`], but of the tombstones between two neighbouring `snapshots`
    /// (ascending) only the newest is kept: what readers at those snapshots and at the newest
    /// state can tell apart. `f` gets at most `snapshots.len() + 1` sequences a fragment.
    pub fn stripes(&self, snapshots: &[Sequence], mut f: impl FnMut(Fragment<'_>)) {
        for (i, pair) in self.bounds.windows(2).enumerate() {
            let mut sequences = Vec::new();
            for &snapshot in [MAX_SEQUENCE].iter().chain(snapshots.iter().rev()) {
                let newest = self.newest_at(i + 1, snapshot);
                if newest == 0 && !self.covers_at_zero(i + 1) {
                    break;
                }
                if sequences.last() != Some(&newest) {
                    sequences.push(newest);
                }
            }
            if !sequences.is_empty() {
                f(Fragment { begin: &pair[0], end: &pair[1], sequences });
            }
        }
    }

    /// Is the fragment of `slot` covered by a tombstone of sequence 0? It hides nothing, yet is one.
    fn covers_at_zero(&self, slot: usize) -> bool {
        let leaves = self.bounds.len() - 1;
        let mut node = leaves + slot - 1;
        while node > 0 {
            let list = &self.sequences[self.starts[node] as usize..self.starts[node + 1] as usize];
            if list.last() == Some(&0) {
                return true;
            }
            node /= 2;
        }
        false
    }
}

/// Names the tree nodes that together make up the fragments `from..to`.
fn hang(leaves: usize, from: usize, to: usize, mut f: impl FnMut(usize)) {
    let (mut low, mut high) = (from + leaves, to + leaves);
    while low < high {
        if low % 2 == 1 {
            f(low);
            low += 1;
        }
        if high % 2 == 1 {
            high -= 1;
            f(high);
        }
        low /= 2;
        high /= 2;
    }
}

/// May a tombstone of a file with these smallest and largest internal keys act on an entry at
/// (`user_key`, `sequence`)?
#[must_use]
pub fn within_clip(
    order: &InternalComparator,
    smallest: &[u8],
    largest: &[u8],
    user_key: &[u8],
    sequence: Sequence,
) -> bool {
    match order.compare_user(user_key, key::user_key(smallest)) {
        Ordering::Less => return false,
        // The file may begin in the middle of a user key's versions.
        Ordering::Equal if sequence > key::tag(smallest) >> 8 => return false,
        _ => {}
    }
    match order.compare_user(user_key, key::user_key(largest)) {
        Ordering::Less => true,
        Ordering::Greater => false,
        // A bound that is a tombstone's end is exclusive; a point's includes that version.
        Ordering::Equal => !is_exclusive(largest) && sequence >= key::tag(largest) >> 8,
    }
}

/// Is this largest key of a file the exclusive end of a range deletion?
#[must_use]
pub fn is_exclusive(largest: &[u8]) -> bool {
    let tag = key::tag(largest);
    tag >> 8 == MAX_SEQUENCE && (tag & 0xFF) as u8 == Kind::RangeDeletion as u8
}

struct Piece {
    fragments: Arc<Fragments>,
    clip: Option<(Vec<u8>, Vec<u8>)>,
    /// Where the last look-up was: scans ask for neighbours.
    slot: usize,
}

impl Piece {
    fn newest(
        &mut self,
        order: &InternalComparator,
        user_key: &[u8],
        sequence: Sequence,
        snapshot: Sequence,
    ) -> Sequence {
        let user: &dyn Comparator = order.user().as_ref();
        let f = &self.fragments;
        if !f.is_slot(user, self.slot, user_key) {
            let (after, before) = (self.slot + 1, self.slot.wrapping_sub(1));
            self.slot = if after <= f.bounds.len() && f.is_slot(user, after, user_key) {
                after
            } else if before < f.bounds.len() && f.is_slot(user, before, user_key) {
                before
            } else {
                f.slot(user, user_key)
            };
        }
        let newest = f.newest_at(self.slot, snapshot);
        if newest <= sequence {
            return 0;
        }
        if let Some((smallest, largest)) = &self.clip
            && !within_clip(order, smallest, largest, user_key, sequence)
        {
            return 0;
        }
        newest
    }
}

/// What a tombstone look-up found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cover {
    /// The tombstone's sequence.
    pub sequence: Sequence,
    /// The group that it belongs to.
    pub group: usize,
    piece: usize,
    slot: usize,
}

/// Fragments that a search for the reach of a tombstone looks at: it may be cut by others.
const REACH: usize = 32;

/// The range deletions of many sources, asked key by key in a scan.
///
/// Sources form groups: a memtable or a level-0 file is a group of its own; the files of a
/// deeper level, disjoint, are one group to which pieces may be added while the scan goes on.
pub struct RangeDeletions {
    order: InternalComparator,
    /// Pieces of a group are sorted by smallest key and disjoint.
    groups: Vec<Vec<Piece>>,
    pieces: usize,
}

impl std::fmt::Debug for RangeDeletions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RangeDeletions({} pieces)", self.pieces)
    }
}

impl RangeDeletions {
    /// None yet.
    #[must_use]
    pub fn new(order: InternalComparator) -> Self {
        Self { order, groups: Vec::new(), pieces: 0 }
    }

    /// Is there none?
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces == 0
    }

    /// Adds a source as a group of its own; `clip` is its file's smallest and largest internal key.
    pub fn add(&mut self, fragments: Arc<Fragments>, clip: Option<(Vec<u8>, Vec<u8>)>) {
        if !fragments.is_empty() {
            let group = self.new_group();
            self.add_to(group, fragments, clip);
        }
    }

    /// A new group without pieces. Groups are numbered from 0.
    pub fn new_group(&mut self) -> usize {
        self.groups.push(Vec::new());
        self.groups.len() - 1
    }

    /// Adds a piece to a group. Within a group all clips must be disjoint; a piece that is there
    /// already is not added twice.
    pub fn add_to(
        &mut self,
        group: usize,
        fragments: Arc<Fragments>,
        clip: Option<(Vec<u8>, Vec<u8>)>,
    ) {
        if fragments.is_empty() {
            return;
        }
        let order = &self.order;
        let pieces = &mut self.groups[group];
        let at = match &clip {
            None => pieces.len(),
            Some((smallest, _)) => pieces.partition_point(|p| {
                p.clip.as_ref().is_none_or(|c| order.compare(&c.0, smallest) == Ordering::Less)
            }),
        };
        if pieces.get(at).is_some_and(|p| p.clip == clip && clip.is_some()) {
            return;
        }
        pieces.insert(at, Piece { fragments, clip, slot: 0 });
        self.pieces += 1;
    }

    /// Is this entry hidden by a range deletion visible at `snapshot`?
    #[inline]
    pub fn covers(&mut self, entry: &ParsedKey<'_>, snapshot: Sequence) -> bool {
        self.pieces != 0 && self.newest(entry.user_key, entry.sequence, snapshot) != 0
    }

    /// The newest range deletion visible at `snapshot` that hides an entry at (`user_key`,
    /// `sequence`); 0 when none does.
    pub fn newest(&mut self, user_key: &[u8], sequence: Sequence, snapshot: Sequence) -> Sequence {
        let mut newest = 0;
        for pieces in &mut self.groups {
            let from = last_piece(&self.order, pieces, user_key);
            for piece in pieces[..from].iter_mut().rev() {
                if piece.clip.as_ref().is_some_and(|c| {
                    self.order.compare_user(key::user_key(&c.1), user_key) == Ordering::Less
                }) {
                    break;
                }
                newest = newest.max(piece.newest(&self.order, user_key, sequence, snapshot));
            }
        }
        newest
    }

    /// Like [`Self::newest`], of the first group in which there is one.
    pub fn find(
        &mut self,
        user_key: &[u8],
        sequence: Sequence,
        snapshot: Sequence,
    ) -> Option<Cover> {
        for (group, pieces) in self.groups.iter_mut().enumerate() {
            let from = last_piece(&self.order, pieces, user_key);
            for (i, piece) in pieces[..from].iter_mut().enumerate().rev() {
                if piece.clip.as_ref().is_some_and(|c| {
                    self.order.compare_user(key::user_key(&c.1), user_key) == Ordering::Less
                }) {
                    break;
                }
                let newest = piece.newest(&self.order, user_key, sequence, snapshot);
                if newest != 0 {
                    return Some(Cover { sequence: newest, group, piece: i, slot: piece.slot });
                }
            }
        }
        None
    }

    /// From the key that `cover` was found for up to this key, exclusive, its source covers all keys
    /// with tombstones of that sequence or newer. Only for the latest `find`.
    #[must_use]
    pub fn reach(&self, cover: &Cover, snapshot: Sequence) -> &[u8] {
        let piece = &self.groups[cover.group][cover.piece];
        let bounds = &piece.fragments.bounds;
        let mut last = cover.slot;
        // Neighbouring fragments of the same or a newer cover belong to the span as well.
        while last < cover.slot + REACH
            && last + 1 < bounds.len()
            && piece.fragments.newest_at(last + 1, snapshot) >= cover.sequence
        {
            last += 1;
        }
        match &piece.clip {
            Some((_, largest))
                if self.order.compare_user(key::user_key(largest), &bounds[last]).is_lt() =>
            {
                key::user_key(largest)
            }
            _ => &bounds[last],
        }
    }

    /// Like [`Self::reach`], back to this key, which may itself be not covered.
    #[must_use]
    pub fn reach_back(&self, cover: &Cover, snapshot: Sequence) -> &[u8] {
        let piece = &self.groups[cover.group][cover.piece];
        let bounds = &piece.fragments.bounds;
        let mut first = cover.slot;
        while first + REACH > cover.slot
            && first > 1
            && piece.fragments.newest_at(first - 1, snapshot) >= cover.sequence
        {
            first -= 1;
        }
        match &piece.clip {
            Some((smallest, _))
                if self.order.compare_user(&bounds[first - 1], key::user_key(smallest)).is_lt() =>
            {
                key::user_key(smallest)
            }
            _ => &bounds[first - 1],
        }
    }
}

/// Number of pieces that begin at or before `user_key`.
fn last_piece(order: &InternalComparator, pieces: &[Piece], user_key: &[u8]) -> usize {
    if pieces.len() == 1 {
        return 1;
    }
    pieces.partition_point(|p| {
        p.clip
            .as_ref()
            .is_none_or(|c| order.compare_user(key::user_key(&c.0), user_key) != Ordering::Greater)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::{ReverseBytewise, bytewise};
    use crate::base::key::internal;
    use crate::base::rng::Rng;

    fn word(rng: &mut Rng) -> Vec<u8> {
        (0..rng.below(4)).map(|_| b"abc"[rng.below(3) as usize]).collect()
    }

    fn random(rng: &mut Rng, order: &dyn Comparator) -> Vec<Tombstone> {
        (0..rng.below(12))
            .map(|_| {
                let (mut begin, mut end) = (word(rng), word(rng));
                if order.compare(&begin, &end) == Ordering::Greater && !rng.one_in(8) {
                    std::mem::swap(&mut begin, &mut end);
                }
                Tombstone { begin, end, sequence: 1 + rng.below(20) }
            })
            .collect()
    }

    fn covering(
        list: &[Tombstone],
        order: &dyn Comparator,
        key: &[u8],
        snapshot: Sequence,
    ) -> Sequence {
        list.iter()
            .filter(|t| {
                t.sequence <= snapshot
                    && order.compare(&t.begin, key) != Ordering::Greater
                    && order.compare(key, &t.end) == Ordering::Less
            })
            .map(|t| t.sequence)
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn a_lookup_equals_trying_each_tombstone() {
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let order: Arc<dyn Comparator> =
                if seed % 3 == 0 { Arc::new(ReverseBytewise) } else { bytewise() };
            let list = random(&mut rng, order.as_ref());
            let fragments = Fragments::build(list.clone(), order.as_ref());
            let mut scan = RangeDeletions::new(InternalComparator::new(Arc::clone(&order)));
            let (left, right) = list.split_at(list.len() / 2);
            for part in [left, right] {
                scan.add(Arc::new(Fragments::build(part.to_vec(), order.as_ref())), None);
            }
            for _ in 0..50 {
                let (key, snapshot) = (word(&mut rng), rng.below(25));
                let want = covering(&list, order.as_ref(), &key, snapshot);
                assert_eq!(fragments.max_covering(order.as_ref(), &key, snapshot), want);
                let sequence = rng.below(20);
                let entry = ParsedKey { user_key: &key, sequence, kind: Kind::Value };
                assert_eq!(scan.covers(&entry, snapshot), want > sequence, "seed {seed}");
                assert_eq!(scan.find(&key, sequence, snapshot).is_some(), want > sequence);
                if let Some(c) = scan.find(&key, sequence, snapshot) {
                    let (begin, end) = (scan.reach_back(&c, snapshot), scan.reach(&c, snapshot));
                    assert!(order.compare(begin, &key).is_le() && order.compare(&key, end).is_lt());
                    let other = word(&mut rng);
                    if order.compare(begin, &other).is_le() && order.compare(&other, end).is_lt() {
                        let newest = covering(&list, order.as_ref(), &other, snapshot);
                        assert!(newest >= c.sequence);
                    }
                }
            }
        }
    }

    #[test]
    fn fragments_are_disjoint_and_say_all() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed);
            let order = bytewise();
            let list = random(&mut rng, order.as_ref());
            let built = Fragments::build(list.clone(), order.as_ref());
            let mut flat = Vec::new();
            let mut end = Vec::new();
            built.fragments(order.as_ref(), |f| {
                assert!(f.begin < f.end && end.as_slice() <= f.begin);
                assert!(f.sequences.windows(2).all(|w| w[0] > w[1]) && !f.sequences.is_empty());
                end = f.end.to_vec();
                flat.extend(f.sequences.iter().map(|&sequence| Tombstone {
                    begin: f.begin.to_vec(),
                    end: f.end.to_vec(),
                    sequence,
                }));
            });
            let snapshots = [3, 9, 15];
            let mut striped = Vec::new();
            built.stripes(&snapshots, |f| {
                striped.extend(f.sequences.iter().map(|&sequence| Tombstone {
                    begin: f.begin.to_vec(),
                    end: f.end.to_vec(),
                    sequence,
                }));
            });
            let again = Fragments::build(flat, order.as_ref());
            let stripes = Fragments::build(striped, order.as_ref());
            for _ in 0..60 {
                let (key, snapshot) = (word(&mut rng), rng.below(25));
                let want = covering(&list, order.as_ref(), &key, snapshot);
                assert_eq!(again.max_covering(order.as_ref(), &key, snapshot), want);
                let s = [3, 9, 15, MAX_SEQUENCE][rng.below(4) as usize];
                let want = covering(&list, order.as_ref(), &key, s);
                assert_eq!(stripes.max_covering(order.as_ref(), &key, s), want);
            }
        }
    }

    #[test]
    fn nested_tombstones_take_little_room() {
        let list: Vec<Tombstone> = (0..4000u32)
            .map(|i| Tombstone {
                begin: i.to_be_bytes().to_vec(),
                end: (20_000 - i).to_be_bytes().to_vec(),
                sequence: u64::from(i) + 1,
            })
            .collect();
        let built = Fragments::build(list, bytewise().as_ref());
        assert!(built.memory() < 4 << 20);
        let at = |k: u32, s| built.max_covering(bytewise().as_ref(), &k.to_be_bytes(), s);
        assert_eq!(at(10_000, MAX_SEQUENCE), 4000);
        assert_eq!(at(10_000, 17), 17);
        assert_eq!(at(16, 2000), 17);
        assert_eq!(at(20_000, 2000), 0);
    }

    #[test]
    fn a_clip_bounds_a_tombstone() {
        let order = InternalComparator::new(bytewise());
        let t = Tombstone { begin: b"a".to_vec(), end: b"z".to_vec(), sequence: 10 };
        let fragments = Arc::new(Fragments::build(vec![t], order.user().as_ref()));
        let smallest = internal(b"c", 20, Kind::Value);
        let point = internal(b"m", 5, Kind::Value);
        let sentinel = internal(b"m", MAX_SEQUENCE, Kind::RangeDeletion);
        for (largest, at_m) in [(point, true), (sentinel, false)] {
            let mut scan = RangeDeletions::new(order.clone());
            let group = scan.new_group();
            let clip = Some((smallest.clone(), largest));
            scan.add_to(group, Arc::clone(&fragments), clip.clone());
            scan.add_to(group, Arc::clone(&fragments), clip);
            let mut covers = |k: &[u8], sequence| {
                let e = ParsedKey { user_key: k, sequence, kind: Kind::Value };
                scan.covers(&e, MAX_SEQUENCE)
            };
            assert!(!covers(b"b", 1) && covers(b"c", 1) && covers(b"d", 1));
            assert!(!covers(b"d", 10) && !covers(b"n", 1));
            assert_eq!(covers(b"m", 5), at_m);
            assert!(!covers(b"m", 4));
        }
    }
}
