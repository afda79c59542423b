//! Logs that end early, go on with rubbish, or are rotten in the middle, in every recovery mode.

use super::store::{DIR, Rows, Store, fold, open, rows};
use mountdb::base::Result;
use mountdb::base::rng::Rng;
use mountdb::db::RecoveryReport;
use mountdb::env::memory::{Cut, MemoryEnv};
use mountdb::format::log::{Event, LogReader};
use mountdb::format::name::{self, FileName};
use mountdb::options::{DbOptions, WalRecoveryMode};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MODES: [WalRecoveryMode; 4] = [
    WalRecoveryMode::TolerateCorruptedTailRecords,
    WalRecoveryMode::AbsoluteConsistency,
    WalRecoveryMode::PointInTime,
    WalRecoveryMode::SkipAnyCorruptedRecords,
];

fn log_path(number: u64) -> PathBuf {
    Path::new(DIR).join(name::wal(number))
}

/// The logs of a store that is open or was killed, oldest first.
fn logs(memory: &MemoryEnv) -> Vec<u64> {
    let files = memory.fs.files().into_iter();
    files
        .filter_map(|(path, _)| match FileName::parse(&path.file_name()?.to_string_lossy()) {
            Some(FileName::Wal(number)) => Some(number),
            _ => None,
        })
        .collect()
}

/// Where the records of a log begin, and where the last one ends.
fn offsets(memory: &MemoryEnv, number: u64) -> Vec<usize> {
    let file = memory.env.fs.open_sequential(&log_path(number)).expect("a log");
    let mut reader = LogReader::new(file, number);
    let mut found = Vec::new();
    loop {
        match reader.next().expect("reads") {
            Event::Record { offset, .. } => found.push(offset as usize),
            Event::End { offset } => {
                found.push(offset as usize);
                return found;
            }
            other => panic!("{other:?}"),
        }
    }
}

/// What a restart shows whose newest log is changed.
struct Opened {
    rows: [Rows; 2],
    report: RecoveryReport,
    text: String,
    options: DbOptions,
    memory: MemoryEnv,
}

fn open_changed(
    store: &Store,
    mode: WalRecoveryMode,
    change: impl FnOnce(&mut Vec<u8>),
) -> Result<Opened> {
    let memory = store.memory.restart(Cut::Killed, 1);
    let newest = *logs(&memory).last().expect("a log");
    memory.fs.edit(&log_path(newest), change).expect("a log");
    let options = DbOptions {
        env: Some(Arc::new(memory.env.clone())),
        wal_recovery_mode: mode,
        ..store.options.clone()
    };
    let (db, families) = open(&options)?;
    let found = [rows(&db, &families[0])?, rows(&db, &families[1])?];
    let report = db.recovery_report().clone();
    let text = db.property(&families[0], "mountdb.recovery-report").expect("a property");
    drop(families);
    db.close();
    Ok(Opened { rows: found, report, text, options, memory })
}

/// A store with one flushed family, an older log that is still needed, and `count` records in the newest.
/// The account's writes from the second value on are those.
fn store(count: usize) -> (Store, usize) {
    let mut store = Store::new(9, |o| o.avoid_flush_during_recovery = true);
    for n in 0..6 {
        store.write([n % 2 == 0, true], true).expect("fine");
    }
    store.flush(&[0]).expect("fine");
    let first = store.account.writes.len();
    for n in 0..count {
        store.write([n % 3 != 1, n % 3 != 0], true).expect("fine");
    }
    (store, first)
}

#[test]
fn a_log_may_end_at_any_byte() {
    let (store, first) = store(7);
    let newest = *logs(&store.memory).last().expect("a log");
    let offsets = offsets(&store.memory, newest);
    assert_eq!(offsets.len(), 8);
    let cuts = (0..=offsets[7]).filter(|cut| {
        let near = offsets.iter().any(|o| cut.abs_diff(*o) < 9);
        near || cut % 7 == 0 || crate::is_all()
    });
    for cut in cuts {
        let whole = offsets.iter().filter(|o| **o <= cut).count() - 1;
        let torn = (cut - offsets[whole]) as u64;
        let expected = fold(store.account.writes[..first + whole].iter());
        for mode in MODES {
            let what = format!("cut at {cut}, {mode:?}");
            let opened = open_changed(&store, mode, |log| log.truncate(cut));
            if mode == WalRecoveryMode::AbsoluteConsistency && torn > 0 {
                let error = opened.err().expect("refused").to_string();
                assert!(error.starts_with("Corruption: "), "{what}: {error}");
                continue;
            }
            let opened = opened.unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(opened.rows, expected, "{what}");
            let report = &opened.report;
            let dropped = (report.records, report.bytes, report.files);
            assert_eq!(dropped, (u64::from(torn > 0), torn, 0), "{what}: {report:?}");
        }
    }
}

#[test]
fn rubbish_behind_a_log_invents_nothing() {
    let (store, _) = store(7);
    let all = logs(&store.memory);
    let older = store.memory.fs.contents(&log_path(all[0])).expect("an older log");
    let own = store.memory.fs.contents(&log_path(*all.last().expect("a log"))).expect("a log");
    let starts = offsets(&store.memory, all[0]);
    assert!(all.len() > 1 && older.len() > 200);
    let mut rng = Rng::new(1);
    let mut tails: Vec<(String, Vec<u8>)> = Vec::new();
    for len in [1, 6, 7, 8, 100, 40_000] {
        tails.push((format!("{len} zeros"), vec![0; len]));
        tails.push((format!("{len} random bytes"), rng.bytes(len)));
    }
    for seed in 0..if crate::is_all() { 200 } else { 12 } {
        let mut rng = Rng::new(seed);
        let len = 1 + rng.below(300) as usize;
        tails.push((format!("random bytes of seed {seed}"), rng.bytes(len)));
        let from = rng.below(older.len() as u64 - 1) as usize;
        let to = from + 1 + rng.below((older.len() - from) as u64) as usize;
        let to = to.min(older.len());
        tails.push((format!("older log {from}..{to}"), older[from..to].to_vec()));
    }
    for from in starts {
        tails.push((format!("older log from {from}"), older[from..].to_vec()));
    }
    tails.push(("older log at the next block".to_owned(), {
        let mut tail = vec![0; 32 * 1024 - own.len()];
        tail.extend_from_slice(&older);
        tail
    }));
    tails.push(("the log itself".to_owned(), own.clone()));
    let expected = fold(store.account.writes.iter());
    for (name, tail) in &tails {
        let is_nothing = tail.iter().all(|b| *b == 0);
        for mode in MODES {
            let what = format!("{name}, {mode:?}");
            let opened = open_changed(&store, mode, |log| log.extend_from_slice(tail));
            let opened = match opened {
                Ok(opened) => opened,
                Err(error) => {
                    assert_eq!(mode, WalRecoveryMode::AbsoluteConsistency, "{what}: {error}");
                    // A few zeros are no whole header: they may be a torn record.
                    assert!(!is_nothing || tail.len() < 7, "{what}: {error}");
                    assert!(error.is_corruption(), "{what}: {error}");
                    continue;
                }
            };
            assert_eq!(opened.rows, expected, "{what}");
            let report = &opened.report;
            if is_nothing && tail.len() >= 7 {
                assert_eq!((report.records, report.bytes, report.files), (0, 0, 0), "{what}");
            } else if mode != WalRecoveryMode::SkipAnyCorruptedRecords && !name.contains("block") {
                assert_eq!(
                    (report.bytes, report.files),
                    (tail.len() as u64, 0),
                    "{what}: {report:?}"
                );
            }
            // And it stays so.
            let (db, families) = open(&opened.options).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(rows(&db, &families[0]).expect("reads"), expected[0], "{what}, again");
            assert_eq!(rows(&db, &families[1]).expect("reads"), expected[1], "{what}, again");
            let again = db.recovery_report();
            assert_eq!((again.records, again.bytes), (0, 0), "{what}, again: {again:?}");
            drop(opened.memory);
        }
    }
}

#[test]
fn a_piece_of_an_older_log_is_known_even_in_an_empty_one() {
    for clean in [false, true] {
        let mut store = Store::new(4, |_| ());
        for n in 0..6 {
            store.write([n % 2 == 0, true], true).expect("fine");
        }
        let old = store.memory.fs.contents(&log_path(logs(&store.memory)[0])).expect("a log");
        for n in 0..4 {
            store.write([n % 2 == 1, true], true).expect("fine");
        }
        store.flush(&[0, 1]).expect("fine");
        store.compact(0).expect("fine");
        store.compact(1).expect("fine");
        if clean {
            store.reopen().expect("fine");
        }
        let expected = fold(store.account.writes.iter());
        for mode in MODES {
            let what = format!("clean {clean}, {mode:?}");
            match open_changed(&store, mode, |log| {
                assert_eq!(log.len(), 0);
                log.extend_from_slice(&old);
            }) {
                Ok(opened) => {
                    assert_eq!(opened.rows, expected, "{what}");
                    assert_eq!(opened.report.bytes, old.len() as u64, "{what}");
                    assert_ne!(mode, WalRecoveryMode::AbsoluteConsistency);
                }
                Err(error) => {
                    assert_eq!(mode, WalRecoveryMode::AbsoluteConsistency, "{what}: {error}");
                    assert!(error.is_corruption(), "{what}: {error}");
                }
            }
        }
    }
}

fn flip(store: &Store, first: usize, offsets: &[usize], at: usize, bit: u8) {
    let count = offsets.len() - 1;
    let hit = offsets.iter().filter(|o| **o <= at).count() - 1;
    let size = offsets[count];
    for mode in MODES {
        let what = format!("bit {bit} of byte {at} in record {hit}, {mode:?}");
        let opened = open_changed(store, mode, |log| log[at] ^= 1 << bit);
        if matches!(
            mode,
            WalRecoveryMode::TolerateCorruptedTailRecords | WalRecoveryMode::AbsoluteConsistency
        ) {
            let error = opened.err().unwrap_or_else(|| panic!("{what}: opened")).to_string();
            assert!(error.starts_with("Corruption: "), "{what}: {error}");
            continue;
        }
        let opened = opened.unwrap_or_else(|e| panic!("{what}: {e}"));
        let report = &opened.report;
        let kept = report.replayed as usize - before(store, first);
        assert_eq!(kept as u64 + report.records, count as u64, "{what}: {report:?}");
        let writes = &store.account.writes;
        if mode == WalRecoveryMode::PointInTime {
            assert_eq!(kept, hit, "{what}");
            assert_eq!(report.bytes, (size - offsets[hit]) as u64, "{what}");
            assert_eq!(opened.rows, fold(writes[..first + hit].iter()), "{what}");
        } else {
            // The rest of the block goes; the log has one here.
            assert_eq!(opened.rows, fold(writes[..first + hit].iter()), "{what}");
            assert_eq!(report.bytes, (size - offsets[hit]) as u64, "{what}");
        }
        let line =
            format!("records dropped: {}\nbytes dropped: {}\n", report.records, report.bytes);
        assert!(opened.text.starts_with(&line), "{what}: {}", opened.text);
        let place = format!(".log at {}: ", offsets[hit]);
        assert!(opened.text.contains(&place), "{what}: {}", opened.text);
    }
}

/// Records of the older log that every replay begins with.
fn before(store: &Store, first: usize) -> usize {
    let all = logs(&store.memory);
    assert_eq!(all.len(), 2);
    assert_eq!(offsets(&store.memory, all[0]).len() - 1, first);
    first
}

#[test]
fn rot_in_the_middle_is_found_and_counted_to_the_record() {
    let (store, first) = store(100);
    let newest = *logs(&store.memory).last().expect("a log");
    let offsets = offsets(&store.memory, newest);
    assert_eq!(offsets.len(), 101);
    for at in (offsets[49]..offsets[51]).chain((0..offsets[99]).step_by(97)) {
        flip(&store, first, &offsets, at, (at % 8) as u8);
    }
}

#[test]
fn what_was_dropped_is_in_the_log_file() {
    let (store, _) = store(20);
    let newest = *logs(&store.memory).last().expect("a log");
    let at = offsets(&store.memory, newest)[10];
    let memory = store.memory.restart(Cut::Killed, 1);
    memory.fs.edit(&log_path(newest), |log| log[at + 9] ^= 4).expect("a log");
    let options = DbOptions {
        env: Some(Arc::new(memory.env.clone())),
        info_log: None,
        ..store.options.clone()
    };
    let (db, _) = open(&options).expect("point in time");
    db.close();
    let text = memory.fs.contents(&Path::new(DIR).join("LOG")).expect("LOG");
    let text = String::from_utf8_lossy(&text);
    let line = format!("{} at {at}: 10 records", name::wal(newest));
    assert!(text.contains(&line), "{line} is not in {text}");
    assert!(text.contains("Recovery dropped 10 records, "), "{text}");
}
