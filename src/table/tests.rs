//! Tables from the outside: what is written is read back, whatever the settings; RocksDB's tables are
//! read; reads cost the I/O that they should; damage is an error or does not matter.
#![allow(clippy::disallowed_methods, reason = "fixtures and temporary folders of tests")]

use super::*;
use crate::base::key::{self, Kind, MAX_SEQUENCE};
use crate::base::prefix::{FixedPrefix, SliceTransform};
use crate::base::rng::Rng;
use crate::base::{InternalComparator, ParsedKey, Result, comparator};
use crate::cache::Cache;
use crate::env::{FileSystem, RandomAccessFile, ReadMode, WritableFile, WriteMode};
use crate::filter::FilterPolicy;
use crate::iter::InternalIterator;
use crate::learned::{Mode, PgmFence, PgmFenceBuilder};
use crate::options::{
    ChecksumType, Compression, DataBlockIndexType, IndexShortening, IndexType, LearnedIndex,
    ReadOptions, ReadTier, TableOptions,
};
use crate::stats::{Statistics, Ticker};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering as Atomic};
use std::sync::{Arc, Mutex};

/// A file in memory that counts its reads.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>, Arc<AtomicU64>);

impl Memory {
    fn of(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(bytes)), Arc::default())
    }
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
    fn reads(&self) -> u64 {
        self.1.load(Atomic::Relaxed)
    }
}

impl WritableFile for Memory {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
    fn sync(&mut self) -> Result<()> {
        Ok(())
    }
    fn truncate(&mut self, len: u64) -> Result<()> {
        self.0.lock().unwrap().truncate(len as usize);
        Ok(())
    }
    fn size(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }
    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

impl RandomAccessFile for Memory {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.1.fetch_add(1, Atomic::Relaxed);
        let bytes = self.0.lock().unwrap();
        let at = (offset as usize).min(bytes.len());
        let n = buf.len().min(bytes.len() - at);
        buf[..n].copy_from_slice(&bytes[at..at + n]);
        Ok(n)
    }
    fn size(&self) -> Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }
}

fn order() -> InternalComparator {
    InternalComparator::new(comparator::bytewise())
}

/// Entries in internal order, and the ranges deleted.
type Entries = Vec<(Vec<u8>, Vec<u8>)>;

fn build_with(options: BuildOptions, entries: &Entries) -> (Memory, TableSummary) {
    let file = Memory::default();
    let mut builder = TableBuilder::new(options, Box::new(file.clone())).unwrap();
    for (key, value) in entries {
        builder.add(key, value).unwrap();
    }
    assert!(builder.file_size() > 0 || entries.is_empty());
    let summary = builder.finish().unwrap();
    assert_eq!(summary.file_size, file.bytes().len() as u64);
    (file, summary)
}

fn build(options: TableOptions, entries: &Entries) -> (Memory, TableSummary) {
    build_with(BuildOptions::new(order(), Arc::new(options)), entries)
}

fn opening(file: &Memory, options: TableOptions) -> OpenOptions {
    let size = file.bytes().len() as u64;
    OpenOptions::new("test.sst", size, order(), Arc::new(options))
}

fn open(file: &Memory, options: TableOptions) -> Arc<Table> {
    Table::open(Arc::new(file.clone()), opening(file, options)).unwrap()
}

/// Distinct user keys of one of several shapes, and versions for some of them.
fn random_entries(rng: &mut Rng, count: usize) -> Entries {
    let shape = rng.below(4);
    let mut map = BTreeMap::new();
    for i in 0..count as u64 {
        let user = match shape {
            0 => format!("user{:08}", i * 3).into_bytes(),
            1 => rng.next().to_be_bytes().to_vec(),
            2 => {
                let len = 1 + rng.below(30) as usize;
                rng.bytes(len).iter().map(|b| b"ab\x00\xff"[usize::from(b % 4)]).collect()
            }
            _ => format!("tenant{}/row{}", rng.below(9), rng.below(100_000)).into_bytes(),
        };
        let versions = if rng.one_in(10) { 1 + rng.below(12) } else { 1 };
        for _ in 0..versions {
            let sequence = 1 + rng.below(1000);
            let kind = match rng.below(10) {
                0 => Kind::Deletion,
                1 => Kind::Merge,
                2 => Kind::SingleDeletion,
                _ => Kind::Value,
            };
            let most = if rng.one_in(50) { 3000 } else { 60 };
            let len = rng.below(most) as usize;
            let value = if matches!(kind, Kind::Deletion | Kind::SingleDeletion) {
                Vec::new()
            } else {
                vec![b'a' + (rng.below(26) as u8); len]
            };
            map.insert((user.clone(), u64::MAX - sequence), (sequence, kind, value));
        }
    }
    map.into_iter()
        .map(|((user, _), (sequence, kind, value))| (key::internal(&user, sequence, kind), value))
        .collect()
}

/// A user key near those that are there.
fn probe(rng: &mut Rng, entries: &Entries) -> Vec<u8> {
    let mut user = if entries.is_empty() {
        Vec::new()
    } else {
        key::user_key(&entries[rng.below(entries.len() as u64) as usize].0).to_vec()
    };
    match rng.below(6) {
        0 => user.push(rng.next() as u8),
        1 => drop(user.pop()),
        2 if !user.is_empty() => {
            let at = rng.below(user.len() as u64) as usize;
            user[at] = user[at].wrapping_add(if rng.one_in(2) { 1 } else { 0xFF });
        }
        3 if rng.one_in(4) => user = vec![0xFF; 20],
        3 if rng.one_in(4) => user.clear(),
        _ => {}
    }
    user
}

type Version = (u64, Kind, Vec<u8>);

fn get_all(table: &Table, options: &ReadOptions, target: &[u8]) -> Result<Vec<Version>> {
    let mut found = Vec::new();
    table.get(options, target, &mut |entry: ParsedKey<'_>, value: ValueRef<'_>| {
        assert_eq!(entry.user_key, key::user_key(target));
        let bytes = value.to_bytes();
        assert_eq!(&bytes[..], value.bytes());
        found.push((entry.sequence, entry.kind, bytes.to_vec()));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

fn expected(order: &InternalComparator, entries: &Entries, target: &[u8]) -> Vec<Version> {
    entries
        .iter()
        .filter(|(k, _)| {
            key::user_key(k) == key::user_key(target) && order.compare(k, target) != Ordering::Less
        })
        .map(|(k, v)| {
            let e = ParsedKey::parse(k).unwrap();
            (e.sequence, e.kind, v.clone())
        })
        .collect()
}

fn at(iter: &dyn InternalIterator) -> Option<(Vec<u8>, Vec<u8>)> {
    iter.status().unwrap();
    iter.valid().then(|| (iter.key().to_vec(), iter.value().to_vec()))
}

/// Everything that a table answers, against the entries that it was made of.
fn check(table: &Arc<Table>, entries: &Entries, rng: &mut Rng, probes: usize) {
    let order = order();
    let read = ReadOptions { fill_cache: rng.one_in(2), ..ReadOptions::default() };
    let purpose = if rng.one_in(2) { IterPurpose::User } else { IterPurpose::Compaction };
    let mut iter = table.iter(&read, purpose);
    iter.seek_to_first();
    for entry in entries {
        assert_eq!(at(&*iter).as_ref(), Some(entry));
        iter.next();
    }
    assert_eq!(at(&*iter), None);
    iter.seek_to_last();
    for entry in entries.iter().rev() {
        assert_eq!(at(&*iter).as_ref(), Some(entry));
        iter.prev();
    }
    assert_eq!(at(&*iter), None);
    for _ in 0..probes {
        let user = probe(rng, entries);
        let snapshot = if rng.one_in(2) { MAX_SEQUENCE } else { rng.below(1001) };
        let target = key::seek_target(&user, snapshot);
        assert_eq!(
            get_all(table, &read, &target).unwrap(),
            expected(&order, entries, &target),
            "get {user:?} at {snapshot}"
        );
        let from = entries.partition_point(|(k, _)| order.compare(k, &target) == Ordering::Less);
        if rng.one_in(2) {
            iter.seek(&target);
            let mut i = from;
            assert_eq!(at(&*iter).as_ref(), entries.get(i), "seek {user:?} at {snapshot}");
            for _ in 0..rng.below(6) {
                if i >= entries.len() {
                    break;
                }
                if rng.one_in(3) {
                    iter.prev();
                    i = i.checked_sub(1).unwrap_or(usize::MAX);
                } else {
                    iter.next();
                    i += 1;
                }
                assert_eq!(at(&*iter).as_ref(), entries.get(i));
            }
        } else {
            let to =
                entries.partition_point(|(k, _)| order.compare(k, &target) != Ordering::Greater);
            iter.seek_for_prev(&target);
            let want = to.checked_sub(1).map(|i| &entries[i]);
            assert_eq!(at(&*iter).as_ref(), want, "seek_for_prev {user:?} at {snapshot}");
        }
    }
    assert_eq!(table.properties().num_entries, entries.len() as u64);
    table.verify_checksums().unwrap();
}

fn random_options(rng: &mut Rng) -> TableOptions {
    let pick = |rng: &mut Rng, of: &[u64]| of[rng.below(of.len() as u64) as usize];
    TableOptions {
        block_size: pick(rng, &[1, 64, 256, 1024, 4096]),
        block_size_deviation: pick(rng, &[0, 10, 50]) as i32,
        block_restart_interval: pick(rng, &[1, 3, 16]) as i32,
        index_block_restart_interval: pick(rng, &[1, 4, 16]) as i32,
        metadata_block_size: pick(rng, &[64, 500, 4096]),
        format_version: 2 + rng.below(4) as u32,
        checksum: ChecksumType::from_number(rng.below(5) as i32).unwrap(),
        index_type: IndexType::from_number(rng.below(4) as i32).unwrap(),
        data_block_index_type: DataBlockIndexType::from_number(rng.below(2) as i32).unwrap(),
        pgm_fence_mode: LearnedIndex::from_number(rng.below(3) as i32).unwrap(),
        index_shortening: IndexShortening::from_number(rng.below(3) as i32).unwrap(),
        partition_filters: rng.one_in(2),
        whole_key_filtering: !rng.one_in(4),
        enable_index_compression: rng.one_in(2),
        cache_index_and_filter_blocks: rng.one_in(2),
        pin_top_level_index_and_filter: rng.one_in(2),
        verify_compression: rng.one_in(2),
        use_delta_encoding: !rng.one_in(4),
        filter_policy: rng.one_in(2).then(|| Arc::new(FilterPolicy::bloom(10.0))),
        ..TableOptions::default()
    }
}

const CODECS: [Compression; 5] = [
    Compression::None,
    Compression::Snappy,
    Compression::Zlib,
    Compression::Lz4,
    Compression::Zstd,
];

#[test]
fn a_table_holds_what_was_added_whatever_the_settings() {
    let rounds = if cfg!(debug_assertions) { 40 } else { 400 };
    for seed in 0..rounds {
        let mut rng = Rng::new(seed);
        let options = random_options(&mut rng);
        let count = [0, 1, 7, 100, 1500][rng.below(5) as usize];
        let entries = random_entries(&mut rng, count);
        let prefixes: Option<Arc<dyn SliceTransform>> =
            if rng.one_in(2) { Some(Arc::new(FixedPrefix::new(3))) } else { None };
        let mut building = BuildOptions::new(order(), Arc::new(options.clone()));
        building.compression = CODECS[rng.below(5) as usize];
        building.prefix_extractor.clone_from(&prefixes);
        let (file, summary) = build_with(building, &entries);
        assert_eq!(summary.entries, entries.len() as u64);
        assert_eq!(summary.first_key, entries.first().map_or(vec![], |e| e.0.clone()));
        assert_eq!(summary.last_key, entries.last().map_or(vec![], |e| e.0.clone()));
        let cache = rng.one_in(2).then(|| Cache::lru(1 << 20, 2, false));
        // The same file, by whatever index it has and by its classic one.
        for mode in [options.pgm_fence_mode, LearnedIndex::Off] {
            let options = TableOptions { pgm_fence_mode: mode, ..options.clone() };
            let mut opening = opening(&file, options);
            opening.cache.clone_from(&cache);
            opening.prefix_extractor.clone_from(&prefixes);
            let table = Table::open(Arc::new(file.clone()), opening).unwrap();
            if mode == LearnedIndex::Off {
                assert!(!table.is_learned());
            } else {
                assert_eq!(table.is_learned(), summary.learned_bytes > 0);
            }
            check(&table, &entries, &mut rng, 60);
            for (k, _) in entries.iter().step_by(7) {
                assert!(table.may_match_key(&ReadOptions::default(), key::user_key(k)).unwrap());
                assert!(table.may_match_prefix(&ReadOptions::default(), key::user_key(k)).unwrap());
            }
        }
    }
}

#[test]
fn versions_of_a_key_may_fill_many_blocks() {
    for mode in [LearnedIndex::Exact, LearnedIndex::Window, LearnedIndex::Off] {
        let options = TableOptions { block_size: 128, pgm_fence_mode: mode, ..Default::default() };
        let mut entries = Vec::new();
        for user in 0..40u32 {
            let versions = if user % 5 == 0 { 300 } else { 3 };
            for v in (1..=versions).rev() {
                let user = format!("key{user:04}");
                let value = format!("{v}").into_bytes();
                entries.push((key::internal(user.as_bytes(), v, Kind::Value), value));
            }
        }
        let (file, summary) = build(options.clone(), &entries);
        assert_eq!(summary.learned_bytes > 0, mode != LearnedIndex::Off);
        assert_eq!(summary.properties.index_key_is_user_key, 0);
        let table = open(&file, options);
        check(&table, &entries, &mut Rng::new(3), 300);
        for snapshot in 0..302 {
            let target = key::seek_target(b"key0005", snapshot);
            let got = get_all(&table, &ReadOptions::default(), &target).unwrap();
            assert_eq!(got.len() as u64, snapshot.min(300));
            assert!(got.first().is_none_or(|v| v.0 == snapshot.min(300)));
        }
    }
}

fn ascending(count: u64) -> Entries {
    (0..count)
        .map(|i| {
            let user = format!("key{:09}", i * 7919 % 1_000_003 + i * 1_000_003);
            (key::internal(user.as_bytes(), 5, Kind::Value), vec![b'v'; 100])
        })
        .collect::<BTreeMap<_, _>>()
        .into_iter()
        .collect()
}

/// Reads of each kind since the last call.
struct Counted(Arc<Statistics>, [u64; 4]);

const COUNTED: [Ticker; 4] =
    [Ticker::FilterReads, Ticker::IndexReads, Ticker::DataReads, Ticker::LearnedExtraBlocks];

impl Counted {
    fn take(&mut self) -> [u64; 4] {
        let now = COUNTED.map(|t| self.0.get(t));
        let before = std::mem::replace(&mut self.1, now);
        [0, 1, 2, 3].map(|i| now[i] - before[i])
    }
}

#[test]
fn a_cold_lookup_costs_one_data_read_and_an_excluded_key_none() {
    for mode in [LearnedIndex::Exact, LearnedIndex::Window, LearnedIndex::Off] {
        let entries = ascending(20_000);
        let options = TableOptions {
            filter_policy: Some(Arc::new(FilterPolicy::bloom(12.0))),
            pgm_fence_mode: mode,
            ..TableOptions::default()
        };
        let (file, summary) = build(options.clone(), &entries);
        assert_eq!(summary.learned_bytes > 0, mode != LearnedIndex::Off);
        let statistics = Arc::new(Statistics::default());
        let mut opening = opening(&file, options);
        opening.statistics = Some(Arc::clone(&statistics));
        let table = Table::open(Arc::new(file.clone()), opening).unwrap();
        let mut counted = Counted(statistics, [0; 4]);
        counted.take();
        let (mut reads, mut data) = (file.reads(), 0);
        let mut extra = 0;
        for (k, _) in entries.iter().step_by(13) {
            let target = key::seek_target(key::user_key(k), MAX_SEQUENCE);
            assert_eq!(get_all(&table, &ReadOptions::default(), &target).unwrap().len(), 1);
            let now = file.reads();
            let [filter, index, blocks, more] = counted.take();
            assert_eq!((filter, index), (0, 0));
            assert_eq!(now - reads, blocks);
            reads = now;
            data += blocks;
            extra += more;
        }
        let lookups = entries.iter().step_by(13).count() as u64;
        assert!(data * 1000 <= lookups * 1005, "{mode:?}: {data} reads for {lookups} lookups");
        if mode == LearnedIndex::Exact {
            assert!(extra * 100 <= lookups);
        }
        for i in 0..2000 {
            let target = key::seek_target(format!("kex{i}").as_bytes(), MAX_SEQUENCE);
            assert!(get_all(&table, &ReadOptions::default(), &target).unwrap().is_empty());
        }
        let [_, index, data, _] = counted.take();
        assert_eq!(index, 0);
        assert!(data < 2000 / 50, "{data} reads for absent keys");
    }
}

#[test]
fn with_metadata_in_the_cache_the_filter_comes_before_the_index() {
    for mode in [LearnedIndex::Exact, LearnedIndex::Off] {
        let entries = ascending(20_000);
        let options = TableOptions {
            filter_policy: Some(Arc::new(FilterPolicy::bloom(20.0))),
            pgm_fence_mode: mode,
            cache_index_and_filter_blocks: true,
            ..TableOptions::default()
        };
        let (file, _) = build(options.clone(), &entries);
        let statistics = Arc::new(Statistics::default());
        let mut opening = opening(&file, options);
        opening.statistics = Some(Arc::clone(&statistics));
        opening.cache = Some(Cache::lru(8 << 20, 2, false));
        let table = Table::open(Arc::new(file.clone()), opening).unwrap();
        let mut counted = Counted(statistics, [0; 4]);
        assert_eq!(counted.take(), [0; 4], "an open loads neither");
        let absent = key::seek_target(b"absent", MAX_SEQUENCE);
        let no_io = ReadOptions { read_tier: ReadTier::BlockCache, ..ReadOptions::default() };
        let present = key::seek_target(key::user_key(&entries[777].0), MAX_SEQUENCE);
        let e = get_all(&table, &no_io, &present).unwrap_err();
        assert_eq!(e.to_string(), "Result incomplete: no blocking io");
        assert!(get_all(&table, &ReadOptions::default(), &absent).unwrap().is_empty());
        assert_eq!(counted.take(), [1, 0, 0, 0]);
        let e = get_all(&table, &no_io, &present).unwrap_err();
        assert_eq!(e.kind(), crate::base::ErrorKind::Incomplete);
        assert_eq!(get_all(&table, &ReadOptions::default(), &present).unwrap().len(), 1);
        assert_eq!(counted.take(), [0, 1, 1, 0]);
        assert_eq!(get_all(&table, &no_io, &present).unwrap().len(), 1);
        assert_eq!(counted.take(), [0; 4], "all of it is cached now");
        let before = file.reads();
        let unfilled = ReadOptions { fill_cache: false, ..ReadOptions::default() };
        let other = key::seek_target(key::user_key(&entries[9777].0), MAX_SEQUENCE);
        for _ in 0..2 {
            assert_eq!(get_all(&table, &unfilled, &other).unwrap().len(), 1);
        }
        assert_eq!(file.reads() - before, 2, "fill_cache = false leaves nothing behind");
    }
}

#[test]
fn a_scan_reads_ahead() {
    let entries = ascending(20_000);
    let (file, _) = build(TableOptions::default(), &entries);
    let table = open(&file, TableOptions::default());
    for (purpose, most) in [(IterPurpose::User, 40), (IterPurpose::Compaction, 5)] {
        let before = file.reads();
        let mut iter = table.iter(&ReadOptions::default(), purpose);
        iter.seek_to_first();
        let mut n = 0;
        while iter.valid() {
            n += 1;
            iter.next();
        }
        assert_eq!(n, entries.len());
        assert!(file.reads() - before <= most, "{} reads", file.reads() - before);
    }
}

#[test]
fn every_flipped_byte_is_an_error_or_does_not_matter() {
    for (kind, mode, step) in [
        (ChecksumType::Xxh3, LearnedIndex::Exact, 1),
        (ChecksumType::Crc32c, LearnedIndex::Window, 5),
        (ChecksumType::XxHash64, LearnedIndex::Off, 5),
    ] {
        let options = TableOptions {
            block_size: 64,
            checksum: kind,
            pgm_fence_mode: mode,
            filter_policy: Some(Arc::new(FilterPolicy::bloom(10.0))),
            ..TableOptions::default()
        };
        let mut entries: Entries = (0..30u64)
            .map(|i| {
                let user = format!("k{:04}", i * i);
                (key::internal(user.as_bytes(), i + 1, Kind::Value), vec![i as u8; 20])
            })
            .collect();
        entries.sort();
        let mut building = BuildOptions::new(order(), Arc::new(options.clone()));
        building.compression = Compression::Snappy;
        let file = Memory::default();
        let mut builder = TableBuilder::new(building, Box::new(file.clone())).unwrap();
        for (k, v) in &entries {
            builder.add(k, v).unwrap();
        }
        builder.add(&key::internal(b"k0100", 99, Kind::RangeDeletion), b"k0200").unwrap();
        builder.finish().unwrap();
        let good = file.bytes();
        let order = order();
        let mut errors = 0;
        for at in (0..good.len()).step_by(step) {
            let mut bytes = good.clone();
            bytes[at] ^= [1, 0x80, 0xFF][at % 3];
            let file = Memory::of(bytes);
            let table = match Table::open(Arc::new(file.clone()), opening(&file, options.clone())) {
                Ok(table) => table,
                Err(e) => {
                    assert!(e.to_string().contains("test.sst"), "{e}");
                    errors += 1;
                    continue;
                }
            };
            errors += u32::from(table.verify_checksums().is_err());
            let mut iter = table.iter(&ReadOptions::default(), IterPurpose::User);
            iter.seek_to_first();
            let mut n = 0;
            while iter.valid() {
                assert_eq!((iter.key(), iter.value()), (&entries[n].0[..], &entries[n].1[..]));
                n += 1;
                iter.next();
            }
            match iter.status() {
                Ok(()) => assert_eq!(n, entries.len(), "byte {at}"),
                Err(e) => assert!(e.to_string().contains("test.sst"), "{e}"),
            }
            for (k, _) in entries.iter().step_by(5) {
                let target = key::seek_target(key::user_key(k), MAX_SEQUENCE);
                if let Ok(found) = get_all(&table, &ReadOptions::default(), &target) {
                    assert_eq!(found, expected(&order, &entries, &target), "byte {at}");
                }
            }
        }
        // Padding of the footer and bytes that only say how a file was made may go unnoticed.
        assert!(errors as usize > good.len() / step * 9 / 10, "{errors} of {}", good.len());
    }
}

#[test]
fn nonsense_never_panics() {
    let mut rng = Rng::new(11);
    let options = TableOptions {
        block_size: 64,
        checksum: ChecksumType::None,
        filter_policy: Some(Arc::new(FilterPolicy::bloom(10.0))),
        ..TableOptions::default()
    };
    let entries = random_entries(&mut rng, 60);
    let (file, _) = build(options.clone(), &entries);
    let good = file.bytes();
    for _ in 0..800 {
        let mut bytes = good.clone();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] = rng.next() as u8;
        }
        if rng.one_in(10) {
            bytes.truncate(rng.below(bytes.len() as u64) as usize);
        }
        let file = Memory::of(bytes);
        let Ok(table) = Table::open(Arc::new(file.clone()), opening(&file, options.clone())) else {
            continue;
        };
        let _ = table.verify_checksums();
        let mut iter = table.iter(&ReadOptions::default(), IterPurpose::User);
        iter.seek_to_first();
        for _ in 0..1000 {
            iter.next();
        }
        iter.seek_to_last();
        for _ in 0..1000 {
            iter.prev();
        }
        for _ in 0..10 {
            let target = key::seek_target(&probe(&mut rng, &entries), MAX_SEQUENCE);
            let _ = get_all(&table, &ReadOptions::default(), &target);
            iter.seek(&target);
            iter.seek_for_prev(&target);
            let _ = table.approximate_offset(&target);
        }
    }
}

#[test]
fn a_damaged_learned_index_gives_way_to_the_classic_one() {
    let entries = ascending(3000);
    let (file, summary) = build(TableOptions::default(), &entries);
    assert!(summary.learned_bytes > 0);
    let mut bytes = file.bytes();
    let magic = b"MPF1";
    let at = bytes.windows(4).rposition(|w| w == magic).unwrap();
    bytes[at + 40] ^= 0x10;
    let file = Memory::of(bytes);
    let statistics = Arc::new(Statistics::default());
    let mut opening = opening(&file, TableOptions::default());
    opening.statistics = Some(Arc::clone(&statistics));
    let table = Table::open(Arc::new(file.clone()), opening).unwrap();
    assert!(!table.is_learned());
    assert_eq!(statistics.get(Ticker::LearnedRejected), 1);
    let mut iter = table.iter(&ReadOptions::default(), IterPurpose::User);
    for entry in &entries {
        iter.seek(&entry.0);
        assert_eq!(at_ref(&*iter), Some((&entry.0[..], &entry.1[..])));
    }
    assert!(table.verify_checksums().unwrap_err().is_corruption());
}

#[test]
fn a_learned_index_of_other_keys_costs_reads_and_no_answer() {
    for (seed, mode) in [(1, Mode::Exact), (2, Mode::Window), (3, Mode::Exact), (4, Mode::Window)] {
        let mut rng = Rng::new(seed);
        let options = TableOptions { block_size: 256, ..TableOptions::default() };
        let entries: Entries = (0..300u64)
            .map(|i| {
                let user = format!("user{:08}", i * i);
                (key::internal(user.as_bytes(), 1 + rng.below(900), Kind::Value), vec![b'v'; 30])
            })
            .collect();
        let off = TableOptions { pgm_fence_mode: LearnedIndex::Off, ..options.clone() };
        let (file, _) = build(options, &entries);
        // Where the blocks are is right; which keys they have is not.
        let plain = open(&file, off);
        let mut handles = Vec::new();
        let mut note = |handle| {
            handles.push(handle);
            Ok(())
        };
        plain.classic.for_each_data_block(&plain.core, &mut note).unwrap();
        let mut model = PgmFenceBuilder::new();
        for (i, handle) in handles.iter().enumerate() {
            let first = match seed {
                1 => format!("user{:08}", i * 40),
                2 => format!("user{:08}", 90_000 - handles.len() + i),
                3 => format!("a{i:05}"),
                _ => format!("z{i:05}"),
            };
            let last = format!("{first}5");
            model.add_block(first.as_bytes(), last.as_bytes(), handle.offset, handle.size);
        }
        let options = crate::learned::BuildOptions { mode, standard_index_bytes: 1 << 40 };
        let model = model.finish(plain.properties().data_size, &options).unwrap();
        let mut table = open(&file, TableOptions::default());
        let model = PgmFence::parse(model).unwrap();
        Arc::get_mut(&mut table).unwrap().set_model(model);
        assert!(table.is_learned());
        check(&table, &entries, &mut rng, 200);
        assert!(table.is_learned(), "and it was not put aside");
    }
}

fn at_ref(iter: &dyn InternalIterator) -> Option<(&[u8], &[u8])> {
    iter.valid().then(|| (iter.key(), iter.value()))
}

#[test]
fn keys_out_of_order_are_refused() {
    let options = BuildOptions::new(order(), Arc::default());
    let mut builder = TableBuilder::new(options, Box::new(Memory::default())).unwrap();
    builder.add(&key::internal(b"b", 5, Kind::Value), b"").unwrap();
    for bad in [key::internal(b"a", 5, Kind::Value), key::internal(b"b", 5, Kind::Value)] {
        assert!(builder.add(&bad, b"").unwrap_err().is_corruption());
    }
    assert!(builder.add(&key::internal(b"c", 5, Kind::Value), b"").is_err(), "it stays failed");
    assert!(builder.finish().is_err());
}

#[test]
fn range_tombstones_come_back() {
    let options = BuildOptions::new(order(), Arc::default());
    let file = Memory::default();
    let mut builder = TableBuilder::new(options, Box::new(file.clone())).unwrap();
    builder.add(&key::internal(b"m", 9, Kind::RangeDeletion), b"p").unwrap();
    builder.add(&key::internal(b"a", 4, Kind::RangeDeletion), b"n").unwrap();
    let summary = builder.finish().unwrap();
    assert_eq!((summary.entries, summary.sequences), (2, (4, 9)));
    let table = open(&file, TableOptions::default());
    let order = order();
    let cover = |k: &[u8], s| table.tombstones().max_covering(&**order.user(), k, s);
    assert_eq!(cover(b"b", 100), 4);
    assert_eq!(cover(b"m", 100), 9);
    assert_eq!(cover(b"m", 8), 4);
    assert_eq!(cover(b"p", 100), 0);
    let mut iter = table.iter(&ReadOptions::default(), IterPurpose::User);
    iter.seek_to_first();
    assert_eq!(at(&*iter), None);
    iter.seek_to_last();
    assert_eq!(at(&*iter), None);
    table.verify_checksums().unwrap();
}

#[test]
fn an_ingested_table_has_one_sequence_for_all() {
    let clock = Arc::new(crate::env::clock::ManualClock::default());
    let fs: Arc<dyn FileSystem> = Arc::new(crate::env::memory::MemoryFs::plain(clock));
    let path = Path::new("/x.sst");
    let options = BuildOptions::new(order(), Arc::default());
    let mut writer = SstWriter::new(Arc::clone(&fs), WriteMode::default(), options);
    assert!(writer.put(b"a", b"").is_err());
    writer.open(path).unwrap();
    let e = writer.finish().unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: Cannot create sst file with no entries");
    assert!(!fs.exists(path).unwrap());
    writer.open(path).unwrap();
    for i in 0..500u32 {
        let k = format!("k{i:05}");
        if i % 10 == 0 {
            writer.delete(k.as_bytes()).unwrap();
        } else {
            writer.put(k.as_bytes(), b"v").unwrap();
        }
    }
    let e = writer.put(b"k00000", b"v").unwrap_err();
    assert_eq!(e.to_string(), "Invalid argument: Keys must be added in strict ascending order.");
    writer.delete_range(b"k00100", b"k00200").unwrap();
    let summary = writer.finish().unwrap();
    let file = fs.open_random(path, ReadMode::default()).unwrap();
    let mut opening = OpenOptions::new("x.sst", summary.file_size, order(), Arc::default());
    opening.largest_sequence = 77;
    let table = Table::open(file, opening).unwrap();
    assert_eq!(table.global_sequence(), Some(77));
    assert_eq!(table.tombstones().tombstones()[0].sequence, 77);
    let read = ReadOptions::default();
    for snapshot in [76, 77, MAX_SEQUENCE] {
        let seen = snapshot >= 77;
        let target = key::seek_target(b"k00010", snapshot);
        let got = get_all(&table, &read, &target).unwrap();
        assert_eq!(got, if seen { vec![(77, Kind::Deletion, vec![])] } else { vec![] });
        let mut iter = table.iter(&read, IterPurpose::User);
        iter.seek(&target);
        let next: &[u8] = if seen { b"k00010" } else { b"k00011" };
        assert_eq!(key::user_key(iter.key()), next);
        assert_eq!(key::tag(iter.key()) >> 8, 77);
        iter.seek_for_prev(&target);
        let before: &[u8] = if seen { b"k00009" } else { b"k00010" };
        assert_eq!(key::user_key(iter.key()), before);
    }
}

#[test]
fn a_file_is_opened_once_and_the_bound_holds() {
    let clock = Arc::new(crate::env::clock::ManualClock::default());
    let fs: Arc<dyn FileSystem> = Arc::new(crate::env::memory::MemoryFs::plain(clock));
    let mut ids = Vec::new();
    for number in 1..=50u64 {
        let path = PathBuf::from(format!("/{number:06}.sst"));
        let mut file = fs.create(&path, WriteMode::default()).unwrap();
        let (memory, summary) = build(TableOptions::default(), &ascending(5));
        file.append(&memory.bytes()).unwrap();
        let size = summary.file_size;
        ids.push(TableId { number, size, path, largest_sequence: 5, level: 1 });
    }
    let statistics = Arc::new(Statistics::default());
    let settings = TableSettings {
        order: order(),
        options: Arc::default(),
        cache: Some(Cache::lru(1 << 20, 2, false)),
        prefix_extractor: None,
    };
    let cache = TableCache::new(fs, ReadMode::default(), -1, Some(Arc::clone(&statistics)));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for id in &ids {
                    assert_eq!(cache.get(id, &settings).unwrap().number(), id.number);
                }
            });
        }
    });
    assert_eq!(cache.open_tables(), 50);
    assert_eq!(statistics.get(Ticker::FileOpens), 50, "no file was loaded twice");
    assert!(cache.memory() > 0);
    let before = cache.get(&ids[7], &settings).unwrap().cache_id();
    cache.set_max_open_files(20);
    assert!(cache.open_tables() <= 10);
    for id in &ids {
        cache.get(id, &settings).unwrap();
        assert!(cache.open_tables() <= 10);
    }
    assert_eq!(cache.get(&ids[7], &settings).unwrap().cache_id(), before);
    for id in &ids {
        cache.evict(id.number);
    }
    assert_eq!(cache.open_tables(), 0);
    let gone = TableId { path: "/gone.sst".into(), number: 99, ..ids[0].clone() };
    assert!(cache.get(&gone, &settings).unwrap_err().is_not_found());
}

mod rocksdb;
