//! Blocks out of a file: one read, checksum compared, decompressed.
//!
//! Nothing read is trusted: a handle is compared with the file's size before memory is taken for it,
//! and every error names the file and the place.
#![forbid(unsafe_code)]

use super::prefetch::Readahead;
use crate::base::{Error, Result};
use crate::env::RandomAccessFile;
use crate::format::compression;
use crate::format::handle::{BlockHandle, Footer, TRAILER_BYTES};
use std::sync::Arc;

/// The end of a file, read at once when it is opened.
pub(super) struct Tail {
    pub(super) start: u64,
    pub(super) bytes: Vec<u8>,
}

impl Tail {
    /// Enough for the metadata of a table of that size, but not its filter.
    pub(super) fn read(file: &dyn RandomAccessFile, name: &str, size: u64) -> Result<Self> {
        let len = (size / 512).clamp(32 << 10, 256 << 10).min(size);
        let start = size - len;
        let mut bytes = vec![0; len as usize];
        let n = file.read_at(start, &mut bytes).map_err(|e| e.context(name))?;
        if n != bytes.len() {
            return Err(Error::corruption(format!(
                "truncated read of the end of {name}: {n} of {len} bytes at {start}, \
                 file size {size}"
            )));
        }
        Ok(Self { start, bytes })
    }
}

/// A file of blocks.
pub(super) struct BlockFile {
    pub(super) file: Arc<dyn RandomAccessFile>,
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) footer: Footer,
    /// Dictionary of data blocks.
    pub(super) dictionary: Option<Vec<u8>>,
}

/// Is the checksum compared?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verify {
    Yes,
    No,
}

impl BlockFile {
    /// `what` as Corruption at `offset`.
    pub(super) fn corrupt(&self, what: &str, offset: u64) -> Error {
        Error::corruption(format!("{what} in {} at {offset}", self.name))
    }

    /// `error`, which happened at `offset`, with file and place named.
    pub(super) fn locate(&self, error: Error, offset: u64) -> Error {
        error.context(&format!("{} at {offset}", self.name))
    }

    /// Bytes that `handle` takes with its trailer, if they lie inside the file.
    pub(super) fn stored_len(&self, handle: BlockHandle) -> Result<usize> {
        let handle = handle.check(self.size).map_err(|e| self.locate(e, handle.offset))?;
        usize::try_from(handle.size)
            .ok()
            .and_then(|size| size.checked_add(TRAILER_BYTES))
            .ok_or_else(|| self.corrupt("block too large", handle.offset))
    }

    /// `len` bytes at `offset`, in one read.
    pub(super) fn read(&self, offset: u64, len: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        let n = self.file.read_at(offset, &mut bytes).map_err(|e| self.locate(e, offset))?;
        if n != len {
            return Err(self.corrupt(&format!("truncated block read: {n} of {len} bytes"), offset));
        }
        Ok(bytes)
    }

    /// The block at `handle` as it is stored, with its trailer; and the reads that took.
    pub(super) fn stored(
        &self,
        handle: BlockHandle,
        tail: Option<&Tail>,
    ) -> Result<(Vec<u8>, u64)> {
        let len = self.stored_len(handle)?;
        if let Some(tail) = tail
            && let Some(at) = handle.offset.checked_sub(tail.start)
            && let Some(bytes) = tail.bytes.get(at as usize..at as usize + len)
        {
            return Ok((bytes.to_vec(), 0));
        }
        Ok((self.read(handle.offset, len)?, 1))
    }

    /// Compares the checksum in the trailer of `stored`, all of the block at `handle`.
    pub(super) fn verify(&self, handle: BlockHandle, stored: &[u8]) -> Result<()> {
        self.open(handle, stored, Verify::Yes).map(drop)
    }

    fn open<'a>(
        &self,
        handle: BlockHandle,
        stored: &'a [u8],
        verify: Verify,
    ) -> Result<(&'a [u8], u8)> {
        let verify = verify == Verify::Yes;
        self.footer.open_block(handle, stored, verify).map_err(|e| e.context(&self.name))
    }

    /// The content of a stored block: checked, without trailer, decompressed.
    pub(super) fn content(
        &self,
        handle: BlockHandle,
        mut stored: Vec<u8>,
        verify: Verify,
        dictionary: Option<&[u8]>,
    ) -> Result<Vec<u8>> {
        let (content, kind) = self.open(handle, &stored, verify)?;
        if kind != compression::NONE {
            return self.decompress(kind, content, handle.offset, dictionary);
        }
        let len = content.len();
        stored.truncate(len);
        Ok(stored)
    }

    fn decompress(
        &self,
        kind: u8,
        stored: &[u8],
        offset: u64,
        dictionary: Option<&[u8]>,
    ) -> Result<Vec<u8>> {
        let dictionary = dictionary.unwrap_or(&[]);
        compression::decompress_with(kind, self.footer.version, stored, dictionary)
            .map_err(|e| self.locate(e, offset))
    }

    /// The content of the block at `handle` by way of `ahead`; and the reads that took.
    pub(super) fn content_ahead(
        &self,
        handle: BlockHandle,
        verify: Verify,
        ahead: &mut Readahead,
    ) -> Result<(Vec<u8>, u64)> {
        let len = self.stored_len(handle)?;
        let (stored, reads) = ahead
            .read(&*self.file, self.size, handle.offset, len)
            .map_err(|e| self.locate(e, handle.offset))?;
        if stored.len() != len {
            let what = format!("truncated block read: {} of {len} bytes", stored.len());
            return Err(self.corrupt(&what, handle.offset));
        }
        let (content, kind) = self.open(handle, stored, verify)?;
        if kind == compression::NONE {
            return Ok((content.to_vec(), reads));
        }
        let dictionary = self.dictionary.as_deref();
        Ok((self.decompress(kind, content, handle.offset, dictionary)?, reads))
    }

    /// The content of a block that is no data block.
    pub(super) fn meta(
        &self,
        handle: BlockHandle,
        verify: Verify,
        tail: Option<&Tail>,
    ) -> Result<(Vec<u8>, u64)> {
        let (stored, reads) = self.stored(handle, tail)?;
        Ok((self.content(handle, stored, verify, None)?, reads))
    }
}
