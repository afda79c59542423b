//! Which filter a table gets, and its building.
#![forbid(unsafe_code)]

use super::{LEGACY_SEED, bloom, ribbon};
use crate::base::checksum::{hash32, xxph3};

/// Kinds of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// Bloom: fast local from format version 5 on, legacy before.
    Bloom,
    /// Ribbon, smaller and slower to build; from format version 5 on, Bloom before.
    Ribbon,
}

/// A user's choice of filter.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterPolicy {
    kind: FilterKind,
    bits_per_key: f64,
    millibits: u32,
    bloom_before_level: i32,
}

impl FilterPolicy {
    fn new(kind: FilterKind, bits_per_key: f64, bloom_before_level: i32) -> Self {
        // Half a bit rounds up to one; below that there is no filter. NaN counts as none.
        let millibits = match bits_per_key {
            b if b >= 100.0 => 100_000,
            b if b >= 1.0 => (b * 1000.0).round() as u32,
            b if b >= 0.5 => 1000,
            _ => 0,
        };
        Self { kind, bits_per_key, millibits, bloom_before_level }
    }

    /// Bloom with so many bits for a key, to the thousandth. Below 0.5 there is no filter.
    #[must_use]
    pub fn bloom(bits_per_key: f64) -> Self {
        Self::new(FilterKind::Bloom, bits_per_key, i32::MAX)
    }

    /// Ribbon that matches as rarely as Bloom with so many bits for a key.
    #[must_use]
    pub fn ribbon(bloom_equivalent_bits_per_key: f64) -> Self {
        Self::new(FilterKind::Ribbon, bloom_equivalent_bits_per_key, -1)
    }

    /// Bloom on levels below `bloom_before_level`, Ribbon from there on. Level 0, where flushes put
    /// their tables, counts as -1.
    #[must_use]
    pub fn ribbon_hybrid(bloom_equivalent_bits_per_key: f64, bloom_before_level: i32) -> Self {
        Self::new(FilterKind::Ribbon, bloom_equivalent_bits_per_key, bloom_before_level)
    }

    /// The kind asked for.
    #[must_use]
    pub fn kind(&self) -> FilterKind {
        self.kind
    }

    /// Bits for a key as given.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.bits_per_key
    }

    /// Thousandths of bits for a key; 0 means no filter.
    #[must_use]
    pub fn millibits(&self) -> u32 {
        self.millibits
    }

    /// The kind that a table on `level` gets; -1 is a level that is not known.
    #[must_use]
    pub fn kind_at(&self, level: i32) -> FilterKind {
        let level = if level <= 0 { -1 } else { level };
        if level < self.bloom_before_level { FilterKind::Bloom } else { self.kind }
    }

    /// Where Ribbon starts.
    #[must_use]
    pub fn bloom_before_level(&self) -> i32 {
        self.bloom_before_level
    }

    /// The name in table properties.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.kind {
            FilterKind::Bloom => "bloomfilter",
            FilterKind::Ribbon => "ribbonfilter",
        }
    }

    /// The policy as option text: `bloomfilter:10:false`, `ribbonfilter:10:-1`.
    #[must_use]
    pub fn option_text(&self) -> String {
        match self.kind {
            FilterKind::Bloom => format!("bloomfilter:{}:false", self.bits_per_key),
            FilterKind::Ribbon => {
                format!("ribbonfilter:{}:{}", self.bits_per_key, self.bloom_before_level)
            }
        }
    }

    /// Reads [`FilterPolicy::option_text`] and the names that RocksDB takes.
    #[must_use]
    pub fn from_option_text(text: &str) -> Option<Self> {
        let mut parts = text.trim().split(':');
        let name = parts.next()?;
        let bits: f64 = parts.next()?.trim().parse().ok()?;
        match name {
            "bloomfilter" | "rocksdb.BloomFilter" => Some(Self::bloom(bits)),
            "ribbonfilter" | "rocksdb.RibbonFilter" => {
                let before = parts.next().and_then(|p| p.trim().parse().ok()).unwrap_or(0);
                Some(Self::ribbon_hybrid(bits, before))
            }
            _ => None,
        }
    }
}

/// Collects the keys and prefixes of a table, or of a partition.
#[derive(Debug)]
pub struct FilterBuilder {
    kind: FilterKind,
    millibits: u32,
    hashes: Hashes,
}

#[derive(Debug)]
enum Hashes {
    Long(Distinct<u64>),
    Short(Distinct<u32>),
}

/// Hashes without most repetitions: the two that came last are known.
#[derive(Debug, Default)]
struct Distinct<T> {
    all: Vec<T>,
    recent: [Option<T>; 2],
}

impl<T: Copy + PartialEq> Distinct<T> {
    fn add(&mut self, hash: T) {
        let [last, before] = self.recent;
        if last == Some(hash) {
            return;
        }
        self.recent = [Some(hash), last];
        if before != Some(hash) {
            self.all.push(hash);
        }
    }

    fn clear(&mut self) {
        self.all.clear();
        self.recent = [None; 2];
    }
}

impl FilterBuilder {
    /// Of `policy`, for a table of format version `version` on level 0; `None` when the policy wants
    /// no filter.
    #[must_use]
    pub fn new(policy: &FilterPolicy, version: u32) -> Option<Self> {
        Self::at_level(policy, version, 0)
    }

    /// As [`FilterBuilder::new`], for a table on `level`; -1 is a level that is not known.
    #[must_use]
    pub fn at_level(policy: &FilterPolicy, version: u32, level: i32) -> Option<Self> {
        let hashes = if version < 5 {
            Hashes::Short(Distinct::default())
        } else {
            Hashes::Long(Distinct::default())
        };
        let kind = policy.kind_at(level);
        (policy.millibits > 0).then_some(Self { kind, millibits: policy.millibits, hashes })
    }

    /// Adds a user key or a prefix. Equal ones that follow each other count once, also with one
    /// other in between: versions of one key, and the prefix that keys have in common.
    pub fn add_key(&mut self, key: &[u8]) {
        match &mut self.hashes {
            Hashes::Long(h) => h.add(xxph3(key)),
            Hashes::Short(h) => h.add(hash32(key, LEGACY_SEED)),
        }
    }

    /// Keys so far.
    #[must_use]
    pub fn entries(&self) -> usize {
        match &self.hashes {
            Hashes::Long(h) => h.all.len(),
            Hashes::Short(h) => h.all.len(),
        }
    }

    /// Memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        match &self.hashes {
            Hashes::Long(h) => 8 * h.all.capacity(),
            Hashes::Short(h) => 4 * h.all.capacity(),
        }
    }

    /// About what the filter would take.
    #[must_use]
    pub fn size_estimate(&self) -> usize {
        let bits = match (self.kind, &self.hashes) {
            (FilterKind::Ribbon, Hashes::Long(h)) => ribbon::bytes_for(h.all.len(), self.millibits),
            _ => bloom::bytes_for(self.entries(), self.millibits),
        };
        bits + super::META_BYTES
    }

    /// The filter over all keys so far; empty, which never matches, without keys. The builder starts
    /// anew.
    pub fn finish(&mut self) -> Vec<u8> {
        let empty = self.entries() == 0;
        let filter = match &self.hashes {
            _ if empty => Vec::new(),
            Hashes::Long(h) if self.kind == FilterKind::Ribbon => {
                ribbon::build(&h.all, self.millibits)
            }
            Hashes::Long(h) => bloom::build(&h.all, self.millibits),
            Hashes::Short(h) => bloom::legacy_build(&h.all, self.millibits),
        };
        match &mut self.hashes {
            Hashes::Long(h) => h.clear(),
            Hashes::Short(h) => h.clear(),
        }
        filter
    }
}
