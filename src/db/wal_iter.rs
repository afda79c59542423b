//! The store's writes, batch by batch, out of its logs: for replicas and change feeds.
//!
//! Promises:
//! - batches come whole, in order and published: nothing that a failed write left is shown;
//! - from the first batch on every number is there; where some are missing (a log is gone, writes
//!   went around the log) it ends with `Gap in sequence numbers` and shows nothing behind that;
//! - at the tail it is invalid without an error, and `next` finds what was written since.
//!
//! Writers that shared a log record show as one batch. It holds no log back: a log that is open here
//! stays readable though deleted, one that was not reached yet is missed.
#![forbid(unsafe_code)]

use super::wal::Wal;
use super::{Db, Inner};
use crate::base::{Error, Result, Sequence};
use crate::env::SequentialFile;
use crate::format::batch::{self, WriteBatch};
use crate::format::log::{Damage, Event, LogReader};
use crate::format::name::{self, FileName};
use crate::options::WalRecoveryMode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The folder for logs that are done with and kept.
const ARCHIVE: &str = "archive";

/// A log up to where it is whole: its writer may be at work behind that, or cut it there.
struct Whole {
    file: Box<dyn SequentialFile>,
    at: u64,
    limit: Arc<AtomicU64>,
}

impl SequentialFile for Whole {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        // Relaxed: set by the thread that reads.
        let left = self.limit.load(Ordering::Relaxed).saturating_sub(self.at);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        if most == 0 {
            return Ok(0);
        }
        let n = self.file.read(&mut buf[..most])?;
        self.at += n as u64;
        Ok(n)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        self.at += n;
        self.file.skip(n)
    }
}

struct OpenLog {
    reader: LogReader,
    limit: Arc<AtomicU64>,
    /// Nothing is added any more.
    closed: bool,
}

/// A cursor over the batches of the logs.
pub struct WalIter {
    store: Weak<Inner>,
    /// The first batch is the one with this number, or the first behind it that there is.
    from: Sequence,
    log: Option<OpenLog>,
    /// Number of the log that is or was open.
    log_number: u64,
    /// The last record read.
    record: Vec<u8>,
    /// It was not published yet when it was read.
    pending: bool,
    /// What the next batch must begin with; `None` before the first.
    expected: Option<Sequence>,
    valid: bool,
    status: Result<()>,
}

impl std::fmt::Debug for WalIter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WalIter(valid: {}, in log {})", self.valid, self.log_number)
    }
}

impl Wal {
    /// Bytes of the log that a reader may see; `None`: it is closed, all of them.
    fn readable(&self, number: u64) -> Option<u64> {
        let log = self.current().filter(|_| number == self.number())?;
        Some(self.number_bytes().min(log.size() - log.buffered() as u64))
    }
}

impl Inner {
    /// Numbers of all logs there are, ascending.
    fn log_numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.state.lock().logs.iter().map(|l| l.number).collect();
        // No such folder: nothing is kept there.
        let kept = self.env.fs.list(&self.wal_dir.join(ARCHIVE)).unwrap_or_default();
        numbers.extend(kept.iter().filter_map(|n| match FileName::parse(n) {
            Some(FileName::Wal(number)) => Some(number),
            _ => None,
        }));
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// `None`: it is gone.
    fn open_log_to_read(&self, number: u64) -> Result<Option<OpenLog>> {
        for folder in [self.wal_dir.clone(), self.wal_dir.join(ARCHIVE)] {
            match self.env.fs.open_sequential(&folder.join(name::wal(number))) {
                Ok(file) => {
                    // Nothing is read before `Wal` was asked how far it may be.
                    let limit = Arc::new(AtomicU64::new(0));
                    let file = Whole { file, at: 0, limit: Arc::clone(&limit) };
                    let reader = LogReader::new(Box::new(file), number);
                    return Ok(Some(OpenLog { reader, limit, closed: false }));
                }
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl OpenLog {
    /// The next record into `record`; false at the end of what there is.
    fn read(&mut self, inner: &Inner, record: &mut Vec<u8>) -> Result<bool> {
        loop {
            match self.reader.next()? {
                Event::Record { payload, .. } => {
                    record.clear();
                    record.extend_from_slice(payload);
                    return Ok(true);
                }
                Event::Damage { offset, kind, why, .. } => {
                    if inner.options.load().wal_recovery_mode
                        == WalRecoveryMode::SkipAnyCorruptedRecords
                    {
                        continue;
                    }
                    if self.closed && kind != Damage::BadData {
                        // What recovery took for this log's end, too.
                        return Ok(false);
                    }
                    let file = name::wal(self.reader.number());
                    return Err(Error::corruption(format!("{why} in {file} at {offset}")));
                }
                Event::End { .. } if self.closed => return Ok(false),
                Event::End { .. } => {
                    let readable = inner.wal.lock().readable(self.reader.number());
                    self.closed = readable.is_none();
                    let limit = readable.unwrap_or(u64::MAX);
                    if self.limit.swap(limit, Ordering::Relaxed) == limit {
                        return Ok(false);
                    }
                }
            }
        }
    }
}

fn gap(expected: Sequence, found: &str) -> Error {
    Error::corruption(format!("Gap in sequence numbers: {expected} is in no log, {found}"))
}

impl WalIter {
    /// Does it stand on a batch?
    #[must_use]
    pub fn valid(&self) -> bool {
        self.valid
    }

    /// Ok, or why there is nothing more to come.
    pub fn status(&self) -> Result<()> {
        self.status.clone()
    }

    /// To the next batch; at the tail, to what was written since.
    pub fn next(&mut self) {
        self.valid = false;
        if self.status.is_ok() {
            self.status = self.advance();
        }
    }

    /// The batch, with its first number; an empty one when invalid.
    #[must_use]
    pub fn batch(&self) -> WriteBatch {
        if self.valid { WriteBatch::from_bytes(self.record.clone()) } else { WriteBatch::new() }
    }

    fn advance(&mut self) -> Result<()> {
        let inner = self.store.upgrade().filter(|s| !s.is_closing());
        let inner = inner.ok_or_else(|| Error::shutdown(""))?;
        loop {
            // Before the logs are read: whatever went through them up to this number is found.
            let published = inner.published();
            if !self.pending && !self.read(&inner)? {
                let missing = match self.expected {
                    Some(expected) => expected <= published,
                    None => self.from < published,
                };
                // Records that wait for `flush_wal` are in no log yet.
                if missing && !inner.options.load().manual_wal_flush {
                    let first = self.expected.unwrap_or(self.from);
                    return Err(gap(first, &format!("{published} is written")));
                }
                return Ok(());
            }
            let records = batch::records(&self.record)?;
            let first = records.sequence();
            let next = first.saturating_add(u64::from(records.header_count()));
            self.pending = next > inner.published() + 1;
            if self.pending {
                return Ok(());
            }
            match self.expected {
                None if next <= self.from => continue,
                Some(expected) if expected != first => {
                    return Err(gap(expected, &format!("the next batch begins with {first}")));
                }
                _ => {}
            }
            self.expected = Some(next);
            self.valid = true;
            return Ok(());
        }
    }

    /// The next record of all logs.
    fn read(&mut self, inner: &Inner) -> Result<bool> {
        loop {
            if let Some(log) = &mut self.log {
                if log.read(inner, &mut self.record)? {
                    return Ok(true);
                }
                if !log.closed {
                    return Ok(false);
                }
                self.log = None;
            }
            let next = inner.log_numbers().into_iter().find(|n| *n > self.log_number);
            let Some(next) = next else { return Ok(false) };
            self.log = inner.open_log_to_read(next)?;
            self.log_number = next;
        }
    }

    /// To the last log that begins at or before `from`: earlier ones hold nothing that is wanted, nor
    /// may a log that recovery passed over be taken for a later one that holds the same numbers.
    fn find_log(&mut self, inner: &Inner) -> Result<()> {
        for number in inner.log_numbers().into_iter().rev() {
            let Some(mut log) = inner.open_log_to_read(number)? else { continue };
            if log.read(inner, &mut self.record).unwrap_or(false)
                && batch::records(&self.record).is_ok_and(|r| r.sequence() <= self.from)
            {
                self.log_number = number.saturating_sub(1);
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Db {
    /// The batches from the one that holds `sequence` on. Where that is in no log any more it begins
    /// with the first one behind it that is; its number tells.
    ///
    /// # Errors
    /// `NotFound` for a number beyond the last one published; `Corruption` for a damaged log, or when
    /// nothing from `sequence` on is in a log though something was written.
    pub fn updates_since(&self, sequence: Sequence) -> Result<WalIter> {
        if self.inner.is_closing() {
            return Err(Error::shutdown(""));
        }
        if sequence > self.inner.published() {
            return Err(Error::not_found("Requested sequence not yet written in the db"));
        }
        let mut iter = WalIter {
            store: Arc::downgrade(&self.inner),
            from: sequence,
            log: None,
            log_number: 0,
            record: Vec::new(),
            pending: false,
            expected: None,
            valid: false,
            status: Ok(()),
        };
        iter.find_log(&self.inner)?;
        iter.advance()?;
        Ok(iter)
    }
}
