//! Version and edits make the next version.
//!
//! Rules checked here: a file that leaves must be at its level, a file that comes must not be there
//! yet, an edit's deletions go before its additions (a move is both). The rules of the levels are
//! checked by `Version`.
#![forbid(unsafe_code)]

use super::file::FileMeta;
use super::version::Version;
use crate::base::{Error, Result};
use crate::format::manifest::VersionEdit;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// `base` after `edits`, which are all of its family. A file that moves stays the same `FileMeta`.
pub fn apply(base: &Version, edits: &[VersionEdit]) -> Result<Version> {
    let mut files: HashMap<u64, (usize, Arc<FileMeta>)> =
        base.all_files().map(|(level, f)| (f.number(), (level, Arc::clone(f)))).collect();
    let mut touched = BTreeSet::new();
    let mut next = base.clone();
    let check_level = |level: i32| {
        usize::try_from(level)
            .ok()
            .filter(|&l| l < base.num_levels())
            .ok_or_else(|| Error::corruption(format!("a file at level {level} of an edit")))
    };
    for edit in edits {
        let mut left = HashMap::new();
        for &(level, number) in &edit.deleted_files {
            let level = check_level(level)?;
            match files.remove(&number) {
                Some((at, file)) if at == level => {
                    left.insert(number, file);
                    touched.insert(level);
                }
                other => {
                    let at = other.map_or("nowhere".to_owned(), |(at, _)| format!("at {at}"));
                    return Err(Error::corruption(format!(
                        "file {number} leaves level {level} but is {at}"
                    )));
                }
            }
        }
        for (level, entry) in &edit.new_files {
            let level = check_level(*level)?;
            let number = entry.number;
            let file = match left.remove(&number) {
                Some(old) if old.entry == *entry => old,
                old => {
                    let file = FileMeta::new(entry.clone());
                    if let Some(counts) = old.and_then(|old| old.counts()) {
                        file.set_counts(counts);
                    }
                    Arc::new(file)
                }
            };
            if let Some((at, _)) = files.insert(number, (level, file)) {
                return Err(Error::corruption(format!(
                    "file {number} comes to level {level} but is at {at}"
                )));
            }
            touched.insert(level);
        }
        for (level, key) in &edit.compact_cursors {
            if let Ok(level) = usize::try_from(*level) {
                next.set_cursor(level, key.clone());
            }
        }
    }
    let mut levels: HashMap<usize, Vec<Arc<FileMeta>>> =
        touched.iter().map(|&level| (level, Vec::new())).collect();
    for (level, file) in files.into_values() {
        if let Some(files) = levels.get_mut(&level) {
            files.push(file);
        }
    }
    for (level, files) in levels {
        next.set_level(level, files)?;
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::InternalComparator;
    use crate::base::comparator::bytewise;
    use crate::base::key::{self, Kind};
    use crate::base::rng::Rng;
    use crate::format::manifest::FileEntry;
    use std::collections::BTreeMap;

    fn entry(number: u64, first: u64, last: u64) -> FileEntry {
        FileEntry {
            number,
            size: 10,
            smallest: key::internal(&first.to_be_bytes(), 9, Kind::Value),
            largest: key::internal(&last.to_be_bytes(), 9, Kind::Value),
            ..FileEntry::default()
        }
    }

    fn empty() -> Version {
        Version::empty(InternalComparator::new(bytewise()), 7)
    }

    fn adds(files: &[(i32, FileEntry)]) -> VersionEdit {
        VersionEdit { new_files: files.to_vec(), ..VersionEdit::default() }
    }

    #[test]
    fn a_move_keeps_the_file() {
        let v = apply(&empty(), &[adds(&[(0, entry(9, 1, 5))])]).unwrap();
        let file = Arc::clone(&v.files(0)[0]);
        let edit = VersionEdit {
            deleted_files: vec![(0, 9)],
            new_files: vec![(6, file.entry.clone())],
            ..VersionEdit::default()
        };
        let v = apply(&v, &[edit]).unwrap();
        assert!(v.files(0).is_empty());
        assert!(Arc::ptr_eq(&v.files(6)[0], &file));
        assert_eq!(v.level_bytes(6), 10);
    }

    #[test]
    fn broken_rules_are_corruption() {
        let v = apply(&empty(), &[adds(&[(1, entry(9, 1, 5))])]).unwrap();
        let deletes =
            |level, n| VersionEdit { deleted_files: vec![(level, n)], ..VersionEdit::default() };
        for edit in [
            deletes(0, 9),
            deletes(1, 8),
            deletes(7, 9),
            adds(&[(2, entry(9, 1, 5))]),
            adds(&[(1, entry(10, 5, 6))]),
            adds(&[(7, entry(10, 5, 6))]),
            adds(&[(1, entry(10, 8, 7))]),
            adds(&[(1, entry(10, 7, 8)), (2, entry(10, 7, 8))]),
        ] {
            assert!(apply(&v, &[edit]).unwrap_err().is_corruption());
        }
        assert_eq!(v.file_count(), 1);
    }

    #[test]
    fn edits_do_what_a_map_does() {
        let mut rng = Rng::new(1);
        let mut model: BTreeMap<u64, (i32, u64)> = BTreeMap::new();
        let mut version = empty();
        for number in 1..1500u64 {
            let mut edit = VersionEdit::default();
            // Slots of a level are disjoint, so no edit can be wrong.
            let (level, slot) = (rng.below(7) as i32, rng.below(40));
            let old: Vec<u64> = model
                .iter()
                .filter(|(_, at)| **at == (level, slot) || rng.one_in(50))
                .map(|(n, _)| *n)
                .collect();
            for n in old {
                let (level, _) = model.remove(&n).unwrap();
                edit.deleted_files.push((level, n));
            }
            edit.new_files.push((level, entry(number, slot * 10, slot * 10 + 9)));
            model.insert(number, (level, slot));
            version = apply(&version, &[edit]).unwrap();
            assert_eq!(version.file_count(), model.len());
        }
        for (level, file) in version.all_files() {
            assert_eq!(model[&file.number()].0, level as i32);
        }
    }
}
