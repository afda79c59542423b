//! The power fails after each I/O in turn: whatever was synced is there, and what is there is a prefix of
//! the order of writes. Scripts are made from seeds; `MOUNTDB_CRASH_SCRIPTS` says how many.
#![forbid(unsafe_code)]

use mountdb::base::rng::Rng;
use mountdb::db::{Db, Family};
use mountdb::env::info_log::Nowhere;
use mountdb::env::memory::{Cut, MemoryEnv};
use mountdb::format::batch::WriteBatch;
use mountdb::options::{
    CfOptions, CompactRangeOptions, DbOptions, FlushOptions, ReadOptions, WalRecoveryMode,
    WriteOptions,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const DIR: &str = "/db";
const FAMILIES: [&str; 2] = ["default", "other"];

type Rows = [BTreeMap<Vec<u8>, Vec<u8>>; 2];

#[derive(Clone, Debug)]
enum Step {
    Write { records: Vec<(usize, Vec<u8>, Option<Vec<u8>>)>, sync: bool },
    Flush(usize),
    FlushWal,
    Compact(usize),
    Reopen,
}

fn script(seed: u64) -> Vec<Step> {
    let mut rng = Rng::new(seed);
    let steps = 6 + rng.below(10);
    (0..steps)
        .map(|i| match rng.below(10) {
            0..=5 => {
                let records = (0..1 + rng.below(4))
                    .map(|_| {
                        let key = format!("k{}", rng.below(12)).into_bytes();
                        let value = (!rng.one_in(5)).then(|| {
                            let mut v = format!("{i}-").into_bytes();
                            v.resize(3 + rng.below(60) as usize, b'.');
                            v
                        });
                        (rng.below(2) as usize, key, value)
                    })
                    .collect();
                Step::Write { records, sync: rng.one_in(2) }
            }
            6 => Step::Flush(rng.below(2) as usize),
            7 => Step::FlushWal,
            8 => Step::Compact(rng.below(2) as usize),
            _ => Step::Reopen,
        })
        .collect()
}

fn open(env: &MemoryEnv, mode: WalRecoveryMode) -> mountdb::base::Result<(Db, Vec<Family>)> {
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        wal_recovery_mode: mode,
        env: Some(Arc::new(env.env.clone())),
        // Its lines would be most of the I/O.
        info_log: Some(Arc::new(Nowhere)),
        ..DbOptions::default()
    };
    let cf = CfOptions { level0_file_num_compaction_trigger: 2, ..CfOptions::default() };
    let families: Vec<_> = FAMILIES.iter().map(|n| ((*n).to_owned(), cf.clone())).collect();
    Db::open(&options, Path::new(DIR), &families)
}

fn rows(db: &Db, families: &[Family]) -> Rows {
    let read = |family| {
        let mut iter = db.iter(&ReadOptions::default(), family);
        iter.seek_to_first();
        let mut found = BTreeMap::new();
        while iter.valid() {
            found.insert(iter.key().to_vec(), iter.value().to_vec());
            iter.next();
        }
        iter.status().expect("a whole scan");
        found
    };
    [read(&families[0]), read(&families[1])]
}

/// What a run did before the lights went out.
struct Run {
    /// The state after each write, the empty one first; the last may or may not have happened.
    states: Vec<Rows>,
    /// States up to here were acknowledged as durable.
    durable: usize,
    /// States up to here were acknowledged.
    acked: usize,
}

fn run(env: &MemoryEnv, steps: &[Step]) -> Run {
    let mut it = Run { states: vec![Rows::default()], durable: 0, acked: 0 };
    let Ok(mut store) = open(env, WalRecoveryMode::PointInTime) else { return it };
    for step in steps {
        let (db, families) = &store;
        match step {
            Step::Write { records, sync } => {
                let mut batch = WriteBatch::new();
                let mut next = it.states.last().expect("never empty").clone();
                for (f, key, value) in records {
                    let id = families[*f].id();
                    match value {
                        Some(v) => {
                            batch.put(id, key, v).expect("fits");
                            next[*f].insert(key.clone(), v.clone());
                        }
                        None => {
                            batch.delete(id, key).expect("fits");
                            next[*f].remove(key);
                        }
                    }
                }
                it.states.push(next);
                let options = WriteOptions { sync: *sync, ..WriteOptions::default() };
                if db.write(&options, &mut batch).is_err() {
                    return it;
                }
                it.acked = it.states.len() - 1;
                if *sync {
                    it.durable = it.acked;
                }
            }
            Step::Flush(f) => {
                let _ = db.flush(&FlushOptions::default(), &[families[*f].clone()]);
            }
            Step::FlushWal => {
                if db.flush_wal(true).is_ok() {
                    it.durable = it.acked;
                }
            }
            Step::Compact(f) => {
                let _ =
                    db.compact_range(&CompactRangeOptions::default(), &families[*f], None, None);
            }
            Step::Reopen => {
                db.close();
                drop(store);
                match open(env, WalRecoveryMode::PointInTime) {
                    Ok(fresh) => store = fresh,
                    Err(_) => return it,
                }
            }
        }
        if env.fs.is_down() {
            return it;
        }
    }
    it
}

fn check(seed: u64, cut_at: u64, cut: Cut, before: &MemoryEnv, run: &Run) {
    let what = format!("script {seed}, cut after I/O {cut_at}, {cut:?}");
    for mode in [
        WalRecoveryMode::PointInTime,
        WalRecoveryMode::TolerateCorruptedTailRecords,
        WalRecoveryMode::SkipAnyCorruptedRecords,
    ] {
        let env = before.restart(cut, seed);
        let files = env.fs.files();
        let (db, families) = match open(&env, mode) {
            Ok(opened) => opened,
            Err(error) => panic!("{what}, {mode:?}: {error}"),
        };
        let found = rows(&db, &families);
        let least = if cut == Cut::Killed { run.acked } else { run.durable };
        let at = (least..run.states.len()).find(|at| run.states[*at] == found);
        assert!(
            at.is_some(),
            "{what}, files {files:?}, {mode:?}: not a state from {least} to {}: {found:?}\nstates {:?}",
            run.states.len() - 1,
            &run.states[least..]
        );
        // And it goes on: a write, a flush, a reopen.
        let sync = WriteOptions { sync: true, ..WriteOptions::default() };
        db.put(&sync, &families[0], b"after", b"1").expect("writes again");
        db.flush(&FlushOptions::default(), &families).expect("flushes again");
        db.close();
        drop((db, families));
        let (db, families) = open(&env, mode).expect("opens again");
        let mut expected = found;
        expected[0].insert(b"after".to_vec(), b"1".to_vec());
        assert_eq!(rows(&db, &families), expected, "{what}, {mode:?}: after going on");
    }
}

#[test]
fn a_power_cut_after_any_io_keeps_a_prefix_with_all_that_was_synced() {
    let number = |name: &str| std::env::var(name).ok().and_then(|t| t.parse::<u64>().ok());
    let scripts = number("MOUNTDB_CRASH_SCRIPTS").unwrap_or(50);
    let only = number("MOUNTDB_CRASH_SEED");
    let mut cuts = 0u64;
    for seed in only.unwrap_or(1)..=only.unwrap_or(scripts) {
        let steps = script(seed);
        let whole = MemoryEnv::new(seed);
        run(&whole, &steps);
        let operations = whole.fs.operations();
        for cut_at in 1..=operations {
            let env = MemoryEnv::new(seed);
            env.fs.cut_after(cut_at);
            let run = run(&env, &steps);
            let cut = match cut_at % 3 {
                0 => Cut::PowerTorn(cut_at),
                1 => Cut::PowerLost,
                _ => Cut::Killed,
            };
            check(seed, cut_at, cut, &env, &run);
            cuts += 1;
        }
    }
    println!("{cuts} cuts");
}
