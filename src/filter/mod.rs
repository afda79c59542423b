//! Floor 4: filters, which say of a key that a table surely does not have it, or that it may.
//!
//!     filter := bits | m0 | m1 | m2 | m3 | m4
//!
//!     m0 as signed   1.. legacy Bloom, m0 = probes, m1..m4 = lines u32
//!                    0   always matches
//!                    -1  fast local Bloom: m1 = 0, m2 = probes, m3 = m4 = 0
//!                    -2  Ribbon: m1 = seed, m2..m4 = blocks, 24 bits
//!                    else reserved: always matches
//!
//! Five bytes and less hold no key and never match. Whatever a reader does not know always matches,
//! so that a filter may cost time and never an entry.
#![forbid(unsafe_code)]

pub mod bloom;
pub mod policy;
pub mod ribbon;

pub use policy::{FilterBuilder, FilterKind, FilterPolicy};

use crate::base::checksum::{hash32, xxph3};

/// Bytes behind the bits.
pub const META_BYTES: usize = 5;

/// The name of all built-in filters in the metaindex, behind `fullfilter.` or `partitionedfilter.`.
pub const BUILTIN_NAME: &str = "rocksdb.BuiltinBloomFilter";

/// The metaindex name prefix of a filter for the whole table.
pub const FULL_PREFIX: &str = "fullfilter.";

/// The metaindex name prefix of a filter in partitions.
pub const PARTITIONED_PREFIX: &str = "partitionedfilter.";

const LEGACY_SEED: u32 = 0xBC9F_1D34;

/// Names that follow the prefix in tables of various releases; all mean the built-in filters.
#[must_use]
pub fn is_builtin_name(name: &str) -> bool {
    matches!(
        name,
        BUILTIN_NAME
            | "rocksdb.internal.FastLocalBloomFilter"
            | "rocksdb.internal.LegacyBloomFilter"
            | "rocksdb.internal.Standard128RibbonFilter"
            | "bloomfilter"
            | "ribbonfilter"
    )
}

/// A key on its way through the filters of many tables: hashed once.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    key: &'a [u8],
    hash: u64,
}

impl<'a> Probe<'a> {
    /// Of a user key or a prefix.
    #[inline]
    #[must_use]
    pub fn new(key: &'a [u8]) -> Self {
        Self { key, hash: xxph3(key) }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &'a [u8] {
        self.key
    }

    /// Its hash in filters of format version 5 and later.
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

/// Reads filters.
#[derive(Clone, Copy, Debug)]
pub struct FilterReader;

impl FilterReader {
    /// May `key` be in the filter that `bytes` are?
    #[must_use]
    pub fn may_match(bytes: &[u8], key: &[u8]) -> bool {
        Self::may_match_probe(bytes, &Probe::new(key))
    }

    /// [`FilterReader::may_match`] of a key that is hashed already.
    #[inline]
    #[must_use]
    pub fn may_match_probe(bytes: &[u8], probe: &Probe<'_>) -> bool {
        let Some((bits, meta)) = bytes.split_last_chunk::<META_BYTES>() else { return false };
        if bits.is_empty() {
            return false;
        }
        let [m0, m1, m2, m3, m4] = *meta;
        match m0 as i8 {
            -1 if m1 == 0 && m3 == 0 && m4 == 0 && (1..=30).contains(&m2) => {
                bloom::may_match(bits, u32::from(m2), probe.hash)
            }
            -2 => {
                let blocks = u32::from_le_bytes([m2, m3, m4, 0]);
                ribbon::may_match(bits, m1, blocks as usize, probe.hash)
            }
            1.. => {
                let lines = u32::from_le_bytes([m1, m2, m3, m4]);
                bloom::legacy_may_match(bits, u32::from(m0), lines, hash32(probe.key, LEGACY_SEED))
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;
