//! Ascending numbers in a few bits each: where blocks start.
//!
//! Groups of 64. Each has a base, a mean step, and what is left over in as many bits as the worst of the
//! group needs:
//!
//!     packed := groups u32 | bit_bytes u32 | groups x group | bits[bit_bytes] | zero[8]
//!     group  := base i56 and width u8 (in one u64, width on top) | step u32 in 1/256 | bit position u32
//!     value j of a group := base + (step * j >> 8) + bits(position + width * j, width)
//!
//! The base is signed: it holds the most negative of what is left over, so the rest is not.
//! Invariants: width <= 56, so that one eight-byte load at any bit position has all of a value; the eight
//! zero bytes let that load run past the last one.
#![forbid(unsafe_code)]

use crate::base::coding::{put_u32, put_u64, u32_at, u64_at};
use crate::base::{Error, Result};

const GROUP: usize = 64;
const GROUP_BYTES: usize = 16;
const HEAD_BYTES: usize = 8;
const MAX_WIDTH: u32 = 56;

/// `values` packed; `None` if they jump too far to be.
pub(super) fn pack(values: &[u64]) -> Option<Vec<u8>> {
    let groups = values.len().div_ceil(GROUP);
    let mut heads = Vec::with_capacity(groups * GROUP_BYTES);
    let mut bits: Vec<u8> = Vec::new();
    let mut position = 0u64;
    for group in values.chunks(GROUP) {
        let (base, step, width) = best_line(group)?;
        put_u64(&mut heads, (base as u64 & (u64::MAX >> 8)) | (u64::from(width) << 56));
        put_u32(&mut heads, step);
        put_u32(&mut heads, u32::try_from(position).ok()?);
        for (j, &value) in group.iter().enumerate() {
            let rest = value.wrapping_sub(expected(base, step, j));
            let at = (position >> 3) as usize;
            bits.resize(bits.len().max(at + 8), 0);
            let chunk = bits[at..].first_chunk_mut::<8>().expect("just resized");
            *chunk = (u64::from_le_bytes(*chunk) | (rest << (position & 7))).to_le_bytes();
            position += u64::from(width);
        }
    }
    bits.truncate(position.div_ceil(8) as usize);
    let mut packed = Vec::with_capacity(HEAD_BYTES + heads.len() + bits.len() + 8);
    put_u32(&mut packed, u32::try_from(groups).ok()?);
    put_u32(&mut packed, u32::try_from(bits.len()).ok()?);
    packed.extend_from_slice(&heads);
    packed.extend_from_slice(&bits);
    packed.extend_from_slice(&[0; 8]);
    Some(packed)
}

fn expected(base: i64, step: u32, j: usize) -> u64 {
    (base as u64).wrapping_add((u64::from(step) * j as u64) >> 8)
}

/// Base, step and width for one group; the step is the mean one.
fn best_line(group: &[u64]) -> Option<(i64, u32, u32)> {
    let (first, last) = (*group.first()?, *group.last()?);
    if first >> 55 != 0 || group.iter().any(|v| v >> 55 != 0) {
        return None;
    }
    let steps = (group.len() as u64 - 1).max(1);
    let mean = u128::from(last.saturating_sub(first)) * 256 / u128::from(steps);
    let step = u32::try_from(mean).unwrap_or(u32::MAX);
    let left = |(j, v): (usize, &u64)| *v as i64 - expected(0, step, j) as i64;
    let base = group.iter().enumerate().map(left).min()?;
    let most = group.iter().enumerate().map(left).max()?;
    let width = 64 - ((most - base) as u64).leading_zeros();
    (width <= MAX_WIDTH && base >= -(1 << 55)).then_some((base, step, width))
}

/// Where the parts of a packed run are, once checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packed {
    heads: usize,
    bits: usize,
}

impl Packed {
    /// Checks that `bytes[start..end]` holds `count` values.
    pub(super) fn check(bytes: &[u8], start: usize, end: usize, count: usize) -> Result<Self> {
        let bad = || Error::corruption(format!("bad packed offsets at byte {start}"));
        let part = bytes.get(start..end).ok_or_else(bad)?;
        let groups = u32_at(part, 0).ok_or_else(bad)? as usize;
        let bit_bytes = u32_at(part, 4).ok_or_else(bad)? as usize;
        let bits = HEAD_BYTES + count.div_ceil(GROUP) * GROUP_BYTES;
        if groups != count.div_ceil(GROUP) || bits + bit_bytes + 8 > part.len() {
            return Err(bad());
        }
        for group in 0..groups {
            let head = HEAD_BYTES + group * GROUP_BYTES;
            let width = u64_at(part, head).ok_or_else(bad)? >> 56;
            let position = u32_at(part, head + 12).ok_or_else(bad)?;
            let used = GROUP.min(count - group * GROUP) as u64;
            if width > u64::from(MAX_WIDTH)
                || u64::from(position) + width * used > 8 * bit_bytes as u64
            {
                return Err(bad());
            }
        }
        Ok(Self { heads: start + HEAD_BYTES, bits: start + bits })
    }

    /// Value `i` of the checked run in the same `bytes`.
    #[inline]
    pub(super) fn get(self, bytes: &[u8], i: usize) -> Option<u64> {
        let head = self.heads + i / GROUP * GROUP_BYTES;
        let j = i % GROUP;
        let word = u64_at(bytes, head)?;
        let step = u32_at(bytes, head + 8)?;
        let width = word >> 56;
        let position = u64::from(u32_at(bytes, head + 12)?) + width * j as u64;
        let load = u64_at(bytes, self.bits + (position >> 3) as usize)? >> (position & 7);
        let rest = load & !(u64::MAX << (width & 63));
        let base = ((word << 8) as i64) >> 8;
        Some(expected(base, step, j).wrapping_add(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn assert_returns(values: &[u64]) -> usize {
        let packed = pack(values).expect("packable");
        let mut bytes = vec![7; 3];
        bytes.extend_from_slice(&packed);
        let run = Packed::check(&bytes, 3, bytes.len(), values.len()).expect("checked");
        for (i, &value) in values.iter().enumerate() {
            assert_eq!(run.get(&bytes, i), Some(value), "value {i} of {}", values.len());
        }
        packed.len()
    }

    #[test]
    fn values_come_back() {
        let mut rng = Rng::new(3);
        for round in 0..300 {
            let mut at = rng.below(1 << (round % 50));
            let step = 1 + rng.below(1 << (round % 45));
            let values: Vec<u64> = (0..1 + rng.below(400))
                .map(|_| {
                    at += rng.below(step);
                    at
                })
                .collect();
            assert_returns(&values);
        }
        assert_returns(&[0]);
        assert_returns(&[(1 << 55) - 1]);
        assert_returns(&[0, (1 << 55) - 1]);
        assert_returns(&[5; 200]);
    }

    #[test]
    fn a_block_costs_less_than_two_bytes() {
        let mut rng = Rng::new(4);
        let mut at = 0;
        let values: Vec<u64> = (0..16_000)
            .map(|_| {
                at += 4000 + rng.below(120);
                at
            })
            .collect();
        assert!(assert_returns(&values) < 16_000 * 2);
    }

    #[test]
    fn too_large_numbers_are_refused() {
        assert!(pack(&[0, 1 << 56]).is_none());
    }

    #[test]
    fn damage_is_an_error_or_a_wrong_number_never_a_panic() {
        let packed = pack(&(0..500u64).map(|i| i * i).collect::<Vec<_>>()).expect("packable");
        for at in 0..packed.len() {
            for flip in [1u8, 0x80, 0xFF] {
                let mut bytes = packed.clone();
                bytes[at] ^= flip;
                if let Ok(run) = Packed::check(&bytes, 0, bytes.len(), 500) {
                    assert!((0..500).all(|i| run.get(&bytes, i).is_some()));
                }
            }
        }
        for cut in 0..packed.len() {
            assert!(Packed::check(&packed[..cut], 0, cut, 500).is_err());
        }
    }
}
