//! Where blocks are, what stands behind each, and the footer that a table is opened by.
//!
//!     handle   := offset varint64 | size varint64              size without the trailer
//!     trailer  := compression u8 | checksum u32
//!
//!     footer 0      := metaindex handle | index handle | zeros to 40 | old magic u64      48 bytes
//!     footer 1..=5  := checksum u8 | metaindex handle | index handle | zeros to 41
//!                      | version u32 | magic u64                                          53 bytes
//!     footer 6, 7   := checksum u8 | 3e 00 7a 00 | footer checksum u32 | base u32
//!                      | metaindex size u32 | ignored 16 | zeros 8 | version u32 | magic u64
//!
//! From version 6 on the metaindex ends where the footer starts and names the index, and every
//! checksum has a number added that depends on the block's offset and the file's base.
#![forbid(unsafe_code)]

use crate::base::checksum;
use crate::base::coding::{Reader, put_u32, put_u64, put_varint64, u32_at, u64_at};
use crate::base::{Error, Result};

/// Bytes behind each block.
pub const TRAILER_BYTES: usize = 5;

/// Bytes that the longest footer takes.
pub const MAX_FOOTER_BYTES: usize = 53;

/// Bytes that the oldest footer takes.
pub const MIN_FOOTER_BYTES: usize = 48;

/// The newest version that we read.
pub const MAX_VERSION: u32 = 7;

/// The newest version that we write.
pub const MAX_WRITTEN_VERSION: u32 = 5;

const MAGIC: u64 = 0x88E2_41B7_85F4_CFF7;
const OLD_MAGIC: u64 = 0xDB47_7524_8B80_FB57;
const OTHER_MAGICS: [u64; 3] =
    [0x8242_2296_63BF_9564, 0x4F34_18EB_7A8F_13B8, 0x9267_89D0_C5F1_7873];
const EXTENDED: [u8; 4] = [0x3E, 0x00, 0x7A, 0x00];

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockHandle {
    /// First byte.
    pub offset: u64,
    /// Bytes without the trailer.
    pub size: u64,
}

impl BlockHandle {
    /// Bytes that the longest handle takes.
    pub const MAX_BYTES: usize = 20;

    /// Appends the handle.
    pub fn encode(self, to: &mut Vec<u8>) {
        put_varint64(to, self.offset);
        put_varint64(to, self.size);
    }

    /// Reads a handle off the front.
    #[inline]
    pub fn read(from: &mut Reader<'_>) -> Result<Self> {
        let offset = from.varint64()?;
        let size = from.varint64()?;
        Ok(Self { offset, size })
    }

    /// Where the block's trailer ends, if that is a number.
    #[must_use]
    pub fn end(self) -> Option<u64> {
        self.offset.checked_add(self.size)?.checked_add(TRAILER_BYTES as u64)
    }

    /// Refuses a handle that does not lie within the first `limit` bytes. To be called before
    /// anything is allocated for the block.
    pub fn check(self, limit: u64) -> Result<Self> {
        if self.end().is_some_and(|end| end <= limit) {
            return Ok(self);
        }
        Err(Error::corruption(format!(
            "block handle out of file: offset {}, size {}, limit {limit}",
            self.offset, self.size
        )))
    }
}

/// What the end of a table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// Format version, 0 to 7.
    pub version: u32,
    /// Checksum of blocks.
    pub checksum: u8,
    /// The metaindex.
    pub metaindex: BlockHandle,
    /// The index; from version 6 on the metaindex knows.
    pub index: Option<BlockHandle>,
    /// What checksums depend on from version 6 on; 0 before.
    pub base_context: u32,
    /// Where the footer starts: no block reaches further.
    pub offset: u64,
}

impl Footer {
    /// A footer to write: version 5 at most.
    #[must_use]
    pub fn new(version: u32, checksum: u8, metaindex: BlockHandle, index: BlockHandle) -> Self {
        assert!(version <= MAX_WRITTEN_VERSION && checksum::is_known(checksum));
        assert!(version > 0 || checksum == checksum::CRC32C, "version 0 knows CRC-32C alone");
        Self { version, checksum, metaindex, index: Some(index), base_context: 0, offset: 0 }
    }

    /// The bytes of a footer made by [`Footer::new`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(MAX_FOOTER_BYTES);
        if self.version > 0 {
            out.push(self.checksum);
        }
        let end = out.len() + 40;
        self.metaindex.encode(&mut out);
        self.index.unwrap_or_default().encode(&mut out);
        out.resize(end, 0);
        if self.version == 0 {
            put_u64(&mut out, OLD_MAGIC);
        } else {
            put_u32(&mut out, self.version);
            put_u64(&mut out, MAGIC);
        }
        out
    }

    /// Reads the footer from `tail`, the last bytes of a file of `file_size` bytes: all there are,
    /// or at least [`MAX_FOOTER_BYTES`].
    pub fn decode(tail: &[u8], file_size: u64) -> Result<Self> {
        if tail.len() < MIN_FOOTER_BYTES || (tail.len() as u64) > file_size {
            return Err(Error::corruption(format!(
                "file is too short ({file_size} bytes) to be an sstable"
            )));
        }
        let magic = u64_at(tail, tail.len() - 8).unwrap_or(0);
        if OTHER_MAGICS.contains(&magic) {
            return Err(Error::not_supported("plain and cuckoo tables"));
        }
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(Error::corruption(format!(
                "Bad table magic number: expected {MAGIC:#x}, found {magic:#x}"
            )));
        }
        let bytes = if magic == OLD_MAGIC { MIN_FOOTER_BYTES } else { MAX_FOOTER_BYTES };
        let Some(footer) = tail.len().checked_sub(bytes).and_then(|at| tail.get(at..)) else {
            return Err(Error::corruption(format!(
                "file is too short ({file_size} bytes) to be an sstable"
            )));
        };
        let offset = file_size - bytes as u64;
        let mut r = Reader::new(footer);
        if magic == OLD_MAGIC {
            return Self::handles(0, checksum::CRC32C, &mut r, offset);
        }
        let checksum = r.u8()?;
        let version = u32_at(footer, 41).unwrap_or(0);
        if version == 0 || version > MAX_VERSION {
            return Err(Error::corruption(format!("unknown format version {version} in footer")));
        }
        if !checksum::is_known(checksum) {
            return Err(Error::corruption(format!("unknown checksum type {checksum} in footer")));
        }
        if version < 6 {
            Self::handles(version, checksum, &mut r, offset)
        } else {
            Self::extended(version, checksum, footer, offset)
        }
    }

    fn handles(version: u32, checksum: u8, r: &mut Reader<'_>, offset: u64) -> Result<Self> {
        let metaindex = BlockHandle::read(r)?.check(offset)?;
        let index = BlockHandle::read(r)?.check(offset)?;
        Ok(Self { version, checksum, metaindex, index: Some(index), base_context: 0, offset })
    }

    fn extended(version: u32, checksum: u8, footer: &[u8], offset: u64) -> Result<Self> {
        let mut r = Reader::new(footer);
        r.u8()?;
        if r.bytes(4)? != EXTENDED {
            return Err(Error::corruption("bad extended magic number in footer"));
        }
        let stored = r.u32()?;
        let base_context = r.u32()?;
        let size = u64::from(r.u32()?);
        r.bytes(16)?;
        if r.u64()? != 0 {
            return Err(Error::corruption("footer uses reserved bytes"));
        }
        let mut zeroed = footer.to_vec();
        if let Some(field) = zeroed.get_mut(5..9) {
            field.fill(0);
        }
        let computed = match zeroed.split_last() {
            Some((&last, rest)) => checksum::block(checksum, rest, last),
            None => 0,
        }
        .wrapping_add(checksum::context_modifier(base_context, offset));
        if computed != stored {
            return Err(Error::corruption(format!(
                "footer checksum mismatch: stored {stored:#010x}, computed {computed:#010x} at {offset}"
            )));
        }
        let start = offset.checked_sub(size + TRAILER_BYTES as u64).ok_or_else(|| {
            Error::corruption(format!("metaindex of {size} bytes does not fit before the footer"))
        })?;
        let metaindex = BlockHandle { offset: start, size };
        Ok(Self { version, checksum, metaindex, index: None, base_context, offset })
    }

    /// The trailer of a block stored at `offset` with compression byte `compression`.
    #[must_use]
    pub fn trailer(&self, offset: u64, stored: &[u8], compression: u8) -> [u8; TRAILER_BYTES] {
        let sum = self.block_checksum(offset, stored, compression);
        let [a, b, c, d] = sum.to_le_bytes();
        [compression, a, b, c, d]
    }

    fn block_checksum(&self, offset: u64, stored: &[u8], compression: u8) -> u32 {
        checksum::block(self.checksum, stored, compression)
            .wrapping_add(checksum::context_modifier(self.base_context, offset))
    }

    /// Takes a block as read, trailer included, apart: stored bytes and compression byte. With
    /// `verify` the checksum must be right.
    pub fn open_block<'a>(
        &self,
        handle: BlockHandle,
        bytes: &'a [u8],
        verify: bool,
    ) -> Result<(&'a [u8], u8)> {
        let short = || {
            Error::corruption(format!(
                "truncated block read at {}: {} bytes of {}",
                handle.offset,
                bytes.len(),
                handle.size.saturating_add(TRAILER_BYTES as u64)
            ))
        };
        let size = usize::try_from(handle.size).map_err(|_| short())?;
        let (stored, trailer) = bytes.split_at_checked(size).ok_or_else(short)?;
        let (&compression, sum) = trailer.split_first().ok_or_else(short)?;
        let sum = u32_at(sum, 0).ok_or_else(short)?;
        if verify {
            let computed = self.block_checksum(handle.offset, stored, compression);
            if computed != sum {
                return Err(Error::corruption(format!(
                    "block checksum mismatch: stored {sum:#010x}, computed {computed:#010x}, type {} at offset {}, size {}",
                    self.checksum, handle.offset, handle.size
                )));
            }
        }
        Ok((stored, compression))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn a_footer_comes_back() {
        let metaindex = BlockHandle { offset: 1000, size: 70 };
        let index = BlockHandle { offset: 500, size: 400 };
        for version in 0..=5 {
            let footer = Footer::new(version, checksum::CRC32C, metaindex, index);
            let mut file = vec![0; 2000];
            file.extend_from_slice(&footer.encode());
            let got = Footer::decode(&file[file.len() - 60..], file.len() as u64).unwrap();
            assert_eq!(got, Footer { offset: 2000, ..footer });
        }
    }

    #[test]
    fn foreign_and_damaged_footers_are_refused() {
        let mut plain = vec![0; 60];
        plain.extend_from_slice(&0x8242_2296_63BF_9564u64.to_le_bytes());
        let e = Footer::decode(&plain, 68).unwrap_err();
        assert_eq!(e.kind(), crate::base::ErrorKind::NotSupported);
        let good = Footer::new(5, 4, BlockHandle::default(), BlockHandle::default()).encode();
        let mut rng = Rng::new(5);
        for _ in 0..3000 {
            let mut bad = good.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bad.len() as u64) as usize;
                bad[at] ^= 1 << rng.below(8);
            }
            bad.truncate(bad.len() - rng.below(8) as usize);
            let size = bad.len() as u64;
            let _ = Footer::decode(&bad, size); // must not panic; most are errors
        }
        assert!(Footer::decode(&[], 0).unwrap_err().is_corruption());
    }

    #[test]
    fn a_changed_block_is_noticed() {
        for kind in 1..=4 {
            let footer = Footer::new(5, kind, BlockHandle::default(), BlockHandle::default());
            let mut bytes = b"some stored bytes".to_vec();
            let handle = BlockHandle { offset: 77, size: bytes.len() as u64 };
            let trailer = footer.trailer(77, &bytes, 1);
            bytes.extend_from_slice(&trailer);
            let (stored, compression) = footer.open_block(handle, &bytes, true).unwrap();
            assert_eq!((stored, compression), (&b"some stored bytes"[..], 1));
            for at in 0..bytes.len() {
                bytes[at] ^= 4;
                assert!(footer.open_block(handle, &bytes, true).unwrap_err().is_corruption());
                bytes[at] ^= 4;
            }
            assert!(footer.open_block(handle, &bytes[..bytes.len() - 1], true).is_err());
        }
    }
}
