//! An immutable picture of all levels of one family: which files a key may be in.
//!
//! Invariants, checked when a version is made:
//! 1. Level 0 is sorted newest first; its files may overlap.
//! 2. Each deeper level is sorted by smallest key, and its files are disjoint as internal keys. Two
//!    neighbours may share a user key: then the left one has the newer entries.
//! 3. A file number occurs once.
//!
//! Levels are shared by the versions in which they are the same, so an edit costs what it touches.
#![forbid(unsafe_code)]

use super::file::FileMeta;
use crate::base::range::KeyRange;
use crate::base::{Error, InternalComparator, Result};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

/// The files of one family at one moment.
#[derive(Clone, Debug)]
pub struct Version {
    levels: Vec<Arc<Level>>,
    order: InternalComparator,
    cursors: Vec<Vec<u8>>,
}

/// The files of one level.
#[derive(Debug, Default)]
struct Level {
    files: Vec<Arc<FileMeta>>,
    bytes: u64,
    fences: Option<Fences>,
}

/// The largest user keys of a level as numbers: what all share is cut off, the next eight bytes are
/// kept side by side, so that the search for a file touches little memory. For plain byte order.
#[derive(Debug)]
struct Fences {
    shared: Vec<u8>,
    next: Vec<u64>,
}

/// The first eight bytes as a number that sorts like them.
fn leading(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(b) => u64::from_be_bytes(*b),
        None => {
            let mut padded = [0u8; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(padded)
        }
    }
}

impl Fences {
    fn new(files: &[Arc<FileMeta>]) -> Option<Self> {
        let (first, last) = (files.first()?.largest_user(), files.last()?.largest_user());
        // The keys are sorted: what the ends share, all share.
        let shared = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let next = files.iter().map(|f| leading(&f.largest_user()[shared..])).collect();
        Some(Self { shared: first[..shared].to_vec(), next })
    }

    /// The first file whose largest user key may be >= `key`.
    fn first_candidate(&self, key: &[u8]) -> usize {
        let common = key.len().min(self.shared.len());
        match key[..common].cmp(&self.shared[..common]) {
            Ordering::Less => 0,
            Ordering::Greater => self.next.len(),
            Ordering::Equal if key.len() <= self.shared.len() => 0,
            Ordering::Equal => {
                let target = leading(&key[common..]);
                self.next.partition_point(|&n| n < target)
            }
        }
    }
}

impl Level {
    fn new(order: &InternalComparator, files: Vec<Arc<FileMeta>>, overlapping: bool) -> Self {
        let bytes = files.iter().fold(0u64, |sum, f| sum.saturating_add(f.size()));
        let fences = if overlapping || !order.is_bytewise() { None } else { Fences::new(&files) };
        Self { files, bytes, fences }
    }

    /// The first file whose largest user key is >= `user_key`.
    fn lower_bound(&self, order: &InternalComparator, user_key: &[u8]) -> usize {
        let Some(fences) = &self.fences else {
            return self
                .files
                .partition_point(|f| order.compare_user(f.largest_user(), user_key).is_lt());
        };
        let mut at = fences.first_candidate(user_key);
        while self.files.get(at).is_some_and(|f| f.largest_user() < user_key) {
            at += 1;
            // Many files with equal numbers: halve instead of walking.
            if at % 8 == 0 {
                return at + self.files[at..].partition_point(|f| f.largest_user() < user_key);
            }
        }
        at
    }
}

impl Version {
    /// Without files.
    #[must_use]
    pub fn empty(order: InternalComparator, num_levels: usize) -> Self {
        let levels = (0..num_levels).map(|_| Arc::new(Level::default())).collect();
        Self { levels, order, cursors: vec![Vec::new(); num_levels] }
    }

    /// Of these files in any order. Corruption when the rules of the levels are broken.
    pub fn new(order: InternalComparator, levels: Vec<Vec<Arc<FileMeta>>>) -> Result<Self> {
        let mut version = Self::empty(order, levels.len());
        let mut numbers = HashSet::new();
        for (level, files) in levels.into_iter().enumerate() {
            for file in &files {
                if !numbers.insert(file.number()) {
                    return Err(Error::corruption(format!(
                        "file {} is there twice",
                        file.number()
                    )));
                }
            }
            version.set_level(level, files)?;
        }
        Ok(version)
    }

    /// Replaces the files of a level; the caller vouches for rule 3.
    pub(super) fn set_level(&mut self, level: usize, mut files: Vec<Arc<FileMeta>>) -> Result<()> {
        if let Some(file) =
            files.iter().find(|f| self.order.compare(f.smallest(), f.largest()).is_gt())
        {
            return Err(Error::corruption(format!(
                "file {} of level {level} ends before it begins",
                file.number()
            )));
        }
        if level == 0 {
            sort_newest_first(&mut files);
        } else {
            files.sort_by(|a, b| self.order.compare(a.smallest(), b.smallest()));
            for pair in files.windows(2) {
                if self.order.compare(pair[0].largest(), pair[1].smallest()).is_ge() {
                    return Err(Error::corruption(format!(
                        "files {} and {} of level {level} overlap",
                        pair[0].number(),
                        pair[1].number()
                    )));
                }
            }
        }
        self.levels[level] = Arc::new(Level::new(&self.order, files, level == 0));
        Ok(())
    }

    /// The order of its keys.
    #[must_use]
    pub fn order(&self) -> &InternalComparator {
        &self.order
    }

    /// How many levels there are, empty ones included.
    #[must_use]
    pub fn num_levels(&self) -> usize {
        self.levels.len()
    }

    /// The files of a level: level 0 newest first, others by key. None beyond the last level.
    #[inline]
    #[must_use]
    pub fn files(&self, level: usize) -> &[Arc<FileMeta>] {
        self.levels.get(level).map_or(&[], |l| &l.files)
    }

    /// Bytes of a level's files.
    #[must_use]
    pub fn level_bytes(&self, level: usize) -> u64 {
        self.levels.get(level).map_or(0, |l| l.bytes)
    }

    /// Bytes of all files.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.levels.iter().fold(0u64, |sum, l| sum.saturating_add(l.bytes))
    }

    /// How many files there are.
    #[must_use]
    pub fn file_count(&self) -> usize {
        self.levels.iter().map(|l| l.files.len()).sum()
    }

    /// Is there no file?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.iter().all(|l| l.files.is_empty())
    }

    /// All files with their levels, from level 0 on.
    pub fn all_files(&self) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
        self.levels.iter().enumerate().flat_map(|(n, l)| l.files.iter().map(move |f| (n, f)))
    }

    /// The deepest level with files.
    #[must_use]
    pub fn last_nonempty_level(&self) -> Option<usize> {
        self.levels.iter().rposition(|l| !l.files.is_empty())
    }

    /// The largest epoch in use: the next flush takes a larger one.
    #[must_use]
    pub fn max_epoch(&self) -> u64 {
        self.all_files().map(|(_, f)| f.entry.epoch).max().unwrap_or(0)
    }

    /// Where the next compaction of `level` shall begin, if anybody said so.
    #[must_use]
    pub fn cursor(&self, level: usize) -> Option<&[u8]> {
        self.cursors.get(level).filter(|c| !c.is_empty()).map(|c| &c[..])
    }

    /// Sets where the next compaction of `level` shall begin; levels that are not there are ignored.
    pub fn set_cursor(&mut self, level: usize, internal_key: Vec<u8>) {
        if let Some(cursor) = self.cursors.get_mut(level) {
            *cursor = internal_key;
        }
    }

    /// The first file of `level` (not 0) whose largest key is >= `internal_key`; the number of files
    /// when there is none.
    #[must_use]
    pub fn find_file(&self, level: usize, internal_key: &[u8]) -> usize {
        assert!(level > 0, "level 0 has no order by key");
        self.files(level).partition_point(|f| self.order.compare(f.largest(), internal_key).is_lt())
    }

    /// The files that may have entries of `user_key`, newest data first.
    #[inline]
    #[must_use]
    pub fn files_for<'a>(&'a self, user_key: &'a [u8]) -> FilesFor<'a> {
        FilesFor { version: self, user_key, level: 0, at: 0 }
    }

    /// The files of `level` that overlap a range of user keys, both ends included. In level 0 the
    /// range grows by each file found, until it finds no more.
    #[must_use]
    pub fn overlapping(&self, level: usize, range: KeyRange<'_>) -> Vec<Arc<FileMeta>> {
        let files = self.files(level);
        let user = &**self.order.user();
        if level > 0 {
            let from = range.begin.map_or(0, |begin| {
                self.levels.get(level).map_or(0, |l| l.lower_bound(&self.order, begin))
            });
            return files[from..]
                .iter()
                .take_while(|f| {
                    range.end.is_none_or(|e| self.order.compare_user(f.smallest_user(), e).is_le())
                })
                .cloned()
                .collect();
        }
        let mut range = range;
        let mut taken = vec![false; files.len()];
        let mut grown = true;
        while grown {
            grown = false;
            for (file, taken) in files.iter().zip(&mut taken) {
                let (first, last) = (file.smallest_user(), file.largest_user());
                if *taken || !range.overlaps(user, first, last) {
                    continue;
                }
                *taken = true;
                if range.begin.is_some_and(|b| self.order.compare_user(first, b).is_lt()) {
                    range.begin = Some(first);
                    grown = true;
                }
                if range.end.is_some_and(|e| self.order.compare_user(last, e).is_gt()) {
                    range.end = Some(last);
                    grown = true;
                }
            }
        }
        files.iter().zip(taken).filter(|(_, taken)| *taken).map(|(f, _)| Arc::clone(f)).collect()
    }

    /// Does any file of `level` overlap the range, both ends included?
    #[must_use]
    pub fn overlaps(&self, level: usize, range: KeyRange<'_>) -> bool {
        if level == 0 {
            let user = &**self.order.user();
            return self
                .files(0)
                .iter()
                .any(|f| range.overlaps(user, f.smallest_user(), f.largest_user()));
        }
        let Some(l) = self.levels.get(level) else { return false };
        let from = range.begin.map_or(0, |begin| l.lower_bound(&self.order, begin));
        l.files.get(from).is_some_and(|f| {
            range.end.is_none_or(|e| self.order.compare_user(f.smallest_user(), e).is_le())
        })
    }
}

/// Newest data first: by epoch where all have one, else by sequence numbers.
fn sort_newest_first(files: &mut [Arc<FileMeta>]) {
    let epochs = files.iter().all(|f| f.entry.epoch != 0);
    files.sort_by_key(|f| {
        let e = &f.entry;
        let epoch = if epochs { e.epoch } else { 0 };
        std::cmp::Reverse((epoch, e.largest_sequence, e.smallest_sequence, e.number))
    });
}

/// The files that may have entries of a user key, newest data first.
#[derive(Clone, Debug)]
pub struct FilesFor<'a> {
    version: &'a Version,
    user_key: &'a [u8],
    level: usize,
    /// Next file of the level to look at; in deeper levels `usize::MAX` until the search.
    at: usize,
}

impl<'a> FilesFor<'a> {
    #[inline]
    fn next_level(&mut self) {
        self.level += 1;
        self.at = usize::MAX;
    }
}

impl<'a> Iterator for FilesFor<'a> {
    type Item = (usize, &'a Arc<FileMeta>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let order = &self.version.order;
        loop {
            let level = self.version.levels.get(self.level)?;
            if self.level == 0 {
                while let Some(file) = level.files.get(self.at) {
                    self.at += 1;
                    if order.compare_user(file.smallest_user(), self.user_key).is_le()
                        && reaches(order, file, self.user_key)
                    {
                        return Some((0, file));
                    }
                }
                self.next_level();
                continue;
            }
            if self.at == usize::MAX {
                self.at = match level.files.len() {
                    0 => 0,
                    _ => level.lower_bound(order, self.user_key),
                };
            }
            while let Some(file) = level.files.get(self.at) {
                if order.compare_user(file.smallest_user(), self.user_key).is_gt() {
                    break;
                }
                self.at += 1;
                if reaches(order, file, self.user_key) {
                    return Some((self.level, file));
                }
            }
            self.next_level();
        }
    }
}

/// Does `file` reach as far as `user_key`?
#[inline]
fn reaches(order: &InternalComparator, file: &FileMeta, user_key: &[u8]) -> bool {
    match order.compare_user(file.largest_user(), user_key) {
        Ordering::Less => false,
        Ordering::Equal => !file.largest_is_exclusive(),
        Ordering::Greater => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::{ReverseBytewise, bytewise};
    use crate::base::key::{self, Kind, MAX_SEQUENCE};
    use crate::base::rng::Rng;
    use crate::format::manifest::FileEntry;

    fn file(number: u64, smallest: (&[u8], u64), largest: (&[u8], u64)) -> Arc<FileMeta> {
        Arc::new(FileMeta::new(FileEntry {
            number,
            size: 100 + number,
            smallest: key::internal(smallest.0, smallest.1, Kind::Value),
            largest: key::internal(largest.0, largest.1, Kind::Value),
            smallest_sequence: smallest.1.min(largest.1),
            largest_sequence: smallest.1.max(largest.1),
            ..FileEntry::default()
        }))
    }

    fn numbers(files: &[Arc<FileMeta>]) -> Vec<u64> {
        files.iter().map(|f| f.number()).collect()
    }

    fn order() -> InternalComparator {
        InternalComparator::new(bytewise())
    }

    #[test]
    fn level_0_is_newest_first() {
        let v = Version::new(
            order(),
            vec![vec![
                file(1, (b"a", 1), (b"c", 3)),
                file(2, (b"a", 4), (b"c", 6)),
                file(3, (b"a", 7), (b"b", 8)),
            ]],
        )
        .unwrap();
        assert_eq!(numbers(v.files(0)), [3, 2, 1]);
        let mut first = FileEntry::clone(&v.files(0)[2].entry);
        first.epoch = 9;
        let mut second = FileEntry::clone(&v.files(0)[0].entry);
        second.epoch = 8;
        let v = Version::new(order(), vec![vec![Arc::new(second.into()), Arc::new(first.into())]])
            .unwrap();
        assert_eq!(numbers(v.files(0)), [1, 3]);
    }

    #[test]
    fn overlapping_or_turned_files_are_corruption() {
        let a = file(1, (b"a", 5), (b"c", 5));
        for b in [
            file(2, (b"b", 5), (b"d", 5)),
            file(2, (b"c", 6), (b"d", 5)),
            file(2, (b"z", 5), (b"x", 5)),
        ] {
            let e = Version::new(order(), vec![vec![], vec![Arc::clone(&a), b]]).unwrap_err();
            assert!(e.is_corruption(), "{e}");
        }
        // The same user key, but older: fine.
        let b = file(2, (b"c", 4), (b"d", 5));
        let v = Version::new(order(), vec![vec![], vec![b, Arc::clone(&a)]]).unwrap();
        assert_eq!(numbers(v.files(1)), [1, 2]);
        let found: Vec<u64> = v.files_for(b"c").map(|(_, f)| f.number()).collect();
        assert_eq!(found, [1, 2]);
        assert_eq!(v.find_file(1, &key::seek_target(b"c", MAX_SEQUENCE)), 0);
        assert_eq!(v.find_file(1, &key::seek_target(b"c", 4)), 1);
        assert!(Version::new(order(), vec![vec![Arc::clone(&a)], vec![a]]).is_err());
    }

    #[test]
    fn an_exclusive_end_is_not_in_the_file() {
        let mut entry = FileEntry::clone(&file(1, (b"a", 5), (b"c", 5)).entry);
        entry.largest = key::internal(b"c", MAX_SEQUENCE, Kind::RangeDeletion);
        let v = Version::new(order(), vec![vec![], vec![Arc::new(entry.into())]]).unwrap();
        assert_eq!(v.files_for(b"c").count(), 0);
        assert_eq!(v.files_for(b"bz").count(), 1);
    }

    #[test]
    fn level_0_overlap_grows() {
        let v = Version::new(
            order(),
            vec![vec![
                file(1, (b"a", 1), (b"c", 1)),
                file(2, (b"b", 2), (b"f", 2)),
                file(3, (b"e", 3), (b"h", 3)),
                file(4, (b"x", 4), (b"z", 4)),
            ]],
        )
        .unwrap();
        let range = KeyRange { begin: Some(b"a"), end: Some(b"a") };
        assert_eq!(numbers(&v.overlapping(0, range)), [3, 2, 1]);
        let range = KeyRange { begin: Some(b"i"), end: None };
        assert_eq!(numbers(&v.overlapping(0, range)), [4]);
        assert!(!v.overlaps(0, KeyRange { begin: Some(b"i"), end: Some(b"j") }));
    }

    /// Every lookup against a scan over all files, for keys that share prefixes and for both orders.
    #[test]
    fn lookups_find_what_a_scan_finds() {
        let mut rng = Rng::new(3);
        for round in 0..60 {
            let order = if round % 3 == 2 {
                InternalComparator::new(Arc::new(ReverseBytewise))
            } else {
                order()
            };
            let prefix = rng.bytes((round % 4) * 5);
            let key = |rng: &mut Rng| {
                let mut k = if rng.one_in(20) { Vec::new() } else { prefix.clone() };
                for _ in 0..rng.below(12) {
                    k.push(*[0u8, 1, 0x7F, 0xFF].get(rng.below(4) as usize).unwrap());
                }
                k
            };
            let mut keys: Vec<Vec<u8>> = (0..rng.below(80)).map(|_| key(&mut rng)).collect();
            keys.sort_by(|a, b| order.compare_user(a, b));
            keys.dedup();
            let files: Vec<_> = keys
                .chunks(2)
                .enumerate()
                .map(|(i, k)| file(i as u64 + 1, (&k[0], 5), (k.last().unwrap(), 5)))
                .collect();
            let v = Version::new(order.clone(), vec![vec![], files.clone()]).unwrap();
            for _ in 0..200 {
                let (k, l) = (key(&mut rng), key(&mut rng));
                let scan: Vec<u64> = files
                    .iter()
                    .filter(|f| {
                        order.compare_user(f.smallest_user(), &k).is_le()
                            && order.compare_user(f.largest_user(), &k).is_ge()
                    })
                    .map(|f| f.number())
                    .collect();
                let found: Vec<u64> = v.files_for(&k).map(|(_, f)| f.number()).collect();
                assert_eq!(found, scan, "round {round}");
                let range = KeyRange { begin: Some(&k), end: Some(&l) };
                let scan: Vec<u64> = files
                    .iter()
                    .filter(|f| {
                        order.compare_user(f.smallest_user(), &l).is_le()
                            && order.compare_user(f.largest_user(), &k).is_ge()
                    })
                    .map(|f| f.number())
                    .collect();
                assert_eq!(numbers(&v.overlapping(1, range)), scan);
                assert_eq!(v.overlaps(1, range), !scan.is_empty());
            }
        }
    }
}
