//! What the cursor over the logs shows.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a test looks at the files")]

use super::{Db, Family, WalIter};
use crate::format::batch::{Record, WriteBatch};
use crate::options::{CfOptions, DbOptions, FlushOptions, WriteOptions};
use std::path::Path;

fn open(dir: &Path, change: impl FnOnce(&mut DbOptions)) -> (Db, Family) {
    let mut options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    change(&mut options);
    let families = [("default".to_owned(), CfOptions::default())];
    let (db, mut families) = Db::open(&options, dir, &families).unwrap();
    (db, families.remove(0))
}

fn put(db: &Db, family: &Family, n: u64) {
    let key = format!("key{n:04}");
    db.put(&WriteOptions::default(), family, key.as_bytes(), &[b'v'; 3000]).unwrap();
}

/// First numbers and counts of the batches up to the tail.
fn rest(iter: &mut WalIter) -> Vec<(u64, u32)> {
    let mut seen = Vec::new();
    while iter.valid() {
        let batch = iter.batch();
        seen.push((batch.sequence(), batch.count()));
        iter.next();
    }
    seen
}

#[test]
fn the_first_batch_holds_the_number_asked_for_and_the_tail_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (db, family) = open(dir.path(), |_| {});
    let mut empty = db.updates_since(0).unwrap();
    assert!(!empty.valid() && empty.status().is_ok());
    let beyond = db.updates_since(1).unwrap_err();
    assert_eq!(beyond.to_string(), "NotFound: Requested sequence not yet written in the db");
    for n in 0..40 {
        put(&db, &family, n);
    }
    let mut three = WriteBatch::new();
    three.put(0, b"a", b"1").unwrap();
    three.put_log_data(b"note").unwrap();
    three.delete(0, b"b").unwrap();
    three.delete_range(0, b"c", b"d").unwrap();
    db.write(&WriteOptions::default(), &mut three).unwrap();
    let mut note = WriteBatch::new();
    note.put_log_data(b"alone").unwrap();
    db.write(&WriteOptions::default(), &mut note).unwrap();
    put(&db, &family, 40);

    empty.next();
    assert_eq!(rest(&mut empty).len(), 43);
    let mut iter = db.updates_since(42).unwrap();
    assert_eq!(iter.batch().data(), three.data());
    assert_eq!(rest(&mut iter), [(41, 3), (44, 0), (44, 1)]);
    assert!(iter.status().is_ok());
    iter.next();
    assert!(!iter.valid() && iter.status().is_ok());
    put(&db, &family, 41);
    iter.next();
    let batch = iter.batch();
    let first = batch.records().unwrap().next().unwrap().unwrap();
    assert!(matches!(first, Record::Put { key: b"key0041", .. }));
    assert_eq!(rest(&mut iter), [(45, 1)]);
}

#[test]
fn batches_go_on_from_log_to_log() {
    let dir = tempfile::tempdir().unwrap();
    let (db, family) = open(dir.path(), |_| {});
    db.disable_file_deletions().unwrap();
    let mut early = db.updates_since(0).unwrap();
    for n in 0..30 {
        put(&db, &family, n);
        if n % 7 == 6 {
            db.flush(&FlushOptions::default(), std::slice::from_ref(&family)).unwrap();
        }
    }
    early.next();
    let all: Vec<(u64, u32)> = (1..=30).map(|n| (n, 1)).collect();
    assert_eq!(rest(&mut early), all);
    for from in 1..=30 {
        let mut iter = db.updates_since(from).unwrap();
        assert_eq!(rest(&mut iter), all[from as usize - 1..]);
        assert!(iter.status().is_ok());
    }
}

#[test]
fn what_is_in_no_log_is_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let (db, family) = open(dir.path(), |_| {});
    let flush = || db.flush(&FlushOptions::default(), std::slice::from_ref(&family)).unwrap();
    put(&db, &family, 0);
    let mut behind = db.updates_since(1).unwrap();
    flush();
    put(&db, &family, 1);
    flush();
    // Nothing from 1 on is in a log; 2 is the last number, and nothing is missing behind it.
    let gone = db.updates_since(1).unwrap_err();
    assert!(gone.to_string().starts_with("Corruption: Gap in sequence numbers"), "{gone}");
    let mut last = db.updates_since(2).unwrap();
    assert!(!last.valid() && last.status().is_ok());
    put(&db, &family, 2);
    // The first that there is.
    assert_eq!(rest(&mut db.updates_since(1).unwrap()), [(3, 1)]);
    last.next();
    assert_eq!(rest(&mut last), [(3, 1)]);
    behind.next();
    let error = behind.status().unwrap_err();
    assert!(!behind.valid() && error.to_string().contains("Gap in sequence numbers: 2"), "{error}");

    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    db.put(&unlogged, &family, b"k", b"v").unwrap();
    put(&db, &family, 3);
    last.next();
    assert!(last.status().unwrap_err().is_corruption());
}

#[test]
fn buffered_records_show_when_they_are_handed_over() {
    let dir = tempfile::tempdir().unwrap();
    let (db, family) = open(dir.path(), |o| o.manual_wal_flush = true);
    put(&db, &family, 0);
    let mut iter = db.updates_since(0).unwrap();
    assert!(!iter.valid() && iter.status().is_ok());
    db.flush_wal(false).unwrap();
    iter.next();
    assert_eq!(rest(&mut iter), [(1, 1)]);
}

#[cfg(feature = "zstd")]
#[test]
fn a_compressed_log_is_recovered_and_read_as_it_grows() {
    use crate::options::{Compression, ReadOptions};
    let dir = tempfile::tempdir().unwrap();
    let zstd = |o: &mut DbOptions| {
        o.wal_compression = Compression::Zstd;
        o.avoid_flush_during_recovery = true;
    };
    let lz4 = DbOptions {
        create_if_missing: true,
        wal_compression: Compression::Lz4,
        ..DbOptions::default()
    };
    let families = [("default".to_owned(), CfOptions::default())];
    let refused = Db::open(&lz4, dir.path(), &families).map(|_| ()).unwrap_err().to_string();
    assert!(refused.starts_with("Not implemented: wal_compression with LZ4"), "{refused}");
    for round in 0..3 {
        let (db, family) = open(dir.path(), zstd);
        let mut iter = db.updates_since(0).unwrap();
        assert_eq!(rest(&mut iter).len(), 50 * round);
        for n in 0..50 {
            put(&db, &family, 50 * round as u64 + n);
            iter.next();
            assert!(iter.valid());
        }
        db.flush_wal(true).unwrap();
        let written: u64 = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|f| f.unwrap())
            .filter(|f| f.path().extension().is_some_and(|e| e == "log"))
            .map(|f| f.metadata().unwrap().len())
            .sum();
        assert!(written < 3000 * 10, "{written}");
    }
    let (db, family) = open(dir.path(), |_| {});
    for n in 0..150 {
        let key = format!("key{n:04}");
        let found = db.get(&ReadOptions::default(), &family, key.as_bytes()).unwrap();
        assert_eq!(found.unwrap().as_ref(), [b'v'; 3000]);
    }
}

#[test]
fn a_reader_beside_writers_misses_nothing() {
    const EACH: u64 = 3000;
    let dir = tempfile::tempdir().unwrap();
    let (db, family) = open(dir.path(), |_| {});
    let mut iter = db.updates_since(0).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (db, family) = (&db, &family);
            scope.spawn(move || {
                for n in 0..EACH {
                    let value = vec![b'v'; (n % 200) as usize];
                    let key = format!("{thread}-{n}");
                    db.put(&WriteOptions::default(), family, key.as_bytes(), &value).unwrap();
                }
            });
        }
        let mut next = 1;
        let mut of_thread = [0; 3];
        while next <= 3 * EACH {
            if !iter.valid() {
                iter.status().unwrap();
                std::thread::yield_now();
                iter.next();
                continue;
            }
            let batch = iter.batch();
            assert_eq!(batch.sequence(), next);
            for record in batch.records().unwrap() {
                let record = record.unwrap();
                let Record::Put { key, .. } = record else { panic!("{record:?}") };
                let thread = usize::from(key[0] - b'0');
                assert_eq!(key, format!("{thread}-{}", of_thread[thread]).as_bytes());
                of_thread[thread] += 1;
            }
            next += u64::from(batch.count());
            iter.next();
        }
    });
}
