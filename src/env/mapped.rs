//! Reads of a mapped file.
//!
//! The mapping covers the file as it was when opened. Table files never change once they are opened for
//! reading, which is what makes mapping them sound; who cuts one short from outside gets a bus error,
//! as with RocksDB.
#![allow(unsafe_code)]

use super::RandomAccessFile;
use super::posix::os_error;
use crate::base::{Error, Result};
use memmap2::Mmap;
use std::fs::File;
use std::path::Path;

/// A file in memory by the kernel's paging.
#[derive(Debug)]
pub struct MappedFile {
    /// `None` for an empty file, which cannot be mapped.
    map: Option<Mmap>,
}

impl MappedFile {
    /// Maps all of `file`; `path` is for errors.
    pub fn map(file: &File, path: &Path) -> Result<Self> {
        let fail = |e: &std::io::Error| {
            Error::from_os("while mmap file for read", &path.display().to_string(), e)
        };
        let len = file.metadata().map_err(|e| fail(&e))?.len();
        if len == 0 {
            return Ok(Self { map: None });
        }
        if usize::try_from(len).is_err() {
            return Err(os_error("while mmap file for read", path, libc::EFBIG));
        }
        // SAFETY: the file is a finished table, which the store never writes to again (see above).
        let map = unsafe { Mmap::map(file) };
        Ok(Self { map: Some(map.map_err(|e| fail(&e))?) })
    }

    /// All of its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or(&[])
    }
}

impl RandomAccessFile for MappedFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let rest =
            usize::try_from(offset).ok().and_then(|at| self.bytes().get(at..)).unwrap_or(&[]);
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn size(&self) -> Result<u64> {
        Ok(self.bytes().len() as u64)
    }
}
