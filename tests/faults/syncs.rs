//! A sync that failed is never turned into a success: whenever a call says that data is on the medium, a power
//! cut at that moment keeps it.

use super::store::Store;
use mountdb::env::Pool;
use mountdb::env::memory::Cut;

const A: [bool; 2] = [true, false];
const B: [bool; 2] = [false, true];
const BOTH: [bool; 2] = [true, true];

/// Sync writes, plain writes and flushes over a rule, with a power cut after each call; says how often
/// the rule acted.
fn run(rule: &str, use_fsync: bool) -> u64 {
    let mut store = Store::new(3, |o| o.use_fsync = use_fsync);
    let id = store.faults.plan(rule);
    let mut hits = 0;
    let mut acked_again = false;
    for round in 0..30u32 {
        let doing = match round % 10 {
            0 | 5 | 9 => store.write(A, true),
            1 => store.write(B, false),
            2 => store.flush(&[0]),
            3 => store.write(B, true),
            4 | 8 => store.write(BOTH, false),
            6 => store.flush_wal(),
            _ => store.flush(&[1]),
        };
        let what = format!("{rule}, round {round}: {doing:?}");
        if let Err(error) = &doing {
            assert!(error.to_string().contains("Input/output error"), "{what}");
        }
        store.check_crash(Cut::PowerLost, &what);
        store.memory.pool.join();
        store.check_crash(Cut::PowerLost, &what);
        if round == 19 {
            hits = store.faults.hits(id);
            store.faults.lift_all();
            store.let_pass(9);
        }
        if round > 19 {
            assert!(doing.is_ok(), "{what}: the disk is well again");
            acked_again |= round % 10 == 0;
        }
    }
    assert!(acked_again);
    store.check_live(rule);
    store.check_leftovers(rule);
    hits
}

#[test]
fn no_sync_is_told_that_did_not_happen() {
    for call in ["sync *.log", "sync *.sst", "sync MANIFEST-*", "sync_dir *", "sync *"] {
        for when in ["", "from "] {
            for n in crate::counting() {
                if run(&format!("{call} {when}{n}: EIO"), n % 2 == 0) == 0 {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_failed_first_sync_of_an_empty_log_is_no_dead_end() {
    let mut store = Store::new(1, |_| ());
    store.faults.plan("sync *.log 1: EIO");
    assert!(store.write(A, true).is_err());
    // No wait: the record was cut off, the log is empty, a new one takes its place.
    store.write(A, true).expect("the next sync");
    store.check_crashes("after it");
    store.check_leftovers("after it");
}

#[test]
fn a_sync_write_waits_until_its_forerunners_are_safe() {
    let mut store = Store::new(1, |_| ());
    store.write(B, false).expect("plain");
    store.write(A, false).expect("plain");
    store.faults.plan("sync *.log 1: EIO");
    assert!(store.write(A, true).is_err());
    // What the log holds may be lost: it goes to tables before the next sync write is acknowledged.
    store.write(A, true).expect("the next sync");
    store.check_crash(Cut::PowerLost, "after it");
    store.check_leftovers("after it");
}

#[test]
fn syncing_alone_gets_over_a_failed_sync() {
    let mut store = Store::new(1, |_| ());
    store.write(BOTH, false).expect("plain");
    store.faults.plan("sync *.log 1: EIO");
    assert!(store.flush_wal().is_err());
    store.flush_wal().expect("the next one");
    store.check_crash(Cut::PowerLost, "after it");
}

#[test]
fn an_idle_store_gets_over_a_failed_sync_by_itself() {
    let mut store = Store::new(1, |_| ());
    store.write(BOTH, false).expect("plain");
    store.faults.plan("sync *.log 1: EIO");
    assert!(store.flush_wal().is_err());
    store.let_pass(9);
    // Nobody called, yet the data has left the log.
    store.all_safe();
    store.check_crash(Cut::PowerLost, "after nine seconds");
}

#[test]
fn newer_data_of_one_family_is_not_safe_before_older_data_of_another() {
    let mut store = Store::new(1, |_| ());
    store.write(B, false).expect("plain");
    store.write(A, false).expect("plain");
    // The flush of one family has to sync the log in which the other's older data is.
    store.faults.plan("sync *.log from 1: EIO");
    assert!(store.flush(&[0]).is_err());
    store.check_crashes("the sync failed");
    // That log cannot be synced any more; both families go to tables, and become safe at once.
    store.faults.plan("sync MANIFEST-* 1: EIO");
    let mut flushed = false;
    for second in 0..10 {
        flushed |= store.flush(&[0]).is_ok();
        store.check_crashes(&format!("second {second}"));
        store.let_pass(1);
        store.check_crashes(&format!("second {second}"));
    }
    assert!(flushed, "no log is needed for that");
    store.all_safe();
    store.check_crash(Cut::PowerLost, "flushed");
}
