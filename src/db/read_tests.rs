//! Get and the iterator against a plain model, over memtables and tables in every state.
#![forbid(unsafe_code)]

use super::get::{ReadView, get, key_may_exist, multi_get};
use super::iterator::{DbIterator, IterParts};
use super::tables::{FamilyTables, Tables};
use crate::base::comparator::{Comparator, ReverseBytewise, bytewise};
use crate::base::key::{self, Kind, MAX_SEQUENCE, internal};
use crate::base::prefix::FixedPrefix;
use crate::base::rng::Rng;
use crate::base::{Error, ErrorKind, InternalComparator, Result, Sequence};
use crate::env::memory::{MemoryEnv, MemoryFs};
use crate::env::{FileSystem, ReadMode, WriteMode};
use crate::format::manifest::FileEntry;
use crate::format::name;
use crate::hooks::MergeOperator;
use crate::memtable::{MemTable, MemTableSettings};
use crate::options::{CfOptions, MemtableKind, ReadOptions, ReadTier, TableOptions};
use crate::table::{BuildOptions, TableBuilder, TableCache, TableSettings};
use crate::version::{FileMeta, SuperVersion, Version};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Joins operands with commas; fails when one says so.
struct Append;

impl MergeOperator for Append {
    fn name(&self) -> &str {
        "append"
    }
    fn full_merge(&self, _: &[u8], existing: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
        if operands.contains(&&b"fail"[..]) {
            return None;
        }
        let parts: Vec<&[u8]> = existing.into_iter().chain(operands.iter().copied()).collect();
        Some(parts.join(&b','))
    }
}

struct Op {
    sequence: Sequence,
    kind: Kind,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// A store without threads, logs and a manifest: what a read sees, and a model of it.
struct Store {
    order: InternalComparator,
    options: Arc<CfOptions>,
    fs: Arc<MemoryFs>,
    tables: Arc<FamilyTables>,
    mem: Arc<MemTable>,
    imm: Vec<Arc<MemTable>>,
    levels: Vec<Vec<Arc<FileMeta>>>,
    sequence: Sequence,
    next_number: u64,
    model: Vec<Op>,
}

const DIR: &str = "/db";
const LEVELS: usize = 4;

impl Store {
    fn new(comparator: Arc<dyn Comparator>, change: impl FnOnce(&mut CfOptions)) -> Self {
        let mut options = CfOptions {
            comparator: Arc::clone(&comparator),
            merge_operator: Some(Arc::new(Append)),
            table: Arc::new(TableOptions { block_size: 256, ..TableOptions::default() }),
            ..CfOptions::default()
        };
        change(&mut options);
        let env = MemoryEnv::new(1);
        let fs = Arc::new(env.fs.clone());
        fs.create_dir_all(Path::new(DIR)).unwrap();
        let order = InternalComparator::new(comparator);
        let cache = Arc::new(TableCache::new(fs.clone(), ReadMode::default(), -1, None));
        let settings = TableSettings {
            order: order.clone(),
            options: Arc::clone(&options.table),
            cache: None,
            prefix_extractor: options.prefix_extractor.clone(),
        };
        let tables =
            Arc::new(FamilyTables::new(cache, settings, vec![(PathBuf::from(DIR), u64::MAX)]));
        let mem = Arc::new(MemTable::new(MemTableSettings::from_options(&options), 1));
        Self {
            order,
            options: Arc::new(options),
            fs,
            tables,
            mem,
            imm: Vec::new(),
            levels: vec![Vec::new(); LEVELS],
            sequence: 0,
            next_number: 1,
            model: Vec::new(),
        }
    }

    fn write(&mut self, kind: Kind, key: &[u8], value: &[u8]) {
        self.sequence += 1;
        self.mem.add(self.sequence, kind, key, value);
        let (key, value) = (key.to_vec(), value.to_vec());
        self.model.push(Op { sequence: self.sequence, kind, key, value });
    }

    fn put(&mut self, key: &[u8], value: &[u8]) {
        self.write(Kind::Value, key, value);
    }

    fn seal(&mut self) {
        let id = self.mem.id() + 1;
        let fresh = MemTable::new(MemTableSettings::from_options(&self.options), id);
        self.imm.insert(0, std::mem::replace(&mut self.mem, Arc::new(fresh)));
    }

    /// The oldest sealed memtable becomes a file of level 0.
    fn flush(&mut self) {
        let Some(table) = self.imm.pop() else { return };
        let mut points = Vec::new();
        let mut iter = table.iter();
        iter.seek_to_first();
        while iter.valid() {
            points.push((iter.key().to_vec(), iter.value().to_vec()));
            iter.next();
        }
        let ranges: Vec<_> = table
            .tombstones()
            .tombstones()
            .iter()
            .map(|t| (t.begin.clone(), t.end.clone(), t.sequence))
            .collect();
        if let Some(file) = self.build(0, &points, &ranges, None, None) {
            self.levels[0].push(file);
        }
    }

    /// Writes a file. Keys lie in `from..to`; range deletions may reach further, then only that part
    /// of them counts.
    fn build(
        &mut self,
        level: usize,
        points: &[(Vec<u8>, Vec<u8>)],
        ranges: &[(Vec<u8>, Vec<u8>, Sequence)],
        from: Option<&[u8]>,
        to: Option<&[u8]>,
    ) -> Option<Arc<FileMeta>> {
        if points.is_empty() && ranges.is_empty() {
            return None;
        }
        let number = self.next_number;
        self.next_number += 1;
        let mut options = BuildOptions::new(self.order.clone(), Arc::clone(&self.options.table));
        options.name = name::table(number);
        options.number = number;
        options.level = level as i32;
        options.prefix_extractor.clone_from(&self.options.prefix_extractor);
        let path = Path::new(DIR).join(name::table(number));
        let file = self.fs.create(&path, WriteMode::default()).unwrap();
        let mut builder = TableBuilder::new(options, file).unwrap();
        let mut bounds: Vec<Vec<u8>> = Vec::new();
        let mut sequences = Vec::new();
        for (key, value) in points {
            builder.add(key, value).unwrap();
            bounds.push(key.clone());
            sequences.push(key::tag(key) >> 8);
        }
        for (begin, end, sequence) in ranges {
            builder.add(&internal(begin, *sequence, Kind::RangeDeletion), end).unwrap();
            sequences.push(*sequence);
            let begin = match from {
                Some(f) if self.order.compare_user(begin, f).is_lt() => f,
                _ => begin,
            };
            let end = match to {
                Some(t) if self.order.compare_user(t, end).is_lt() => t,
                _ => end,
            };
            bounds.push(internal(begin, *sequence, Kind::RangeDeletion));
            bounds.push(internal(end, MAX_SEQUENCE, Kind::RangeDeletion));
        }
        let summary = builder.finish().unwrap();
        bounds.sort_by(|a, b| self.order.compare(a, b));
        Some(Arc::new(FileMeta::new(FileEntry {
            number,
            size: summary.file_size,
            smallest: bounds.first()?.clone(),
            largest: bounds.last()?.clone(),
            smallest_sequence: *sequences.iter().min()?,
            largest_sequence: *sequences.iter().max()?,
            ..FileEntry::default()
        })))
    }

    /// Merges two neighbouring levels into the lower one, keeping every version, cut at random keys.
    /// Some files keep their range deletions whole, as old releases did.
    fn compact(&mut self, from: usize, rng: &mut Rng) {
        let version = Version::new(self.order.clone(), self.levels.clone()).unwrap();
        let (mut points, mut ranges) = (Vec::new(), Vec::new());
        for level in [from, from + 1] {
            for file in version.files(level) {
                let table = self.tables.open(file, level, super::tables::Io::Allowed).unwrap();
                let mut iter =
                    table.iter(&ReadOptions::default(), crate::table::IterPurpose::Compaction);
                iter.seek_to_first();
                while iter.valid() {
                    points.push((iter.key().to_vec(), iter.value().to_vec()));
                    iter.next();
                }
                iter.status().unwrap();
                for t in table.tombstones().tombstones() {
                    let mut t = t.clone();
                    if level > 0 {
                        let (first, last) = (file.smallest_user(), file.largest_user());
                        if self.order.compare_user(&t.begin, first).is_lt() {
                            t.begin = first.to_vec();
                        }
                        if self.order.compare_user(last, &t.end).is_lt() {
                            t.end = last.to_vec();
                        }
                    }
                    if self.order.compare_user(&t.begin, &t.end).is_lt() {
                        ranges.push((t.begin, t.end, t.sequence));
                    }
                }
            }
            self.levels[level].clear();
        }
        points.sort_by(|a, b| self.order.compare(&a.0, &b.0));
        points.dedup();
        let mut cuts: Vec<Option<Vec<u8>>> = vec![None];
        let mut keys: Vec<Vec<u8>> = (0..rng.below(5)).map(|_| random_key(rng)).collect();
        keys.sort_by(|a, b| self.order.compare_user(a, b));
        keys.dedup();
        cuts.extend(keys.into_iter().map(Some));
        cuts.push(None);
        let before = |order: &InternalComparator, k: &[u8], to: &Option<Vec<u8>>| {
            to.as_ref().is_none_or(|t| order.compare_user(k, t).is_lt())
        };
        for pair in cuts.windows(2) {
            let (from_key, to_key) = (&pair[0], &pair[1]);
            let behind = |order: &InternalComparator, k: &[u8]| {
                from_key.as_ref().is_none_or(|f| order.compare_user(k, f).is_ge())
            };
            let order = self.order.clone();
            let mine: Vec<_> = points
                .iter()
                .filter(|p| {
                    behind(&order, key::user_key(&p.0))
                        && before(&order, key::user_key(&p.0), to_key)
                })
                .cloned()
                .collect();
            let mut holding: Vec<_> = ranges
                .iter()
                .filter(|r| {
                    before(&order, &r.0, to_key)
                        && from_key.as_ref().is_none_or(|f| order.compare_user(f, &r.1).is_lt())
                })
                .cloned()
                .collect();
            if rng.one_in(2) {
                for r in &mut holding {
                    if let Some(f) =
                        from_key.as_ref().filter(|f| order.compare_user(&r.0, f).is_lt())
                    {
                        r.0.clone_from(f);
                    }
                    if let Some(t) = to_key.as_ref().filter(|t| order.compare_user(t, &r.1).is_lt())
                    {
                        r.1.clone_from(t);
                    }
                }
            }
            let file =
                self.build(from + 1, &mine, &holding, from_key.as_deref(), to_key.as_deref());
            self.levels[from + 1].extend(file);
        }
    }

    fn super_version(&self) -> Arc<SuperVersion> {
        let version = Version::new(self.order.clone(), self.levels.clone()).unwrap();
        Arc::new(SuperVersion {
            mem: Arc::clone(&self.mem),
            imm: self.imm.clone(),
            version: Arc::new(version),
            options: Arc::clone(&self.options),
            number: 1,
        })
    }

    fn get_at(&self, o: &ReadOptions, key: &[u8], snapshot: Sequence) -> Result<Option<Vec<u8>>> {
        let sv = self.super_version();
        let view = ReadView::new(&sv, self.tables.as_ref(), None);
        get(&view, o, key, snapshot).map(|v| v.map(|b| b.to_vec()))
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.get_at(&ReadOptions::default(), key, self.sequence)
    }

    fn iter_at(&self, options: &ReadOptions, snapshot: Sequence) -> DbIterator {
        let parts = IterParts {
            super_version: self.super_version(),
            tables: Arc::clone(&self.tables) as Arc<dyn Tables>,
            snapshot,
            statistics: None,
        };
        DbIterator::new(parts, options)
    }

    fn iter(&self, options: &ReadOptions) -> DbIterator {
        self.iter_at(options, self.sequence)
    }

    fn expect(&self, key: &[u8], snapshot: Sequence, see_ranges: bool) -> Option<Vec<u8>> {
        let mut state: Option<Vec<u8>> = None;
        for op in self.model.iter().filter(|op| op.sequence <= snapshot) {
            if op.kind == Kind::RangeDeletion {
                let inside = self.order.compare_user(&op.key, key).is_le()
                    && self.order.compare_user(key, &op.value).is_lt();
                if inside && see_ranges {
                    state = None;
                }
            } else if op.key == key {
                state = match op.kind {
                    Kind::Value => Some(op.value.clone()),
                    Kind::Merge => Some(match state {
                        Some(old) => [&old[..], &op.value].join(&b','),
                        None => op.value.clone(),
                    }),
                    _ => None,
                };
            }
        }
        state
    }

    /// All that a user sees, in key order.
    fn all(&self, snapshot: Sequence, see_ranges: bool) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut keys: Vec<&Vec<u8>> = self
            .model
            .iter()
            .filter(|op| op.kind != Kind::RangeDeletion)
            .map(|op| &op.key)
            .collect();
        keys.sort_by(|a, b| self.order.compare_user(a, b));
        keys.dedup();
        keys.into_iter()
            .filter_map(|k| self.expect(k, snapshot, see_ranges).map(|v| (k.clone(), v)))
            .collect()
    }

    fn random_op(&mut self, rng: &mut Rng) {
        let key = random_key(rng);
        let value_len = rng.below(20) as usize;
        let value = rng.bytes(value_len);
        match rng.below(20) {
            0..8 => self.write(Kind::Value, &key, &value),
            8..11 => self.write(Kind::Deletion, &key, b""),
            11..15 => self.write(Kind::Merge, &key, &value),
            15..17 => {
                let mut ends = [key, random_key(rng)];
                ends.sort_by(|a, b| self.order.compare_user(a, b));
                self.write(Kind::RangeDeletion, &ends[0], &ends[1]);
            }
            _ => {
                // Many versions of one key.
                for _ in 0..rng.below(12) {
                    let kind = if rng.one_in(3) { Kind::Merge } else { Kind::Value };
                    self.write(kind, &key, &[rng.below(255) as u8]);
                }
            }
        }
    }
}

fn random_key(rng: &mut Rng) -> Vec<u8> {
    let len = rng.below(4) as usize;
    (0..len).map(|_| b"\0ab\xff"[rng.below(4) as usize]).collect()
}

/// Moves at random and compares; `all` is what shows.
fn walk(store: &Store, options: &ReadOptions, snapshot: Sequence, rng: &mut Rng, moves: usize) {
    let order = &store.order;
    let mut all = store.all(snapshot, !options.ignore_range_deletions);
    if let Some(lower) = &options.iterate_lower_bound {
        all.retain(|e| order.compare_user(&e.0, lower).is_ge());
    }
    if let Some(upper) = &options.iterate_upper_bound {
        all.retain(|e| order.compare_user(&e.0, upper).is_lt());
    }
    let mut iter = store.iter_at(options, snapshot);
    assert!(!iter.valid() && iter.status().is_ok());
    let mut at: Option<usize> = None;
    for _ in 0..moves {
        match rng.below(12) {
            0 => {
                iter.seek_to_first();
                at = (!all.is_empty()).then_some(0);
            }
            1 => {
                iter.seek_to_last();
                at = all.len().checked_sub(1);
            }
            2 => {
                let target = random_key(rng);
                iter.seek(&target);
                let i = all.partition_point(|e| order.compare_user(&e.0, &target).is_lt());
                at = Some(i).filter(|&i| i < all.len());
            }
            3 => {
                let target = random_key(rng);
                iter.seek_for_prev(&target);
                at = all
                    .partition_point(|e| order.compare_user(&e.0, &target).is_le())
                    .checked_sub(1);
            }
            4..8 => {
                iter.next();
                at = at.map(|i| i + 1).filter(|&i| i < all.len());
            }
            _ => {
                iter.prev();
                at = at.and_then(|i| i.checked_sub(1));
            }
        }
        iter.status().unwrap();
        let shown = iter.valid().then(|| (iter.key().to_vec(), iter.value().to_vec()));
        assert_eq!(shown, at.map(|i| all[i].clone()));
    }
}

fn random_options(rng: &mut Rng) -> ReadOptions {
    let mut bound = || (rng.below(2) == 0).then(|| random_key(rng));
    ReadOptions {
        iterate_lower_bound: bound(),
        iterate_upper_bound: bound(),
        pin_data: rng.one_in(4),
        ignore_range_deletions: rng.one_in(8),
        ..ReadOptions::default()
    }
}

fn check(store: &Store, rng: &mut Rng) {
    for _ in 0..6 {
        let snapshot = if rng.one_in(2) { store.sequence } else { rng.below(store.sequence + 1) };
        let options = random_options(rng);
        let keys: Vec<Vec<u8>> = (0..8).map(|_| random_key(rng)).collect();
        for key in &keys {
            let want = store.expect(key, snapshot, !options.ignore_range_deletions);
            assert_eq!(store.get_at(&options, key, snapshot).unwrap(), want, "{key:?}");
        }
        let sv = store.super_version();
        let view = ReadView::new(&sv, store.tables.as_ref(), None);
        let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        for (key, found) in keys.iter().zip(multi_get(&view, &options, &slices, snapshot)) {
            let want = store.expect(key, snapshot, !options.ignore_range_deletions);
            assert_eq!(found.unwrap().map(|b| b.to_vec()), want);
            let (may, value) = key_may_exist(&view, &options, key, snapshot);
            assert!(may || want.is_none());
            assert!(value.is_none_or(|v| Some(v.to_vec()) == want));
        }
        walk(store, &options, snapshot, rng, 60);
    }
}

fn run(seed: u64, with_tables: bool) {
    let mut rng = Rng::new(seed);
    let comparator: Arc<dyn Comparator> =
        if seed % 4 == 3 { Arc::new(ReverseBytewise) } else { bytewise() };
    let mut store = Store::new(comparator, |o| {
        o.max_sequential_skip_in_iterations = rng.below(6);
        if seed % 5 == 4 {
            o.memtable = MemtableKind::Vector;
        }
    });
    for _ in 0..12 {
        for _ in 0..rng.below(25) {
            store.random_op(&mut rng);
        }
        match rng.below(if with_tables { 6 } else { 2 }) {
            0 => {}
            1 | 2 => store.seal(),
            3 => {
                store.seal();
                while !store.imm.is_empty() {
                    store.flush();
                }
            }
            _ => {
                store.seal();
                while !store.imm.is_empty() {
                    store.flush();
                }
                let from = rng.below(LEVELS as u64 - 1) as usize;
                store.compact(from, &mut rng);
            }
        }
        check(&store, &mut rng);
    }
}

#[test]
fn memtables_read_as_the_model() {
    for seed in 0..20 {
        run(seed, false);
    }
}

#[test]
fn memtables_and_tables_read_as_the_model() {
    for seed in 100..108 {
        run(seed, true);
    }
}

/// The same data in memory, sealed, on level 0, on level 1.
fn in_every_state(
    fill: impl Fn(&mut Store),
    change: impl Fn(&mut CfOptions),
    check: impl Fn(&Store, &str),
) {
    for state in ["memory", "sealed", "level 0", "level 1"] {
        let mut store = Store::new(bytewise(), &change);
        fill(&mut store);
        if state != "memory" {
            store.seal();
        }
        if state.starts_with("level") {
            store.flush();
        }
        if state == "level 1" {
            store.compact(0, &mut Rng::new(1));
        }
        check(&store, state);
    }
}

#[test]
fn bounds_at_their_edges() {
    let fill = |store: &mut Store| {
        for k in [&b"a"[..], b"b", b"c", b"d", b"e", b"f", b"g", b"h"] {
            store.put(k, k);
        }
    };
    in_every_state(
        fill,
        |_| (),
        |store, state| {
            let options = ReadOptions {
                iterate_lower_bound: Some(b"c".to_vec()),
                iterate_upper_bound: Some(b"f".to_vec()),
                ..ReadOptions::default()
            };
            let mut iter = store.iter(&options);
            let at = |iter: &DbIterator| iter.valid().then(|| iter.key().to_vec());
            iter.seek_to_first();
            assert_eq!(at(&iter), Some(b"c".to_vec()), "{state}");
            iter.prev();
            assert_eq!(at(&iter), None);
            iter.next();
            assert_eq!(at(&iter), None);
            iter.seek_to_last();
            assert_eq!(at(&iter), Some(b"e".to_vec()));
            iter.next();
            assert_eq!(at(&iter), None);
            iter.seek(b"a");
            assert_eq!(at(&iter), Some(b"c".to_vec()));
            iter.seek(b"g");
            assert_eq!(at(&iter), None);
            iter.seek_for_prev(b"z");
            assert_eq!(at(&iter), Some(b"e".to_vec()));
            iter.seek_for_prev(b"a");
            assert_eq!(at(&iter), None);
            assert!(iter.key().is_empty() && iter.value().is_empty() && iter.status().is_ok());
        },
    );
}

#[test]
fn the_empty_key_and_high_bytes_are_keys_like_others() {
    let keys: [&[u8]; 6] = [b"", b"\0", b"\0\0", b"a", b"\xff", b"\xff\xff\xff"];
    let fill = |store: &mut Store| {
        for k in keys {
            store.put(k, k);
        }
    };
    in_every_state(
        fill,
        |_| (),
        |store, state| {
            let mut targets = keys.to_vec();
            targets.extend([&b"\0a"[..], b"b", b"\xff\xff", b"\xff\xff\xff\xff"]);
            for lower in &targets {
                for upper in &targets {
                    let options = ReadOptions {
                        iterate_lower_bound: Some(lower.to_vec()),
                        iterate_upper_bound: Some(upper.to_vec()),
                        ..ReadOptions::default()
                    };
                    let shown: Vec<&[u8]> =
                        keys.into_iter().filter(|k| lower <= k && k < upper).collect();
                    let mut iter = store.iter(&options);
                    iter.seek_to_first();
                    let mut forward = Vec::new();
                    while iter.valid() {
                        forward.push(iter.key().to_vec());
                        iter.next();
                    }
                    assert_eq!(forward, shown, "{state}");
                    iter.seek_to_last();
                    forward.clear();
                    while iter.valid() {
                        forward.push(iter.key().to_vec());
                        iter.prev();
                    }
                    forward.reverse();
                    assert_eq!(forward, shown, "{state}");
                    for target in &targets {
                        iter.seek(target);
                        let want = shown.iter().find(|k| *k >= target);
                        assert_eq!(iter.valid().then(|| iter.key()), want.copied());
                        iter.seek_for_prev(target);
                        let want = shown.iter().rev().find(|k| *k <= target);
                        assert_eq!(iter.valid().then(|| iter.key()), want.copied());
                    }
                }
            }
        },
    );
}

#[test]
fn prefixes_hide_nothing_unless_asked() {
    let fill = |store: &mut Store| {
        for k in [&b"a"[..], b"aaa1", b"aaa2", b"bbb1", b"ccc1", b"cc"] {
            store.put(k, k);
        }
    };
    let change = |o: &mut CfOptions| {
        o.prefix_extractor = Some(Arc::new(FixedPrefix::new(3)));
    };
    in_every_state(fill, change, |store, state| {
        let plain = ReadOptions::default();
        for target in [&b""[..], b"a", b"aab", b"abcd", b"bbb9", b"cca"] {
            let mut iter = store.iter(&plain);
            iter.seek(target);
            let mut count = 0;
            while iter.valid() {
                count += 1;
                iter.next();
            }
            let want =
                store.all(store.sequence, true).iter().filter(|e| &e.0[..] >= target).count();
            assert_eq!(count, want, "{state} {target:?}");
        }
        let same = ReadOptions { prefix_same_as_start: true, ..ReadOptions::default() };
        let mut iter = store.iter(&same);
        iter.seek(b"aaa1");
        assert!(iter.valid());
        iter.next();
        assert_eq!(iter.key(), b"aaa2");
        iter.next();
        assert!(!iter.valid() && iter.status().is_ok());
        iter.seek(b"aab");
        assert!(!iter.valid() && iter.status().is_ok());
        iter.seek_for_prev(b"bbb9");
        assert_eq!(iter.key(), b"bbb1");
        iter.prev();
        assert!(!iter.valid());
        // Outside the extractor's domain there is no prefix to stay within.
        iter.seek(b"b");
        assert_eq!(iter.key(), b"bbb1");
        iter.next();
        assert!(iter.valid());
        iter.seek_to_last();
        assert_eq!(iter.key(), b"ccc1");
        iter.prev();
        assert!(!iter.valid());
    });
}

#[test]
fn too_many_hidden_entries_end_a_scan_when_asked() {
    let fill = |store: &mut Store| {
        store.put(b"a", b"1");
        for i in 0..20 {
            store.put(b"b", &[i]);
        }
        for i in 0..5u8 {
            store.put(&[b'c', i], b"");
            store.write(Kind::Deletion, &[b'c', i], b"");
        }
        store.put(b"d", b"1");
    };
    in_every_state(
        fill,
        |_| (),
        |store, _| {
            let mut options =
                ReadOptions { max_skippable_internal_keys: 4, ..ReadOptions::default() };
            let mut iter = store.iter(&options);
            iter.seek(b"c");
            assert!(!iter.valid());
            let e = iter.status().unwrap_err();
            assert_eq!(e.to_string(), "Result incomplete: Too many internal keys skipped.");
            iter.next();
            assert!(!iter.valid());
            iter.seek(b"a");
            assert!(iter.valid() && iter.status().is_ok());
            iter.seek_for_prev(b"cz");
            assert!(!iter.valid() && iter.status().is_err());
            options.max_skippable_internal_keys = 100;
            let mut iter = store.iter(&options);
            iter.seek_to_first();
            let mut keys = Vec::new();
            while iter.valid() {
                keys.push(iter.key().to_vec());
                iter.next();
            }
            iter.status().unwrap();
            assert_eq!(keys, [b"a", b"b", b"d"]);
        },
    );
}

#[test]
fn a_failed_merge_is_an_error_of_its_key_alone() {
    let fill = |store: &mut Store| {
        store.put(b"a", b"1");
        store.write(Kind::Merge, b"b", b"fail");
        store.put(b"c", b"1");
    };
    in_every_state(
        fill,
        |_| (),
        |store, _| {
            let e = store.get(b"b").unwrap_err();
            assert_eq!(e.to_string(), Error::merge_failed().to_string());
            assert!(store.get(b"a").unwrap().is_some() && store.get(b"c").unwrap().is_some());
            let mut iter = store.iter(&ReadOptions::default());
            iter.seek_to_first();
            iter.next();
            assert!(!iter.valid() && iter.status().unwrap_err().is_corruption());
            iter.seek_to_last();
            assert!(iter.valid() && iter.status().is_ok());
            iter.prev();
            assert!(!iter.valid() && iter.status().is_err());
        },
    );
    in_every_state(
        fill,
        |o| o.merge_operator = None,
        |store, _| {
            let e = store.get(b"b").unwrap_err();
            assert_eq!(e.to_string(), "Not implemented: Provide a merge_operator when opening DB");
        },
    );
}

#[test]
fn absent_and_empty_are_two_things_for_a_merge() {
    struct Tell;
    impl MergeOperator for Tell {
        fn name(&self) -> &str {
            "tell"
        }
        fn full_merge(&self, _: &[u8], old: Option<&[u8]>, _: &[&[u8]]) -> Option<Vec<u8>> {
            Some(format!("{old:?}").into_bytes())
        }
    }
    let fill = |store: &mut Store| {
        store.put(b"empty", b"");
        store.put(b"deleted", b"x");
        store.write(Kind::Deletion, b"deleted", b"");
        store.put(b"range", b"x");
        store.write(Kind::RangeDeletion, b"r", b"s");
        for k in [&b"absent"[..], b"empty", b"deleted", b"range"] {
            store.write(Kind::Merge, k, b"operand");
        }
    };
    in_every_state(
        fill,
        |o| o.merge_operator = Some(Arc::new(Tell)),
        |store, state| {
            let mut seen = BTreeMap::new();
            let mut iter = store.iter(&ReadOptions::default());
            iter.seek_to_first();
            while iter.valid() {
                seen.insert(iter.key().to_vec(), iter.value().to_vec());
                iter.next();
            }
            let mut back = BTreeMap::new();
            iter.seek_to_last();
            while iter.valid() {
                back.insert(iter.key().to_vec(), iter.value().to_vec());
                iter.prev();
            }
            assert_eq!(seen, back, "{state}");
            for (key, want) in [
                (&b"absent"[..], "None"),
                (b"empty", "Some([])"),
                (b"deleted", "None"),
                (b"range", "None"),
            ] {
                assert_eq!(seen[key], want.as_bytes(), "{state}");
                assert_eq!(store.get(key).unwrap().unwrap(), want.as_bytes(), "{state}");
            }
        },
    );
}

#[test]
fn pinned_keys_stay_where_they_are() {
    let fill = |store: &mut Store| (0..50u8).for_each(|i| store.put(&[i], b"v"));
    in_every_state(
        fill,
        |_| (),
        |store, _| {
            let mut iter = store.iter(&ReadOptions { pin_data: true, ..ReadOptions::default() });
            let mut places = Vec::new();
            iter.seek_to_first();
            while iter.valid() {
                places.push(iter.key().as_ptr());
                iter.next();
            }
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), 50);
        },
    );
}

#[test]
fn a_read_of_memory_alone_does_not_look_into_tables() {
    let mut store = Store::new(bytewise(), |_| ());
    store.put(b"a", b"1");
    store.seal();
    store.flush();
    store.put(b"b", b"2");
    let options = ReadOptions { read_tier: ReadTier::Memtable, ..ReadOptions::default() };
    assert_eq!(store.get_at(&options, b"a", 9).unwrap(), None);
    assert_eq!(store.get_at(&options, b"b", 9).unwrap(), Some(b"2".to_vec()));
    let mut iter = store.iter(&options);
    iter.seek_to_first();
    assert_eq!(iter.key(), b"b");
    let options = ReadOptions { read_tier: ReadTier::BlockCache, ..ReadOptions::default() };
    let e = store.get_at(&options, b"a", 9).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Incomplete);
    let mut iter = store.iter(&options);
    iter.seek_to_first();
    assert!(!iter.valid());
    assert_eq!(iter.status().unwrap_err().kind(), ErrorKind::Incomplete);
}

#[test]
fn a_damaged_block_is_an_error_and_never_a_short_scan() {
    let count = 300u32;
    let mut store = Store::new(bytewise(), |_| ());
    for i in 0..count {
        store.put(&i.to_be_bytes(), &[7; 20]);
    }
    store.seal();
    store.flush();
    let number = store.levels[0][0].number();
    let path = Path::new(DIR).join(name::table(number));
    // In a data block about half way of them.
    store.fs.edit(&path, |bytes| bytes[4000] ^= 0x40).unwrap();
    let mut iter = store.iter(&ReadOptions::default());
    let mut seen = 0;
    iter.seek_to_first();
    while iter.valid() {
        seen += 1;
        iter.next();
    }
    assert!(iter.status().unwrap_err().is_corruption());
    iter.seek_to_last();
    assert!(iter.valid() && iter.status().is_ok());
    while iter.valid() {
        seen += 1;
        iter.prev();
    }
    assert!(iter.status().unwrap_err().is_corruption());
    assert!(seen > 0 && seen < count);
    let failed = (0..count).filter(|i| store.get(&i.to_be_bytes()).is_err()).count() as u32;
    // Going back, the first key behind the damage cannot be told: a newer version may be in there.
    assert_eq!(seen + failed + 1, count);
}

#[test]
fn a_range_deletion_is_not_walked_through() {
    let mut store = Store::new(bytewise(), |_| ());
    for i in 0..2000u32 {
        store.put(&i.to_be_bytes(), b"v");
    }
    store.seal();
    store.put(&5000u32.to_be_bytes(), b"v");
    store.write(Kind::RangeDeletion, &10u32.to_be_bytes(), &1990u32.to_be_bytes());
    let options = ReadOptions { max_skippable_internal_keys: 20, ..ReadOptions::default() };
    let mut iter = store.iter(&options);
    iter.seek(&10u32.to_be_bytes());
    assert_eq!(iter.key(), 1990u32.to_be_bytes());
    iter.prev();
    assert_eq!(iter.key(), 9u32.to_be_bytes());
}
