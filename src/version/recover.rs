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
    /// Logs, each with a number that its sequence numbers are not below.
    pub log_floors: BTreeMap<u64, Sequence>,
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
        rest.log_floors.extend(edit.log_floors);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::{Bytewise, ReverseBytewise, bytewise};
    use crate::base::key::{self, Kind};
    use crate::base::rng::Rng;
    use crate::env::{self, Env, WriteMode};
    use crate::format::log::LogWriter;
    use std::path::PathBuf;

    const DIR: &str = "/db";

    fn fixtures() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
    }

    /// A store in memory with a manifest of these records.
    fn store(records: &[Vec<u8>]) -> Arc<dyn FileSystem> {
        let fs = Env::memory(1).fs;
        let dir = Path::new(DIR);
        fs.create_dir_all(dir).unwrap();
        let file = fs.create(&dir.join("MANIFEST-000005"), WriteMode::default()).unwrap();
        let mut log = LogWriter::new(file, 0);
        for record in records {
            log.add(record).unwrap();
        }
        log.close().unwrap();
        crate::version::set::set_current(&*fs, dir, 5).unwrap();
        fs
    }

    fn recovered(edits: &[VersionEdit]) -> Result<Recovered> {
        let records: Vec<_> = edits.iter().map(VersionEdit::encode).collect();
        recover(&*store(&records), Path::new(DIR))
    }

    fn base() -> VersionEdit {
        VersionEdit {
            log_number: Some(4),
            next_file_number: Some(6),
            last_sequence: Some(10),
            ..VersionEdit::default()
        }
    }

    fn file(number: u64) -> FileEntry {
        FileEntry {
            number,
            size: 100,
            smallest: key::internal(b"a", 1, Kind::Value),
            largest: key::internal(b"b", 2, Kind::Value),
            ..FileEntry::default()
        }
    }

    /// (case, files as "level:number" by family) from a README's table.
    fn expected(release: &str) -> Vec<(String, String)> {
        let path = fixtures().join(release).join("README.md");
        let text = env::read_file(&*Env::posix().fs, &path, 1 << 20).unwrap();
        let text = String::from_utf8(text).unwrap();
        text.lines()
            .filter(|l| l.starts_with("| ") && l.matches('|').count() == 6)
            .map(|l| l.split('|').map(str::trim).collect::<Vec<_>>())
            .filter(|c| c[1] != "case")
            .map(|c| (c[1].to_owned(), c[4].replace('-', "")))
            .collect()
    }

    #[test]
    fn rocksdbs_stores_have_the_files_that_rocksdb_says() {
        let fs = Env::posix().fs;
        let cases = expected("rocksdb-7.8.3");
        assert!(cases.len() > 50, "the README's table has {} rows", cases.len());
        for (case, files) in cases {
            let dir = fixtures().join("rocksdb-7.8.3").join(&case);
            let r = recover(&*fs, &dir).unwrap_or_else(|e| panic!("{case}: {e}"));
            let mut found = Vec::new();
            for family in r.families {
                let order = match family.comparator.as_deref() {
                    Some("rocksdb.ReverseBytewiseComparator") => {
                        InternalComparator::new(Arc::new(ReverseBytewise))
                    }
                    _ => InternalComparator::new(bytewise()),
                };
                family.check_comparator(&**order.user()).unwrap();
                let v = family.into_version(order, 7).unwrap_or_else(|e| panic!("{case}: {e}"));
                for (level, file) in v.all_files() {
                    found.push(format!("{level}:{}", file.number()));
                    let size = fs.size(&dir.join(name::table(file.number()))).unwrap();
                    assert_eq!(size, file.size(), "{case}");
                }
            }
            let mut files: Vec<_> = files.split_whitespace().map(str::to_owned).collect();
            // The README does not keep the order within a level.
            files.sort();
            found.sort();
            assert_eq!(found, files, "{case}");
        }
    }

    #[test]
    fn newer_stores_have_identity_epochs_and_tails() {
        let fs = Env::posix().fs;
        for (case, id) in
            [("v8.10.0_default", false), ("v9.8.4_default", true), ("v11.1.2_default", true)]
        {
            let r = recover(&*fs, &fixtures().join("rocksdb-newer").join(case)).unwrap();
            assert_eq!(r.db_id.is_some(), id, "{case}");
            for file in r.families[0].files.values().flatten() {
                assert!(file.epoch > 0 && file.tail_size > 0 && file.unique_id.is_some());
            }
        }
    }

    #[test]
    fn every_edit_of_the_fixtures_survives_rewriting() {
        let fs = Env::posix().fs;
        let mut edits = 0;
        for release in ["rocksdb-7.8.3", "rocksdb-newer"] {
            let release = fixtures().join(release);
            for case in fs.list(&release).unwrap() {
                let dir = release.join(case);
                let Ok(number) = current_manifest(&*fs, &dir) else { continue };
                let path = dir.join(name::manifest(number));
                let mut log = LogReader::new(fs.open_sequential(&path).unwrap(), 0);
                while let Event::Record { payload, .. } = log.next().unwrap() {
                    let edit = VersionEdit::decode(payload).unwrap();
                    assert_eq!(VersionEdit::decode(&edit.encode()).unwrap(), edit);
                    edits += 1;
                }
            }
        }
        assert!(edits > 200, "{edits}");
    }

    #[test]
    fn families_are_listed_by_id() {
        let fs = Env::posix().fs;
        let dir = fixtures().join("rocksdb-7.8.3/multi_cf");
        let names = list_families(&*fs, &dir).unwrap();
        assert_eq!(names.len(), 4);
        assert_eq!(names[0], "default");
        let e = list_families(&*fs, Path::new("/nowhere/at/all")).unwrap_err();
        assert_eq!(
            e.to_string(),
            "IO error: No such file or directory: While opening a file for sequentially reading: \
             /nowhere/at/all/CURRENT: No such file or directory"
        );
    }

    #[test]
    fn a_broken_current_is_corruption() {
        let fs = store(&[base().encode()]);
        let current = Path::new(DIR).join("CURRENT");
        for text in ["", "MANIFEST-000005", "MANIFEST-\n", "000005.log\n", "MANIFEST-5\n\n"] {
            let mut file = fs.create(&current, WriteMode::default()).unwrap();
            file.append(text.as_bytes()).unwrap();
            file.close().unwrap();
            assert!(recover(&*fs, Path::new(DIR)).unwrap_err().is_corruption(), "{text:?}");
        }
    }

    #[test]
    fn the_three_numbers_are_required() {
        assert!(recovered(&[base()]).is_ok());
        assert!(recovered(&[]).unwrap_err().is_corruption());
        assert!(recovered(&[VersionEdit { log_number: None, ..base() }]).is_err());
        assert!(recovered(&[VersionEdit { next_file_number: None, ..base() }]).is_err());
        assert!(recovered(&[VersionEdit { last_sequence: None, ..base() }]).is_err());
    }

    #[test]
    fn numbers_only_grow() {
        let r = recovered(&[
            VersionEdit { min_log_number_to_keep: Some(9), ..base() },
            VersionEdit {
                last_sequence: Some(7),
                log_number: Some(3),
                min_log_number_to_keep: Some(2),
                new_files: vec![(0, FileEntry { largest_sequence: 50, ..file(77) })],
                ..VersionEdit::default()
            },
        ])
        .unwrap();
        assert_eq!((r.last_sequence, r.next_file_number), (50, 78));
        assert_eq!((r.min_log_number_to_keep, r.families[0].log_number), (9, 4));
    }

    #[test]
    fn an_atomic_group_counts_whole_or_not() {
        let grouped = |left, number| VersionEdit {
            atomic_group: Some(left),
            new_files: vec![(0, file(number))],
            ..VersionEdit::default()
        };
        let count = |edits: &[VersionEdit]| {
            recovered(edits).map(|r| r.families[0].files.values().flatten().count())
        };
        assert_eq!(count(&[base(), grouped(1, 7), grouped(0, 8)]).unwrap(), 2);
        assert_eq!(count(&[base(), grouped(1, 7)]).unwrap(), 0);
        assert_eq!(count(&[base(), grouped(0, 7)]).unwrap(), 1);
        assert!(count(&[base(), grouped(2, 7), grouped(0, 8)]).is_err());
        assert!(count(&[base(), grouped(1, 7), base()]).is_err());
    }

    #[test]
    fn edits_that_cannot_be_are_corruption() {
        let family = |id| VersionEdit::of(id);
        let adds = |id| VersionEdit { add_family: Some("x".to_owned()), ..family(id) };
        let drops = |id| VersionEdit { drop_family: true, ..family(id) };
        let comes = |n| VersionEdit { new_files: vec![(1, file(n))], ..family(0) };
        let goes = |l, n| VersionEdit { deleted_files: vec![(l, n)], ..family(0) };
        for bad in [
            vec![adds(0)],
            vec![adds(1), adds(1)],
            vec![drops(0)],
            vec![drops(1)],
            vec![family(3)],
            vec![adds(1), drops(1), family(1)],
            vec![goes(0, 5)],
            vec![comes(5), comes(5)],
            vec![comes(5), goes(2, 5)],
            vec![VersionEdit { blob_garbage: vec![Default::default()], ..VersionEdit::default() }],
        ] {
            let edits: Vec<_> = std::iter::once(base()).chain(bad).collect();
            let e = recovered(&edits).unwrap_err();
            assert!(e.is_corruption() && e.message().contains("MANIFEST-000005"), "{e}");
        }
        let r = recovered(&[base(), adds(7), drops(7), comes(5), goes(1, 5)]).unwrap();
        assert_eq!((r.families.len(), r.max_column_family), (1, 7));
    }

    #[test]
    fn a_level_too_deep_or_another_order_is_refused() {
        let edit = VersionEdit { new_files: vec![(6, file(5))], ..base() };
        let family = recovered(&[edit]).unwrap().families.remove(0);
        let order = InternalComparator::new(bytewise());
        assert!(family.clone().into_version(order.clone(), 7).is_ok());
        assert!(family.into_version(order, 6).is_err());
        let edit = VersionEdit { comparator: Some("mine".to_owned()), ..base() };
        let family = recovered(&[edit]).unwrap().families.remove(0);
        assert_eq!(
            family.check_comparator(&Bytewise).unwrap_err().to_string(),
            "Invalid argument: leveldb.BytewiseComparator: does not match existing comparator mine"
        );
    }

    #[test]
    fn epochs_follow_sequence_numbers_when_some_lack() {
        let with = |number, epoch, sequence| FileEntry {
            epoch,
            smallest_sequence: sequence,
            largest_sequence: sequence,
            ..file(number)
        };
        let edit = VersionEdit {
            new_files: vec![
                (0, with(5, 99, 3)),
                (0, with(6, 0, 9)),
                (0, with(7, 1, 6)),
                (3, with(8, 50, 1)),
            ],
            ..base()
        };
        let family = recovered(&[edit]).unwrap().families.remove(0);
        let v = family.into_version(InternalComparator::new(bytewise()), 7).unwrap();
        let l0: Vec<_> = v.files(0).iter().map(|f| (f.number(), f.entry.epoch)).collect();
        assert_eq!(l0, [(6, 5), (7, 4), (5, 3)]);
        assert_eq!((v.files(3)[0].entry.epoch, v.max_epoch()), (2, 5));
    }

    #[test]
    fn a_torn_end_is_left_out_and_a_flipped_bit_is_corruption() {
        let edits = [base(), VersionEdit { new_files: vec![(0, file(7))], ..base() }];
        let records: Vec<_> = edits.iter().map(VersionEdit::encode).collect();
        let fs = store(&records);
        let path = Path::new(DIR).join("MANIFEST-000005");
        let whole = env::read_file(&*fs, &path, 1 << 20).unwrap();
        let first = 7 + records[0].len();
        let put = |bytes: &[u8]| {
            let mut file = fs.create(&path, WriteMode::default()).unwrap();
            file.append(bytes).unwrap();
            file.close().unwrap();
        };
        for cut in first..whole.len() {
            put(&whole[..cut]);
            let r = recover(&*fs, Path::new(DIR)).unwrap();
            assert!(r.families[0].files.is_empty());
            assert_eq!(r.manifest_bytes, first as u64);
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            put(&bytes);
            match recover(&*fs, Path::new(DIR)) {
                Err(e) => assert!(e.is_corruption(), "byte {at}: {e}"),
                // A longer length in the last record looks like a torn end.
                Ok(r) => assert!(at >= first && r.families[0].files.is_empty(), "byte {at}"),
            }
        }
    }

    #[test]
    fn no_bytes_make_recovery_panic() {
        let edits = [
            base(),
            VersionEdit { add_family: Some("x".to_owned()), ..VersionEdit::of(1) },
            VersionEdit { new_files: vec![(0, file(7))], ..VersionEdit::of(1) },
        ];
        let mut rng = Rng::new(4);
        for _ in 0..600 {
            let mut records: Vec<_> = edits.iter().map(VersionEdit::encode).collect();
            for record in &mut records {
                let at = rng.below(3 * record.len() as u64) as usize;
                if let Some(b) = record.get_mut(at) {
                    *b = rng.next() as u8;
                }
            }
            if let Ok(r) = recover(&*store(&records), Path::new(DIR)) {
                for family in r.families {
                    let _ = family.into_version(InternalComparator::new(bytewise()), 7);
                }
            }
        }
    }
}
