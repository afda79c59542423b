//! Ribbon filters: as rarely wrong as Bloom filters, in about 30 % less space, slower to build.
//!
//! The standard Ribbon of Dillinger and Walzer ("Ribbon filter: practically smaller than Bloom and
//! Xor"), with RocksDB's sizes and hashes. Each key is an equation: the XOR of those slots that a
//! 128-bit row selects, from a start on, is the key's result. Building solves all equations; when
//! they contradict each other, the next seed is tried.
//!
//!     bits    := block * n            of 128 slots each
//!     block   := column * c           u128: bit i belongs to slot i, column j is bit j of the results
//!     meta    := 0xfe | seed | n, 24 bits
//!
//! A row starts with a one. The first blocks have one column less than the rest, so that the size
//! meets the rate asked for.
#![forbid(unsafe_code)]

use super::{META_BYTES, bloom};

const SLOTS: usize = 128;
const COLUMN_BYTES: usize = 16;
const MAX_KEYS: usize = 950_000_000;
const REHASH: u64 = 0x6193_D459_236A_3A0D;
const SPREAD: u64 = 0xC28F_8282_2B65_0BED;
const ROW_XOR: u64 = 0xC367_844A_6E52_731D;
const SEED_FACTOR: u64 = 0xC782_19A2_3EEA_DD03;

/// Slots for each key, by the power of two of the slots: from 2^8 on.
const SLOTS_PER_KEY: [f64; 10] =
    [1.02873, 1.02496, 1.02271, 1.02197, 1.02257, 1.02395, 1.02614, 1.02953, 1.03292, 1.03610];
const SLOTS_PER_KEY_STEP: f64 = 0.0033;

/// A key's equation.
#[derive(Clone, Copy)]
struct Equation {
    start: usize,
    row: u128,
    result: u32,
}

#[inline]
fn equation(hash: u64, seed: u8, starts: usize) -> Equation {
    let mixed = u64::from(seed).wrapping_mul(SEED_FACTOR);
    let mixed = mixed ^ (mixed & 0xF0F0_F0F0_F0F0_F0F0) >> 4;
    let hash = (hash ^ (mixed & 0xFFFF_FFFF)).wrapping_mul(REHASH);
    let start = ((u128::from(hash) * starts as u128) >> 64) as usize;
    let spread = hash.wrapping_mul(SPREAD);
    let row = u128::from(spread) << 64 | u128::from(spread ^ ROW_XOR) | 1;
    Equation { start, row, result: spread.swap_bytes() as u32 }
}

#[inline]
fn parity(bits: u128) -> u32 {
    bits.count_ones() & 1
}

/// How blocks and columns lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    blocks: usize,
    /// Columns of the last blocks; the first have one less.
    columns: usize,
    short_blocks: usize,
}

impl Shape {
    fn starts(self) -> usize {
        self.blocks * SLOTS - SLOTS + 1
    }

    fn columns_of(self, block: usize) -> usize {
        self.columns - usize::from(block < self.short_blocks)
    }

    /// The first column of `block` among all.
    fn first_column(self, block: usize) -> usize {
        block * self.columns - block.min(self.short_blocks)
    }

    fn bytes(self) -> usize {
        self.first_column(self.blocks) * COLUMN_BYTES
    }

    fn of_filter(bits: usize, blocks: usize) -> Option<Self> {
        let all = bits / COLUMN_BYTES;
        if blocks < 2 || !bits.is_multiple_of(COLUMN_BYTES) || all < blocks {
            return None;
        }
        let columns = all.div_ceil(blocks);
        Some(Self { blocks, columns, short_blocks: columns * blocks - all })
            .filter(|_| columns <= 32)
    }

    fn for_keys(keys: usize, millibits: u32) -> Self {
        let blocks = slots_for(keys).div_ceil(SLOTS).max(2);
        let one_in = 1.0 / bloom::false_positive_rate(millibits);
        let fewer = one_in.max(1.0).log2().floor().min(30.0);
        // Among rates between 2^-fewer and half of that, the share of keys with fewer columns.
        let (high, low) = (0.5f64.powf(fewer), 0.5f64.powf(fewer + 1.0));
        let share = ((1.0 / one_in - low) / (high - low)).clamp(0.0, 1.0);
        let mut shape = Self { blocks, columns: fewer as usize + 1, short_blocks: 0 };
        let short_blocks = (share * shape.starts() as f64 / SLOTS as f64).round() as usize;
        shape.short_blocks = short_blocks.min(blocks);
        if shape.columns == 1 {
            shape.short_blocks = 0;
        }
        shape
    }
}

/// Slots that let the equations of `keys` keys be solved with all but one in twenty seeds.
fn slots_for(keys: usize) -> usize {
    let keys = keys as f64;
    let power = ((keys * SLOTS_PER_KEY[3]).max(1.0).log2() - 8.0).max(0.0);
    let last = SLOTS_PER_KEY.len() - 1;
    let factor = if power >= last as f64 {
        SLOTS_PER_KEY[last] + SLOTS_PER_KEY_STEP * (power - last as f64)
    } else {
        let at = power as usize;
        SLOTS_PER_KEY[at] + (SLOTS_PER_KEY[at + 1] - SLOTS_PER_KEY[at]) * (power - at as f64)
    };
    (keys * factor).ceil() as usize
}

/// Equations in echelon form: `rows[i]` starts at slot `i`, or is zero.
struct Band {
    rows: Vec<u128>,
    results: Vec<u32>,
}

impl Band {
    /// `None` when two equations contradict each other.
    fn of(hashes: &[u64], seed: u8, shape: Shape) -> Option<Self> {
        let slots = shape.blocks * SLOTS;
        let mut band = Self { rows: vec![0; slots], results: vec![0; slots] };
        for &hash in hashes {
            band.add(equation(hash, seed, shape.starts()))?;
        }
        Some(band)
    }

    fn add(&mut self, e: Equation) -> Option<()> {
        let Equation { mut start, mut row, mut result } = e;
        loop {
            let there = self.rows[start];
            if there == 0 {
                self.rows[start] = row;
                self.results[start] = result;
                return Some(());
            }
            row ^= there;
            result ^= self.results[start];
            if row == 0 {
                return (result == 0).then_some(());
            }
            let skip = row.trailing_zeros();
            start += skip as usize;
            row >>= skip;
        }
    }

    /// Solves from the last slot to the first; slots that no equation starts at are zero.
    fn solve(&self, shape: Shape, out: &mut [u8]) {
        let mut columns = [0u128; 32];
        for block in (0..shape.blocks).rev() {
            let count = shape.columns_of(block);
            for slot in (block * SLOTS..(block + 1) * SLOTS).rev() {
                let (row, result) = (self.rows[slot], self.results[slot]);
                for (j, column) in columns.iter_mut().enumerate().take(count) {
                    let shifted = *column << 1;
                    *column = shifted | u128::from(parity(shifted & row) ^ (result >> j & 1));
                }
            }
            let first = shape.first_column(block);
            for (j, column) in columns.iter().enumerate().take(count) {
                let at = (first + j) * COLUMN_BYTES;
                out[at..at + COLUMN_BYTES].copy_from_slice(&column.to_le_bytes());
            }
        }
    }
}

/// A filter over `hashes`, as rarely wrong as Bloom with so many bits for a key. A Bloom filter where
/// that is smaller, or where no seed works.
#[must_use]
pub fn build(hashes: &[u64], millibits: u32) -> Vec<u8> {
    let Some(&first) = hashes.first() else { return Vec::new() };
    if hashes.len() > MAX_KEYS {
        return bloom::build(hashes, millibits);
    }
    let shape = Shape::for_keys(hashes.len(), millibits);
    if shape.blocks < 1024 / SLOTS && bloom::bytes_for(hashes.len(), millibits) < shape.bytes() {
        return bloom::build(hashes, millibits);
    }
    for attempt in 0..=u8::MAX {
        let seed = (first as u8).wrapping_add(attempt);
        if let Some(band) = Band::of(hashes, seed, shape) {
            let len = shape.bytes();
            let mut out = vec![0; len + META_BYTES];
            band.solve(shape, &mut out[..len]);
            out[len] = 0xFE;
            out[len + 1] = seed;
            out[len + 2..].copy_from_slice(&(shape.blocks as u32).to_le_bytes()[..3]);
            return out;
        }
    }
    bloom::build(hashes, millibits)
}

/// About the bytes of a filter over `keys` keys.
#[must_use]
pub fn bytes_for(keys: usize, millibits: u32) -> usize {
    Shape::for_keys(keys, millibits).bytes()
}

/// May `hash` be in `bits`? Shapes that cannot be always match.
#[inline]
#[must_use]
pub fn may_match(bits: &[u8], seed: u8, blocks: usize, hash: u64) -> bool {
    let Some(shape) = Shape::of_filter(bits.len(), blocks) else { return true };
    let Equation { start, row, result } = equation(hash, seed, shape.starts());
    let (block, shift) = (start / SLOTS, (start % SLOTS) as u32);
    let first = shape.first_column(block);
    let count = shape.columns_of(block);
    let column = |i: usize| {
        let bytes =
            bits.get(i * COLUMN_BYTES..).and_then(|rest| rest.first_chunk::<COLUMN_BYTES>());
        bytes.map_or(0, |b| u128::from_le_bytes(*b))
    };
    (0..count).all(|j| {
        let mut sum = column(first + j) & (row << shift);
        if shift > 0 {
            sum ^= column(first + count + j) & (row >> (SLOTS as u32 - shift));
        }
        parity(sum) == result >> j & 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn every_hash_added_may_match_and_the_rate_is_as_asked() {
        let mut rng = Rng::new(31);
        for (keys, millibits) in
            [(1, 10_000), (40, 10_000), (900, 3_000), (5000, 10_000), (3000, 20_000)]
        {
            let hashes: Vec<u64> = (0..keys).map(|_| rng.next()).collect();
            let filter = build(&hashes, millibits);
            let (bits, meta) = filter.split_at(filter.len() - META_BYTES);
            let matches = |hash| match meta[0] {
                0xFE => {
                    may_match(bits, meta[1], usize::from(meta[2]) | usize::from(meta[3]) << 8, hash)
                }
                _ => bloom::may_match(bits, u32::from(meta[2]), hash),
            };
            assert!(hashes.iter().all(|&h| matches(h)), "{keys} keys");
            let wrong = (0..20_000).filter(|_| matches(rng.next())).count() as f64;
            let asked = 20_000.0 * bloom::false_positive_rate(millibits);
            if keys >= 900 {
                assert_eq!(meta[0], 0xFE);
                assert!(
                    (wrong - asked).abs() < 6.0 * asked.sqrt() + 0.1 * asked,
                    "{wrong} for {asked}"
                );
                assert!(filter.len() * 100 < bloom::bytes_for(keys, millibits) * 85);
            }
        }
    }

    #[test]
    fn versions_of_a_key_do_not_contradict_each_other() {
        let filter = build(&[7, 8, 7, 9, 8], 10_000);
        assert!(filter.len() > META_BYTES);
    }
}
