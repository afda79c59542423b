//! A writer is killed at a random moment, again and again: every acknowledged write is there afterwards, in
//! every recovery mode, with one family and five, with and without flushes between.
//!
//! The test starts itself as the writer, which tells each acknowledgement on a pipe and gets SIGKILL after a
//! number of them that a seed says, or while it opens the store. `MOUNTDB_KILL_ROUNDS` sets the rounds for each
//! recovery mode.
#![forbid(unsafe_code)]

use mountdb::base::rng::Rng;
use mountdb::db::{Db, Family};
use mountdb::format::batch::WriteBatch;
use mountdb::options::{
    CfOptions, DbOptions, FlushOptions, ReadOptions, WalRecoveryMode, WriteOptions,
};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Tells the writer what to do: folder, mode, families, flushes, first number, seed.
const ORDER: &str = "MOUNTDB_KILL_ORDER";

#[derive(Clone, Copy, Debug)]
struct Case {
    mode: u8,
    families: usize,
    flushes: bool,
}

fn open(path: &Path, case: Case) -> mountdb::base::Result<(Db, Vec<Family>)> {
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        wal_recovery_mode: match case.mode {
            0 => WalRecoveryMode::TolerateCorruptedTailRecords,
            1 => WalRecoveryMode::AbsoluteConsistency,
            2 => WalRecoveryMode::PointInTime,
            _ => WalRecoveryMode::SkipAnyCorruptedRecords,
        },
        avoid_flush_during_recovery: !case.flushes,
        ..DbOptions::default()
    };
    let cf = CfOptions {
        write_buffer_size: 64 << 10,
        level0_file_num_compaction_trigger: 2,
        ..CfOptions::default()
    };
    let name = |n| if n == 0 { "default".to_owned() } else { format!("f{n}") };
    let families: Vec<_> = (0..case.families).map(|n| (name(n), cf.clone())).collect();
    Db::open(&options, path, &families)
}

fn key(number: u64) -> Vec<u8> {
    format!("w{number:08}").into_bytes()
}

fn value(number: u64) -> Vec<u8> {
    let mut rng = Rng::new(number);
    let len = 10 + rng.below(600) as usize;
    rng.bytes(len)
}

/// Which families write `number` goes to: one of them, or all.
fn is_in(number: u64, family: usize, case: Case) -> bool {
    number % 5 == 4 || number as usize % case.families == family
}

/// The writer: writes until it is killed.
#[test]
fn writer() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let mut words = order.split('|');
    let path = words.next().expect("a folder").to_owned();
    let mut number = || words.next().expect("a number").parse::<u64>().expect("a number");
    let (mode, families, flushes) = (number() as u8, number() as usize, number() == 1);
    let (first, seed) = (number(), number());
    let case = Case { mode, families, flushes };
    let mut rng = Rng::new(seed);
    let tell = |line: &str| {
        let mut pipe = std::io::stderr().lock();
        pipe.write_all(line.as_bytes()).expect("somebody listens");
    };
    tell("opening\n");
    let (db, handles) = match open(Path::new(&path), case) {
        Ok(opened) => opened,
        Err(error) => {
            tell(&format!("failed {error}\n"));
            return;
        }
    };
    for n in first.. {
        let mut batch = WriteBatch::new();
        for (f, family) in handles.iter().enumerate().filter(|(f, _)| is_in(n, *f, case)) {
            batch.put(family.id(), &key(n), &value(n)).expect("fits");
            batch.put(family.id(), format!("k{}", n % 7).as_bytes(), &value(n)).expect("fits");
            debug_assert!(f < case.families);
        }
        let options = WriteOptions { sync: rng.one_in(9), ..WriteOptions::default() };
        db.write(&options, &mut batch).expect("writes");
        tell(&format!("ack {n}\n"));
        if case.flushes && rng.one_in(40) {
            let wait = FlushOptions { wait: rng.one_in(2), ..FlushOptions::default() };
            let which = rng.below(handles.len() as u64) as usize;
            db.flush(&wait, &[handles[which].clone()]).expect("flushes");
        }
    }
}

/// Starts the writer, kills it after `acks` acknowledgements (`None`: while it opens), and says which
/// number came last.
fn kill_a_writer(path: &Path, case: Case, first: u64, seed: u64, acks: Option<u64>) -> Option<u64> {
    let Case { mode, families, flushes } = case;
    let order =
        format!("{}|{mode}|{families}|{}|{first}|{seed}", path.display(), u8::from(flushes));
    let mut child: Child = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "writer", "--nocapture", "--test-threads", "1"])
        .env(ORDER, order)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let pipe = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut last = None;
    let mut count = 0;
    for line in pipe.lines() {
        let line = line.expect("text");
        if let Some(number) = line.strip_prefix("ack ") {
            last = Some(number.parse().expect("a number"));
            count += 1;
        } else {
            assert_eq!(line, "opening", "{case:?}");
        }
        if count >= acks.unwrap_or(0) {
            // What it still says before it dies is read as well.
            child.kill().expect("runs");
        }
    }
    child.wait().expect("ends");
    last
}

/// Everything up to `acked` is there, and what is there is a prefix of the writes; says where it ends.
fn check(path: &Path, case: Case, acked: u64, what: &str) -> u64 {
    let (db, families) = match open(path, case) {
        Err(error) if case.mode == 1 && error.is_corruption() => {
            // Only a torn last record is an excuse.
            println!("{what}: mode 1 refuses: {error}");
            open(path, Case { mode: 2, ..case }).unwrap_or_else(|e| panic!("{what}: {e}"))
        }
        opened => opened.unwrap_or_else(|e| panic!("{what}: {e}")),
    };
    let found: Vec<BTreeMap<Vec<u8>, Vec<u8>>> = families
        .iter()
        .map(|family| {
            let mut iter = db.iter(&ReadOptions::default(), family);
            iter.seek_to_first();
            let mut rows = BTreeMap::new();
            while iter.valid() {
                rows.insert(iter.key().to_vec(), iter.value().to_vec());
                iter.next();
            }
            iter.status().unwrap_or_else(|e| panic!("{what}: {e}"));
            rows
        })
        .collect();
    let end = (0..).find(|n| {
        let in_family = |(f, _): &(usize, &BTreeMap<_, _>)| is_in(*n, *f, case);
        !found.iter().enumerate().filter(in_family).any(|(_, r)| r.contains_key(&key(*n)))
    });
    let end = end.expect("writes end somewhere");
    assert!(
        end > acked || acked == u64::MAX,
        "{what}: write {end} is lost, {acked} was acknowledged"
    );
    let mut expected = vec![BTreeMap::new(); case.families];
    for n in 0..end {
        for (_, rows) in expected.iter_mut().enumerate().filter(|(f, _)| is_in(n, *f, case)) {
            rows.insert(key(n), value(n));
            rows.insert(format!("k{}", n % 7).into_bytes(), value(n));
        }
    }
    for (f, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!(found == expected, "{what}: family {f} is not what {end} writes leave");
    }
    drop(families);
    db.close();
    end
}

fn rounds(mode: u8) {
    if std::env::var(ORDER).is_ok() {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|t| t.parse::<u64>().ok());
    let rounds = number("MOUNTDB_KILL_ROUNDS").unwrap_or(8);
    let mut rng = Rng::new(100 + u64::from(mode));
    let cases = [(1, false), (5, true), (1, true), (5, false)];
    let folders = cases.map(|_| tempfile::tempdir().expect("a folder"));
    // The first number that is free, and the last acknowledged one, of each folder.
    let mut at = [(0u64, u64::MAX); 4];
    for round in 0..rounds {
        let which = (round % 4) as usize;
        let (families, flushes) = cases[which];
        let case = Case { mode, families, flushes };
        let path = folders[which].path();
        let (first, mut acked) = at[which];
        let most = if rng.one_in(2) { 400 } else { 20 };
        let acks = 1 + rng.below(most);
        let what = format!("mode {mode}, round {round}, {case:?}, killed after {acks}");
        if let Some(last) = kill_a_writer(path, case, first, rng.next(), Some(acks)) {
            acked = last;
        }
        for _ in 0..rng.below(3) {
            // While it opens, which is while it recovers: nothing may come of that.
            if let Some(last) = kill_a_writer(path, case, acked.wrapping_add(1), rng.next(), None) {
                // It was quicker than the signal.
                acked = last;
            }
        }
        at[which] = (check(path, case, acked, &what), acked);
    }
}

#[test]
fn killed_writers_lose_nothing_in_mode_0() {
    rounds(0);
}

#[test]
fn killed_writers_lose_nothing_in_mode_1() {
    rounds(1);
}

#[test]
fn killed_writers_lose_nothing_in_mode_2() {
    rounds(2);
}

#[test]
fn killed_writers_lose_nothing_in_mode_3() {
    rounds(3);
}
