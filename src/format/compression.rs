//! Block compression by RocksDB's numbers.
//!
//!     type  name      stored form, format version 2 and later              0 and 1
//!     1     Snappy    raw Snappy block, which knows its size               same
//!     2     Zlib      size varint32 | raw deflate stream                   no size
//!     4, 5  LZ4(HC)   size varint32 | LZ4 block                            size u64
//!     7     ZSTD      size varint32 | one frame                            same
//!     0x40  ZSTD of before its release, same
//!
//! A block that does not get smaller by an eighth is stored as it is. Sizes from disk are believed
//! only as far as the codec could have made them from what is stored, and never above 1 GiB.
//! BZip2 (3) and Xpress (6) are refused by name.
#![forbid(unsafe_code)]

use crate::base::coding::{Reader, put_u64, put_varint32};
use crate::base::{Error, Result};
use std::borrow::Cow;

/// As it is.
pub const NONE: u8 = 0;
/// Snappy.
pub const SNAPPY: u8 = 1;
/// Raw deflate.
pub const ZLIB: u8 = 2;
/// bzip2.
pub const BZIP2: u8 = 3;
/// LZ4.
pub const LZ4: u8 = 4;
/// LZ4, slower and smaller. Written as LZ4 writes it.
pub const LZ4HC: u8 = 5;
/// Windows' Xpress.
pub const XPRESS: u8 = 6;
/// Zstandard.
pub const ZSTD: u8 = 7;
/// Zstandard before its release.
pub const ZSTD_NOT_FINAL: u8 = 0x40;

/// A block never claims more.
pub const MAX_BLOCK_BYTES: u64 = 1 << 30;

/// The level that means the codec's own default.
pub const DEFAULT_LEVEL: i32 = 32_767;

/// How to compress.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The codec's level; [`DEFAULT_LEVEL`] for its default.
    pub level: i32,
    /// Raw dictionary, or one trained for Zstandard; empty for none.
    pub dictionary: &'a [u8],
    /// Zstandard's own checksum.
    pub checksum: bool,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self { level: DEFAULT_LEVEL, dictionary: &[], checksum: false }
    }
}

/// Can this build compress and decompress this type?
#[must_use]
pub fn is_supported(kind: u8) -> bool {
    match kind {
        ZLIB => cfg!(feature = "zlib"),
        ZSTD | ZSTD_NOT_FINAL => cfg!(feature = "zstd"),
        _ => matches!(kind, NONE | SNAPPY | LZ4 | LZ4HC),
    }
}

/// The name in table properties.
#[must_use]
pub fn name(kind: u8) -> &'static str {
    match kind {
        NONE => "NoCompression",
        SNAPPY => "Snappy",
        ZLIB => "Zlib",
        BZIP2 => "BZip2",
        LZ4 => "LZ4",
        LZ4HC => "LZ4HC",
        XPRESS => "Xpress",
        ZSTD => "ZSTD",
        ZSTD_NOT_FINAL => "ZSTDNotFinal",
        _ => "Unknown",
    }
}

fn unsupported(kind: u8) -> Error {
    Error::not_supported(format!(
        "compression type {} ({kind:#04x}) is not supported in this build",
        name(kind)
    ))
}

/// Compresses `data` into `out`, whose old content goes, in the form of format version `version`.
/// False when that saves less than an eighth or the codec is not there: store the block as it is.
pub fn compress(
    kind: u8,
    settings: &Settings<'_>,
    version: u32,
    data: &[u8],
    out: &mut Vec<u8>,
) -> bool {
    out.clear();
    let Ok(size) = u32::try_from(data.len()) else { return false };
    if u64::from(size) > MAX_BLOCK_BYTES || kind == NONE || !is_supported(kind) {
        return false;
    }
    match kind {
        LZ4 | LZ4HC if version < 2 => put_u64(out, u64::from(size)),
        LZ4 | LZ4HC | ZSTD | ZSTD_NOT_FINAL => put_varint32(out, size),
        ZLIB if version >= 2 => put_varint32(out, size),
        _ => {}
    }
    let done = match kind {
        SNAPPY => compress_snappy(data, out),
        LZ4 | LZ4HC => compress_lz4(settings, data, out),
        #[cfg(feature = "zlib")]
        ZLIB => deflate::compress(settings, data, out),
        #[cfg(feature = "zstd")]
        ZSTD | ZSTD_NOT_FINAL => zstandard::compress(settings, data, out),
        _ => false,
    };
    done && out.len() <= data.len() - data.len() / 8
}

/// Undoes [`compress`].
pub fn decompress(kind: u8, version: u32, stored: &[u8]) -> Result<Vec<u8>> {
    decompress_with(kind, version, stored, &[])
}

/// [`decompress`] of a block that was compressed with a dictionary; empty means none.
pub fn decompress_with(
    kind: u8,
    version: u32,
    stored: &[u8],
    dictionary: &[u8],
) -> Result<Vec<u8>> {
    let mut r = Reader::new(stored);
    match kind {
        NONE => Ok(stored.to_vec()),
        SNAPPY => {
            let size = Reader::new(stored).varint32()?;
            let mut out = buffer(u64::from(size), stored.len(), 64)?;
            let n = snap::raw::Decoder::new()
                .decompress(stored, &mut out)
                .map_err(|e| bad("Snappy", &e))?;
            whole("Snappy", n, out)
        }
        LZ4 | LZ4HC => {
            let size = if version < 2 { r.u64()? } else { u64::from(r.varint32()?) };
            let mut out = buffer(size, stored.len(), 256)?;
            let n = if dictionary.is_empty() {
                lz4_flex::block::decompress_into(r.rest(), &mut out)
            } else {
                lz4_flex::block::decompress_into_with_dict(r.rest(), &mut out, dictionary)
            };
            whole("LZ4", n.map_err(|e| bad("LZ4", &e))?, out)
        }
        #[cfg(feature = "zlib")]
        ZLIB if version < 2 => deflate::decompress_unsized(stored),
        #[cfg(feature = "zlib")]
        ZLIB => {
            let out = buffer(u64::from(r.varint32()?), stored.len(), deflate::MAX_RATIO)?;
            deflate::decompress(r.rest(), out, dictionary)
        }
        #[cfg(feature = "zstd")]
        ZSTD | ZSTD_NOT_FINAL => {
            let out = buffer(u64::from(r.varint32()?), stored.len(), zstandard::MAX_RATIO)?;
            zstandard::decompress(r.rest(), out, dictionary)
        }
        _ => Err(unsupported(kind)),
    }
}

/// The stored bytes themselves where they are not compressed.
pub fn decompress_cow<'a>(
    kind: u8,
    version: u32,
    stored: &'a [u8],
    dictionary: &[u8],
) -> Result<Cow<'a, [u8]>> {
    if kind == NONE {
        return Ok(Cow::Borrowed(stored));
    }
    decompress_with(kind, version, stored, dictionary).map(Cow::Owned)
}

/// `size` zeros, if `stored` bytes could have become so many at `ratio` bytes for one.
fn buffer(size: u64, stored: usize, ratio: u64) -> Result<Vec<u8>> {
    let possible = (stored as u64).saturating_mul(ratio).saturating_add(64);
    if size > MAX_BLOCK_BYTES || size > possible {
        return Err(Error::corruption(format!(
            "compressed block of {stored} bytes claims to hold {size} bytes"
        )));
    }
    Ok(vec![0; size as usize])
}

fn bad(codec: &str, why: &dyn std::fmt::Display) -> Error {
    Error::corruption(format!("corrupted compressed block contents: {codec}: {why}"))
}

fn whole(codec: &str, n: usize, out: Vec<u8>) -> Result<Vec<u8>> {
    if n == out.len() {
        return Ok(out);
    }
    Err(bad(codec, &format_args!("{n} bytes instead of {}", out.len())))
}

fn compress_snappy(data: &[u8], out: &mut Vec<u8>) -> bool {
    thread_local! {
        static ENCODER: std::cell::RefCell<snap::raw::Encoder> =
            std::cell::RefCell::new(snap::raw::Encoder::new());
    }
    out.resize(snap::raw::max_compress_len(data.len()), 0);
    match ENCODER.with_borrow_mut(|encoder| encoder.compress(data, out)) {
        Ok(n) => {
            out.truncate(n);
            true
        }
        Err(_) => false,
    }
}

fn compress_lz4(settings: &Settings<'_>, data: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    out.resize(start + lz4_flex::block::get_maximum_output_size(data.len()), 0);
    let Some(room) = out.get_mut(start..) else { return false };
    let n = if settings.dictionary.is_empty() {
        lz4_flex::block::compress_into(data, room)
    } else {
        lz4_flex::block::compress_into_with_dict(data, room, settings.dictionary)
    };
    match n {
        Ok(n) => {
            out.truncate(start + n);
            true
        }
        Err(_) => false,
    }
}

#[cfg(feature = "zlib")]
mod deflate {
    use super::{DEFAULT_LEVEL, MAX_BLOCK_BYTES, Settings, bad, whole};
    use crate::base::{Error, Result};
    use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

    /// What one stored byte can become at most.
    pub(super) const MAX_RATIO: u64 = 1032;

    pub(super) fn compress(settings: &Settings<'_>, data: &[u8], out: &mut Vec<u8>) -> bool {
        let level = match settings.level {
            DEFAULT_LEVEL => Compression::default(),
            level => Compression::new(level.clamp(0, 9) as u32),
        };
        let mut z = Compress::new(level, false);
        // More is not worth keeping.
        let start = out.len();
        out.resize(start + data.len(), 0);
        let Some(room) = out.get_mut(start..) else { return false };
        let done = matches!(z.compress(data, room, FlushCompress::Finish), Ok(Status::StreamEnd));
        out.truncate(start + z.total_out() as usize);
        done
    }

    pub(super) fn decompress(
        stored: &[u8],
        mut out: Vec<u8>,
        dictionary: &[u8],
    ) -> Result<Vec<u8>> {
        if !dictionary.is_empty() {
            return Err(Error::not_supported("Zlib blocks with a compression dictionary"));
        }
        let mut z = Decompress::new(false);
        let status =
            z.decompress(stored, &mut out, FlushDecompress::Finish).map_err(|e| bad("Zlib", &e))?;
        // An empty output has no room in which the end could be seen.
        if status != Status::StreamEnd && !out.is_empty() {
            return Err(bad("Zlib", &"no end within the size claimed"));
        }
        whole("Zlib", z.total_out() as usize, out)
    }

    /// Of format versions 0 and 1, which do not say the size.
    pub(super) fn decompress_unsized(stored: &[u8]) -> Result<Vec<u8>> {
        let limit =
            (stored.len() as u64).saturating_mul(MAX_RATIO).min(MAX_BLOCK_BYTES) as usize + 64;
        let mut z = Decompress::new(false);
        let mut out = Vec::with_capacity((stored.len() * 4).min(limit));
        loop {
            let rest = stored.get(z.total_in() as usize..).unwrap_or(&[]);
            let before = (z.total_in(), z.total_out());
            let status = z
                .decompress_vec(rest, &mut out, FlushDecompress::None)
                .map_err(|e| bad("Zlib", &e))?;
            if status == Status::StreamEnd {
                return Ok(out);
            }
            let stuck = before == (z.total_in(), z.total_out());
            if out.len() >= limit || (stuck && out.len() < out.capacity()) {
                return Err(bad("Zlib", &"no end"));
            }
            out.reserve(out.len().max(4096).min(limit));
        }
    }
}

#[cfg(feature = "zstd")]
mod zstandard {
    use super::{DEFAULT_LEVEL, Settings, bad, whole};
    use crate::base::Result;
    use std::cell::RefCell;
    use zstd::bulk::{Compressor, Decompressor};
    use zstd::zstd_safe::CParameter;

    /// What one stored byte can become at most: a block of 128 KiB takes four, and a frame around it more.
    pub(super) const MAX_RATIO: u64 = 128 << 10;

    struct Cached<T> {
        context: T,
        level: i32,
        checksum: bool,
        dictionary: Vec<u8>,
    }

    thread_local! {
        // Contexts are large and slow to make. A thread works on one table at a time mostly, so the
        // last dictionary is the next.
        static COMPRESSOR: RefCell<Option<Cached<Compressor<'static>>>> = const { RefCell::new(None) };
        static DECOMPRESSOR: RefCell<Option<Cached<Decompressor<'static>>>> = const { RefCell::new(None) };
    }

    fn compressor(level: i32, s: &Settings<'_>) -> std::io::Result<Cached<Compressor<'static>>> {
        let mut context = Compressor::with_dictionary(level, s.dictionary)?;
        context.set_parameter(CParameter::ChecksumFlag(s.checksum))?;
        Ok(Cached { context, level, checksum: s.checksum, dictionary: s.dictionary.to_vec() })
    }

    pub(super) fn compress(settings: &Settings<'_>, data: &[u8], out: &mut Vec<u8>) -> bool {
        let level = if settings.level == DEFAULT_LEVEL { 3 } else { settings.level };
        let start = out.len();
        out.resize(start + zstd::zstd_safe::compress_bound(data.len()), 0);
        let Some(room) = out.get_mut(start..) else { return false };
        let n = COMPRESSOR.with_borrow_mut(|slot| {
            let fits = |c: &Cached<_>| {
                c.level == level
                    && c.checksum == settings.checksum
                    && c.dictionary == settings.dictionary
            };
            if !slot.as_ref().is_some_and(fits) {
                *slot = compressor(level, settings).ok();
            }
            slot.as_mut()?.context.compress_to_buffer(data, room).ok()
        });
        match n {
            Some(n) => {
                out.truncate(start + n);
                true
            }
            None => false,
        }
    }

    pub(super) fn decompress(
        stored: &[u8],
        mut out: Vec<u8>,
        dictionary: &[u8],
    ) -> Result<Vec<u8>> {
        let n = DECOMPRESSOR.with_borrow_mut(|slot| {
            if slot.as_ref().is_none_or(|c| c.dictionary != dictionary) {
                let context = Decompressor::with_dictionary(dictionary)?;
                *slot = Some(Cached {
                    context,
                    level: 0,
                    checksum: false,
                    dictionary: dictionary.to_vec(),
                });
            }
            match slot.as_mut() {
                Some(c) => c.context.decompress_to_buffer(stored, &mut out[..]),
                None => Ok(0),
            }
        });
        whole("ZSTD", n.map_err(|e: std::io::Error| bad("ZSTD", &e))?, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    const ALL: [u8; 6] = [SNAPPY, ZLIB, LZ4, LZ4HC, ZSTD, ZSTD_NOT_FINAL];

    fn text(n: usize) -> Vec<u8> {
        (0..n).flat_map(|i| format!("user{:06}-value ", i / 3).into_bytes()).collect()
    }

    #[test]
    fn every_codec_and_version_gives_the_block_back() {
        let dictionary = text(50);
        for kind in ALL {
            for version in [0, 2, 5] {
                for level in [DEFAULT_LEVEL, 1, 9] {
                    let data = text(300);
                    let mut out = vec![1, 2, 3];
                    let settings = Settings { level, ..Settings::default() };
                    assert!(compress(kind, &settings, version, &data, &mut out), "{}", name(kind));
                    assert!(out.len() < data.len() / 2);
                    assert_eq!(decompress(kind, version, &out).unwrap(), data, "{}", name(kind));
                }
            }
            if matches!(kind, LZ4 | ZSTD) {
                let mut out = Vec::new();
                let settings = Settings { dictionary: &dictionary, ..Settings::default() };
                assert!(compress(kind, &settings, 5, &text(60), &mut out));
                assert_eq!(decompress_with(kind, 5, &out, &dictionary).unwrap(), text(60));
            }
        }
    }

    #[test]
    fn what_does_not_shrink_is_not_compressed() {
        let noise = Rng::new(3).bytes(4096);
        for kind in ALL {
            assert!(!compress(kind, &Settings::default(), 5, &noise, &mut Vec::new()));
        }
        for kind in [BZIP2, XPRESS, 0x90] {
            assert!(!compress(kind, &Settings::default(), 5, &text(100), &mut Vec::new()));
            let e = decompress(kind, 5, b"abc").unwrap_err();
            assert_eq!(e.kind(), crate::base::ErrorKind::NotSupported);
        }
    }

    #[test]
    fn absurd_sizes_are_refused_before_they_are_allocated() {
        for kind in ALL {
            let mut stored = Vec::new();
            put_varint32(&mut stored, u32::MAX);
            stored.extend_from_slice(&[0; 20]);
            if kind != ZLIB {
                assert!(decompress(kind, 0, &stored).unwrap_err().is_corruption());
            }
            assert!(decompress(kind, 5, &stored).unwrap_err().is_corruption());
        }
    }

    #[test]
    fn damage_is_an_error_or_another_block_but_no_panic() {
        let mut rng = Rng::new(4);
        for kind in ALL {
            for version in [1, 5] {
                let mut good = Vec::new();
                assert!(compress(kind, &Settings::default(), version, &text(100), &mut good));
                for _ in 0..300 {
                    let mut bad = good.clone();
                    let at = rng.below(bad.len() as u64) as usize;
                    bad[at] ^= 1 << rng.below(8);
                    if rng.one_in(4) {
                        bad.truncate(rng.below(bad.len() as u64) as usize);
                    }
                    if let Ok(block) = decompress(kind, version, &bad) {
                        assert!(block.len() as u64 <= MAX_BLOCK_BYTES);
                    }
                }
            }
        }
    }
}
