//! Readahead that grows: iterators that read blocks in file order read more than they need now.
//!
//! The first reads are single blocks. After `reads_before` of them in a row, one read fetches ahead,
//! at first `initial` bytes, then twice as much each time up to `most`. A jump starts over.
#![forbid(unsafe_code)]

use crate::base::Result;
use crate::env::RandomAccessFile;

/// A window of the file that moves with an iterator. Belongs to one iterator.
#[derive(Debug)]
pub(super) struct Readahead {
    buffer: Vec<u8>,
    /// Where `buffer` lies in the file.
    start: u64,
    /// Where a read in a row would begin.
    next: u64,
    /// Reads in a row so far.
    in_row: u64,
    reads_before: u64,
    size: usize,
    initial: usize,
    most: usize,
}

impl Readahead {
    /// Grows by itself.
    pub(super) fn growing(initial: usize, most: usize, reads_before: u64) -> Self {
        let initial = initial.min(most);
        Self {
            buffer: Vec::new(),
            start: 0,
            next: u64::MAX,
            in_row: 0,
            reads_before,
            size: initial,
            initial,
            most,
        }
    }

    /// Always `size` bytes, from the first read on.
    pub(super) fn fixed(size: usize) -> Self {
        Self::growing(size, size, 0)
    }

    /// `len` bytes at `offset` of `file`, which has `file_size` bytes, and how many reads that took
    /// (0 or 1). Short only where the file is.
    pub(super) fn read(
        &mut self,
        file: &dyn RandomAccessFile,
        file_size: u64,
        offset: u64,
        len: usize,
    ) -> Result<(&[u8], u64)> {
        let end = offset.saturating_add(len as u64);
        let buffered = self.start + self.buffer.len() as u64;
        if offset >= self.start && end <= buffered {
            self.next = end;
            let at = (offset - self.start) as usize;
            return Ok((&self.buffer[at..at + len], 0));
        }
        let in_row = offset == self.next;
        if in_row {
            self.in_row += 1;
        } else {
            self.in_row = 0;
            self.size = self.initial;
        }
        let ahead = if self.in_row >= self.reads_before { self.size } else { 0 };
        if ahead > 0 {
            self.size = (self.size * 2).min(self.most);
        }
        // Blocks at the end of what was read ahead are cut; what is there of them is kept.
        let kept = if in_row && offset >= self.start && offset < buffered {
            (buffered - offset) as usize
        } else {
            0
        };
        let from = self.buffer.len() - kept;
        self.buffer.copy_within(from.., 0);
        let left = usize::try_from(file_size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let want = len.max(ahead).min(left).max(len.min(left));
        self.buffer.resize(want.max(kept), 0);
        self.start = offset;
        self.next = end;
        match file.read_at(offset + kept as u64, &mut self.buffer[kept..]) {
            Ok(n) => self.buffer.truncate(kept + n),
            Err(error) => {
                self.buffer.clear();
                return Err(error);
            }
        }
        let have = self.buffer.len().min(len);
        Ok((&self.buffer[..have], 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Counted(Vec<u8>, AtomicU64);

    impl RandomAccessFile for Counted {
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let at = (offset as usize).min(self.0.len());
            let n = buf.len().min(self.0.len() - at);
            buf[..n].copy_from_slice(&self.0[at..at + n]);
            Ok(n)
        }
        fn size(&self) -> Result<u64> {
            Ok(self.0.len() as u64)
        }
    }

    #[test]
    fn every_read_gives_the_files_bytes() {
        let mut rng = Rng::new(7);
        let file = Counted(rng.bytes(100_000), AtomicU64::new(0));
        for mut ahead in [Readahead::growing(1000, 8000, 2), Readahead::fixed(5000)] {
            let mut at = 0usize;
            for _ in 0..2000 {
                let len = 1 + rng.below(2500) as usize;
                if rng.one_in(20) {
                    at = rng.below(100_000) as usize;
                }
                let want = &file.0[at..(at + len).min(100_000)];
                let (got, _) = ahead.read(&file, 100_000, at as u64, len).unwrap();
                assert_eq!(got, want);
                at = if at + len >= 100_000 { 0 } else { at + len };
            }
        }
    }

    #[test]
    fn reads_in_a_row_become_fewer() {
        let file = Counted(vec![1; 1 << 20], AtomicU64::new(0));
        let mut ahead = Readahead::growing(8 << 10, 256 << 10, 2);
        for i in 0..256 {
            ahead.read(&file, 1 << 20, i * 4096, 4096).unwrap();
        }
        assert!(file.1.load(Ordering::Relaxed) < 20);
    }
}
