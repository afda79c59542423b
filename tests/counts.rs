//! Nothing is lost and nothing invented over a large fill: two families, several background threads, counted
//! and hashed before and after reopening and full compaction. `MOUNTDB_COUNT_KEYS` sets the number of keys.
#![forbid(unsafe_code)]

use mountdb::db::{Db, Family};
use mountdb::options::{
    CfOptions, CompactRangeOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions,
};
use std::path::Path;

const VALUE_BYTES: usize = 256;

fn scatter(x: u64) -> u64 {
    mountdb::base::rng::Rng::new(x).next()
}

fn value(key: u64, family: u64) -> [u8; VALUE_BYTES] {
    let mut bytes = [0; VALUE_BYTES];
    for (i, chunk) in bytes.chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&scatter(key ^ (family << 60) ^ ((i as u64) << 50)).to_le_bytes());
    }
    bytes
}

fn open(dir: &Path) -> (Db, Vec<Family>) {
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        max_background_jobs: 4,
        ..DbOptions::default()
    };
    let cf = CfOptions {
        write_buffer_size: 4 << 20,
        target_file_size_base: 4 << 20,
        max_bytes_for_level_base: 16 << 20,
        ..CfOptions::default()
    };
    let families = [("default".to_owned(), cf.clone()), ("other".to_owned(), cf)];
    Db::open(&options, dir, &families).expect("opens")
}

/// Rows, and a hash of all keys and values that does not depend on their order.
fn count(db: &Db, family: &Family, number: u64) -> (u64, u64) {
    let mut iter = db.iter(&ReadOptions::default(), family);
    let (mut rows, mut hash) = (0, 0u64);
    iter.seek_to_first();
    while iter.valid() {
        let key = u64::from_be_bytes(iter.key().try_into().expect("an 8-byte key"));
        assert_eq!(iter.value(), value(key, number), "the value of {key:x}");
        rows += 1;
        hash = hash.wrapping_add(scatter(key));
        iter.next();
    }
    iter.status().expect("a whole scan");
    (rows, hash)
}

#[test]
fn every_key_is_counted_at_every_stage() {
    let keys: u64 =
        std::env::var("MOUNTDB_COUNT_KEYS").ok().and_then(|t| t.parse().ok()).unwrap_or(30_000);
    let dir = tempfile::tempdir().expect("a folder");
    let expected = (0..keys).fold(0u64, |h, i| h.wrapping_add(scatter(scatter(i))));
    let (db, families) = open(dir.path());
    for i in 0..keys {
        let key = scatter(i);
        for (number, family) in families.iter().enumerate() {
            let value = value(key, number as u64);
            db.put(&WriteOptions::default(), family, &key.to_be_bytes(), &value).expect("writes");
        }
    }
    let check = |db: &Db, families: &[Family], stage: &str| {
        for (number, family) in families.iter().enumerate() {
            assert_eq!(count(db, family, number as u64), (keys, expected), "{stage}");
        }
    };
    check(&db, &families, "after writing");
    db.close();
    drop((db, families));
    let (db, families) = open(dir.path());
    check(&db, &families, "after reopening");
    db.flush(&FlushOptions::default(), &families).expect("flushes");
    for family in &families {
        db.compact_range(&CompactRangeOptions::default(), family, None, None).expect("compacts");
    }
    check(&db, &families, "after full compaction");
    db.close();
    drop((db, families));
    let (db, families) = open(dir.path());
    check(&db, &families, "after reopening again");
}
