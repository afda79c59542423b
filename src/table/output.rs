//! What a table builder writes through: the file with a buffer before it, the codec, and the keys of
//! the filter.
#![forbid(unsafe_code)]

use crate::base::prefix::SliceTransform;
use crate::base::{Error, Result};
use crate::env::WritableFile;
use crate::filter::FilterBuilder;
use crate::format::compression;
use crate::format::handle::{BlockHandle, Footer};
use crate::options::{Compression, CompressionOptions};
use std::sync::Arc;

/// Bytes gathered before they go to the file.
pub(super) const WRITE_BUFFER_BYTES: usize = 1 << 20;

/// The file, with a buffer before it.
pub(super) struct Output {
    pub(super) file: Box<dyn WritableFile>,
    pub(super) buffer: Vec<u8>,
    /// Bytes so far, the buffer included.
    pub(super) offset: u64,
    /// Knows how trailers are made.
    pub(super) footer: Footer,
    pub(super) bytes_per_sync: u64,
    pub(super) synced: u64,
}

impl Output {
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        self.offset += bytes.len() as u64;
        if self.buffer.len() >= WRITE_BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.file.append(&self.buffer)?;
        self.buffer.clear();
        if self.bytes_per_sync > 0 && self.offset - self.synced >= self.bytes_per_sync {
            self.file.range_sync(self.offset)?;
            self.synced = self.offset;
        }
        Ok(())
    }

    /// A block as it is stored, and its trailer.
    pub(super) fn block(&mut self, stored: &[u8], compression: u8) -> Result<BlockHandle> {
        let handle = BlockHandle { offset: self.offset, size: stored.len() as u64 };
        let trailer = self.footer.trailer(self.offset, stored, compression);
        self.buffer.extend_from_slice(stored);
        self.buffer.extend_from_slice(&trailer);
        self.offset += (stored.len() + trailer.len()) as u64;
        if self.buffer.len() >= WRITE_BUFFER_BYTES {
            self.flush()?;
        }
        Ok(handle)
    }

    pub(super) fn raw_block(&mut self, content: &[u8]) -> Result<BlockHandle> {
        self.block(content, Compression::None as u8)
    }
}

/// Compresses blocks where that is asked for and worth it.
pub(super) struct Codec {
    pub(super) kind: Compression,
    pub(super) opts: CompressionOptions,
    pub(super) version: u32,
    pub(super) verify: bool,
    pub(super) buffer: Vec<u8>,
    pub(super) name: String,
}

impl Codec {
    /// What is stored for `content`, and as what.
    pub(super) fn pack<'a>(
        &'a mut self,
        content: &'a [u8],
        wanted: bool,
    ) -> Result<(&'a [u8], u8)> {
        let kind = self.kind as u8;
        let raw = (content, Compression::None as u8);
        if !wanted || self.kind == Compression::None {
            return Ok(raw);
        }
        let settings = compression::Settings {
            level: self.opts.level,
            dictionary: &[],
            checksum: self.opts.checksum,
        };
        if !compression::compress(kind, &settings, self.version, content, &mut self.buffer) {
            return Ok(raw);
        }
        if self.verify && compression::decompress(kind, self.version, &self.buffer)? != content {
            return Err(Error::corruption(format!(
                "a compressed block does not come back in {}",
                self.name
            )));
        }
        Ok((&self.buffer, kind))
    }
}

/// What goes into the filter.
pub(super) struct Hashes {
    pub(super) builder: FilterBuilder,
    /// Finished partitions, where the filter has such.
    pub(super) parts: Vec<Vec<u8>>,
    pub(super) entries: u64,
    pub(super) whole_keys: bool,
    pub(super) prefixes: Option<Arc<dyn SliceTransform>>,
    pub(super) last_prefix: Option<Vec<u8>>,
}

impl Hashes {
    /// Adds a user key that differs from the one before.
    pub(super) fn add(&mut self, user_key: &[u8]) {
        if self.whole_keys {
            self.builder.add_key(user_key);
        }
        let Some(prefixes) = &self.prefixes else { return };
        if !prefixes.in_domain(user_key) {
            return;
        }
        let (builder, last) = (&mut self.builder, &mut self.last_prefix);
        prefixes.with_prefix(user_key, &mut |prefix| {
            if last.as_deref() != Some(prefix) {
                builder.add_key(prefix);
                let last = last.get_or_insert_default();
                last.clear();
                last.extend_from_slice(prefix);
            }
        });
    }
}

impl Hashes {
    /// The partition ends here. A seek to a prefix looks into the partition that its key would be
    /// in; so a prefix that goes on behind the cut, or starts right there, is on both sides.
    pub(super) fn cut(&mut self, next: Option<&[u8]>) {
        if let (Some(prefixes), Some(next)) = (&self.prefixes, next)
            && prefixes.in_domain(next)
        {
            let builder = &mut self.builder;
            prefixes.with_prefix(next, &mut |prefix| builder.add_key(prefix));
        }
        self.last_prefix = None;
        let part = self.finish();
        self.parts.push(part);
    }

    pub(super) fn finish(&mut self) -> Vec<u8> {
        self.entries += self.builder.entries() as u64;
        self.builder.finish()
    }
}
