//! Families on disk and in mind: lists that do not match, drops, comparators; refused calls; idle families.

use super::store::{DIR, Store, family_options, rows};
use mountdb::base::comparator::{ReverseBytewise, bytewise};
use mountdb::base::rng::Rng;
use mountdb::base::{Comparator, Error, Result};
use mountdb::db::{Db, Family};
use mountdb::env::Pool;
use mountdb::env::memory::{MemoryEnv, MemoryFs};
use mountdb::format::batch::WriteBatch;
use mountdb::options::{
    CfOptions, CompactRangeOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Named = Vec<(String, CfOptions)>;

fn named(names: &[&str]) -> Named {
    names.iter().map(|n| ((*n).to_owned(), family_options())).collect()
}

fn folder(fs: &MemoryFs) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs.files().into_iter();
    files.map(|(p, _)| (p.clone(), fs.contents(&p).expect("a file"))).collect()
}

fn refused(options: &DbOptions, families: &Named) -> String {
    Db::open(options, Path::new(DIR), families).err().expect("refused").to_string()
}

fn put(db: &Db, family: &Family, key: &[u8], value: &[u8]) -> Result<()> {
    db.put(&WriteOptions::default(), family, key, value)
}

fn get(db: &Db, family: &Family, key: &[u8]) -> Option<Vec<u8>> {
    db.get(&ReadOptions::default(), family, key).expect("reads").map(|v| v.to_vec())
}

#[test]
fn a_list_of_families_that_does_not_match_is_refused_and_changes_nothing() {
    let mut store = Store::new(1, |_| ());
    store.write([true, true], true).expect("fine");
    store.close();
    store.options.create_missing_column_families = false;
    let before = folder(&store.memory.fs);
    for (names, text) in [
        (&["default"][..], "Invalid argument: Column families not opened: other"),
        (&["default", "other", "x"], "Invalid argument: Column family not found: x"),
        (&["other"], "Invalid argument: Default column family not specified"),
    ] {
        assert_eq!(refused(&store.options, &named(names)), text);
        assert_eq!(folder(&store.memory.fs), before, "{names:?}");
    }
    let listed = Db::list_families(&store.options, Path::new(DIR)).expect("a closed store");
    assert_eq!(listed, ["default", "other"]);
    let subset = named(&["default"]);
    let (db, families) =
        Db::open_read_only(&store.options, Path::new(DIR), &subset, false).expect("a subset");
    assert_eq!(rows(&db, &families[0]).expect("reads").len(), 2);
    let error = put(&db, &families[0], b"a", b"b").expect_err("read-only").to_string();
    assert_eq!(error, "Not implemented: Not supported operation in read only mode.");
    drop((db, families));
    assert_eq!(folder(&store.memory.fs), before);
}

#[test]
fn another_comparator_is_refused_and_changes_nothing() {
    let memory = MemoryEnv::new(1);
    let options = super::store::options(&memory.env);
    let reverse: Arc<dyn Comparator> = Arc::new(ReverseBytewise);
    let with = |default: &Arc<dyn Comparator>, other: &Arc<dyn Comparator>| -> Named {
        let of =
            |c: &Arc<dyn Comparator>| CfOptions { comparator: Arc::clone(c), ..family_options() };
        vec![("default".to_owned(), of(default)), ("other".to_owned(), of(other))]
    };
    let plain = bytewise();
    let (x, y) = (plain.name().to_owned(), reverse.name().to_owned());
    let (db, families) = Db::open(&options, Path::new(DIR), &with(&plain, &reverse)).expect("new");
    for family in &families {
        put(&db, family, b"a", b"1").expect("fine");
        put(&db, family, b"b", b"2").expect("fine");
    }
    drop(families);
    db.close();
    drop(db);
    let before = folder(&memory.fs);
    for (default, other, text) in [
        (
            &reverse,
            &reverse,
            format!("Invalid argument: {y}: does not match existing comparator {x}"),
        ),
        (&plain, &plain, format!("Invalid argument: {x}: does not match existing comparator {y}")),
    ] {
        assert_eq!(refused(&options, &with(default, other)), text);
        assert_eq!(folder(&memory.fs), before);
    }
    let (db, families) =
        Db::open(&options, Path::new(DIR), &with(&plain, &reverse)).expect("right");
    let mut iter = db.iter(&ReadOptions::default(), &families[1]);
    iter.seek_to_first();
    assert_eq!(iter.key(), b"b");
}

/// One that does not compress.
fn value(n: u32) -> Vec<u8> {
    Rng::new(u64::from(n)).bytes(900)
}

fn table_bytes(memory: &MemoryEnv) -> u64 {
    let is_table = |p: &PathBuf| p.extension().is_some_and(|e| e == "sst");
    memory.fs.files().into_iter().filter(|(p, _)| is_table(p)).map(|(_, n)| n).sum()
}

#[test]
fn a_dropped_family_is_read_until_its_handle_goes_and_then_leaves_the_disk() {
    let memory = MemoryEnv::new(1);
    let options = super::store::options(&memory.env);
    let plain = WriteOptions::default();
    let open = |names: &[&str]| Db::open(&options, Path::new(DIR), &named(names)).expect("opens");
    let mut store = open(&["default"]);
    for round in 0..4 {
        let (db, families) = &store;
        let doomed = db.create_family(&family_options(), "doomed").expect("a new family");
        assert_eq!(
            rows(db, &doomed).expect("reads").len(),
            0,
            "round {round}: the new one is empty"
        );
        for n in 0..400u32 {
            put(db, &doomed, &n.to_be_bytes(), &value(n)).expect("fine");
            if n % 150 == 149 {
                db.flush(&FlushOptions::default(), std::slice::from_ref(&doomed)).expect("flushes");
            }
        }
        put(db, &families[0], b"kept", b"1").expect("fine");
        let full = table_bytes(&memory);
        assert!(full > 200_000, "{full}");
        db.drop_family(&doomed).expect("drops");
        let again = db.drop_family(&doomed).expect_err("twice").to_string();
        assert_eq!(again, "Invalid argument: Column family already dropped!\n");
        assert_eq!(rows(db, &doomed).expect("reads").len(), 400);
        assert_eq!(get(db, &doomed, &7u32.to_be_bytes()), Some(value(7)));
        // A batch that goes there is refused whole; others go on.
        let mut batch = WriteBatch::new();
        batch.put(0, b"refused", b"1").expect("fits");
        batch.put(doomed.id(), b"refused", b"1").expect("fits");
        let text = db.write(&plain, &mut batch).expect_err("dropped").to_string();
        assert_eq!(text, "Invalid argument: Invalid column family specified in write batch");
        assert_eq!(get(db, &families[0], b"refused"), None);
        put(db, &families[0], b"kept", b"2").expect("others go on");
        let text =
            db.flush(&FlushOptions::default(), std::slice::from_ref(&doomed)).expect_err("dropped");
        assert_eq!(text.to_string(), "Column family dropped: ");
        let _ = db.compact_range(&CompactRangeOptions::default(), &doomed, None, None);
        let mut iter = db.iter(&ReadOptions::default(), &doomed);
        iter.seek_to_first();
        drop(doomed);
        // The cursor still holds it.
        memory.pool.join();
        let mut count = 0;
        while iter.valid() {
            count += 1;
            iter.next();
        }
        iter.status().expect("no error");
        assert_eq!(count, 400);
        drop(iter);
        memory.pool.join();
        let left = table_bytes(&memory);
        assert!(left < 20_000, "round {round}: {left} bytes of tables are left");
        if round % 2 == 1 {
            db.close();
            drop(store);
            store = open(&["default"]);
            assert_eq!(get(&store.0, &store.1[0], b"kept"), Some(b"2".to_vec()));
        }
    }
}

#[test]
fn idle_families_do_not_keep_logs() {
    const LIMIT: u64 = 256 << 10;
    const BUFFER: usize = 128 << 10;
    let memory = MemoryEnv::new(1);
    let options = DbOptions { max_total_wal_size: LIMIT, ..super::store::options(&memory.env) };
    let names: Vec<String> =
        (0..50).map(|n| if n == 0 { "default".to_owned() } else { format!("f{n}") }).collect();
    let families: Named = names
        .iter()
        .map(|n| (n.clone(), CfOptions { write_buffer_size: BUFFER, ..family_options() }))
        .collect();
    let (db, handles) = Db::open(&options, Path::new(DIR), &families).expect("opens");
    for family in &handles {
        put(&db, family, b"one", b"record").expect("fine");
    }
    let log_bytes = || -> u64 {
        let is_log = |p: &PathBuf| p.extension().is_some_and(|e| e == "log");
        memory.fs.files().into_iter().filter(|(p, _)| is_log(p)).map(|(_, n)| n).sum()
    };
    for n in 0..6000u32 {
        put(&db, &handles[3], &n.to_be_bytes(), &[1; 600]).expect("fine");
        if n % 8 == 0 {
            memory.pool.join();
        }
        let bytes = log_bytes();
        assert!(bytes <= LIMIT + 2 * BUFFER as u64, "{bytes} bytes of logs after {n} writes");
    }
    drop(handles);
    db.close();
    drop(db);
    assert!(log_bytes() <= LIMIT + 2 * BUFFER as u64);
    let (db, handles) = Db::open(&options, Path::new(DIR), &families).expect("opens");
    for family in &handles {
        assert_eq!(get(&db, family, b"one"), Some(b"record".to_vec()), "{}", family.name());
    }
}

#[test]
fn a_family_change_of_unknown_fate_loses_no_write() {
    for call in ["append", "sync", "create", "rename", "sync_dir"] {
        for n in 1..4 {
            for size in [1, 1 << 30] {
                let what = format!("{call} {n}, manifests of {size} bytes");
                let mut store = Store::new(1, |o| o.max_manifest_file_size = size);
                store.write([true, true], true).expect("fine");
                let pattern = if call == "append" || call == "sync" { "MANIFEST-*" } else { "*" };
                let rule = format!("{call} {pattern} from {n}: EIO");
                store.faults.plan(&rule);
                let (db, families) = store.open.as_ref().expect("open");
                let other = families[1].clone();
                let dropped = db.drop_family(&other);
                if dropped.is_ok() {
                    continue;
                }
                // The family is still there. A write to it is refused, or it is there after a crash.
                let _ = store.write([true, true], true);
                store.check_live(&what);
                store.check_crash_of_families(&what);
                store.faults.lift_all();
                store.write([true, true], true).unwrap_or_else(|e| panic!("{what}: {e}"));
                store.check_crashes(&what);
                // One that could not be made is not there, and can be made.
                store.faults.plan(&rule);
                let made = store.db().create_family(&family_options(), "third");
                let failed = made.is_err();
                drop(made);
                store.faults.lift_all();
                if failed {
                    store.write([false, true], true).unwrap_or_else(|e| panic!("{what}: {e}"));
                    store.check_crashes(&what);
                    let third = store.db().create_family(&family_options(), "third");
                    put(store.db(), &third.expect("fine"), b"a", b"b").expect("fine");
                }
            }
        }
    }
}

/// A call that must be refused with this text.
type Refused = (&'static str, &'static str, fn(&Db, &[Family]) -> Result<()>);

const REFUSED: &[Refused] = &[
    (
        "a range that ends before it begins",
        "Invalid argument: end key comes before start key",
        |db, f| db.delete_range(&WriteOptions::default(), &f[0], b"z", b"a"),
    ),
    ("the same among good records", "Invalid argument: end key comes before start key", |db, f| {
        let mut batch = WriteBatch::new();
        batch.put(f[0].id(), b"bad", b"1")?;
        batch.put(f[1].id(), b"bad", b"1")?;
        batch.delete_range(f[1].id(), b"z", b"a")?;
        batch.put(f[1].id(), b"bad2", b"1")?;
        db.write(&WriteOptions { sync: true, ..WriteOptions::default() }, &mut batch)
    }),
    (
        "a merge without operator",
        "Not implemented: Provide a merge_operator when opening DB",
        |db, f| db.merge(&WriteOptions::default(), &f[1], b"bad", b"1"),
    ),
    (
        "an unknown family",
        "Invalid argument: Invalid column family specified in write batch",
        |db, f| {
            let mut batch = WriteBatch::new();
            batch.put(f[0].id(), b"bad", b"1")?;
            batch.put(77, b"bad", b"1")?;
            db.write(&WriteOptions::default(), &mut batch)
        },
    ),
    ("sync without log", "Invalid argument: Sync writes has to enable WAL.", |db, f| {
        let o = WriteOptions { sync: true, disable_wal: true, ..WriteOptions::default() };
        db.put(&o, &f[0], b"bad", b"1")
    }),
    ("a batch that is none", "Corruption: malformed WriteBatch (too small)", |db, _| {
        db.write(&WriteOptions::default(), &mut WriteBatch::from_bytes(vec![1, 2, 3]))
    }),
    ("a batch of a wrong count", "Corruption: WriteBatch has wrong count", |db, f| {
        let mut batch = WriteBatch::new();
        batch.put(f[0].id(), b"bad", b"1")?;
        let mut bytes = batch.data().to_vec();
        bytes[8] = 9;
        db.write(&WriteOptions::default(), &mut WriteBatch::from_bytes(bytes))
    }),
    ("a batch of an unknown tag", "Corruption: unknown WriteBatch tag", |db, f| {
        let mut batch = WriteBatch::new();
        batch.put(f[0].id(), b"bad", b"1")?;
        let mut bytes = batch.data().to_vec();
        bytes[12] = 99;
        db.write(&WriteOptions::default(), &mut WriteBatch::from_bytes(bytes))
    }),
    ("an unknown option", "Invalid argument: Could not find option: : no_such", |db, f| {
        db.set_options(&f[0], &[("write_buffer_size", "70000"), ("no_such", "1")])
    }),
    ("a bad number", "Invalid argument: ", |db, f| {
        db.set_options(&f[1], &[("write_buffer_size", "lots")])
    }),
    ("a fixed option", "Invalid argument: Option not changeable: num_levels", |db, f| {
        db.set_options(&f[0], &[("num_levels", "3")])
    }),
    ("no option", "Invalid argument: empty input", |db, f| db.set_options(&f[0], &[])),
    (
        "an unknown option of the store",
        "Invalid argument: Could not find option: : no_such",
        |db, _| db.set_db_options(&[("no_such", "1")]),
    ),
    ("a family that exists", "Invalid argument: Column family already exists", |db, _| {
        db.create_family(&family_options(), "other").map(|_| ())
    }),
    ("no default family", "Invalid argument: Can't drop default column family", |db, f| {
        db.drop_family(&f[0])
    }),
    ("a file of no store", "Invalid argument: ", |db, _| db.delete_file("/999999.sst")),
];

#[test]
fn a_refused_call_leaves_no_trace() {
    for (name, text, call) in REFUSED {
        let mut store = Store::new(1, |_| ());
        store.write([true, true], true).expect("fine");
        let before = store.db().latest_sequence();
        let error: Error = call(store.db(), store.families()).expect_err(name);
        assert!(error.to_string().starts_with(text), "{name}: {error}");
        assert_eq!(store.db().latest_sequence(), before, "{name} used a number");
        store.check_live(name);
        store.write([true, false], false).unwrap_or_else(|e| panic!("{name}: {e}"));
        store.write([false, true], true).unwrap_or_else(|e| panic!("{name}: {e}"));
        store.check_live(name);
        store.check_crashes(name);
        store.flush(&[0, 1]).unwrap_or_else(|e| panic!("{name}: {e}"));
        store.check_live(name);
        store.reopen().unwrap_or_else(|e| panic!("{name}: {e}"));
        store.check_live(name);
        store.check_leftovers(name);
    }
}
