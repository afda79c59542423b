//! A store over a disk that fails by plan, and the account of what was written to it.
//!
//! Every write has a number. It puts `w<number>` into the families it goes to, so that what a reopened store holds
//! says which writes are there, and `k<number % 4>` as well, so that order shows.

use mountdb::base::Result;
use mountdb::db::{Db, Family};
use mountdb::env::fault::FaultFs;
use mountdb::env::info_log::Nowhere;
use mountdb::env::memory::{Cut, MemoryEnv};
use mountdb::env::{Env, Pool};
use mountdb::format::batch::WriteBatch;
use mountdb::format::name::FileName;
use mountdb::options::{
    CfOptions, CompactRangeOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

pub(crate) const DIR: &str = "/db";
pub(crate) const NAMES: [&str; 2] = ["default", "other"];

pub(crate) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

pub(crate) fn options(env: &Env) -> DbOptions {
    DbOptions {
        create_if_missing: true,
        create_missing_column_families: true,
        env: Some(Arc::new(env.clone())),
        // Its lines would be most of the I/O.
        info_log: Some(Arc::new(Nowhere)),
        ..DbOptions::default()
    }
}

pub(crate) fn family_options() -> CfOptions {
    CfOptions { level0_file_num_compaction_trigger: 3, ..CfOptions::default() }
}

pub(crate) fn open(options: &DbOptions) -> Result<(Db, Vec<Family>)> {
    let families: Vec<_> = NAMES.iter().map(|n| ((*n).to_owned(), family_options())).collect();
    Db::open(options, Path::new(DIR), &families)
}

pub(crate) fn rows(db: &Db, family: &Family) -> Result<Rows> {
    let mut iter = db.iter(&ReadOptions::default(), family);
    iter.seek_to_first();
    let mut found = Rows::new();
    while iter.valid() {
        found.insert(iter.key().to_vec(), iter.value().to_vec());
        iter.next();
    }
    iter.status()?;
    Ok(found)
}

/// One write and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    number: u64,
    /// To which families.
    to: [bool; 2],
    pub(crate) acked: bool,
    pub(crate) safe: bool,
}

impl Written {
    fn pairs(&self) -> [(Vec<u8>, Vec<u8>); 2] {
        let value = format!("{:04}", self.number).into_bytes();
        [
            (format!("w{:04}", self.number).into_bytes(), value.clone()),
            (format!("k{}", self.number % 4).into_bytes(), value),
        ]
    }
}

/// What `writes` leave in the two families.
pub(crate) fn fold<'a>(writes: impl Iterator<Item = &'a Written>) -> [Rows; 2] {
    let mut rows = [Rows::new(), Rows::new()];
    for write in writes {
        for (rows, _) in rows.iter_mut().zip(write.to).filter(|(_, to)| *to) {
            rows.extend(write.pairs());
        }
    }
    rows
}

/// The account of all writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    pub(crate) writes: Vec<Written>,
}

impl Account {
    /// The open store shows every acknowledged write and nothing else.
    pub(crate) fn check_live(&self, db: &Db, families: &[Family], what: &str) {
        let expected = fold(self.writes.iter().filter(|w| w.acked));
        for (family, expected) in families.iter().zip(expected) {
            let found = rows(db, family).unwrap_or_else(|e| panic!("{what}: scan: {e}"));
            assert_eq!(found, expected, "{what}: family {}", family.name());
            for (key, value) in &found {
                let got = db.get(&ReadOptions::default(), family, key);
                let got = got.unwrap_or_else(|e| panic!("{what}: get: {e}"));
                assert_eq!(got.as_deref(), Some(&value[..]), "{what}");
            }
        }
    }

    /// A store opened after a crash shows all that had to stay, nothing that nobody wrote, and of the acknowledged
    /// writes a prefix.
    pub(crate) fn check_crashed(&self, found: &[Rows; 2], cut: Cut, what: &str) {
        let has = |w: &Written| {
            let [(key, value), _] = w.pairs();
            let there: Vec<bool> = found
                .iter()
                .zip(w.to)
                .filter(|(_, to)| *to)
                .map(|(rows, _)| rows.get(&key) == Some(&value))
                .collect();
            assert!(there.iter().all(|t| *t == there[0]), "{what}: half of write {}", w.number);
            there[0]
        };
        let present: Vec<&Written> = self.writes.iter().filter(|w| has(w)).collect();
        let mut ended = None;
        for w in &self.writes {
            let there = has(w);
            let must = if cut == Cut::Killed { w.acked } else { w.safe };
            assert!(there || !must, "{what}: write {} is lost", w.number);
            if w.acked && !there {
                ended.get_or_insert(w.number);
            }
            if w.acked && there {
                assert_eq!(ended, None, "{what}: write {} is there, an older one not", w.number);
            }
        }
        assert_eq!(*found, fold(present.into_iter()), "{what}: not what these writes leave");
    }
}

/// A store under test.
pub(crate) struct Store {
    pub(crate) memory: MemoryEnv,
    pub(crate) faults: FaultFs,
    pub(crate) options: DbOptions,
    pub(crate) open: Option<(Db, Vec<Family>)>,
    pub(crate) account: Account,
}

impl Store {
    pub(crate) fn new(seed: u64, set: impl FnOnce(&mut DbOptions)) -> Self {
        let memory = MemoryEnv::new(seed);
        let faults = FaultFs::new(Arc::clone(&memory.env.fs));
        let env = Env { fs: Arc::new(faults.clone()), ..memory.env.clone() };
        let mut options = options(&env);
        set(&mut options);
        let open = Some(open(&options).expect("a sound disk"));
        Self { memory, faults, options, open, account: Account::default() }
    }

    pub(crate) fn db(&self) -> &Db {
        &self.open.as_ref().expect("open").0
    }

    pub(crate) fn families(&self) -> &[Family] {
        &self.open.as_ref().expect("open").1
    }

    /// Writes the next number to the families named, which go into one batch.
    pub(crate) fn write(&mut self, to: [bool; 2], sync: bool) -> Result<()> {
        let number = self.account.writes.len() as u64;
        let mut written = Written { number, to, acked: false, safe: false };
        let mut batch = WriteBatch::new();
        for (family, _) in self.families().iter().zip(to).filter(|(_, to)| *to) {
            for (key, value) in written.pairs() {
                batch.put(family.id(), &key, &value)?;
            }
        }
        let done = self.db().write(&WriteOptions { sync, ..WriteOptions::default() }, &mut batch);
        written.acked = done.is_ok();
        self.account.writes.push(written);
        if sync && done.is_ok() {
            self.all_safe();
        }
        done
    }

    /// Everything acknowledged is on the medium by somebody's word.
    pub(crate) fn all_safe(&mut self) {
        for write in self.account.writes.iter_mut().filter(|w| w.acked) {
            write.safe = true;
        }
    }

    pub(crate) fn flush(&self, which: &[usize]) -> Result<()> {
        let families: Vec<Family> = which.iter().map(|f| self.families()[*f].clone()).collect();
        self.db().flush(&FlushOptions::default(), &families)
    }

    pub(crate) fn flush_wal(&mut self) -> Result<()> {
        self.db().flush_wal(true)?;
        self.all_safe();
        Ok(())
    }

    pub(crate) fn compact(&self, which: usize) -> Result<()> {
        let family = &self.families()[which];
        self.db().compact_range(&CompactRangeOptions::default(), family, None, None)
    }

    /// Runs what background work is due, and lets `seconds` pass while doing so.
    pub(crate) fn let_pass(&self, seconds: u64) {
        for _ in 0..=2 * seconds {
            self.memory.pool.join();
            self.memory.clock.advance(if seconds == 0 { 0 } else { 500_000 });
        }
        self.memory.pool.join();
    }

    pub(crate) fn close(&mut self) {
        if let Some((db, families)) = self.open.take() {
            db.close();
            drop((db, families));
        }
    }

    pub(crate) fn reopen(&mut self) -> Result<()> {
        self.close();
        self.open = Some(open(&self.options)?);
        Ok(())
    }

    pub(crate) fn check_live(&self, what: &str) {
        self.account.check_live(self.db(), self.families(), what);
    }

    /// Whatever can be read was written.
    pub(crate) fn check_no_inventions(&self, what: &str) {
        for family in self.families() {
            let found = match rows(self.db(), family) {
                Ok(found) => found,
                Err(error) => {
                    assert!(error.is_corruption(), "{what}: {error}");
                    continue;
                }
            };
            for pair in found {
                let known = self.account.writes.iter().any(|w| w.pairs().contains(&pair));
                assert!(known, "{what}: {pair:?}");
            }
        }
    }

    /// What a restart after `cut` at this moment shows.
    pub(crate) fn check_crash(&self, cut: Cut, what: &str) {
        let what = format!("{what}, {cut:?}");
        let env = self.memory.restart(cut, 1);
        let mut options = self.options.clone();
        options.env = Some(Arc::new(env.env.clone()));
        let files = env.fs.files();
        let (db, families) =
            open(&options).unwrap_or_else(|e| panic!("{what}: open: {e}; files {files:?}"));
        let found = [rows(&db, &families[0]), rows(&db, &families[1])]
            .map(|r| r.unwrap_or_else(|e| panic!("{what}: scan: {e}")));
        self.account.check_crashed(&found, cut, &what);
        db.close();
    }

    pub(crate) fn check_crashes(&self, what: &str) {
        self.check_crash(Cut::Killed, what);
        self.check_crash(Cut::PowerLost, what);
    }

    /// As `check_crashes`, but one family may be gone if no write to it was acknowledged since its drop was
    /// tried: the account's last write.
    pub(crate) fn check_crash_of_families(&self, what: &str) {
        if self.account.writes.last().is_some_and(|w| w.acked) {
            self.check_crashes(what);
        }
    }

    /// Close, open, close: no file is left that nobody needs.
    pub(crate) fn check_leftovers(&mut self, what: &str) {
        // What stays in memory keeps its logs, rightly.
        self.options.avoid_flush_during_recovery = false;
        self.reopen().unwrap_or_else(|e| panic!("{what}: reopen: {e}"));
        self.check_live(what);
        let live = self.db().live_table_numbers();
        self.close();
        let mut tables = BTreeSet::new();
        let (mut logs, mut manifests, mut option_files) = (0, 0, 0);
        for (path, _) in self.memory.fs.files() {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            match FileName::parse(&name) {
                Some(FileName::Table(n)) => assert!(tables.insert(n)),
                Some(FileName::Wal(_)) => logs += 1,
                Some(FileName::Manifest(_)) => manifests += 1,
                Some(FileName::Options(_)) => option_files += 1,
                Some(FileName::Current | FileName::Identity | FileName::Lock) => {}
                other => panic!("{what}: {name} ({other:?}) is left"),
            }
        }
        assert_eq!(tables, live, "{what}: tables");
        assert_eq!((logs, manifests), (1, 1), "{what}: logs and manifests");
        assert!(option_files <= 2, "{what}: {option_files} options files");
    }
}
