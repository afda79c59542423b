//! Faults under several writers, flushes and compactions at once, on real threads: nobody waits for ever, nothing
//! acknowledged is lost. What happens when differs from run to run; the checks hold whatever happens.

use super::store::{DIR, rows};
use mountdb::base::Result;
use mountdb::base::rng::Rng;
use mountdb::db::{Db, Family};
use mountdb::env::clock::PosixClock;
use mountdb::env::fault::FaultFs;
use mountdb::env::info_log::Nowhere;
use mountdb::env::memory::{Cut, MemoryFs};
use mountdb::env::pool::ThreadPool;
use mountdb::env::{Env, FileSystem};
use mountdb::options::{CfOptions, CompactRangeOptions, DbOptions, FlushOptions, WriteOptions};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const WRITERS: usize = 4;
const WRITES: u64 = 250;

/// What a writer has been told: of each of its keys the last acknowledged number, the last safe one, and
/// the last tried.
#[derive(Clone, Copy, Default)]
struct Told {
    acked: u64,
    safe: u64,
    tried: u64,
}

fn key(writer: usize, n: u64) -> Vec<u8> {
    format!("{writer}-{:02}", n % 20).into_bytes()
}

fn value(n: u64) -> Vec<u8> {
    format!("{n:06}{:0>200}", n * n).into_bytes()
}

fn number(value: &[u8]) -> u64 {
    let n = std::str::from_utf8(&value[..6]).expect("digits").parse().expect("a number");
    assert_eq!(value, self::value(n), "a value that nobody wrote");
    n
}

fn open(fs: &Arc<dyn FileSystem>) -> Result<(Db, Vec<Family>)> {
    let env = Env { fs: Arc::clone(fs), pool: Arc::new(ThreadPool::new(2, 2)), ..Env::posix() };
    let options = DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        env: Some(Arc::new(env)),
        info_log: Some(Arc::new(Nowhere)),
        bgerror_resume_retry_interval: 1000,
        ..DbOptions::default()
    };
    let cf = CfOptions {
        write_buffer_size: 64 << 10,
        level0_file_num_compaction_trigger: 2,
        level0_slowdown_writes_trigger: 4,
        level0_stop_writes_trigger: 6,
        ..CfOptions::default()
    };
    let families = ["default", "other"].map(|n| (n.to_owned(), cf.clone()));
    Db::open(&options, Path::new(DIR), &families)
}

fn check(fs: &MemoryFs, told: &[BTreeMap<Vec<u8>, Told>], cut: Cut, what: &str) {
    let fs: Arc<dyn FileSystem> = Arc::new(fs.crash_clone(cut));
    let (db, families) = open(&fs).unwrap_or_else(|e| panic!("{what}, {cut:?}: {e}"));
    let found = [0, 1].map(|f| rows(&db, &families[f]).expect("reads"));
    for (writer, told) in told.iter().enumerate() {
        for (key, told) in told {
            let n = found[writer % 2].get(key).map_or(0, |v| number(v));
            let least = if cut == Cut::Killed { told.acked } else { told.safe };
            let what = format!("{what}, {cut:?}, {}", key.escape_ascii());
            assert!(n >= least, "{what}: {n} where {least} was acknowledged");
            assert!(n <= told.tried, "{what}: {n} where {} was tried", told.tried);
        }
    }
    db.close();
}

fn writer(db: &Db, family: &Family, writer: usize, seed: u64) -> BTreeMap<Vec<u8>, Told> {
    let mut rng = Rng::new(seed);
    let mut told: BTreeMap<Vec<u8>, Told> = BTreeMap::new();
    for n in 1..=WRITES {
        let key = key(writer, n);
        told.entry(key.clone()).or_default().tried = n;
        let sync = rng.one_in(4);
        let options = WriteOptions { sync, ..WriteOptions::default() };
        if db.put(&options, family, &key, &value(n)).is_ok() {
            told.entry(key.clone()).or_default().acked = n;
            if sync {
                told.values_mut().for_each(|t| t.safe = t.acked);
            }
        }
        // Whatever fails, what was acknowledged is read.
        let got = db.get(&mountdb::options::ReadOptions::default(), family, &key).expect("reads");
        assert_eq!(got.map_or(0, |v| number(&v)), told[&key].acked, "read back");
        match rng.below(60) {
            0 => drop(db.flush(&FlushOptions::default(), std::slice::from_ref(family))),
            1 => drop(db.flush_wal(true)),
            2 => {
                let options = CompactRangeOptions::default();
                drop(db.compact_range(&options, family, None, None));
            }
            _ => {}
        }
    }
    told
}

fn run(seed: u64) {
    const RULES: &[&str] = &[
        "sync *.log: EIO",
        "append *.log: short ENOSPC",
        "create *.log: EIO",
        "append *.sst: ENOSPC",
        "sync *.sst: EIO",
        "append MANIFEST-*: short EIO",
        "sync MANIFEST-*: EIO",
        "rename *: EIO",
        "sync_dir *: EIO",
        "remove *: EIO",
        "append|create *: ENOSPC",
    ];
    let memory = MemoryFs::new(Arc::new(PosixClock));
    let faults = FaultFs::new(Arc::new(memory.clone()));
    let fs: Arc<dyn FileSystem> = Arc::new(faults.clone());
    let (db, families) = open(&fs).expect("a sound disk");
    let done = std::sync::atomic::AtomicUsize::new(0);
    let told: Vec<_> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|w| {
                let (db, family, done) = (&db, &families[w % 2], &done);
                scope.spawn(move || {
                    let told = writer(db, family, w, seed * 10 + w as u64);
                    done.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    told
                })
            })
            .collect();
        let mut rng = Rng::new(seed);
        while done.load(std::sync::atomic::Ordering::SeqCst) < WRITERS {
            let rule = RULES[rng.below(RULES.len() as u64) as usize];
            let id = faults.plan(rule);
            for _ in 0..rng.below(2000) {
                std::thread::yield_now();
            }
            faults.lift(id);
            for _ in 0..rng.below(4000) {
                std::thread::yield_now();
            }
        }
        writers.into_iter().map(|w| w.join().expect("no panic")).collect()
    });
    faults.lift_all();
    let what = format!("seed {seed}");
    check(&memory, &told, Cut::Killed, &what);
    check(&memory, &told, Cut::PowerLost, &what);
    // All is well again: within a few tries, since retries are a millisecond away.
    let sync = WriteOptions { sync: true, ..WriteOptions::default() };
    let again = |doing: &str, call: &dyn Fn() -> Result<()>| {
        let mut last = Ok(());
        for _ in 0..10_000 {
            last = call();
            if last.is_ok() {
                return;
            }
            std::thread::yield_now();
        }
        panic!("{what}: {doing}: {last:?}");
    };
    again("write", &|| db.put(&sync, &families[0], b"after", b"1"));
    again("flush", &|| db.flush(&FlushOptions::default(), &families));
    again("compact", &|| {
        db.compact_range(&CompactRangeOptions::default(), &families[1], None, None)
    });
    check(&memory, &told, Cut::PowerLost, &what);
    drop(families);
    db.close();
    drop(db);
    let (db, families) = open(&fs).expect("opens");
    assert!(db.get(&Default::default(), &families[0], b"after").expect("reads").is_some());
}

#[test]
fn writers_on_threads_get_over_faults() {
    for seed in 1..=if crate::is_all() { 300 } else { 20 } {
        println!("seed {seed}");
        run(seed);
    }
}
