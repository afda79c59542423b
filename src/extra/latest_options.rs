//! The options that a store had last, from its newest OPTIONS file.
//!
//! User code cannot be brought back from a name: comparators, merge operators, filters and extractors that
//! are not built in are left at their defaults, as RocksDB does. Opening with them then says which one is missing.
#![forbid(unsafe_code)]

use crate::base::{Error, Result, SubKind};
use crate::cache::Cache;
use crate::env::{self, Env};
use crate::format::name::FileName;
use crate::format::options_file::{self, Entries};
use crate::options::{CfOptions, DbOptions};
use std::path::Path;
use std::sync::Arc;

/// The largest OPTIONS file that is read.
const LIMIT_BYTES: u64 = 16 << 20;

/// What a store was opened with.
#[derive(Clone, Debug, Default)]
pub struct LatestOptions {
    /// The store's half.
    pub db: DbOptions,
    /// The families' halves, `default` first.
    pub families: Vec<(String, CfOptions)>,
}

/// Reads the newest OPTIONS file in `dir`. Names that are not known are an error, or skipped with
/// `ignore_unknown`. Tables get `cache` as their block cache.
///
/// # Errors
/// `NotFound` without such a file; `Invalid argument` for a name or a value that makes no sense.
pub fn load(
    env: &Env,
    dir: &Path,
    ignore_unknown: bool,
    cache: Option<&Arc<Cache>>,
) -> Result<LatestOptions> {
    let newest = env
        .fs
        .list(dir)?
        .into_iter()
        .filter_map(|name| match FileName::parse(&name) {
            Some(FileName::Options(number)) => Some((number, name)),
            _ => None,
        })
        .max();
    let Some((_, name)) = newest else {
        return Err(Error::not_found("No options files found in the DB directory.")
            .with_sub(SubKind::PathNotFound));
    };
    let bytes = env::read_file(&*env.fs, &dir.join(&name), LIMIT_BYTES)?;
    read(&bytes, ignore_unknown, cache).map_err(|e| e.context(&name))
}

fn read(bytes: &[u8], ignore_unknown: bool, cache: Option<&Arc<Cache>>) -> Result<LatestOptions> {
    let mut latest = LatestOptions::default();
    for section in options_file::parse(bytes)? {
        match (section.title.as_str(), section.argument) {
            ("Version", _) => {}
            ("DBOptions", _) => {
                let db = &mut latest.db;
                apply(&section.entries, ignore_unknown, |name, value| db.set(name, value))?;
            }
            ("CFOptions", Some(family)) => {
                let mut cf = CfOptions::default();
                apply(&section.entries, ignore_unknown, |name, value| match cf.set(name, value) {
                    Err(_) if is_user_code(name) => Ok(true),
                    known => known,
                })?;
                if let Some(cache) = cache {
                    let mut table = (*cf.table).clone();
                    table.block_cache = Some(Arc::clone(cache));
                    cf.table = Arc::new(table);
                }
                latest.families.push((family, cf));
            }
            ("TableOptions/BlockBasedTable", Some(family)) => {
                let Some((_, cf)) = latest.families.iter_mut().find(|(name, _)| *name == family)
                else {
                    return Err(Error::invalid_argument(format!(
                        "table options of the unknown column family {family}"
                    )));
                };
                let mut table = (*cf.table).clone();
                apply(&section.entries, ignore_unknown, |name, value| table.set(name, value))?;
                if let Some(cache) = cache {
                    table.block_cache = Some(Arc::clone(cache));
                }
                cf.table = Arc::new(table);
            }
            // Tables of other formats are written in ours.
            (title, _) if title.starts_with("TableOptions/") || ignore_unknown => {}
            (title, _) => {
                return Err(Error::invalid_argument(format!("Unknown section {title}")));
            }
        }
    }
    if latest.families.first().is_none_or(|(name, _)| name != "default") {
        return Err(Error::corruption("no options of the default column family"));
    }
    Ok(latest)
}

fn is_user_code(name: &str) -> bool {
    matches!(
        name,
        "comparator" | "merge_operator" | "prefix_extractor" | "table_factory" | "memtable_factory"
    )
}

fn apply(
    entries: &Entries,
    ignore_unknown: bool,
    mut set: impl FnMut(&str, &str) -> Result<bool>,
) -> Result<()> {
    for (name, value) in entries {
        if !set(name, value)? && !ignore_unknown {
            return Err(Error::invalid_argument(format!("Could not find option: : {name}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Compression;

    const FILE: &str = "[Version]\n rocksdb_version=8.10.0\n[DBOptions]\n max_open_files=77\n\
        [CFOptions \"default\"]\n compression=kZSTD\n comparator=mine\n merge_operator={id=mine;}\n\
        compression_opts={level=3;enabled=false;}\n\
        [TableOptions/BlockBasedTable \"default\"]\n block_size=512\n\
        [CFOptions \"other\"]\n prefix_extractor=rocksdb.FixedPrefix.3\n";

    #[test]
    fn what_the_file_says_comes_back() {
        let cache = Cache::lru(1 << 20, 0, false);
        let latest = read(FILE.as_bytes(), false, Some(&cache)).unwrap();
        assert_eq!(latest.db.max_open_files, 77);
        let (name, default) = &latest.families[0];
        assert_eq!((name.as_str(), default.compression), ("default", Compression::Zstd));
        assert_eq!((default.table.block_size, default.compression_opts.level), (512, 3));
        assert!(default.merge_operator.is_none());
        assert_eq!(default.comparator.name(), "leveldb.BytewiseComparator");
        let (name, other) = &latest.families[1];
        let extractor = other.prefix_extractor.as_ref().unwrap();
        assert_eq!((name.as_str(), extractor.name()), ("other", "rocksdb.FixedPrefix.3"));
        assert!(other.table.block_cache.is_some());
    }

    #[test]
    fn the_unknown_is_named_or_skipped() {
        for (text, name) in [
            (FILE.replace("max_open_files", "max_opne_files"), "max_opne_files"),
            (FILE.replace("block_size", "blokc_size"), "blokc_size"),
            (format!("{FILE}[Strange]\nx=1\n"), "Strange"),
        ] {
            let error = read(text.as_bytes(), false, None).unwrap_err().to_string();
            assert!(error.starts_with("Invalid argument: ") && error.contains(name), "{error}");
            read(text.as_bytes(), true, None).unwrap();
        }
        assert!(read(b"[DBOptions]\n", false, None).unwrap_err().is_corruption());
    }

    /// A store opened with every option away from its default writes a file that Debian's `ldb` (RocksDB
    /// 7.8.3) loads, and that loads here without an unknown name.
    #[test]
    fn rocksdbs_tool_knows_every_name_that_we_write() {
        use crate::db::Db;
        use crate::options::{OptionText, TableOptions};

        /// Each option that has another simple value gets it.
        fn away(set: &mut impl OptionText, names: &[&str]) {
            for name in names {
                let Some(value) = set.get_text(name) else { continue };
                let other = match value.as_str() {
                    "true" => "false".to_owned(),
                    "false" => "true".to_owned(),
                    // More of everything, within reason.
                    number => match number.parse::<u64>() {
                        Ok(n) if n < 100_000 => (n + 1).to_string(),
                        Ok(n) if n < 1 << 40 => (n + 4096).to_string(),
                        _ => continue,
                    },
                };
                // A number may be out of an option's range.
                let _ = set.set_text(name, &other);
            }
        }

        let dir = tempfile::tempdir().unwrap();
        let mut db = DbOptions::default();
        away(&mut db, DbOptions::NAMES);
        db.create_if_missing = true;
        (db.error_if_exists, db.two_write_queues, db.use_direct_reads) = (false, false, false);
        (db.allow_mmap_reads, db.use_direct_io_for_flush_and_compaction) = (false, false);
        (db.allow_concurrent_memtable_write, db.allow_2pc) = (true, false);
        (db.unordered_write, db.enable_pipelined_write, db.atomic_flush) = (false, false, false);
        (db.allow_mmap_writes, db.best_efforts_recovery) = (false, false);
        db.persist_stats_to_disk = false;
        db.stats_dump_period_sec = 0;
        let mut cf = CfOptions::default();
        away(&mut cf, CfOptions::NAMES);
        (cf.inplace_update_support, cf.enable_blob_files) = (false, false);
        (cf.enable_blob_garbage_collection, cf.memtable_protection_bytes_per_key) = (false, 0);
        cf.block_protection_bytes_per_key = 0;
        cf.compression = Compression::Zstd;
        cf.compression_opts.level = 3;
        let mut table = TableOptions::default();
        away(&mut table, TableOptions::NAMES);
        table.no_block_cache = false;
        (table.format_version, table.partition_filters) = (5, false);
        table.filter_policy = None;
        cf.table = Arc::new(table);
        let families = [("default".to_owned(), cf)];
        let (store, of) = Db::open(&db, dir.path(), &families).unwrap();
        store.close();
        drop((store, of));
        let latest = load(&Env::posix(), dir.path(), false, None).unwrap();
        assert_eq!(latest.db.max_open_files, db.max_open_files);
        assert_eq!(latest.families[0].1.write_buffer_size, families[0].1.write_buffer_size);

        use std::process::Command;
        if Command::new("ldb").arg("--version").output().is_err() {
            eprintln!("SKIPPED: ldb (rocksdb-tools) is not installed");
            return;
        }
        let path = format!("--db={}", dir.path().display());
        let output = Command::new("ldb").args([&path, "--try_load_options", "scan"]).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && !said.contains("Failed"), "{output:?}");
    }
}
