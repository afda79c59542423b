//! Opening a store, making one, removing one.
//!
//!  1. Options that cannot work are refused.
//!  2. The lock.
//!  3. CURRENT and the manifest, or new ones.
//!  4. Families and comparators against what the caller named. Up to here nothing in the folder
//!     changes but LOCK.
//!  5. Tables are where the manifest says, of its sizes.
//!  6. Logs are replayed; full memtables become tables.
//!  7. A new log, a new manifest, CURRENT.
//!  8. Leftovers go.
#![forbid(unsafe_code)]

use super::background_error::Failures;
use super::column_family::{Family, FamilyCore};
use super::recover::{Logs, Replay, Replayed};
use super::{
    Db, FamilyState, FamilyTable, Inner, LiveLog, Manifest, RecoveryReport, State, property,
    snapshot, stall, wal, write,
};
use crate::base::sync::{ArcCell, Condvar, Mutex, RwLock};
use crate::base::{Error, InternalComparator, Result, Sequence, SubKind};
use crate::compaction::folders::{self, Folder};
use crate::env::info_log::{self, FileLogger, LogSettings, Nowhere};
use crate::env::{Env, FileLock, FileSystem, LogLevel, Logger, PoolUser, ReadMode, WriteMode};
use crate::format::compression;
use crate::format::manifest::VersionEdit;
use crate::format::name::{self, FileName};
use crate::options::{CfOptions, CompactionStyle, Compression, DbOptions};
use crate::table::TableCache;
use crate::version::recover::{self as manifest, Recovered};
use crate::version::set::{self, ManifestWriter};
use crate::version::{Version, builder};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The family that every store has.
const DEFAULT: &str = "default";

/// Folders of tables that the manifest can tell apart.
const MOST_FOLDERS: usize = 4;

/// How a store is opened for reading alone.
#[derive(Clone, Copy)]
struct ReadOnly {
    error_if_wal_file_exists: bool,
}

pub(super) fn environment(options: &DbOptions) -> Env {
    options.env.as_ref().map_or_else(Env::posix, |e| (**e).clone())
}

fn wal_dir(options: &DbOptions, path: &Path) -> PathBuf {
    if options.wal_dir.is_empty() { path.to_owned() } else { PathBuf::from(&options.wal_dir) }
}

/// Combinations of the store's options that cannot work.
fn check_options(options: &DbOptions) -> Result<()> {
    if options.db_paths.len() > MOST_FOLDERS {
        return Err(Error::not_supported("More than four DB paths are not supported yet. "));
    }
    let codec = options.wal_compression;
    if codec != Compression::None
        && (codec != Compression::Zstd || !compression::is_supported(codec as u8))
    {
        let codec = compression::name(codec as u8);
        return Err(Error::not_supported(format!("wal_compression with {codec}")));
    }
    Ok(())
}

/// Combinations of a family's options that cannot work.
pub(super) fn check_family_options(db: &DbOptions, options: &CfOptions) -> Result<()> {
    if options.comparator.timestamp_size() > 0 {
        return Err(Error::not_supported("user-defined timestamps"));
    }
    if !crate::compaction::picker::is_supported(options.compaction_style) {
        return Err(Error::not_supported("this compaction_style"));
    }
    if options.cf_paths.len() > MOST_FOLDERS {
        return Err(Error::not_supported("More than four CF paths are not supported yet. "));
    }
    let several = db.db_paths.len().max(options.cf_paths.len()) > 1;
    if several
        && !matches!(options.compaction_style, CompactionStyle::Level | CompactionStyle::Universal)
    {
        return Err(Error::not_supported(
            "More than one CF paths are only supported in universal and level compaction styles. ",
        ));
    }
    if options.inplace_update_support {
        if db.allow_concurrent_memtable_write {
            return Err(Error::invalid_argument(
                "In-place memtable updates (inplace_update_support) is not compatible with concurrent writes (allow_concurrent_memtable_write)",
            ));
        }
        return Err(Error::not_supported("inplace_update_support"));
    }
    let mut codecs = vec![options.compression, options.bottommost_compression];
    codecs.extend(&options.compression_per_level);
    for codec in codecs {
        if codec != Compression::Disable && !compression::is_supported(codec as u8) {
            return Err(Error::invalid_argument(format!(
                "Compression type {} is not linked with the binary.",
                compression::name(codec as u8)
            )));
        }
    }
    if options.num_levels < 1 {
        return Err(Error::invalid_argument("num_levels must be at least 1"));
    }
    Ok(())
}

/// Where a family's tables are: its own folders, else the store's, else the folder of the store.
pub(super) fn folders_of(path: &Path, db: &DbOptions, family: &CfOptions) -> Vec<Folder> {
    let named = [&family.cf_paths, &db.db_paths].into_iter().find(|paths| !paths.is_empty());
    named.cloned().unwrap_or_else(|| vec![(path.to_owned(), u64::MAX)])
}

/// Every folder that the options name for tables, and that of the store, each once.
fn all_folders<'a>(
    path: &Path,
    db: &DbOptions,
    families: impl Iterator<Item = &'a CfOptions>,
) -> Vec<PathBuf> {
    let own = families.flat_map(|f| &f.cf_paths);
    let mut all: Vec<PathBuf> = db.db_paths.iter().chain(own).map(|(f, _)| f.clone()).collect();
    all.push(path.to_owned());
    all.sort();
    all.dedup();
    all
}

/// Values that RocksDB clips instead of refusing.
pub(super) fn clip(db: &DbOptions, options: &CfOptions) -> CfOptions {
    let mut o = options.clone();
    // Sizes of levels decide on folders; they must not depend on what is in the last level.
    if db.db_paths.len().max(o.cf_paths.len()) > 1 {
        o.level_compaction_dynamic_level_bytes = false;
    }
    o.write_buffer_size = o.write_buffer_size.max(64 << 10);
    unstick(&mut o);
    o
}

/// Bounds below which writers would wait for ever.
pub(super) fn unstick(o: &mut CfOptions) {
    o.max_write_buffer_number = o.max_write_buffer_number.max(2);
    o.min_write_buffer_number_to_merge =
        o.min_write_buffer_number_to_merge.clamp(1, o.max_write_buffer_number - 1);
    if o.level0_file_num_compaction_trigger == 0 {
        o.level0_file_num_compaction_trigger = 1;
    }
    o.level0_slowdown_writes_trigger =
        o.level0_slowdown_writes_trigger.max(o.level0_file_num_compaction_trigger);
    o.level0_stop_writes_trigger =
        o.level0_stop_writes_trigger.max(o.level0_slowdown_writes_trigger);
}

/// The families of the manifest against those the caller named, with the caller's options.
fn match_families(
    options: &DbOptions,
    recovered: &Recovered,
    named: &[(String, CfOptions)],
    read_only: bool,
) -> Result<BTreeMap<u32, CfOptions>> {
    if !named.iter().any(|(name, _)| name == DEFAULT) {
        return Err(Error::invalid_argument("Default column family not specified"));
    }
    for (name, _) in named {
        if !recovered.families.iter().any(|f| f.name == *name)
            && (read_only || !options.create_missing_column_families)
        {
            return Err(Error::invalid_argument(format!("Column family not found: {name}")));
        }
    }
    let mut found = BTreeMap::new();
    let mut missing = Vec::new();
    for family in &recovered.families {
        match named.iter().find(|(name, _)| *name == family.name) {
            Some((_, o)) => {
                family.check_comparator(&*o.comparator)?;
                found.insert(family.id, clip(options, o));
            }
            None => missing.push(family.name.clone()),
        }
    }
    if !read_only && !missing.is_empty() {
        return Err(Error::invalid_argument(format!(
            "Column families not opened: {}",
            missing.join(", ")
        )));
    }
    Ok(found)
}

/// The first manifest of a new store.
fn create(fs: &dyn FileSystem, path: &Path, comparator: &str) -> Result<()> {
    let edit = VersionEdit {
        comparator: Some(comparator.to_owned()),
        log_number: Some(0),
        next_file_number: Some(2),
        last_sequence: Some(0),
        ..VersionEdit::default()
    };
    let mut writer = ManifestWriter::create(fs, path, 1, &[edit])?;
    writer.close()?;
    set::set_current(fs, path, 1)
}

fn random_uuid(env: &Env) -> String {
    let (a, b) = (env.random.next(), env.random.next());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xFFFF,
        a & 0xFFF,
        0x8000 | ((b >> 48) & 0x3FFF),
        b & 0xFFFF_FFFF_FFFF
    )
}

/// The identity of one opening: 20 characters of base 36.
fn random_session(env: &Env) -> String {
    const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut bits = (u128::from(env.random.next()) << 64) | u128::from(env.random.next());
    (0..20)
        .map(|_| {
            let digit = DIGITS[usize::try_from(bits % 36).expect("below 36")];
            bits /= 36;
            char::from(digit)
        })
        .collect()
}

/// The store's identity, made and written if there is none.
fn identity(env: &Env, path: &Path, read_only: bool) -> Result<String> {
    let file = path.join(name::IDENTITY);
    if env.fs.exists(&file)? {
        let text = String::from_utf8_lossy(&crate::env::read_file(&*env.fs, &file, 4096)?)
            .trim_end_matches('\n')
            .to_owned();
        if !text.is_empty() {
            return Ok(text);
        }
    }
    let fresh = random_uuid(env);
    if !read_only {
        let temporary = path.join(name::temp(0));
        crate::env::write_file_atomically(&*env.fs, &temporary, &file, fresh.as_bytes())?;
    }
    Ok(fresh)
}

/// The first number above all that file names in the folders use.
fn first_free_number(fs: &dyn FileSystem, folders: &[PathBuf]) -> Result<u64> {
    let mut free = 1;
    for folder in folders {
        for file in fs.list(folder)? {
            if let Some(number) = FileName::parse(&file).and_then(FileName::number) {
                free = free.max(number.saturating_add(1));
            }
        }
    }
    Ok(free)
}

/// Every table is there, of the size that the manifest says.
fn check_tables(
    fs: &dyn FileSystem,
    path: &Path,
    options: &DbOptions,
    recovered: &Recovered,
    wanted: &BTreeMap<u32, CfOptions>,
) -> Result<()> {
    for family in &recovered.families {
        let Some(family_options) = wanted.get(&family.id) else { continue };
        let folders = folders_of(path, options, family_options);
        if !family.blobs.is_empty() {
            return Err(Error::not_supported(format!(
                "blob files (column family {})",
                family.name
            )));
        }
        for entry in family.files.values().flatten() {
            let folder = folders::of(&folders, entry.path_id);
            let mut file = folder.join(name::table(entry.number));
            if !fs.exists(&file)? {
                let old = folder.join(name::table_old(entry.number));
                if fs.exists(&old)? {
                    file = old;
                }
            }
            let size = fs.size(&file).map_err(|e| {
                if e.is_not_found() {
                    Error::corruption(format!("Can't access /{}: {e}", name::table(entry.number)))
                } else {
                    e
                }
            })?;
            if size != entry.size {
                return Err(Error::corruption(format!(
                    "Sst file size mismatch: {}. Size recorded in manifest {}, actual size {size}",
                    file.display(),
                    entry.size
                )));
            }
        }
    }
    Ok(())
}

/// The parts of an opening that later steps need.
struct Opening<'a> {
    env: Env,
    options: &'a DbOptions,
    path: &'a Path,
    read_only: Option<ReadOnly>,
    lock: Option<Box<dyn FileLock>>,
    log: Arc<dyn Logger>,
}

impl Db {
    /// Opens a store with all of its families; handles come back in the order of `families`.
    ///
    /// # Errors
    /// `Invalid argument` for a missing or existing store against the options, for families that do not match
    /// and for another comparator; `IO error` with the lock's text when somebody has it open;
    /// `Corruption` with file and offset; `Not implemented` naming what is not served. A failed open
    /// leaves data and lock as they were.
    pub fn open(
        options: &DbOptions,
        path: &Path,
        families: &[(String, CfOptions)],
    ) -> Result<(Self, Vec<Family>)> {
        open(options, path, families, None)
    }

    /// Opens a store for reading what is there now; needs no lock, writes nothing. A subset of the families
    /// (with `default`) is enough.
    pub fn open_read_only(
        options: &DbOptions,
        path: &Path,
        families: &[(String, CfOptions)],
        error_if_wal_file_exists: bool,
    ) -> Result<(Self, Vec<Family>)> {
        open(options, path, families, Some(ReadOnly { error_if_wal_file_exists }))
    }

    /// Names of the families of a store, by id.
    pub fn list_families(options: &DbOptions, path: &Path) -> Result<Vec<String>> {
        manifest::list_families(&*environment(options).fs, path)
    }

    /// Removes all files of a store and its folder if that is empty then; a missing store is fine, one that is
    /// open is refused.
    pub fn destroy(
        options: &DbOptions,
        path: &Path,
        families: &[(String, CfOptions)],
    ) -> Result<()> {
        let env = environment(options);
        let fs = &*env.fs;
        if !fs.exists(path)? {
            return Ok(());
        }
        let lock = fs.lock(&path.join(name::LOCK))?;
        let wal_dir = wal_dir(options, path);
        let mut folders = vec![path.to_owned(), path.join("archive")];
        if wal_dir != path {
            folders.push(wal_dir.clone());
            folders.push(wal_dir.join("archive"));
        }
        let of_tables = all_folders(path, options, families.iter().map(|(_, o)| o));
        folders.extend(of_tables.into_iter().filter(|f| f != path && *f != wal_dir));
        let mut failed = None;
        for folder in &folders {
            let Ok(names) = fs.list(folder) else { continue };
            let home = folder == path || folder.starts_with(&wal_dir);
            for file in names {
                let ours = FileName::parse(&file).is_some_and(|n| match n {
                    FileName::Lock => false,
                    FileName::Table(_) | FileName::Blob(_) => true,
                    _ => home,
                });
                if ours && let Err(error) = fs.remove(&folder.join(&file)) {
                    failed.get_or_insert(error);
                }
            }
        }
        drop(lock);
        // The lock file and the folders go if nothing of somebody else's is in them.
        let _ = fs.remove(&path.join(name::LOCK));
        for folder in folders.iter().rev() {
            let _ = fs.remove_dir(folder);
        }
        failed.map_or(Ok(()), Err)
    }
}

fn open(
    options: &DbOptions,
    path: &Path,
    named: &[(String, CfOptions)],
    read_only: Option<ReadOnly>,
) -> Result<(Db, Vec<Family>)> {
    check_options(options)?;
    for (_, family) in named {
        check_family_options(options, family)?;
    }
    let env = environment(options);
    let lock = if read_only.is_none() { Some(claim(&env, options, path, named)?) } else { None };
    let recovered = manifest::recover(&*env.fs, path)?;
    let wanted = match_families(options, &recovered, named, read_only.is_some())?;
    check_tables(&*env.fs, path, options, &recovered, &wanted)?;
    let log = match &options.info_log {
        Some(log) => Arc::clone(log),
        None if read_only.is_some() => Arc::new(Nowhere),
        None => open_log(&env, options, path),
    };
    let opening = Opening { env, options, path, read_only, lock, log };
    let (inner, replayed) = assemble(opening, recovered, wanted)?;
    let db = Db::from_inner(Arc::clone(&inner));
    inner.finish_open(replayed, named)?;
    let families = inner.families.load();
    let handles = named
        .iter()
        .map(|(name, _)| {
            families
                .list
                .iter()
                .find(|f| f.name == *name)
                .map(|f| Family(Arc::clone(f)))
                .ok_or_else(|| Error::invalid_argument(format!("Column family not found: {name}")))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok((db, handles))
}

/// DIR/LOG; nothing where it cannot be made, since a store must open on a full disk.
fn open_log(env: &Env, options: &DbOptions, path: &Path) -> Arc<dyn Logger> {
    let settings = LogSettings {
        level: options.info_log_level,
        max_bytes: options.max_log_file_size as u64,
        roll_seconds: options.log_file_time_to_roll as u64,
        keep_files: options.keep_log_file_num,
    };
    let file = info_log::path_of(&*env.fs, path, &options.db_log_dir);
    FileLogger::create(env, &file, settings).unwrap_or_else(|_| Arc::new(Nowhere))
}

/// A folder whose own name survives a power cut.
pub(super) fn make_folder(fs: &dyn FileSystem, folder: &Path) -> Result<()> {
    if fs.exists(folder)? {
        return Ok(());
    }
    fs.create_dir(folder)?;
    let parent = folder.parent().filter(|p| !p.as_os_str().is_empty());
    fs.sync_dir(parent.unwrap_or(Path::new(".")))
}

/// Folder, lock, and a new store where there is none.
fn claim(
    env: &Env,
    options: &DbOptions,
    path: &Path,
    named: &[(String, CfOptions)],
) -> Result<Box<dyn FileLock>> {
    let fs = &*env.fs;
    let current = path.join(name::CURRENT);
    let missing = || {
        Error::invalid_argument(format!(
            "{}: does not exist (create_if_missing is false)",
            current.display()
        ))
    };
    if options.create_if_missing {
        make_folder(fs, path)?;
    } else if !fs.exists(path)? {
        return Err(missing());
    }
    let lock = fs.lock(&path.join(name::LOCK))?;
    let wal_dir = wal_dir(options, path);
    if wal_dir != path {
        make_folder(fs, &wal_dir)?;
    }
    for folder in all_folders(path, options, named.iter().map(|(_, o)| o)) {
        make_folder(fs, &folder)?;
    }
    if fs.exists(&current)? {
        if options.error_if_exists {
            return Err(Error::invalid_argument(format!(
                "{}: exists (error_if_exists is true)",
                path.display()
            )));
        }
        return Ok(lock);
    }
    if !options.create_if_missing {
        return Err(missing());
    }
    if let Some(log) = Replay::find_logs(fs, &wal_dir)?.first() {
        return Err(Error::corruption(format!(
            "While creating a new Db, wal_dir contains existing log file: {}",
            name::wal(*log)
        )));
    }
    let comparator = named
        .iter()
        .find(|(name, _)| name == DEFAULT)
        .map(|(_, o)| Arc::clone(&o.comparator))
        .ok_or_else(|| Error::invalid_argument("Default column family not specified"))?;
    create(fs, path, comparator.name())?;
    Ok(lock)
}

/// May a replay write tables?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flush {
    /// As options and memtables ask.
    AsAsked,
    /// Not at all.
    Never,
}

/// What replay left for `finish_open`.
struct AfterReplay {
    families: BTreeMap<u32, Replayed>,
    edits: BTreeMap<u32, VersionEdit>,
    last_sequence: u64,
    logs: Vec<(u64, u64)>,
    floors: BTreeMap<u64, Sequence>,
}

fn assemble(
    opening: Opening<'_>,
    recovered: Recovered,
    wanted: BTreeMap<u32, CfOptions>,
) -> Result<(Arc<Inner>, AfterReplay)> {
    let Opening { env, options, path, read_only, lock, log } = opening;
    let wal_dir = wal_dir(options, path);
    let identity = identity(&env, path, read_only.is_some())?;
    let mut folders = all_folders(path, options, wanted.values());
    folders.retain(|folder| env.fs.exists(folder).unwrap_or(true));
    folders.push(wal_dir.clone());
    let next_file = recovered.next_file_number.max(first_free_number(&*env.fs, &folders)?);
    let floor = recovered
        .min_log_number_to_keep
        .max(recovered.families.iter().map(|f| f.log_number).min().unwrap_or(0));
    let last_sequence = recovered.last_sequence;
    let max_family = recovered.max_column_family;
    let floors = recovered.log_floors;
    let mode = ReadMode {
        direct: options.use_direct_reads,
        mapped: options.allow_mmap_reads,
        random: options.advise_random_on_open,
    };
    let tables = Arc::new(TableCache::new(
        Arc::clone(&env.fs),
        mode,
        options.max_open_files,
        options.statistics.clone(),
    ));
    let mut states = BTreeMap::new();
    let mut replaying = BTreeMap::new();
    for family in recovered.families {
        let Some(o) = wanted.get(&family.id) else { continue };
        let order = InternalComparator::new(Arc::clone(&o.comparator));
        let (id, name, log_number) = (family.id, family.name.clone(), family.log_number);
        let levels = usize::try_from(o.num_levels).unwrap_or(7);
        let version = family.into_version(order, levels)?;
        let source = (Arc::clone(&tables), folders_of(path, options, o));
        let (core, mem, version) =
            FamilyCore::new(id, &name, o.clone(), version, log_number, source);
        replaying
            .insert(id, Replayed { core: Arc::clone(&core), mem: Arc::clone(&mem), log_number });
        states.insert(id, FamilyState::new(core, mem, version, log_number));
    }
    let logs = Replay::find_logs(&*env.fs, &wal_dir)?;
    if read_only.is_some_and(|r| r.error_if_wal_file_exists) {
        for number in &logs {
            let file = wal_dir.join(name::wal(*number));
            if env.fs.size(&file)? > 0 {
                return Err(Error::corruption(format!(
                    "Found unrecoverable WAL file {} (error_if_wal_file_exists is true)",
                    file.display()
                )));
            }
        }
    }
    let live_versions = states.values().map(|f: &FamilyState| Arc::downgrade(&f.version)).collect();
    let mut inner = Inner {
        tables,
        path: path.to_owned(),
        wal_dir,
        read_only: read_only.is_some(),
        is_secondary: AtomicBool::new(false),
        log,
        statistics: options.statistics.clone(),
        families: ArcCell::new(Arc::new(FamilyTable::default())),
        published: AtomicU64::new(last_sequence),
        next_file: AtomicU64::new(next_file),
        snapshots: Arc::new(snapshot::SnapshotList::default()),
        queue: write::WriteQueue::default(),
        families_in_doubt: AtomicBool::new(false),
        attention: AtomicBool::new(false),
        memory: super::memory::MemoryWatch::new(options),
        stall: stall::Stall::default(),
        wal: Mutex::new(wal::Wal::new(options.manual_wal_flush, options.use_fsync)),
        manifest: Mutex::new(Manifest::default()),
        state: Mutex::new(State {
            families: states,
            max_family,
            running_flushes: 0,
            running_compactions: 0,
            scheduled_compactions: 0,
            pending_outputs: BTreeSet::new(),
            live_versions,
            obsolete: Vec::new(),
            lost: Vec::new(),
            logs: Vec::new(),
            undeleted: Vec::new(),
            deletions_disabled: 0,
            failures: Failures::default(),
            retry_scheduled: false,
            exclusive_manual: 0,
            cancelled: false,
            super_version_number: 0,
        }),
        changed: Condvar::new(),
        closing: AtomicBool::new(false),
        ending: AtomicBool::new(false),
        no_deletions: RwLock::new(false),
        manual_paused: AtomicU64::new(0),
        report: RecoveryReport::default(),
        session: random_session(&env),
        identity,
        opened_micros: env.clock.now_micros(),
        counters: property::Counters::default(),
        lock: Mutex::new(lock),
        pool_user: Mutex::new(Some(PoolUser::new(Arc::clone(&env.pool)))),
        options: ArcCell::new(Arc::new(options.clone())),
        env,
    };
    let numbers = logs.into_iter().filter(|n| *n >= floor).collect();
    let logs = Logs { numbers, floors, last_sequence };
    let (mut after, report) = inner.replay(replaying, &logs)?;
    after.floors = logs.floors;
    inner.report = report;
    Ok((Arc::new(inner), after))
}

impl Inner {
    /// Step 6. On a full disk what the logs hold stays in memory: a store must open for reading there.
    fn replay(
        &self,
        families: BTreeMap<u32, Replayed>,
        logs: &Logs,
    ) -> Result<(AfterReplay, RecoveryReport)> {
        let cores: Vec<(Arc<FamilyCore>, u64)> =
            families.values().map(|f| (Arc::clone(&f.core), f.log_number)).collect();
        let flush = if self.read_only { Flush::Never } else { Flush::AsAsked };
        match self.replay_once(families, logs, flush) {
            Err(error) if error.sub() == SubKind::NoSpace => {
                self.log(LogLevel::Warn, &format!("Replaying into memory alone: {error}"));
                let fresh = |(core, log_number): (Arc<FamilyCore>, u64)| {
                    let mem = core.memtable(log_number);
                    (core.id, Replayed { core, mem, log_number })
                };
                let families = cores.into_iter().map(fresh).collect();
                let again = self.replay_once(families, logs, Flush::Never)?;
                // Numbers of dropped records are used again: their logs must not stay.
                if again.1.is_loss() { Err(error) } else { Ok(again) }
            }
            other => other,
        }
    }

    fn replay_once(
        &self,
        families: BTreeMap<u32, Replayed>,
        logs: &Logs,
        flush: Flush,
    ) -> Result<(AfterReplay, RecoveryReport)> {
        let options = self.options.load();
        let mode = options.wal_recovery_mode;
        let mut edits: BTreeMap<u32, VersionEdit> = BTreeMap::new();
        let mut replay = Replay::new(&*self.env.fs, &self.wal_dir, mode, families, logs);
        let mut run = || {
            replay.run(logs, &mut |family| match flush {
                Flush::Never => Ok(()),
                Flush::AsAsked => self.flush_replayed(family, &mut edits),
            })?;
            let must_all = !options.avoid_flush_during_recovery || replay.report.is_loss();
            for (id, family) in &mut replay.families {
                // A family that was flushed midway through a log must be flushed to the end: its log number
                // cannot say "half of this log", and what is in a table must not be replayed again.
                if flush == Flush::AsAsked && (must_all || edits.contains_key(id)) {
                    self.flush_replayed(family, &mut edits)?;
                }
            }
            Ok(())
        };
        let done = run();
        if let Err(error) = done {
            for (_, file) in edits.values().flat_map(|e| &e.new_files) {
                self.discard_table(file.number);
            }
            return Err(error);
        }
        let Replay { families, last_sequence, report, logs, .. } = replay;
        let floors = BTreeMap::new();
        Ok((AfterReplay { families, edits, last_sequence, logs, floors }, report))
    }

    fn flush_replayed(
        &self,
        family: &mut Replayed,
        edits: &mut BTreeMap<u32, VersionEdit>,
    ) -> Result<()> {
        if family.mem.is_empty() {
            return Ok(());
        }
        let fresh = family.core.memtable(family.mem.log_number());
        let full = std::mem::replace(&mut family.mem, fresh);
        let epoch = {
            let mut state = self.state.lock();
            let next = state.families.get_mut(&family.core.id).map(|f| &mut f.next_epoch);
            next.map_or(1, |n| {
                *n += 1;
                *n - 1
            })
        };
        let number = self.new_file_number();
        let entry = self.write_level0(&family.core, &[full], number, epoch)?;
        let edit = edits
            .entry(family.core.id)
            .or_insert_with(|| VersionEdit { family: family.core.id, ..VersionEdit::default() });
        edit.new_files.extend(entry.map(|e| (0, e)));
        Ok(())
    }

    /// Steps 7 and 8: what replay brought becomes the state of the store.
    fn finish_open(
        self: &Arc<Self>,
        after: AfterReplay,
        named: &[(String, CfOptions)],
    ) -> Result<()> {
        self.log_banner();
        self.log_report();
        // Release: pairs with readers' Acquire.
        self.published.store(after.last_sequence, Ordering::Release);
        {
            let mut state = self.state.lock();
            for (id, family) in after.families {
                let Some(of) = state.families.get_mut(&id) else { continue };
                of.core.attach(Arc::downgrade(self));
                of.mem = family.mem;
                if let Some(edit) = after.edits.get(&id) {
                    let version: Version = builder::apply(&of.version, std::slice::from_ref(edit))?;
                    of.version = Arc::new(version);
                    let version = Arc::downgrade(&of.version);
                    state.live_versions.push(version);
                }
            }
            let live = |&(number, bytes): &(u64, u64)| {
                let floor = after.floors.get(&number).copied().unwrap_or(0);
                LiveLog { number, bytes, floor }
            };
            state.logs = after.logs.iter().map(live).collect();
        }
        if !self.read_only {
            self.begin_writing()?;
        }
        {
            let mut state = self.state.lock();
            self.install_families(&state);
            let ids: Vec<u32> = state.families.keys().copied().collect();
            for id in ids {
                drop(self.install_view(&mut state, id));
            }
            self.update_wal_attention(&state);
        }
        self.load_tables()?;
        if self.read_only {
            return Ok(());
        }
        self.purge();
        self.sweep();
        for (name, options) in named {
            if !self.families.load().list.iter().any(|f| f.name == *name) {
                self.create_family(options, name)?;
            }
        }
        self.write_options_file();
        self.size_pool();
        let mut state = self.state.lock();
        self.schedule(&mut state);
        Ok(())
    }

    /// Step 7. On a full disk the next write, or the next edit, tries again; until then the folder stays as
    /// it is.
    fn begin_writing(&self) -> Result<()> {
        let full = |error: &Error| {
            let full = error.sub() == SubKind::NoSpace;
            if full {
                self.log(LogLevel::Warn, &format!("Opened on a full disk: {error}"));
                // Release: pairs with a leader's Acquire.
                self.attention.store(true, Ordering::Release);
            }
            full
        };
        self.adopt_logs()?;
        let log = match self.new_log() {
            Err(error) if full(&error) => self.new_file_number(),
            made => made?,
        };
        {
            let mut state = self.state.lock();
            for family in state.families.values_mut().filter(|f| f.mem.is_empty()) {
                family.log_number = log;
                family.mem.set_log_number(log);
            }
        }
        let published = self
            .begin_manifest()
            .and_then(|writer| self.publish_manifest(&mut self.manifest.lock(), writer));
        match published {
            Err(error) if full(&error) => Ok(()),
            done => done,
        }
    }

    /// With all tables kept open they are opened now, so that damage shows at once.
    fn load_tables(&self) -> Result<()> {
        if self.options.load().max_open_files != -1 {
            return Ok(());
        }
        for family in &self.families.load().list {
            let version = Arc::clone(&family.view.load().version);
            for (level, file) in version.all_files() {
                self.table(family, file, level)?;
            }
        }
        Ok(())
    }

    fn log_banner(&self) {
        self.log(
            LogLevel::Header,
            &format!("MountDB {} behind RocksDB's C API", env!("CARGO_PKG_VERSION")),
        );
        self.log(LogLevel::Header, &format!("DB SUMMARY: {}", self.path.display()));
        self.log(LogLevel::Header, &format!("DB Session ID:  {}", self.session));
        self.log(LogLevel::Header, "Fast CRC32 supported: Supported on x86");
        self.log(LogLevel::Header, "Jemalloc supported: 0");
        self.log_options();
    }
}

/// A file made to be sure that a folder can be written.
#[allow(dead_code, reason = "used by checkpoint")]
pub(super) fn touch(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    fs.create(path, WriteMode::default())?.close()
}
