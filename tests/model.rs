//! The store against a sorted map: random writes, reads, iterators, snapshots, families, flushes,
//! compactions and reopens must agree with it. `MOUNTDB_MODEL_OPS` sets how many operations run;
//! a failure prints the seed, which `MOUNTDB_MODEL_SEED` replays.
#![forbid(unsafe_code)]

use mountdb::base::rng::Rng;
use mountdb::db::{Db, Family, Iter, Snapshot};
use mountdb::format::batch::WriteBatch;
use mountdb::hooks::MergeOperator;
use mountdb::options::{
    CfOptions, CompactRangeOptions, Compression, DbOptions, FlushOptions, LearnedIndex,
    ReadOptions, TableOptions, WriteOptions,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Joins with commas; absent and empty are two things.
struct Append;

impl MergeOperator for Append {
    fn name(&self) -> &str {
        "test.append"
    }
    fn full_merge(&self, _: &[u8], existing: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
        let mut out = existing.map(<[u8]>::to_vec);
        for o in operands {
            out = Some(append(out, o));
        }
        out
    }
    fn partial_merge(&self, _: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        Some(operands.join(&b','))
    }
}

fn append(base: Option<Vec<u8>>, operand: &[u8]) -> Vec<u8> {
    match base {
        None => operand.to_vec(),
        Some(mut b) => {
            b.push(b',');
            b.extend_from_slice(operand);
            b
        }
    }
}

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

struct Harness {
    dir: tempfile::TempDir,
    names: Vec<String>,
    rng: Rng,
    db: Option<(Db, Vec<Family>)>,
    model: Vec<Map>,
    snapshots: Vec<(Snapshot, Vec<Map>)>,
    keys: u64,
    /// The rarer steps so far, for failures.
    trail: Vec<u64>,
}

fn options(rng: &mut Rng) -> (DbOptions, CfOptions) {
    let db = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        avoid_flush_during_recovery: rng.one_in(2),
        max_open_files: if rng.one_in(2) { -1 } else { 20 },
        max_background_jobs: 1 + rng.below(4) as i32,
        ..DbOptions::default()
    };
    let codecs = [Compression::None, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    let modes = [LearnedIndex::Off, LearnedIndex::Exact, LearnedIndex::Window];
    let table = TableOptions {
        block_size: [256, 1024, 4096][rng.below(3) as usize],
        pgm_fence_mode: modes[rng.below(3) as usize],
        cache_index_and_filter_blocks: rng.one_in(3),
        filter_policy: rng.one_in(2).then(|| Arc::new(mountdb::filter::FilterPolicy::bloom(10.0))),
        ..TableOptions::default()
    };
    let cf = CfOptions {
        write_buffer_size: 64 << 10,
        target_file_size_base: 64 << 10,
        max_bytes_for_level_base: 128 << 10,
        level0_file_num_compaction_trigger: 2,
        level_compaction_dynamic_level_bytes: rng.one_in(2),
        compression: codecs[rng.below(4) as usize],
        merge_operator: Some(Arc::new(Append)),
        table: Arc::new(table),
        ..CfOptions::default()
    };
    (db, cf)
}

impl Harness {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let keys = [50, 500, 5000][rng.below(3) as usize];
        let mut it = Self {
            dir: tempfile::tempdir().expect("a folder"),
            names: vec!["default".into(), "one".into(), "two".into()],
            rng,
            db: None,
            model: vec![Map::new(); 3],
            snapshots: Vec::new(),
            keys,
            trail: Vec::new(),
        };
        it.open();
        it
    }

    fn open(&mut self) {
        let (db, cf) = options(&mut self.rng);
        let families: Vec<_> = self.names.iter().map(|n| (n.clone(), cf.clone())).collect();
        self.db = Some(Db::open(&db, self.path(), &families).expect("opens"));
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn db(&self) -> &Db {
        &self.db.as_ref().expect("open").0
    }

    fn family(&self, at: usize) -> &Family {
        &self.db.as_ref().expect("open").1[at]
    }

    fn key(&mut self) -> Vec<u8> {
        let n = self.rng.below(self.keys);
        match n % 5 {
            0 => n.to_be_bytes().to_vec(),
            1 => format!("user{n:08}").into_bytes(),
            2 => vec![0xFF; (n % 7) as usize],
            3 => [format!("{n}").into_bytes(), vec![0; (n % 3) as usize]].concat(),
            _ => format!("k{n}").into_bytes(),
        }
    }

    fn value(&mut self) -> Vec<u8> {
        let len = if self.rng.one_in(50) { 3000 } else { self.rng.below(120) };
        self.rng.bytes(len as usize)
    }

    fn write(&mut self) {
        let mut batch = WriteBatch::new();
        let records = if self.rng.one_in(4) { 1 + self.rng.below(20) } else { 1 };
        for _ in 0..records {
            let f = self.rng.below(3) as usize;
            let id = self.family(f).id();
            let key = self.key();
            match self.rng.below(20) {
                0..=10 => {
                    let value = self.value();
                    batch.put(id, &key, &value).expect("fits");
                    self.model[f].insert(key, value);
                }
                11..=14 => {
                    batch.delete(id, &key).expect("fits");
                    self.model[f].remove(&key);
                }
                15..=18 => {
                    let operand = self.value();
                    batch.merge(id, &key, &operand).expect("fits");
                    let base = self.model[f].remove(&key);
                    self.model[f].insert(key, append(base, &operand));
                }
                _ => {
                    let (mut a, mut b) = (key, self.key());
                    if a > b {
                        std::mem::swap(&mut a, &mut b);
                    }
                    batch.delete_range(id, &a, &b).expect("fits");
                    let gone: Vec<_> =
                        self.model[f].range(a.clone()..b.clone()).map(|(k, _)| k.clone()).collect();
                    for k in gone {
                        self.model[f].remove(&k);
                    }
                }
            }
        }
        let options = WriteOptions { sync: self.rng.one_in(200), ..WriteOptions::default() };
        self.db().write(&options, &mut batch).expect("writes");
    }

    fn get(&mut self) {
        let f = self.rng.below(3) as usize;
        let key = self.key();
        let (options, model) = self.view(f);
        let got = self.db().get(&options, self.family(f), &key).expect("reads");
        assert_eq!(got.as_deref(), model.get(&key).map(|v| &v[..]), "get {key:?}");
    }

    /// Read options and the model that belongs to them: a snapshot's or now.
    fn view(&mut self, f: usize) -> (ReadOptions, Map) {
        if !self.snapshots.is_empty() && self.rng.one_in(3) {
            let at = self.rng.below(self.snapshots.len() as u64) as usize;
            let (snapshot, maps) = &self.snapshots[at];
            let options =
                ReadOptions { snapshot: Some(snapshot.sequence()), ..ReadOptions::default() };
            return (options, maps[f].clone());
        }
        (ReadOptions::default(), self.model[f].clone())
    }

    fn iterate(&mut self) {
        let f = self.rng.below(3) as usize;
        let (mut options, model) = self.view(f);
        if self.rng.one_in(2) {
            options.iterate_lower_bound = Some(self.key());
        }
        if self.rng.one_in(2) {
            options.iterate_upper_bound = Some(self.key());
        }
        let inside = |k: &[u8]| {
            options.iterate_lower_bound.as_ref().is_none_or(|b| k >= &b[..])
                && options.iterate_upper_bound.as_ref().is_none_or(|b| k < &b[..])
        };
        let rows: Vec<(&[u8], &[u8])> =
            model.iter().map(|(k, v)| (&k[..], &v[..])).filter(|(k, _)| inside(k)).collect();
        let mut iter = self.db().iter(&options, self.family(f));
        let mut at: Option<usize> = None;
        let mut trail = String::new();
        for _ in 0..30 {
            let choice = self.rng.below(12);
            trail.push_str(
                [
                    "first ",
                    "last ",
                    "seek ",
                    "seek ",
                    "for_prev ",
                    "for_prev ",
                    "next ",
                    "next ",
                    "next ",
                    "prev ",
                    "prev ",
                    "prev ",
                ][choice as usize],
            );
            match choice {
                0 => {
                    iter.seek_to_first();
                    at = (!rows.is_empty()).then_some(0);
                }
                1 => {
                    iter.seek_to_last();
                    at = rows.len().checked_sub(1);
                }
                2 | 3 => {
                    let key = self.key();
                    iter.seek(&key);
                    let n = rows.partition_point(|(k, _)| *k < &key[..]);
                    at = (n < rows.len()).then_some(n);
                }
                4 | 5 => {
                    let key = self.key();
                    iter.seek_for_prev(&key);
                    at = rows.partition_point(|(k, _)| *k <= &key[..]).checked_sub(1);
                }
                6..=8 => {
                    iter.next();
                    at = at.map(|n| n + 1).filter(|n| *n < rows.len());
                }
                _ => {
                    iter.prev();
                    at = at.and_then(|n| n.checked_sub(1));
                }
            }
            let got = iter.valid().then(|| (iter.key(), iter.value()));
            iter.status().expect("no error");
            assert_eq!(got, at.map(|n| rows[n]), "after {trail}within {options:?}");
        }
    }

    fn step(&mut self) {
        let choice = self.rng.below(1000);
        if choice >= 975 {
            self.trail.push(choice);
        }
        match choice {
            0..=599 => self.write(),
            600..=939 => self.get(),
            940..=974 => self.iterate(),
            975..=982 => {
                let snapshot = self.db().snapshot();
                self.snapshots.push((snapshot, self.model.clone()));
            }
            983..=990 => {
                if !self.snapshots.is_empty() {
                    let at = self.rng.below(self.snapshots.len() as u64) as usize;
                    self.snapshots.swap_remove(at);
                }
            }
            991..=994 => {
                let f = self.rng.below(3) as usize;
                let family = self.family(f).clone();
                self.db().flush(&FlushOptions::default(), &[family]).expect("flushes");
            }
            995..=996 => {
                let f = self.rng.below(3) as usize;
                let (a, b) = (self.key(), self.key());
                let family = self.family(f).clone();
                let open = self.rng.one_in(2);
                let bounds = if open { (None, None) } else { (Some(&a[..]), Some(&b[..])) };
                self.db()
                    .compact_range(&CompactRangeOptions::default(), &family, bounds.0, bounds.1)
                    .expect("compacts");
            }
            997..=998 => self.check_all(),
            _ => {
                self.snapshots.clear();
                let (db, families) = self.db.take().expect("open");
                drop(families);
                db.close();
                drop(db);
                self.open();
                self.check_all();
            }
        }
    }

    fn check_all(&self) {
        for f in 0..3 {
            let mut iter = self.db().iter(&ReadOptions::default(), self.family(f));
            iter.seek_to_first();
            for (k, v) in &self.model[f] {
                check(&iter, Some((k, v)), &self.trail);
                iter.next();
            }
            check(&iter, None, &self.trail);
        }
    }
}

fn check(iter: &Iter, expected: Option<(&[u8], &[u8])>, trail: &[u64]) {
    iter.status().expect("no error");
    let got = iter.valid().then(|| (iter.key(), iter.value()));
    assert_eq!(got, expected, "steps {trail:?}");
}

#[test]
fn the_store_agrees_with_a_sorted_map() {
    let number = |name: &str| std::env::var(name).ok().and_then(|t| t.parse::<u64>().ok());
    let total = number("MOUNTDB_MODEL_OPS").unwrap_or(200_000);
    let one = number("MOUNTDB_MODEL_SEED");
    let (mut done, mut seed) = (0, one.unwrap_or(1));
    while done < total {
        println!("seed {seed}");
        let mut harness = Harness::new(seed);
        for _ in 0..10_000.min(total - done) {
            harness.step();
        }
        harness.check_all();
        done += 10_000;
        seed += 1;
        if one.is_some() {
            break;
        }
    }
}

/// A memtable that fills up while logs are replayed is flushed midway through a log. What is in its table
/// must not be replayed again at the next open: a put would not tell, an operand is applied twice.
#[test]
fn a_flush_in_the_middle_of_a_replay_applies_no_operand_twice() {
    let dir = tempfile::tempdir().expect("a folder");
    let open = |write_buffer_size| {
        let db = DbOptions {
            create_if_missing: true,
            avoid_flush_during_recovery: true,
            ..DbOptions::default()
        };
        let cf = CfOptions {
            write_buffer_size,
            merge_operator: Some(Arc::new(Append)),
            ..CfOptions::default()
        };
        Db::open(&db, dir.path(), &[("default".to_owned(), cf)]).expect("opens")
    };
    let (db, families) = open(64 << 20);
    for i in 0..2000 {
        let key = format!("{i:06}");
        db.merge(&WriteOptions::default(), &families[0], key.as_bytes(), &[b'x'; 100])
            .expect("writes");
    }
    drop((db, families));
    for _ in 0..3 {
        let (db, families) = open(64 << 10);
        let mut iter = db.iter(&ReadOptions::default(), &families[0]);
        iter.seek_to_first();
        let mut rows = 0;
        while iter.valid() {
            assert_eq!(iter.value().len(), 100, "{:?}", iter.key());
            rows += 1;
            iter.next();
        }
        assert_eq!(rows, 2000);
    }
}
