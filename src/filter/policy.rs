//! Which filter a table gets, and its building.
#![forbid(unsafe_code)]

use super::{LEGACY_SEED, bloom};
use crate::base::checksum::{hash32, xxph3};

/// Kinds of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// Bloom: fast local from format version 5 on, legacy before.
    Bloom,
    /// Ribbon, smaller and slower to build. Ribbon filters in tables are read as "may match"; new
    /// tables get a Bloom filter of the same bits for a key.
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

    /// Bloom on levels below `bloom_before_level` (flushes count as -1), Ribbon from there on.
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
    millibits: u32,
    hashes: Hashes,
}

#[derive(Debug)]
enum Hashes {
    Long(Vec<u64>),
    Short(Vec<u32>),
}

impl FilterBuilder {
    /// Of `policy`, for a table of format version `version`; `None` when the policy wants none.
    #[must_use]
    pub fn new(policy: &FilterPolicy, version: u32) -> Option<Self> {
        let hashes = if version < 5 { Hashes::Short(Vec::new()) } else { Hashes::Long(Vec::new()) };
        (policy.millibits > 0).then_some(Self { millibits: policy.millibits, hashes })
    }

    /// Adds a user key or a prefix. Equal ones that follow each other, or alternate with one other,
    /// count once: versions of one key, and keys with their prefixes.
    pub fn add_key(&mut self, key: &[u8]) {
        match &mut self.hashes {
            Hashes::Long(all) => push_new(all, xxph3(key)),
            Hashes::Short(all) => push_new(all, hash32(key, LEGACY_SEED)),
        }
    }

    /// Keys so far.
    #[must_use]
    pub fn entries(&self) -> usize {
        match &self.hashes {
            Hashes::Long(all) => all.len(),
            Hashes::Short(all) => all.len(),
        }
    }

    /// Memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        match &self.hashes {
            Hashes::Long(all) => 8 * all.capacity(),
            Hashes::Short(all) => 4 * all.capacity(),
        }
    }

    /// About what the filter would take.
    #[must_use]
    pub fn size_estimate(&self) -> usize {
        bloom::bytes_for(self.entries(), self.millibits) + super::META_BYTES
    }

    /// The filter over all keys so far; empty, which never matches, without keys. The builder starts
    /// anew.
    pub fn finish(&mut self) -> Vec<u8> {
        let filter = match &self.hashes {
            Hashes::Long(all) if all.is_empty() => Vec::new(),
            Hashes::Short(all) if all.is_empty() => Vec::new(),
            Hashes::Long(all) => bloom::build(all, self.millibits),
            Hashes::Short(all) => bloom::legacy_build(all, self.millibits),
        };
        match &mut self.hashes {
            Hashes::Long(all) => all.clear(),
            Hashes::Short(all) => all.clear(),
        }
        filter
    }
}

fn push_new<T: PartialEq>(all: &mut Vec<T>, hash: T) {
    if !all.iter().rev().take(2).any(|h| *h == hash) {
        all.push(hash);
    }
}
