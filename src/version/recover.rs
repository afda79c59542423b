//! CURRENT to the families and their files.
//!
//! The manifest's edits are folded in order, without comparators: those come with the options of
//! whoever opens the families. A torn last record is what a crash leaves and is not read; a wrong
//! checksum is Corruption; an atomic group counts whole or, when the manifest ends inside it, not.
#![forbid(unsafe_code)]

use super::file::FileMeta;
use super::version::Version;
use crate::base::comparator::Comparator;
use crate::base::{Error, InternalComparator, Result, Sequence};
use crate::env::FileSystem;
use crate::format::log::{Damage, Event, LogReader};
use crate::format::manifest::{BlobAddition, FileEntry, VersionEdit};
use crate::format::name::{self, FileName};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// The name of family 0.
pub const DEFAULT_FAMILY: &str = "default";

/// What a manifest says in the end.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// Number of the manifest.
    pub manifest_number: u64,
    /// Bytes of it that were read: up to its clean end.
    pub manifest_bytes: u64,
    /// The families that are not dropped, by id.
    pub families: Vec<RecoveredFamily>,
    /// First number not in use.
    pub next_file_number: u64,
    /// Largest sequence number in use.
    pub last_sequence: Sequence,
    /// No log below this is needed.
    pub min_log_number_to_keep: u64,
    /// Largest family id ever used.
    pub max_column_family: u32,
    /// The store's identity, if the manifest has it.
    pub db_id: Option<String>,
    /// Legacy, normally 0.
    pub prev_log_number: u64,
}

/// A family as the manifest has it.
#[derive(Clone, Debug, Default)]
pub struct RecoveredFamily {
    /// Its id.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The name of its comparator, if the manifest says so.
    pub comparator: Option<String>,
    /// Its data in logs below this number is in tables.
    pub log_number: u64,
    /// Its files by level.
    pub files: BTreeMap<usize, Vec<FileEntry>>,
    /// Where compactions of levels shall go on.
    pub cursors: Vec<(usize, Vec<u8>)>,
    /// Its blob files: what was added, and values that are garbage.
    pub blobs: BTreeMap<u64, (BlobAddition, u64)>,
    /// No history is kept below this user timestamp.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// Are user timestamps kept in tables?
    pub persist_timestamps: Option<bool>,
}

impl RecoveredFamily {
    /// InvalidArgument when the family was made with another comparator.
    pub fn check_comparator(&self, comparator: &dyn Comparator) -> Result<()> {
        match &self.comparator {
            Some(name) if name != comparator.name() => Err(Error::invalid_argument(format!(
                "{}: does not match existing comparator {name}",
                comparator.name()
            ))),
            _ => Ok(()),
        }
    }

    /// Its files as a version of `num_levels` levels. Files without epochs get them, from the deepest
    /// level up and from the oldest file on.
    pub fn into_version(self, order: InternalComparator, num_levels: usize) -> Result<Version> {
        if let Some((&level, _)) = self.files.last_key_value()
            && level >= num_levels
        {
            return Err(Error::invalid_argument(format!(
                "db has more levels than options.num_levels: a file at level {level}"
            )));
        }
        let mut levels = vec![Vec::new(); num_levels];
        for (level, files) in self.files {
            if let Some(slot) = levels.get_mut(level) {
                *slot = files;
            }
        }
        if levels.iter().flatten().any(|f| f.epoch == 0) {
            derive_epochs(&mut levels);
        }
        let levels = levels
            .into_iter()
            .map(|files| files.into_iter().map(|f| Arc::new(FileMeta::new(f))).collect())
            .collect();
        let mut version = Version::new(order, levels)
            .map_err(|e| e.context(&format!("column family {}", self.name)))?;
        for (level, key) in self.cursors {
            version.set_cursor(level, key);
        }
        Ok(version)
    }
}

/// Epochs from the order of sequence numbers. 1 stays free: it means "behind all data".
fn derive_epochs(levels: &mut [Vec<FileEntry>]) {
    let mut epoch = 2;
    for (level, files) in levels.iter_mut().enumerate().rev() {
        if level > 0 {
            files.iter_mut().for_each(|f| f.epoch = epoch);
            epoch += u64::from(!files.is_empty());
            continue;
        }
        files.sort_by_key(|f| (f.largest_sequence, f.smallest_sequence, f.number));
        for file in files {
            file.epoch = epoch;
            epoch += 1;
        }
    }
}

/// Reads the number of the manifest in use from CURRENT.
pub fn current_manifest(fs: &dyn FileSystem, dir: &Path) -> Result<u64> {
    let path = dir.join(name::CURRENT);
    let mut file = fs.open_sequential(&path)?;
    let mut text = Vec::new();
    let mut buf = [0u8; 256];
    loop {
        let n = file.read(&mut buf)?;
        text.extend_from_slice(&buf[..n]);
        if n == 0 || text.len() > 4096 {
            break;
        }
    }
    let corrupt = |why: &str| Error::corruption(format!("{}: {why}", path.display()));
    let name = text
        .strip_suffix(b"\n")
        .ok_or_else(|| corrupt("CURRENT file does not end with newline"))?;
    match std::str::from_utf8(name).ok().and_then(FileName::parse) {
        Some(FileName::Manifest(number)) => Ok(number),
        _ => Err(corrupt("CURRENT file corrupted: it names no manifest")),
    }
}

/// Reads the store in `dir` from its manifest.
pub fn recover(fs: &dyn FileSystem, dir: &Path) -> Result<Recovered> {
    let number = current_manifest(fs, dir)?;
    let path = dir.join(name::manifest(number));
    let reader = LogReader::new(fs.open_sequential(&path)?, 0);
    let mut recovered = fold(reader).map_err(|e| e.context(&name::manifest(number)))?;
    recovered.manifest_number = number;
    recovered.next_file_number = recovered.next_file_number.max(number + 1);
    Ok(recovered)
}

/// The names of the families of the store in `dir`, by id.
pub fn list_families(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<String>> {
    Ok(recover(fs, dir)?.families.into_iter().map(|f| f.name).collect())
}

/// Folds the edits of a manifest. `manifest_number` of the answer is 0.
pub fn fold(mut manifest: LogReader) -> Result<Recovered> {
    let mut state = Fold::new();
    loop {
        match manifest.next()? {
            Event::Record { offset, payload } => {
                let at = |e: Error| e.context(&format!("record at {offset}"));
                let edit = VersionEdit::decode(payload).map_err(at)?;
                state.take(edit).map_err(at)?;
            }
            Event::Damage { kind: Damage::TornTail, offset, .. } | Event::End { offset } => {
                return state.finish(offset);
            }
            Event::Damage { offset, why, .. } => {
                return Err(Error::corruption(format!("{why} at {offset}")));
            }
        }
    }
}

/// The state after some edits.
#[derive(Default)]
struct Fold {
    families: BTreeMap<u32, Family>,
    has_log_number: bool,
    next_file_number: Option<u64>,
    last_sequence: Option<Sequence>,
    rest: Recovered,
    /// Edits of an atomic group whose end has not come.
    group: Vec<VersionEdit>,
}

#[derive(Default)]
struct Family {
    state: RecoveredFamily,
    files: HashMap<u64, (i32, FileEntry)>,
    cursors: BTreeMap<i32, Vec<u8>>,
}

impl Fold {
    fn new() -> Self {
        let mut fold = Self::default();
        fold.add_family(0, DEFAULT_FAMILY.to_owned());
        fold
    }

    fn add_family(&mut self, id: u32, name: String) {
        let state = RecoveredFamily { id, name, ..RecoveredFamily::default() };
        self.families.insert(id, Family { state, ..Family::default() });
        self.rest.max_column_family = self.rest.max_column_family.max(id);
    }

    /// An edit, which may have to wait for its group.
    fn take(&mut self, edit: VersionEdit) -> Result<()> {
        let expected = self.group.last().and_then(|e| e.atomic_group);
        match (expected, edit.atomic_group) {
            (None, None) => return self.apply(edit),
            (None, Some(_)) => {}
            (Some(n), Some(m)) if m + 1 == n => {}
            (Some(n), found) => {
                return Err(Error::corruption(format!(
                    "an atomic group with {n} edits to come goes on with {found:?}"
                )));
            }
        }
        let last = edit.atomic_group == Some(0);
        self.group.push(edit);
        if last {
            for edit in std::mem::take(&mut self.group) {
                self.apply(edit)?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, edit: VersionEdit) -> Result<()> {
        let id = edit.family;
        let rest = &mut self.rest;
        if edit.db_id.is_some() {
            rest.db_id = edit.db_id;
        }
        if let Some(n) = edit.prev_log_number {
            rest.prev_log_number = n;
        }
        if let Some(n) = edit.max_column_family {
            rest.max_column_family = rest.max_column_family.max(n);
        }
        if let Some(n) = edit.min_log_number_to_keep {
            rest.min_log_number_to_keep = rest.min_log_number_to_keep.max(n);
        }
        self.next_file_number = edit.next_file_number.or(self.next_file_number);
        self.last_sequence = self.last_sequence.max(edit.last_sequence);

        if let Some(name) = edit.add_family {
            if self.families.contains_key(&id) {
                return Err(Error::corruption(format!("column family {id} is added twice")));
            }
            self.add_family(id, name);
        }
        if edit.drop_family {
            if id == 0 {
                return Err(Error::corruption("the default column family is dropped"));
            }
            return self.families.remove(&id).map(|_| ()).ok_or_else(|| unknown(id));
        }
        let family = self.families.get_mut(&id).ok_or_else(|| unknown(id))?;
        let state = &mut family.state;
        if edit.comparator.is_some() {
            state.comparator = edit.comparator;
        }
        if let Some(n) = edit.log_number {
            state.log_number = state.log_number.max(n);
            self.has_log_number = true;
        }
        if edit.full_history_ts_low.is_some() {
            state.full_history_ts_low = edit.full_history_ts_low;
        }
        state.persist_timestamps = edit.persist_timestamps.or(state.persist_timestamps);
        for (level, number) in edit.deleted_files {
            match family.files.remove(&number) {
                Some((at, _)) if at == level => {}
                _ => {
                    return Err(Error::corruption(format!(
                        "file {number} leaves level {level} but is not there"
                    )));
                }
            }
        }
        for (level, file) in edit.new_files {
            let number = file.number;
            if family.files.insert(number, (level, file)).is_some() {
                return Err(Error::corruption(format!("file {number} is added twice")));
            }
        }
        family.cursors.extend(edit.compact_cursors);
        for blob in edit.blob_additions {
            state.blobs.insert(blob.number, (blob, 0));
        }
        for garbage in edit.blob_garbage {
            let (_, count) = state.blobs.get_mut(&garbage.number).ok_or_else(|| {
                Error::corruption(format!("garbage in unknown blob file {}", garbage.number))
            })?;
            *count = count.saturating_add(garbage.count);
        }
        Ok(())
    }

    /// The state at the manifest's end; an open atomic group never happened.
    fn finish(self, manifest_bytes: u64) -> Result<Recovered> {
        let missing = |what: &str| Error::corruption(format!("no {what} entry"));
        if !self.has_log_number {
            return Err(missing("meta-lognumber"));
        }
        let mut all = self.rest;
        all.manifest_bytes = manifest_bytes;
        all.next_file_number = self.next_file_number.ok_or_else(|| missing("meta-nextfile"))?;
        all.last_sequence = self.last_sequence.ok_or_else(|| missing("last-sequence-number"))?;
        for mut family in self.families.into_values() {
            for (number, (level, file)) in family.files {
                // Both only grow: a number in use is never handed out again, a written entry is
                // never hidden.
                all.next_file_number = all.next_file_number.max(number.saturating_add(1));
                all.last_sequence = all.last_sequence.max(file.largest_sequence);
                let level = usize::try_from(level)
                    .map_err(|_| Error::corruption(format!("file {number} at level {level}")))?;
                family.state.files.entry(level).or_default().push(file);
            }
            for files in family.state.files.values_mut() {
                files.sort_by_key(|f| f.number);
            }
            family.state.cursors = family
                .cursors
                .into_iter()
                .filter_map(|(level, key)| Some((usize::try_from(level).ok()?, key)))
                .collect();
            // A file of nothing but garbage is gone.
            family.state.blobs.retain(|_, (blob, garbage)| blob.count > *garbage);
            all.families.push(family.state);
        }
        Ok(all)
    }
}

fn unknown(id: u32) -> Error {
    Error::corruption(format!("an edit of unknown column family {id}"))
}
