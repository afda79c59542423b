//! A disk that runs full at any byte: what was acknowledged stays readable, the store closes and opens for reading,
//! and goes on when there is space again.

use super::store::{DIR, NAMES, Store, family_options, rows};
use mountdb::db::Db;
use mountdb::env::Pool;
use std::path::Path;

const A: [bool; 2] = [true, false];
const BOTH: [bool; 2] = [true, true];

/// Runs until the disk is full after `budget` bytes and says whether it was.
fn run(budget: u64, avoid_flush: bool) -> bool {
    let mut store = Store::new(5, |o| o.avoid_flush_during_recovery = avoid_flush);
    let what = format!("full after {budget} bytes, avoid_flush {avoid_flush}");
    store.write(BOTH, true).expect("there is space");
    let id = store.faults.plan(&format!("append|create|allocate * : full {budget}"));
    for round in 0..24 {
        let done = match round % 6 {
            0 | 4 => store.write(BOTH, round % 4 == 0),
            1 => store.write(A, false),
            2 => store.flush(&[0, 1]),
            3 => store.write([false, true], true),
            _ => store.compact(usize::from(round > 12)),
        };
        if let Err(error) = done {
            let text = error.to_string();
            assert!(text.starts_with("IO error: No space left on device: "), "{what}: {text}");
        }
        store.memory.pool.join();
        store.check_live(&what);
    }
    let was_full = store.faults.hits(id) > 0;
    store.check_crashes(&what);

    // Close and open while full.
    store.reopen().unwrap_or_else(|e| panic!("{what}: open on a full disk: {e}"));
    store.check_live(&what);
    store.check_crashes(&what);
    if was_full && let Err(error) = store.write(BOTH, true) {
        assert!(error.to_string().contains("No space left on device"), "{what}: {error}");
    }
    store.check_live(&what);
    store.let_pass(5);
    store.check_live(&what);
    store.check_crashes(&what);
    store.reopen().unwrap_or_else(|e| panic!("{what}: open again: {e}"));
    store.check_live(&what);
    store.close();
    {
        let families = NAMES.map(|n| (n.to_owned(), family_options()));
        let (db, families) = Db::open_read_only(&store.options, Path::new(DIR), &families, false)
            .unwrap_or_else(|e| panic!("{what}: read-only: {e}"));
        for family in &families {
            rows(&db, family).expect("reads");
        }
    }
    store.reopen().expect("opens a third time");

    // Space again.
    store.faults.lift_all();
    store.let_pass(9);
    store.write(BOTH, false).unwrap_or_else(|e| panic!("{what}: write: {e}"));
    store.check_crash(mountdb::env::memory::Cut::Killed, &what);
    store.write(A, true).unwrap_or_else(|e| panic!("{what}: sync write: {e}"));
    store.check_crashes(&what);
    store.flush(&[0, 1]).unwrap_or_else(|e| panic!("{what}: flush: {e}"));
    store.compact(0).unwrap_or_else(|e| panic!("{what}: compact: {e}"));
    store.check_live(&what);
    store.check_crashes(&what);
    store.check_leftovers(&what);
    was_full
}

#[test]
fn a_disk_may_run_full_at_any_byte() {
    let mut budget = 0;
    let mut step = 1;
    while run(budget, budget % 2 == 0) {
        budget += step;
        step = if budget < 100 { 13 } else { 211 };
        if crate::is_all() {
            step /= 10;
        }
    }
    assert!(budget > 2000, "{budget}");
}

#[test]
fn a_failed_open_deletes_nothing() {
    // What recovery wrote into tables is in no manifest yet when the open fails: the logs must stay.
    for call in ["create", "append", "sync", "rename", "sync_dir"] {
        for n in 1..40 {
            let what = format!("{call} {n}");
            let mut store = Store::new(2, |_| ());
            store.write(BOTH, true).expect("fine");
            store.write(A, true).expect("fine");
            store.flush(&[0]).expect("fine");
            store.write(BOTH, true).expect("fine");
            store.close();
            store.faults.plan(&format!("{call} * from {n}: EIO"));
            let failed = store.reopen().is_err();
            store.close();
            store.check_crashes(&what);
            store.faults.lift_all();
            store.reopen().unwrap_or_else(|e| panic!("{what}: {e}"));
            store.check_live(&what);
            store.check_leftovers(&what);
            if !failed {
                break;
            }
        }
    }
}
