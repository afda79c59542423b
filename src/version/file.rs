//! One live table: what the manifest says of it, and what was learned of it since.
//!
//! A `FileMeta` is shared by every version that holds the file. Its entry never changes; the rest
//! are atomics that any thread may touch.
#![forbid(unsafe_code)]

use crate::base::key::{self, MAX_SEQUENCE};
use crate::base::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::base::{Kind, Sequence};
use crate::format::manifest::FileEntry;

/// Numbers from a table's properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Entries, range tombstones included.
    pub entries: u64,
    /// Deletions of all kinds.
    pub deletions: u64,
    /// Bytes of all internal keys.
    pub raw_key_bytes: u64,
    /// Bytes of all values.
    pub raw_value_bytes: u64,
}

/// A live table.
#[derive(Debug)]
pub struct FileMeta {
    /// What the manifest says.
    pub entry: FileEntry,
    /// Is it the input of a compaction under way?
    pub being_compacted: AtomicBool,
    counted: AtomicBool,
    entries: AtomicU64,
    deletions: AtomicU64,
    raw_key_bytes: AtomicU64,
    raw_value_bytes: AtomicU64,
}

impl From<FileEntry> for FileMeta {
    fn from(entry: FileEntry) -> Self {
        Self::new(entry)
    }
}

impl FileMeta {
    /// A table of which only the manifest's entry is known.
    #[must_use]
    pub fn new(entry: FileEntry) -> Self {
        Self {
            entry,
            being_compacted: AtomicBool::new(false),
            counted: AtomicBool::new(false),
            entries: AtomicU64::new(0),
            deletions: AtomicU64::new(0),
            raw_key_bytes: AtomicU64::new(0),
            raw_value_bytes: AtomicU64::new(0),
        }
    }

    /// Its number.
    #[inline]
    #[must_use]
    pub fn number(&self) -> u64 {
        self.entry.number
    }

    /// Its bytes.
    #[inline]
    #[must_use]
    pub fn size(&self) -> u64 {
        self.entry.size
    }

    /// First internal key.
    #[inline]
    #[must_use]
    pub fn smallest(&self) -> &[u8] {
        &self.entry.smallest
    }

    /// Last internal key.
    #[inline]
    #[must_use]
    pub fn largest(&self) -> &[u8] {
        &self.entry.largest
    }

    /// First user key.
    #[inline]
    #[must_use]
    pub fn smallest_user(&self) -> &[u8] {
        key::user_key(&self.entry.smallest)
    }

    /// Last user key, which may be excluded: see `largest_is_exclusive`.
    #[inline]
    #[must_use]
    pub fn largest_user(&self) -> &[u8] {
        key::user_key(&self.entry.largest)
    }

    /// Is the last key the end of a range tombstone, which is no key of the file?
    #[inline]
    #[must_use]
    pub fn largest_is_exclusive(&self) -> bool {
        key::tag(&self.entry.largest) == key::pack(MAX_SEQUENCE, Kind::RangeDeletion as u8)
    }

    /// Largest sequence number.
    #[inline]
    #[must_use]
    pub fn largest_sequence(&self) -> Sequence {
        self.entry.largest_sequence
    }

    /// Is it the input of a compaction under way?
    #[must_use]
    pub fn is_being_compacted(&self) -> bool {
        // Relaxed: set and read under the store's lock.
        self.being_compacted.load(Ordering::Relaxed)
    }

    /// Says whether it is the input of a compaction under way.
    pub fn set_being_compacted(&self, yes: bool) {
        // Relaxed: set and read under the store's lock.
        self.being_compacted.store(yes, Ordering::Relaxed);
    }

    /// What its properties say, once somebody has read them.
    #[must_use]
    pub fn counts(&self) -> Option<FileCounts> {
        // Acquire: pairs with the Release in `set_counts`, so that the numbers are there.
        self.counted.load(Ordering::Acquire).then(|| FileCounts {
            entries: self.entries.load(Ordering::Relaxed),
            deletions: self.deletions.load(Ordering::Relaxed),
            raw_key_bytes: self.raw_key_bytes.load(Ordering::Relaxed),
            raw_value_bytes: self.raw_value_bytes.load(Ordering::Relaxed),
        })
    }

    /// Keeps what its properties say. All callers say the same, as a table never changes.
    pub fn set_counts(&self, counts: FileCounts) {
        self.entries.store(counts.entries, Ordering::Relaxed);
        self.deletions.store(counts.deletions, Ordering::Relaxed);
        self.raw_key_bytes.store(counts.raw_key_bytes, Ordering::Relaxed);
        self.raw_value_bytes.store(counts.raw_value_bytes, Ordering::Relaxed);
        // Release: pairs with the Acquire in `counts`.
        self.counted.store(true, Ordering::Release);
    }

    /// Bytes, with what its deletions will free added: the weight that compaction goes by.
    #[must_use]
    pub fn compensated_size(&self) -> u64 {
        let own = self.entry.size.saturating_add(self.entry.compensated_range_deletion_size);
        let Some(counts) = self.counts() else { return own };
        let twice = counts.deletions.saturating_mul(2);
        if counts.entries == 0 || twice < counts.entries {
            return own;
        }
        // Deletions beyond half of the entries weigh as much as the values they hide.
        let value = counts.raw_value_bytes / counts.entries;
        own.saturating_add((twice - counts.entries).saturating_mul(value))
    }
}
