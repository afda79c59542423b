//! The log being written, and older ones that are not synced yet.
//!
//! What a failure does:
//! - a failed **append** leaves a tail of unknown length: it is cut off at once, or, if that fails too,
//!   before the next append;
//! - a failed **sync** means that anything unsynced in that log may be lost. The log is `suspect`: no sync
//!   write succeeds until all its data is in synced tables and the log is gone. Nothing is retried into
//!   a success. Tables of several families that hold such data become part of the store at once, so that
//!   no newer write survives an older one.
#![forbid(unsafe_code)]

use super::flush::Wait;
use super::{Db, Inner, LiveLog, State};
use crate::base::sync::MutexGuard;
use crate::base::{Error, Result};
use crate::env::{LogLevel, WriteMode};
use crate::format::log::LogWriter;
use crate::format::name;
use crate::options::Compression;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The logs.
#[derive(Default)]
pub(super) struct Wal {
    current: Option<LogWriter>,
    number: u64,
    /// Bytes up to which the current log is whole; beyond is what a failed append left.
    good: u64,
    broken: bool,
    /// Bytes of the current log in front of its first record.
    head: u64,
    /// Bytes of the current log that a sync has covered.
    synced: u64,
    /// Closed to appends, not synced, oldest first.
    unsynced: Vec<(u64, LogWriter)>,
    /// Logs whose sync failed, with the failure.
    suspect: Vec<(u64, Error)>,
    /// Appends wait for `flush_wal`.
    buffered: bool,
    use_fsync: bool,
    scratch: Vec<u8>,
}

impl Wal {
    pub(super) fn new(buffered: bool, use_fsync: bool) -> Self {
        Self { buffered, use_fsync, ..Self::default() }
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the current log.
    pub(super) fn number_bytes(&self) -> u64 {
        self.good
    }

    /// Is anything written in the current log?
    pub(super) fn has_records(&self) -> bool {
        self.good > self.head
    }

    /// The log being written.
    pub(super) fn current(&self) -> Option<&LogWriter> {
        self.current.as_ref()
    }

    pub(super) fn take_scratch(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.scratch)
    }

    pub(super) fn give_scratch(&mut self, mut scratch: Vec<u8>) {
        scratch.clear();
        // One huge group must not hold its memory for ever.
        if scratch.capacity() <= 4 << 20 {
            self.scratch = scratch;
        }
    }

    /// Puts a new log in place; the old one stays until it is synced or obsolete.
    fn switch(&mut self, number: u64, writer: LogWriter) {
        let head = writer.size();
        if let Some(old) = self.current.replace(writer) {
            let suspect = self.suspect.iter().any(|(n, _)| *n == self.number);
            if !suspect && self.synced < self.good {
                self.unsynced.push((self.number, old));
            }
        }
        (self.number, self.broken) = (number, false);
        // Nobody needs the head of a log without records: it counts as synced.
        (self.head, self.good, self.synced) = (head, head, head);
    }

    /// Takes over a log of an earlier opening: the process before may have left it unsynced.
    pub(super) fn adopt(&mut self, number: u64, writer: LogWriter) {
        self.unsynced.push((number, writer));
    }

    /// Writes one record; with `sync` it and everything before it is on the medium. Returns the bytes
    /// that the log grew by.
    pub(super) fn append(&mut self, record: &[u8], sync: bool) -> Result<u64> {
        if sync {
            self.check_suspects()?;
        }
        self.mend()?;
        let buffered = self.buffered && !sync;
        let good = self.good;
        let Some(log) = self.current.as_mut() else {
            return Err(Error::io_error("no log to write to"));
        };
        let written = if buffered { log.add_buffered(record) } else { log.add(record) };
        if let Err(error) = written {
            self.broken = true;
            // The append's error is the one to report; a failed cut is tried again at the next append.
            let _ = self.mend();
            return Err(error);
        }
        self.good = log.size();
        let grown = self.good - good;
        if sync && let Err(error) = self.sync() {
            self.good = good;
            self.broken = true;
            // As above.
            let _ = self.mend();
            return Err(error);
        }
        Ok(grown)
    }

    /// Cuts off what a failed append left.
    fn mend(&mut self) -> Result<()> {
        if self.broken
            && let Some(log) = self.current.as_mut()
        {
            log.truncate(self.good)?;
            self.broken = false;
        }
        Ok(())
    }

    fn check_suspects(&self) -> Result<()> {
        self.suspect.first().map_or(Ok(()), |(number, error)| {
            Err(error.clone().context(&format!(
                "log {number} could not be synced and its data is not in tables yet"
            )))
        })
    }

    /// Hands buffered records to the OS. Those that it does not take stay buffered.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.mend()?;
        let flushed = self.current.as_mut().map_or(Ok(()), LogWriter::flush);
        self.broken |= flushed.is_err();
        flushed
    }

    /// Everything written so far to the medium, older logs first.
    pub(super) fn sync(&mut self) -> Result<()> {
        self.check_suspects()?;
        self.sync_closed(u64::MAX)?;
        self.flush()?;
        let use_fsync = self.use_fsync;
        let Some(log) = self.current.as_mut() else { return Ok(()) };
        let synced = if use_fsync { log.fsync() } else { log.sync() };
        match synced {
            Ok(()) => {
                self.synced = log.size();
                Ok(())
            }
            Err(error) => {
                self.suspect.push((self.number, error.clone()));
                Err(error)
            }
        }
    }

    /// Closed logs below `limit` to the medium.
    pub(super) fn sync_closed(&mut self, limit: u64) -> Result<()> {
        while let Some((number, mut log)) = self
            .unsynced
            .first()
            .map(|(n, _)| *n)
            .filter(|n| *n < limit)
            .map(|_| self.unsynced.remove(0))
        {
            let synced = if self.use_fsync { log.fsync() } else { log.sync() };
            if let Err(error) = synced {
                self.suspect.push((number, error.clone()));
                return Err(error);
            }
            // It is safe already: what closing says changes nothing.
            let _ = log.close();
        }
        Ok(())
    }

    /// Logs below `limit` hold nothing that is not in tables.
    pub(super) fn forget_below(&mut self, limit: u64) {
        self.unsynced.retain(|(n, _)| *n >= limit);
        self.suspect.retain(|(n, _)| *n >= limit);
    }

    /// The newest log whose sync failed: data up to it must go to tables.
    pub(super) fn newest_suspect(&self) -> Option<u64> {
        self.suspect.iter().map(|(n, _)| *n).max()
    }

    /// The newest log below `limit` whose sync failed, with the failure.
    pub(super) fn suspect_below(&self, limit: u64) -> Option<(u64, Error)> {
        let below = self.suspect.iter().filter(|(n, _)| *n < limit);
        below.max_by_key(|(n, _)| *n).cloned()
    }

    /// Does the next write need a new log: because there is none, or its sync failed?
    pub(super) fn needs_new(&self) -> bool {
        self.current.is_none() || self.newest_suspect() == Some(self.number)
    }

    /// Hands over everything and closes. Errors are the caller's to log: there is nobody to tell.
    pub(super) fn close(&mut self) -> Result<()> {
        self.flush()?;
        let Some(mut log) = self.current.take() else { return Ok(()) };
        log.close()
    }
}

impl Inner {
    /// Begins a new log and says its number. Only a leader may call this.
    pub(super) fn new_log(&self) -> Result<u64> {
        let number = self.new_file_number();
        let path = self.wal_dir.join(name::wal(number));
        let made = self.make_log(&path, number);
        let (mut wal, writer) = made.inspect_err(|_| {
            // The error is the one to report; a log that stays is found at the next open.
            let _ = self.env.fs.remove(&path);
        })?;
        let old = (wal.number(), wal.number_bytes());
        wal.switch(number, writer);
        let mut state = self.state.lock();
        if let Some(log) = state.logs.last_mut()
            && log.number == old.0
        {
            log.bytes = old.1;
        }
        state.logs.push(LiveLog { number, bytes: 0, floor: self.published() + 1 });
        Ok(number)
    }

    /// Takes over replayed logs that stay: a later sync has to cover them too.
    pub(super) fn adopt_logs(&self) -> Result<()> {
        let logs = {
            let state = self.state.lock();
            let oldest = state.families.values().filter_map(super::FamilyState::oldest_log).min();
            let is_needed = |log: &&LiveLog| oldest.is_some_and(|oldest| log.number >= oldest);
            state.logs.iter().filter(is_needed).copied().collect::<Vec<_>>()
        };
        for log in logs {
            let path = self.wal_dir.join(name::wal(log.number));
            let file = self.env.fs.reopen(&path, WriteMode::default())?;
            self.wal.lock().adopt(log.number, LogWriter::new(file, log.number));
        }
        Ok(())
    }

    fn make_log(&self, path: &Path, number: u64) -> Result<(MutexGuard<'_, Wal>, LogWriter)> {
        let file = self.env.fs.create(path, WriteMode::default())?;
        let mut writer = LogWriter::new(file, number);
        if self.options.load().wal_compression != Compression::None {
            writer.compress()?;
        }
        self.env.fs.sync_dir(&self.wal_dir)?;
        let mut wal = self.wal.lock();
        // What is buffered belongs to the old log.
        wal.flush()?;
        Ok((wal, writer))
    }

    /// Bytes of all live logs.
    pub(super) fn live_log_bytes(&self, state: &State, current: u64) -> u64 {
        let closed: u64 = state.logs.iter().rev().skip(1).map(|l| l.bytes).sum();
        closed + current
    }

    /// Bytes of the current log at which a leader shall look at the total.
    pub(super) fn wal_attention_bytes(&self) -> u64 {
        self.counters.wal_attention.load(Ordering::Relaxed)
    }

    /// A log append or sync failed: say so, and let data leave a log whose sync failed, with the next
    /// writer or, if none comes, soon.
    pub(super) fn wal_failed(self: &Arc<Self>, error: &Error) {
        self.log(LogLevel::Error, &format!("log write failed: {error}"));
        if self.wal.lock().newest_suspect().is_some() {
            self.attention.store(true, Ordering::Release);
            self.plan_retry(&mut self.state.lock());
        }
    }
}

impl Db {
    /// Hands buffered log records to the OS, and everything to the medium if `sync`.
    ///
    /// # Errors
    /// `IO error` when that failed, or when an older log could not be synced and its data is not in
    /// tables yet.
    pub fn flush_wal(&self, sync: bool) -> Result<()> {
        self.inner.check_writable()?;
        if sync && self.inner.wal.lock().newest_suspect().is_some() {
            let _lead = self.inner.lead_alone()?;
            self.inner.leave_suspects(Wait::Yes)?;
        }
        let done = {
            let mut wal = self.inner.wal.lock();
            wal.flush().and_then(|()| if sync { wal.sync() } else { Ok(()) })
        };
        if let Err(error) = &done {
            self.inner.wal_failed(error);
        }
        done
    }
}
