//! Bloom filters that keep all bits of a key in one line of the cache.
//!
//! Fast local (format version 5): the low half of the hash picks the line, the high half the bits.
//! Legacy: a 32-bit hash does both; line sizes other than 64 bytes come from other platforms.
#![forbid(unsafe_code)]

use super::META_BYTES;

/// Bytes of a line.
pub const LINE: usize = 64;

const STEP: u32 = 0x9E37_79B9;

/// Bytes of bits for `keys` keys.
#[must_use]
pub fn bytes_for(keys: usize, millibits: u32) -> usize {
    let bits = (keys as u128 * u128::from(millibits)).div_ceil(8000);
    (bits as usize).next_multiple_of(LINE)
}

/// Bits set for each key.
#[must_use]
pub fn probes_for(millibits: u32) -> u32 {
    const LIMITS: [u32; 12] =
        [2080, 3580, 5100, 6640, 8300, 10070, 11720, 14001, 16050, 18300, 22001, 25501];
    if let Some(at) = LIMITS.iter().position(|&limit| millibits <= limit) {
        return at as u32 + 1;
    }
    if millibits > 50_000 { 24 } else { (millibits - 1) / 2000 - 1 }
}

/// How often a fast local filter matches a key that it does not have: the lines are not equally full.
#[must_use]
pub fn false_positive_rate(millibits: u32) -> f64 {
    let probes = f64::from(probes_for(millibits));
    let line_bits = 8.0 * LINE as f64;
    let keys = line_bits * 1000.0 / f64::from(millibits);
    let rate = |keys_in_line: f64| (1.0 - (-probes * keys_in_line / line_bits).exp()).powf(probes);
    (rate(keys + keys.sqrt()) + rate(keys - keys.sqrt())) / 2.0
}

/// A filter over `hashes`.
#[must_use]
pub fn build(hashes: &[u64], millibits: u32) -> Vec<u8> {
    let len = bytes_for(hashes.len(), millibits);
    let probes = probes_for(millibits);
    let mut out = vec![0; len + META_BYTES];
    let lines = (len / LINE) as u64;
    if lines == 0 {
        return out;
    }
    for &hash in hashes {
        let at = line_of(hash, lines) * LINE;
        let line = &mut out[at..at + LINE];
        let mut x = (hash >> 32) as u32;
        for _ in 0..probes {
            let bit = (x >> 23) as usize;
            line[bit / 8] |= 1 << (bit % 8);
            x = x.wrapping_mul(STEP);
        }
    }
    out[len] = 0xFF;
    out[len + 2] = probes as u8;
    out
}

#[inline]
fn line_of(hash: u64, lines: u64) -> usize {
    (((hash & 0xFFFF_FFFF) * lines) >> 32) as usize
}

/// May `hash` be in `bits`?
#[inline]
#[must_use]
pub fn may_match(bits: &[u8], probes: u32, hash: u64) -> bool {
    let lines = (bits.len() / LINE) as u64;
    let at = line_of(hash, lines) * LINE;
    let Some(line) = bits.get(at..).and_then(|rest| rest.first_chunk::<LINE>()) else {
        return true;
    };
    let mut x = (hash >> 32) as u32;
    for _ in 0..probes {
        let bit = (x >> 23) as usize; // below 512
        if line[bit / 8] & (1 << (bit % 8)) == 0 {
            return false;
        }
        x = x.wrapping_mul(STEP);
    }
    true
}

/// Bits set for each key of a legacy filter.
#[must_use]
pub fn legacy_probes_for(millibits: u32) -> u32 {
    (millibits * 69 / 100_000).clamp(1, 30)
}

/// A legacy filter over `hashes`.
#[must_use]
pub fn legacy_build(hashes: &[u32], millibits: u32) -> Vec<u8> {
    // Whole bits for a key, as the release that knew nothing else had them.
    let bits_per_key = u64::from((millibits + 500) / 1000).max(1);
    let probes = legacy_probes_for(millibits);
    let lines = (hashes.len() as u64 * bits_per_key).div_ceil(8 * LINE as u64) | 1;
    let lines = u32::try_from(lines).unwrap_or(u32::MAX);
    let len = lines as usize * LINE;
    let mut out = vec![0; len + META_BYTES];
    for &hash in hashes {
        let at = (hash % lines) as usize * LINE;
        let line = &mut out[at..at + LINE];
        let delta = hash.rotate_right(17);
        let mut h = hash;
        for _ in 0..probes {
            let bit = h as usize % (8 * LINE);
            line[bit / 8] |= 1 << (bit % 8);
            h = h.wrapping_add(delta);
        }
    }
    out[len] = probes as u8;
    out[len + 1..].copy_from_slice(&lines.to_le_bytes());
    out
}

/// May `hash` be in a legacy filter?
#[must_use]
pub fn legacy_may_match(bits: &[u8], probes: u32, lines: u32, hash: u32) -> bool {
    if lines == 0 || !bits.len().is_multiple_of(lines as usize) {
        return true;
    }
    let line_bytes = bits.len() / lines as usize;
    if !line_bytes.is_power_of_two() {
        return true;
    }
    let at = (hash % lines) as usize * line_bytes;
    let Some(line) = bits.get(at..at + line_bytes) else { return true };
    let delta = hash.rotate_right(17);
    let mut h = hash;
    for _ in 0..probes {
        let bit = h as usize & (8 * line_bytes - 1);
        if line.get(bit / 8).is_some_and(|byte| byte & (1 << (bit % 8)) == 0) {
            return false;
        }
        h = h.wrapping_add(delta);
    }
    true
}
