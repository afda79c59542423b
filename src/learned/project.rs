//! Byte strings to ordered numbers.
//!
//! A projection maps what is left of a key, once a shared prefix is cut off, to a `u64`. All that the
//! index needs of it is that it is **monotone**: a smaller key never gets a larger number (I1). Keys
//! may collide; how often decides how good the model is, not whether it is right.
//!
//! - [`raw8`]: the next eight bytes as a big-endian number, zero padded.
//! - [`Ranked`]: a mixed-radix number whose digits are the ranks of bytes in the alphabets seen at their
//!   positions, so that text packs many characters into 63 bits and digits lie densely.
//!
//!     ranked := positions u8 | classes u8 | classes x bitmap[32] | positions x (class u8 | 0x80 if keys end here)
//!
//! Digit of position `j`: 0 if the key has ended (where some member has); else the byte's rank in the
//! alphabet, plus one where keys end. A byte outside the alphabet takes the rank of the next larger
//! symbol and zeros behind, or, with none larger, the largest digit and the largest ones behind. So two
//! keys that differ first at `j` are ordered by that digit or collide there with everything behind
//! minimal (the smaller) or maximal (the larger).
#![forbid(unsafe_code)]

use crate::base::coding::Reader;
use crate::base::{Error, Result};

/// Positions that one number may cover.
const MAX_POSITIONS: usize = 40;

/// Alphabets that positions may choose from.
const MAX_CLASSES: usize = 12;

/// Numbers stay below this.
const LIMIT: u128 = 1 << 63;

/// In a table entry: the byte itself is not in the alphabet.
const ABSENT: u16 = 1 << 15;

/// The next eight bytes, big-endian, zero padded.
#[inline]
pub(super) fn raw8(rest: &[u8]) -> u64 {
    if let Some(bytes) = rest.first_chunk::<8>() {
        return u64::from_be_bytes(*bytes);
    }
    rest.iter().enumerate().fold(0, |x, (i, &b)| x | (u64::from(b) << (56 - 8 * i)))
}

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Alphabet([u64; 4]);

impl Alphabet {
    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    fn size(&self) -> u16 {
        self.0.iter().map(|w| w.count_ones() as u16).sum()
    }

    fn union(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// For each byte the number of smaller symbols, marked if the byte is none itself.
    fn ranks(&self) -> [u16; 256] {
        let mut table = [0u16; 256];
        let mut rank = 0;
        for byte in 0..=255u8 {
            table[usize::from(byte)] = if self.has(byte) { rank } else { rank | ABSENT };
            rank += u16::from(self.has(byte));
        }
        table
    }
}

#[derive(Clone, Copy)]
struct Position {
    /// What a digit counts here: the product of the bases behind.
    weight: u64,
    /// Digits that there are here.
    base: u16,
    class: u8,
    /// 1 if a key may end at or before this position, which takes digit 0.
    ended: u8,
}

/// The ranked projection: alphabets learned from the keys it was built for.
#[derive(Clone)]
pub(super) struct Ranked {
    alphabets: Vec<Alphabet>,
    ranks: Vec<[u16; 256]>,
    positions: Vec<Position>,
}

impl std::fmt::Debug for Ranked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ranked({} positions, {} classes)", self.positions.len(), self.ranks.len())
    }
}

impl Ranked {
    /// Learns from `rests`, the keys behind their common prefix. `None` when there is nothing to learn.
    pub(super) fn learn<'a>(rests: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let mut seen = [Alphabet::default(); MAX_POSITIONS];
        let mut shortest = usize::MAX;
        for rest in rests {
            shortest = shortest.min(rest.len());
            for (alphabet, &byte) in seen.iter_mut().zip(rest) {
                alphabet.insert(byte);
            }
        }
        let ended = |j: usize| u16::from(shortest <= j);
        let mut wanted: Vec<Alphabet> = Vec::new();
        let mut product = 1u128;
        for (j, alphabet) in seen.iter().enumerate() {
            product *= u128::from(alphabet.size() + ended(j));
            if alphabet.size() == 0 || product > LIMIT {
                break;
            }
            wanted.push(*alphabet);
        }
        let (alphabets, class_of) = share(&wanted);
        let chosen: Vec<(u8, bool)> =
            class_of.iter().enumerate().map(|(j, &c)| (c, ended(j) == 1)).collect();
        Self::assemble(alphabets, &chosen)
    }

    /// As many of `chosen` (class, keys end here) as fit into a number.
    fn assemble(alphabets: Vec<Alphabet>, chosen: &[(u8, bool)]) -> Option<Self> {
        let mut positions = Vec::with_capacity(chosen.len());
        let mut product = 1u128;
        for &(class, ended) in chosen {
            let base = alphabets.get(usize::from(class))?.size() + u16::from(ended);
            product *= u128::from(base);
            if product > LIMIT {
                break;
            }
            positions.push(Position { weight: 0, base, class, ended: u8::from(ended) });
        }
        let mut weight = 1u64;
        for position in positions.iter_mut().rev() {
            position.weight = weight;
            weight = weight.checked_mul(u64::from(position.base))?;
        }
        if positions.is_empty() {
            return None;
        }
        let ranks = alphabets.iter().map(Alphabet::ranks).collect();
        Some(Self { alphabets, ranks, positions })
    }

    /// Does this look no further into keys than [`raw8`], with no denser digits?
    pub(super) fn is_no_better_than_raw8(&self) -> bool {
        let bases: u32 = self.positions.iter().map(|p| u32::from(p.base)).sum();
        self.positions.len() <= 8 && bases >= 128 * self.positions.len() as u32
    }

    /// The number of `rest`.
    #[inline]
    pub(super) fn project(&self, rest: &[u8]) -> u64 {
        let mut x = 0u64;
        for (position, &byte) in self.positions.iter().zip(rest) {
            let Some(ranks) = self.ranks.get(usize::from(position.class)) else { return x };
            let entry = ranks[usize::from(byte)];
            let digit = u64::from(entry & !ABSENT) + u64::from(position.ended);
            if entry & ABSENT == 0 {
                x += digit * position.weight;
            } else if digit < u64::from(position.base) {
                return x + digit * position.weight;
            } else {
                return x + u64::from(position.base) * position.weight - 1;
            }
        }
        x
    }

    /// Bytes of memory beside the serialized form.
    pub(super) fn memory(&self) -> usize {
        self.ranks.len() * (512 + 32) + self.positions.len() * size_of::<Position>()
    }

    /// Appends the serialized form.
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        to.push(self.positions.len() as u8);
        to.push(self.alphabets.len() as u8);
        for alphabet in &self.alphabets {
            for word in alphabet.0 {
                to.extend_from_slice(&word.to_le_bytes());
            }
        }
        to.extend(self.positions.iter().map(|p| p.class | (p.ended << 7)));
    }

    /// Passes over the serialized form without reading it.
    pub(super) fn skip(from: &mut Reader<'_>) -> Result<()> {
        let positions = usize::from(from.u8()?);
        let classes = usize::from(from.u8()?);
        from.bytes(32 * classes + positions).map(|_| ())
    }

    /// Reads the serialized form; any that projects monotonically below 2^63 is accepted.
    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self> {
        let bad = || Error::corruption("bad ranked projection");
        let positions = usize::from(from.u8()?);
        let classes = usize::from(from.u8()?);
        if positions == 0 || positions > MAX_POSITIONS || classes == 0 || classes > MAX_CLASSES {
            return Err(bad());
        }
        let mut alphabets = Vec::with_capacity(classes);
        for _ in 0..classes {
            let mut alphabet = Alphabet::default();
            for word in &mut alphabet.0 {
                *word = from.u64()?;
            }
            if alphabet.size() == 0 {
                return Err(bad());
            }
            alphabets.push(alphabet);
        }
        let chosen: Vec<(u8, bool)> =
            from.bytes(positions)?.iter().map(|b| (b & 0x7F, b & 0x80 != 0)).collect();
        let ranked = Self::assemble(alphabets, &chosen).ok_or_else(bad)?;
        if ranked.positions.len() == positions { Ok(ranked) } else { Err(bad()) }
    }
}

/// At most [`MAX_CLASSES`] alphabets of which each of `wanted` is a part, and which one serves each.
/// Two that grow least by it are merged first.
fn share(wanted: &[Alphabet]) -> (Vec<Alphabet>, Vec<u8>) {
    let mut classes: Vec<Alphabet> = Vec::new();
    let mut class_of: Vec<u8> = Vec::new();
    for alphabet in wanted {
        let class = classes.iter().position(|c| c == alphabet).unwrap_or_else(|| {
            classes.push(*alphabet);
            classes.len() - 1
        });
        class_of.push(class as u8);
    }
    while classes.len() > MAX_CLASSES {
        let growth = |a: usize, b: usize| {
            let both = classes[a].union(&classes[b]).size();
            2 * both - classes[a].size() - classes[b].size()
        };
        let (a, b) = (0..classes.len())
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .min_by_key(|&(a, b)| growth(a, b))
            .expect("more than one class");
        classes[a] = classes[a].union(&classes[b]);
        classes.swap_remove(b);
        let moved = classes.len() as u8;
        for class in &mut class_of {
            if usize::from(*class) == b {
                *class = a as u8;
            } else if *class == moved {
                *class = b as u8;
            }
        }
    }
    (classes, class_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::learned::keysets;

    fn assert_monotone(project: impl Fn(&[u8]) -> u64, keys: &mut [Vec<u8>], what: &str) {
        keys.sort();
        for pair in keys.windows(2) {
            assert!(project(&pair[0]) <= project(&pair[1]), "{what}: {pair:02x?}");
        }
    }

    #[test]
    fn raw8_is_the_zero_padded_big_endian_number() {
        assert_eq!(raw8(b""), 0);
        assert_eq!(raw8(b"\x01"), 1 << 56);
        assert_eq!(raw8(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), 0x0102_0304_0506_0708);
    }

    #[test]
    fn both_projections_are_monotone_over_seen_and_unseen_keys() {
        let mut dice = keysets::Dice::new("mutations", 11);
        for set in keysets::STRING_SETS {
            let mut keys = keysets::strings(set, 400, 3);
            let ranked = Ranked::learn(keys.iter().map(Vec::as_slice)).expect("keys have bytes");
            let members = keys.clone();
            for key in &members {
                for _ in 0..4 {
                    keys.push(keysets::mutated(key, &mut dice));
                }
            }
            assert_monotone(raw8, &mut keys, set);
            assert_monotone(|k| ranked.project(k), &mut keys, set);
        }
    }

    #[test]
    fn ranked_is_monotone_over_all_short_strings_of_a_small_alphabet() {
        let mut keys: Vec<Vec<u8>> = vec![Vec::new()];
        for length in 0..4 {
            let longest: Vec<_> = keys.iter().filter(|k| k.len() == length).cloned().collect();
            for key in longest {
                keys.extend([0, 3, 4, 5, 9, 255].map(|b| [key.as_slice(), &[b]].concat()));
            }
        }
        let mut rng = Rng::new(5);
        for _ in 0..60 {
            let members: Vec<_> = (0..1 + rng.below(6))
                .map(|_| &keys[rng.below(keys.len() as u64) as usize])
                .collect();
            if let Some(ranked) = Ranked::learn(members.iter().map(|k| k.as_slice())) {
                assert_monotone(|k| ranked.project(k), &mut keys.clone(), "small alphabet");
            }
        }
    }

    #[test]
    fn ranked_comes_back_from_its_bytes() {
        for set in keysets::STRING_SETS {
            let keys = keysets::strings(set, 300, 1);
            let ranked = Ranked::learn(keys.iter().map(Vec::as_slice)).expect("keys have bytes");
            let mut bytes = Vec::new();
            ranked.encode(&mut bytes);
            let again = Ranked::decode(&mut Reader::new(&bytes)).expect("just encoded");
            for key in &keys {
                assert_eq!(ranked.project(key), again.project(key));
            }
            for cut in 0..bytes.len() {
                assert!(Ranked::decode(&mut Reader::new(&bytes[..cut])).is_err());
            }
        }
    }

    #[test]
    fn decimal_digits_are_packed_densely() {
        let keys: Vec<Vec<u8>> = (0..1000u32).map(|i| format!("{i:03}").into_bytes()).collect();
        let ranked = Ranked::learn(keys.iter().map(Vec::as_slice)).expect("digits");
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(ranked.project(key), i as u64);
        }
    }
}
