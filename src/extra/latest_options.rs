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
}
