//! Waits that must end, bounds that must hold: each case hung or leaked once.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "these tests are about callers' own threads")]

use mountdb::db::{Db, Family, WaitForCompactOptions};
use mountdb::env::Env;
use mountdb::hooks::MergeOperator;
use mountdb::options::{CfOptions, DbOptions, FlushOptions, WriteOptions};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(20);

/// Holds up whoever merges, which is the flush: says so, and waits to be let go.
struct Gate(Mutex<(Sender<()>, Receiver<()>)>);

impl MergeOperator for Gate {
    fn name(&self) -> &str {
        "test.gate"
    }
    fn full_merge(&self, _: &[u8], _: Option<&[u8]>, _: &[&[u8]]) -> Option<Vec<u8>> {
        let gate = self.0.lock().unwrap();
        // After the test's end nobody listens any more.
        let _ = gate.0.send(());
        let _ = gate.1.recv();
        Some(Vec::new())
    }
}

/// The gate, what tells that somebody stands at it, and what opens it.
fn gate() -> (Arc<Gate>, Receiver<()>, Sender<()>) {
    let (arrived, arrivals) = channel();
    let (open, opened) = channel();
    (Arc::new(Gate(Mutex::new((arrived, opened)))), arrivals, open)
}

fn options() -> DbOptions {
    DbOptions {
        create_if_missing: true,
        env: Some(Arc::new(Env::memory_threads())),
        ..DbOptions::default()
    }
}

fn open(options: &DbOptions, family: &CfOptions) -> (Db, Family) {
    let families = [("default".to_owned(), family.clone())];
    let (db, mut families) = Db::open(options, Path::new("/db"), &families).unwrap();
    (db, families.remove(0))
}

fn hasty() -> WriteOptions {
    WriteOptions { no_slowdown: true, ..WriteOptions::default() }
}

fn wait(db: &Db) {
    let limit = WaitForCompactOptions { timeout_micros: 20_000_000, ..Default::default() };
    db.wait_for_compact(&limit).unwrap();
}

#[test]
fn a_flush_asked_for_while_it_runs_is_done_when_it_is_done() {
    let (gate, arrivals, open_gate) = gate();
    let family = CfOptions { merge_operator: Some(gate), ..CfOptions::default() };
    let (db, cf) = open(&options(), &family);
    db.put(&WriteOptions::default(), &cf, b"k", b"v").unwrap();
    db.merge(&WriteOptions::default(), &cf, b"k", b"v").unwrap();
    let soon = FlushOptions { wait: false, ..FlushOptions::default() };
    db.flush(&soon, std::slice::from_ref(&cf)).unwrap();
    arrivals.recv_timeout(LONG).unwrap();
    db.flush(&soon, std::slice::from_ref(&cf)).unwrap();
    drop(open_gate);
    wait(&db);
}

#[test]
fn a_stalled_writer_holds_up_nobody_who_would_rather_fail_and_ends_with_the_work() {
    let (gate, arrivals, open_gate) = gate();
    let family = CfOptions {
        merge_operator: Some(gate),
        write_buffer_size: 64 << 10,
        ..CfOptions::default()
    };
    let (db, cf) = open(&options(), &family);
    db.put(&WriteOptions::default(), &cf, b"k", b"v").unwrap();
    db.merge(&WriteOptions::default(), &cf, b"k", b"v").unwrap();
    let (failed, failure) = channel();
    let writer = {
        let (db, cf) = (db.clone(), cf.clone());
        std::thread::spawn(move || {
            let error = (0u32..)
                .find_map(|n| {
                    db.put(&WriteOptions::default(), &cf, &n.to_be_bytes(), &[7; 4096]).err()
                })
                .unwrap();
            failed.send(error).unwrap();
        })
    };
    arrivals.recv_timeout(LONG).unwrap();
    while db.property_int(&cf, "rocksdb.is-write-stopped") != Some(1) {
        std::thread::yield_now();
    }
    let (told, answer) = channel();
    let hurried = {
        let (db, cf) = (db.clone(), cf.clone());
        std::thread::spawn(move || told.send(db.put(&hasty(), &cf, b"x", b"")).unwrap())
    };
    let error = answer.recv_timeout(LONG).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "Result incomplete: Write stall");
    db.cancel_all_background_work(false);
    let error = failure.recv_timeout(LONG).unwrap();
    assert!(error.to_string().starts_with("Shutdown in progress"), "{error}");
    drop(open_gate);
    writer.join().unwrap();
    hurried.join().unwrap();
    db.close();
    assert!(db.put(&WriteOptions::default(), &cf, b"x", b"").is_err());
}

#[test]
fn no_bound_makes_writers_wait_for_ever() {
    let (db, _) = open(&options(), &CfOptions::default());
    let tight = CfOptions {
        level0_file_num_compaction_trigger: 0,
        level0_slowdown_writes_trigger: 0,
        level0_stop_writes_trigger: 0,
        max_write_buffer_number: 0,
        ..CfOptions::default()
    };
    let cf = db.create_family(&tight, "tight").unwrap();
    db.put(&hasty(), &cf, b"k", b"v").unwrap();
    for (name, value) in [
        ("max_write_buffer_number", "0"),
        ("level0_stop_writes_trigger", "0"),
        ("level0_file_num_compaction_trigger", "0"),
    ] {
        db.set_options(&cf, &[(name, value)]).unwrap();
        db.put(&hasty(), &cf, b"k", b"v").unwrap();
    }
}

#[test]
fn what_cannot_be_done_for_a_dropped_family_is_no_failure_of_the_store() {
    let (db, _) = open(&options(), &CfOptions::default());
    let cf = db.create_family(&CfOptions::default(), "gone").unwrap();
    db.drop_family(&cf).unwrap();
    db.suggest_compact_range(&cf, None, None).unwrap();
    wait(&db);
    assert_eq!(db.property(&db.default_family(), "mountdb.background-error").unwrap(), "");
}

#[test]
fn old_logs_go_though_memtables_wait_to_be_merged() {
    let options = DbOptions { max_total_wal_size: 256 << 10, ..options() };
    let family = CfOptions {
        write_buffer_size: 64 << 10,
        max_write_buffer_number: 6,
        min_write_buffer_number_to_merge: 3,
        ..CfOptions::default()
    };
    let (db, cf) = open(&options, &family);
    let idle = db.create_family(&family, "idle").unwrap();
    db.put(&WriteOptions::default(), &idle, b"k", b"v").unwrap();
    for n in 0u32..1000 {
        db.put(&WriteOptions::default(), &cf, &n.to_be_bytes(), &[7; 4096]).unwrap();
    }
    wait(&db);
    let fs = &db.env().fs;
    let logs = fs.list(db.path()).unwrap();
    let logs = logs.iter().filter(|name| name.ends_with(".log"));
    let bytes: u64 = logs.map(|name| fs.size(&db.path().join(name)).unwrap()).sum();
    assert!(bytes < 1 << 20, "{bytes} bytes of logs");
}

#[test]
fn a_copy_is_whole_though_manifests_and_options_files_come_and_go() {
    let options = DbOptions { max_manifest_file_size: 1, ..options() };
    let (db, cf) = open(&options, &CfOptions::default());
    db.put(&WriteOptions::default(), &cf, b"k", b"v").unwrap();
    let fs = Arc::clone(&db.env().fs);
    let count = |kind: &str| {
        fs.list(db.path()).unwrap().iter().filter(|name| name.starts_with(kind)).count()
    };
    db.disable_file_deletions().unwrap();
    let files = db.checkpoint_files(0).unwrap();
    for _ in 0..4 {
        db.put(&WriteOptions::default(), &cf, b"k", b"v").unwrap();
        db.flush(&FlushOptions::default(), std::slice::from_ref(&cf)).unwrap();
        db.set_options(&cf, &[("write_buffer_size", "1000000")]).unwrap();
    }
    let names = fs.list(db.path()).unwrap();
    assert!(names.contains(&format!("MANIFEST-{:06}", files.manifest.0)));
    assert!(names.contains(&files.options.unwrap()));
    assert!(files.tables.iter().all(|table| names.contains(table)));
    db.enable_file_deletions(false).unwrap();
    db.set_options(&cf, &[("write_buffer_size", "1000000")]).unwrap();
    wait(&db);
    assert_eq!((count("MANIFEST"), count("OPTIONS")), (1, 2));
}

#[test]
fn files_taken_out_of_a_busy_store_are_no_failure() {
    let family = CfOptions {
        write_buffer_size: 64 << 10,
        level0_file_num_compaction_trigger: 2,
        target_file_size_base: 16 << 10,
        max_bytes_for_level_base: 64 << 10,
        ..CfOptions::default()
    };
    let (db, cf) = open(&options(), &family);
    std::thread::scope(|scope| {
        let taker = scope.spawn(|| {
            for n in 0u32..300 {
                let key = (n % 50).to_be_bytes();
                db.delete_files_in_range(&cf, Some(&key), None).unwrap();
            }
        });
        let mut n = 0u32;
        while !taker.is_finished() || n < 3000 {
            n += 1;
            db.put(&WriteOptions::default(), &cf, &(n % 100).to_be_bytes(), &[7; 2048]).unwrap();
        }
    });
    wait(&db);
    assert_eq!(db.property(&cf, "mountdb.background-error").unwrap(), "");
    let tables = db.live_table_numbers().len();
    let names = db.env().fs.list(db.path()).unwrap();
    assert_eq!(names.iter().filter(|name| name.ends_with(".sst")).count(), tables);
}

#[test]
fn a_close_waits_for_no_stalled_writer() {
    let (gate, arrivals, open_gate) = gate();
    let family = CfOptions {
        merge_operator: Some(gate),
        write_buffer_size: 64 << 10,
        ..CfOptions::default()
    };
    let (db, cf) = open(&options(), &family);
    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    db.put(&unlogged, &cf, b"k", b"v").unwrap();
    db.merge(&unlogged, &cf, b"k", b"v").unwrap();
    let (failed, failure) = channel();
    let writer = {
        let (db, cf) = (db.clone(), cf.clone());
        std::thread::spawn(move || {
            let put = |n: u32| db.put(&unlogged, &cf, &n.to_be_bytes(), &[7; 4096]).err();
            failed.send((0u32..).find_map(put).unwrap()).unwrap();
        })
    };
    arrivals.recv_timeout(LONG).unwrap();
    while db.property_int(&cf, "rocksdb.is-write-stopped") != Some(1) {
        std::thread::yield_now();
    }
    let closer = {
        let db = db.clone();
        std::thread::spawn(move || db.close())
    };
    // The writer ends although the flush that it waits for is still at the gate.
    let error = failure.recv_timeout(LONG).unwrap();
    assert!(error.to_string().starts_with("Shutdown in progress"), "{error}");
    drop(open_gate);
    closer.join().unwrap();
    writer.join().unwrap();
}
