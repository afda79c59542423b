//! Checksums and hashes by RocksDB's numbers.
//!
//! Block checksums run over the stored bytes and the compression byte behind them:
//!
//!     0 none      0
//!     1 crc32c    masked CRC-32C
//!     2 xxHash    XXH32
//!     3 xxHash64  low half of XXH64
//!     4 XXH3      low half of XXH3-64 of the bytes alone, XOR type byte * 0x6b9083d9
//!
//! [`xxph3`] is the hash of filters. It is a preview release of XXH3 whose results differ from the
//! final one at every length, so no library has it; [`hash32`] is the older hash of filters and of
//! hash tables in data blocks.
#![forbid(unsafe_code)]

use super::coding::{u32_at, u64_at};
use xxhash_rust::{xxh3, xxh32::Xxh32, xxh64::Xxh64};

/// No checksum.
pub const NONE: u8 = 0;
/// Masked CRC-32C.
pub const CRC32C: u8 = 1;
/// XXH32.
pub const XXHASH: u8 = 2;
/// XXH64, low half.
pub const XXHASH64: u8 = 3;
/// XXH3-64, low half.
pub const XXH3: u8 = 4;

/// Is there a checksum of this number?
#[must_use]
pub fn is_known(kind: u8) -> bool {
    kind <= XXH3
}

/// The checksum of kind `kind` over `data` and the byte `last` behind it. Kinds that
/// [`is_known`] denies count as none; a table with such a footer is refused before.
#[must_use]
pub fn block(kind: u8, data: &[u8], last: u8) -> u32 {
    match kind {
        CRC32C => crc32c_masked(&[data, &[last]]),
        XXHASH => {
            let mut h = Xxh32::new(0);
            h.update(data);
            h.update(&[last]);
            h.digest()
        }
        XXHASH64 => {
            let mut h = Xxh64::new(0);
            h.update(data);
            h.update(&[last]);
            h.digest() as u32
        }
        XXH3 => xxh3_64(data) as u32 ^ u32::from(last).wrapping_mul(0x6B90_83D9),
        _ => 0,
    }
}

/// What format version 6 and later add to a checksum, so that a block read from another place or
/// another file does not pass. `base` is the footer's number.
#[inline]
#[must_use]
pub fn context_modifier(base: u32, offset: u64) -> u32 {
    if base == 0 {
        return 0;
    }
    base ^ (offset as u32).wrapping_add((offset >> 32) as u32)
}

/// Continues a CRC-32C over `data`.
#[inline]
#[must_use]
pub fn crc32c_extend(crc: u32, data: &[u8]) -> u32 {
    crc32c::crc32c_append(crc, data)
}

/// The masked CRC-32C of the parts, one behind the other.
#[must_use]
pub fn crc32c_masked(parts: &[&[u8]]) -> u32 {
    mask(parts.iter().fold(0, |crc, part| crc32c_extend(crc, part)))
}

/// Masks a CRC, so that data which holds CRCs does not confuse it.
#[inline]
#[must_use]
pub fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xA282_EAD8)
}

/// Undoes [`mask`].
#[inline]
#[must_use]
pub fn unmask(masked: u32) -> u32 {
    masked.wrapping_sub(0xA282_EAD8).rotate_left(15)
}

/// The final XXH3-64, seed 0.
#[inline]
#[must_use]
pub fn xxh3_64(data: &[u8]) -> u64 {
    xxh3::xxh3_64(data)
}

/// The final XXH3-128 with a seed.
#[must_use]
pub fn xxh3_128(data: &[u8], seed: u64) -> u128 {
    xxh3::xxh3_128_with_seed(data, seed)
}

/// RocksDB's old 32-bit hash. The last one to three bytes count as signed.
#[must_use]
pub fn hash32(data: &[u8], seed: u32) -> u32 {
    const M: u32 = 0xC6A4_A793;
    let mut h = seed ^ (data.len() as u32).wrapping_mul(M);
    let mut words = data.chunks_exact(4);
    for word in &mut words {
        h = h.wrapping_add(u32_at(word, 0).unwrap_or(0)).wrapping_mul(M);
        h ^= h >> 16;
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        for (i, &b) in rest.iter().enumerate() {
            h = h.wrapping_add((i32::from(b as i8) << (8 * i)) as u32);
        }
        h = h.wrapping_mul(M);
        h ^= h >> 24;
    }
    h
}

const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

const P32_1: u64 = 0x9E37_79B1;
const P32_2: u64 = 0x85EB_CA77;
const P32_3: u64 = 0xC2B2_AE3D;
const P64_1: u64 = 0x9E37_79B1_85EB_CA87;
const P64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P64_3: u64 = 0x1656_67B1_9E37_79F9;
const P64_4: u64 = 0x85EB_CA77_C2B2_AE63;
const P64_5: u64 = 0x27D4_EB2F_1656_67C5;

/// The fixed64 of `bytes` at `at`; every caller stays inside.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64_at(bytes, at).unwrap_or(0)
}

#[inline]
fn secret(at: usize) -> u64 {
    word(&SECRET, at)
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn avalanche(mut h: u64) -> u64 {
    h ^= h >> 37;
    h = h.wrapping_mul(P64_3);
    h ^ (h >> 32)
}

#[inline]
fn mix(d: &[u8], i: usize, j: usize) -> u64 {
    fold(word(d, i) ^ secret(j), word(d, i + 8) ^ secret(j + 8))
}

/// The 64-bit hash of filters: the preview of XXH3, seed 0.
#[inline]
#[must_use]
pub fn xxph3(d: &[u8]) -> u64 {
    let n = d.len();
    match n {
        9..=16 => {
            let a = word(d, 0) ^ secret(0);
            let b = word(d, n - 8) ^ secret(8);
            let sum = (n as u64).wrapping_add(a).wrapping_add(b);
            avalanche(sum.wrapping_add(fold(a, b)))
        }
        4..=8 => {
            let low = u64::from(u32_at(d, 0).unwrap_or(0));
            let high = u64::from(u32_at(d, n - 4).unwrap_or(0));
            let k = (low | high << 32) ^ secret(0);
            let m = (n as u64).wrapping_add((k ^ (k >> 51)).wrapping_mul(P32_1));
            avalanche((m ^ (m >> 47)).wrapping_mul(P64_2))
        }
        0 => fold(secret(0), P64_2),
        1..=3 => {
            let byte = |i: usize| u64::from(d[i]);
            let c = byte(0) | byte(n >> 1) << 8 | byte(n - 1) << 16 | (n as u64) << 24;
            avalanche((c ^ (secret(0) & 0xFFFF_FFFF)).wrapping_mul(P64_1))
        }
        17..=128 => {
            let mut acc = (n as u64).wrapping_mul(P64_1);
            for q in (0..4).rev() {
                if n > 32 * q {
                    acc = acc.wrapping_add(mix(d, 16 * q, 32 * q));
                    acc = acc.wrapping_add(mix(d, n - 16 * (q + 1), 32 * q + 16));
                }
            }
            avalanche(acc)
        }
        129..=240 => {
            let mut acc = (n as u64).wrapping_mul(P64_1);
            for i in 0..8 {
                acc = acc.wrapping_add(mix(d, 16 * i, 16 * i));
            }
            acc = avalanche(acc);
            for i in 8..n / 16 {
                acc = acc.wrapping_add(mix(d, 16 * i, 16 * (i - 8) + 3));
            }
            avalanche(acc.wrapping_add(mix(d, n - 16, 119)))
        }
        _ => xxph3_long(d),
    }
}

fn xxph3_long(d: &[u8]) -> u64 {
    const BLOCK: usize = 1024;
    let n = d.len();
    let mut acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1];
    let stripe = |acc: &mut [u64; 8], o: usize, j: usize| {
        for (i, lane) in acc.iter_mut().enumerate() {
            let v = word(d, o + 8 * i);
            let k = v ^ secret(j + 8 * i);
            *lane = lane.wrapping_add(v).wrapping_add((k & 0xFFFF_FFFF) * (k >> 32));
        }
    };
    for block in 0..n / BLOCK {
        for r in 0..16 {
            stripe(&mut acc, block * BLOCK + 64 * r, 8 * r);
        }
        for (i, lane) in acc.iter_mut().enumerate() {
            *lane ^= *lane >> 47;
            *lane ^= secret(128 + 8 * i);
            *lane = lane.wrapping_mul(P32_1);
        }
    }
    let tail = n / BLOCK * BLOCK;
    for r in 0..(n - tail) / 64 {
        stripe(&mut acc, tail + 64 * r, 8 * r);
    }
    if !n.is_multiple_of(64) {
        stripe(&mut acc, n - 64, 121);
    }
    let mut h = (n as u64).wrapping_mul(P64_1);
    for i in 0..4 {
        let a = acc[2 * i] ^ secret(11 + 16 * i);
        let b = acc[2 * i + 1] ^ secret(19 + 16 * i);
        h = h.wrapping_add(fold(a, b));
    }
    avalanche(h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_checksums_have_rocksdbs_values() {
        let data = b"hello world";
        for (kind, plain, snappy) in [
            (NONE, 0, 0),
            (CRC32C, 0x57D8_2112, 0x55D5_BDC5),
            (XXHASH, 0x536C_D89E, 0xDC8B_119E),
            (XXHASH64, 0xA349_D802, 0x93E4_BF87),
            (XXH3, 0x40E6_988B, 0x2B76_1B52),
        ] {
            assert_eq!(block(kind, data, 0), plain, "kind {kind}");
            assert_eq!(block(kind, data, 1), snappy, "kind {kind}");
        }
    }

    #[test]
    fn the_mask_can_be_undone() {
        assert_eq!(crc32c_extend(0, b"123456789"), 0xE306_9283);
        assert_eq!(crc32c_masked(&[b"1234", b"", b"56789"]), 0xC78A_B0E5);
        for crc in [0, 1, 0xE306_9283, u32::MAX] {
            assert_eq!(unmask(mask(crc)), crc);
        }
    }

    fn counted(n: usize) -> Vec<u8> {
        (0..n).map(|i| (i % 251) as u8).collect()
    }

    #[test]
    fn hashes_of_every_length_class_have_rocksdbs_values() {
        let rows: [(Vec<u8>, u64, u64, u32, u32); 16] = [
            (vec![], 0x5342_c301_0fe1_dd04, 0x2d06_8005_38d3_94c2, 0xbc9f_1d34, 0x18d),
            (b"a".to_vec(), 0x88d8_68bf_6076_81c7, 0xe6c6_32b6_1e96_4e1f, 0x286e_9db0, 0x5c84_73b1),
            (
                b"abc".to_vec(),
                0xd39e_eb71_bb53_42e8,
                0x78af_5f94_892f_3950,
                0x855d_012f,
                0x1d9a_a392,
            ),
            (
                b"abcd".to_vec(),
                0x97a5_ba1d_02e8_378c,
                0x6497_a96f_53a8_9890,
                0xb9c8_3353,
                0x0c6f_6be9,
            ),
            (
                b"key00001".to_vec(),
                0xd01b_7c7e_7790_97a0,
                0xbfba_f3cc_fdf9_c744,
                0x760a_495f,
                0xa9a3_0e7b,
            ),
            (
                b"user000001".to_vec(),
                0x4de9_a5a9_81e1_fdce,
                0x4e23_e16a_870c_684f,
                0x40d3_9e1b,
                0x6e5e_1040,
            ),
            (counted(16), 0x4bfe_2ff1_655e_8360, 0x8355_e3a6_f617_70db, 0x120d_04dd, 0x52a5_d80b),
            (counted(17), 0x6dff_1ac9_6eef_2848, 0x9ef3_41a9_9de3_7328, 0x106e_f5b3, 0xf280_c7b1),
            (counted(64), 0x85a0_b130_6d97_b7f5, 0x6187_eb90_89b0_ed55, 0xf8b0_fdc4, 0x5944_d60d),
            (counted(128), 0x7aa5_db2c_8097_080b, 0x85c6_174c_7ff4_c46b, 0xfbf8_6c64, 0xb778_9816),
            (counted(129), 0xa06d_8174_3056_cebc, 0xec76_42b4_31ba_3e5a, 0x1c82_06a4, 0xb1e8_7c05),
            (counted(200), 0xd860_7562_8129_a666, 0xf42a_8864_feaf_0703, 0xe08e_60da, 0xc26d_c020),
            (counted(240), 0xd125_3a6d_ec8c_35fc, 0x375a_384d_957f_e865, 0x8453_afb0, 0xf09d_b105),
            (counted(241), 0xb78d_f601_6a18_c222, 0x02e8_cd95_421c_6d02, 0x293f_96bf, 0xd164_e2ac),
            (counted(1025), 0xe95a_3a59_2ded_01af, 0xe95c_4228_8f28_186e, 0x9348_bb71, 0xbd48_95ca),
            (counted(3000), 0xaff6_d83c_3dab_430b, 0x1b84_6747_012c_24aa, 0x86f6_ea9a, 0x6a4a_4a9b),
        ];
        for (input, preview, last, filter, table) in rows {
            let n = input.len();
            assert_eq!(xxph3(&input), preview, "preview, {n} bytes");
            assert_eq!(xxh3_64(&input), last, "final, {n} bytes");
            assert_eq!(hash32(&input, 0xBC9F_1D34), filter, "hash32, {n} bytes");
            assert_eq!(hash32(&input, 397), table, "hash32, {n} bytes");
        }
        assert_eq!(hash32(&[0x80, 0xFF, 0xFE], 397), 0xBD16_82E1);
    }

    #[test]
    fn the_preview_hash_agrees_with_filters_built_by_rocksdb() {
        let vectors = [
            (0usize, 0x5342_c301_0fe1_dd04u64),
            (1usize, 0xc913_a720_a232_4df4u64),
            (2usize, 0xfdb0_c4f2_7e68_2b9bu64),
            (3usize, 0x5d73_c7a7_b470_3d20u64),
            (4usize, 0x3eee_4d8c_ec30_fb56u64),
            (5usize, 0x9953_1c19_0703_4415u64),
            (6usize, 0xb62e_c821_f36f_3061u64),
            (7usize, 0xfa46_ff25_7d71_9f40u64),
            (8usize, 0x8824_07f4_3ae8_7754u64),
            (9usize, 0xcd41_5f9c_1ec2_613cu64),
            (10usize, 0x5769_d7a2_34d4_6650u64),
            (11usize, 0x3d64_6b1b_bf5e_5810u64),
            (12usize, 0x3eb1_ef38_0e50_e0fau64),
            (13usize, 0x9f15_c951_0c20_78f7u64),
            (14usize, 0x4c18_a999_71cb_81fcu64),
            (15usize, 0x1a74_e7e2_55b3_b36cu64),
            (16usize, 0x02f7_28e2_f7f0_7c6au64),
            (17usize, 0x8710_c8e9_df40_291du64),
            (18usize, 0x04a8_7cb4_7954_6777u64),
            (20usize, 0x8087_f482_05c4_c948u64),
            (22usize, 0x6824_6f11_7b26_1bf1u64),
            (23usize, 0xc43e_323e_4a6f_9211u64),
            (24usize, 0x2768_9e67_4010_37c6u64),
            (31usize, 0xd2f1_830c_0abd_b841u64),
            (32usize, 0xf106_ac69_0239_c126u64),
            (33usize, 0xf6a6_45de_996a_064bu64),
            (48usize, 0x8fc0_d110_fffa_45c7u64),
            (63usize, 0xda68_b558_1864_b8cau64),
            (64usize, 0x9e56_3353_6a02_69a3u64),
            (65usize, 0x4b29_810c_2611_9dceu64),
            (96usize, 0xac74_0afb_27a4_b30du64),
            (97usize, 0xa023_75bf_80d7_a4f9u64),
            (100usize, 0x597d_2043_9e73_1506u64),
            (127usize, 0x07fd_8c16_0957_a572u64),
            (128usize, 0xe0b9_2a58_0d50_d4afu64),
            (129usize, 0x06f6_6371_667f_6cbeu64),
            (144usize, 0x4a38_86e9_495e_5b13u64),
            (160usize, 0x723c_e791_84a7_3c70u64),
            (200usize, 0x7838_bd33_a64f_baacu64),
            (239usize, 0x0b56_b68a_f4d4_4d24u64),
            (240usize, 0x3d08_6703_3ff1_2990u64),
            (241usize, 0x7c68_8069_0dbd_bc2cu64),
            (255usize, 0xd2e0_4242_b4a0_f838u64),
            (256usize, 0xa685_8bb7_4ce1_c630u64),
            (257usize, 0x779b_ed33_3ab3_095au64),
            (300usize, 0xcd5b_69d4_a5b4_7e16u64),
            (511usize, 0x34c2_a1cd_31cd_7c1eu64),
            (512usize, 0x0404_c7ef_23e3_6a7du64),
            (513usize, 0x3942_3494_b6c8_c654u64),
            (1023usize, 0x4201_bffd_17ba_0bffu64),
            (1024usize, 0xcd67_abb2_ee91_41fau64),
            (1025usize, 0x7263_373e_2097_b663u64),
        ];
        for (n, expected) in vectors {
            let input: Vec<u8> = (0..n).map(|i| (7 * i + 1) as u8).collect();
            assert_eq!(xxph3(&input), expected, "{n} bytes");
        }
        for (key, expected) in [
            ("foo", 0x2540_784d_970d_de34u64),
            ("yes00000000000000000000", 0x2915_6412_2c76_8744),
            ("no00000000000000009999", 0xb411_8bc0_e810_f320),
        ] {
            assert_eq!(xxph3(key.as_bytes()), expected);
        }
    }
}
