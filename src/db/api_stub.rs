//! Signatures of the store. Every body answers `Not implemented` until its part lands.
#![forbid(unsafe_code)]
#![allow(missing_docs, unused_variables, clippy::must_use_candidate)]

use super::types::{FamilyMetadata, LiveFile, WaitForCompactOptions};
use crate::base::{Bytes, Comparator, Error, Result, Sequence};
use crate::format::batch::WriteBatch;
use crate::options::{
    CfOptions, CompactRangeOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions,
};
use std::path::Path;
use std::sync::Arc;

fn later<T>(name: &str) -> Result<T> {
    Err(Error::not_supported(name))
}
/// An open store. Clones share it; `close` ends it for all.
#[derive(Clone)]
pub struct Db(Arc<()>);
/// A handle of a column family; a dropped family stays readable through its handles.
#[derive(Clone)]
pub struct Family(Arc<(u32, String)>);
/// A held sequence number; dropping the last clone lets go.
#[derive(Clone)]
pub struct Snapshot(Sequence);
/// A cursor over a family as its user sees it.
pub struct Iter(Error);
type Opt<'a> = Option<&'a [u8]>;

impl Family {
    pub fn id(&self) -> u32 {
        self.0.0
    }
    pub fn name(&self) -> &str {
        &self.0.1
    }
    pub fn comparator(&self) -> Arc<dyn Comparator> {
        crate::base::comparator::bytewise()
    }
}
impl Snapshot {
    pub fn sequence(&self) -> Sequence {
        self.0
    }
}
impl Iter {
    /// A cursor that only reports `error`.
    pub fn failed(error: Error) -> Self {
        Self(error)
    }
    pub fn valid(&self) -> bool {
        false
    }
    pub fn seek_to_first(&mut self) {}
    pub fn seek_to_last(&mut self) {}
    pub fn seek(&mut self, key: &[u8]) {}
    pub fn seek_for_prev(&mut self, key: &[u8]) {}
    pub fn next(&mut self) {}
    pub fn prev(&mut self) {}
    /// The user key; empty when invalid.
    pub fn key(&self) -> &[u8] {
        &[]
    }
    pub fn value(&self) -> &[u8] {
        &[]
    }
    pub fn status(&self) -> Result<()> {
        Err(self.0.clone())
    }
    pub fn refresh(&mut self) -> Result<()> {
        later("refresh")
    }
}
impl Db {
    pub fn open(
        o: &DbOptions,
        path: &Path,
        families: &[(String, CfOptions)],
    ) -> Result<(Self, Vec<Family>)> {
        later("open")
    }
    pub fn open_read_only(
        o: &DbOptions,
        path: &Path,
        families: &[(String, CfOptions)],
        error_if_wal_file_exists: bool,
    ) -> Result<(Self, Vec<Family>)> {
        later("open_read_only")
    }
    pub fn list_families(o: &DbOptions, path: &Path) -> Result<Vec<String>> {
        later("list_families")
    }
    pub fn destroy(o: &DbOptions, path: &Path, families: &[(String, CfOptions)]) -> Result<()> {
        later("destroy")
    }
    pub fn close(&self) {}
    pub fn path(&self) -> &Path {
        Path::new("")
    }
    pub fn default_family(&self) -> Family {
        Family(Arc::new((0, "default".into())))
    }
    pub fn create_family(&self, o: &CfOptions, name: &str) -> Result<Family> {
        later("create_family")
    }
    pub fn drop_family(&self, family: &Family) -> Result<()> {
        later("drop_family")
    }
    /// Writes a batch and stores its sequence number in it.
    pub fn write(&self, o: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        later("write")
    }
    pub fn put(&self, o: &WriteOptions, f: &Family, key: &[u8], value: &[u8]) -> Result<()> {
        later("put")
    }
    pub fn delete(&self, o: &WriteOptions, f: &Family, key: &[u8]) -> Result<()> {
        later("delete")
    }
    pub fn single_delete(&self, o: &WriteOptions, f: &Family, key: &[u8]) -> Result<()> {
        later("single_delete")
    }
    pub fn merge(&self, o: &WriteOptions, f: &Family, key: &[u8], value: &[u8]) -> Result<()> {
        later("merge")
    }
    pub fn delete_range(
        &self,
        o: &WriteOptions,
        f: &Family,
        begin: &[u8],
        end: &[u8],
    ) -> Result<()> {
        later("delete_range")
    }
    pub fn get(&self, o: &ReadOptions, f: &Family, key: &[u8]) -> Result<Option<Bytes>> {
        later("get")
    }
    /// One result a key, in order, all on one sequence number.
    pub fn multi_get(
        &self,
        o: &ReadOptions,
        keys: &[(&Family, &[u8])],
    ) -> Vec<Result<Option<Bytes>>> {
        keys.iter().map(|_| later("multi_get")).collect()
    }
    /// False: surely absent. The value when it is in memory.
    pub fn key_may_exist(&self, o: &ReadOptions, f: &Family, key: &[u8]) -> (bool, Option<Bytes>) {
        (true, None)
    }
    /// A failure becomes a cursor with that status.
    pub fn iter(&self, o: &ReadOptions, f: &Family) -> Iter {
        Iter(Error::not_supported("iter"))
    }
    pub fn iters(&self, o: &ReadOptions, families: &[Family]) -> Result<Vec<Iter>> {
        later("iters")
    }
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(0)
    }
    pub fn latest_sequence(&self) -> Sequence {
        0
    }
    pub fn flush(&self, o: &FlushOptions, families: &[Family]) -> Result<()> {
        later("flush")
    }
    pub fn flush_wal(&self, sync: bool) -> Result<()> {
        later("flush_wal")
    }
    pub fn compact_range(
        &self,
        o: &CompactRangeOptions,
        f: &Family,
        begin: Opt<'_>,
        end: Opt<'_>,
    ) -> Result<()> {
        later("compact_range")
    }
    pub fn suggest_compact_range(&self, f: &Family, begin: Opt<'_>, end: Opt<'_>) -> Result<()> {
        later("suggest_compact_range")
    }
    pub fn delete_files_in_range(&self, f: &Family, begin: Opt<'_>, end: Opt<'_>) -> Result<()> {
        later("delete_files_in_range")
    }
    /// By the name that `live_files` gives.
    pub fn delete_file(&self, name: &str) -> Result<()> {
        later("delete_file")
    }
    pub fn wait_for_compact(&self, o: &WaitForCompactOptions) -> Result<()> {
        later("wait_for_compact")
    }
    pub fn cancel_all_background_work(&self, wait: bool) {}
    pub fn disable_manual_compaction(&self) {}
    pub fn enable_manual_compaction(&self) {}
    pub fn enable_auto_compaction(&self, families: &[Family]) -> Result<()> {
        later("enable_auto_compaction")
    }
    pub fn disable_file_deletions(&self) -> Result<()> {
        later("disable_file_deletions")
    }
    pub fn enable_file_deletions(&self, force: bool) -> Result<()> {
        later("enable_file_deletions")
    }
    pub fn property(&self, f: &Family, name: &str) -> Option<String> {
        None
    }
    pub fn property_int(&self, f: &Family, name: &str) -> Option<u64> {
        None
    }
    pub fn live_files(&self) -> Vec<LiveFile> {
        Vec::new()
    }
    pub fn family_metadata(&self, f: &Family) -> FamilyMetadata {
        FamilyMetadata::default()
    }
    /// Bytes of each [start, limit).
    pub fn approximate_sizes(
        &self,
        f: &Family,
        ranges: &[(&[u8], &[u8])],
        files: bool,
        memtables: bool,
    ) -> Result<Vec<u64>> {
        later("approximate_sizes")
    }
    pub fn set_options(&self, f: &Family, options: &[(&str, &str)]) -> Result<()> {
        later("set_options")
    }
    pub fn set_db_options(&self, options: &[(&str, &str)]) -> Result<()> {
        later("set_db_options")
    }
    pub fn identity(&self) -> Result<String> {
        later("identity")
    }
    /// Copies the store into `dir`, which must not exist; memtables are flushed first unless live logs
    /// are below `log_size_for_flush` bytes.
    pub fn checkpoint(&self, dir: &Path, log_size_for_flush: u64) -> Result<()> {
        later("checkpoint")
    }
}
