//! From what lies in the folder to memtables and versions, and an account of what had to be dropped.
//!
//! Logs are replayed in the order of their numbers. What a damaged log means is the recovery mode's say:
//!
//! ```text
//! mode                      torn tail            bad data                a gap in the numbers
//! 0 tolerate corrupted tail ends that log        fails the open          -
//! 1 absolute consistency    fails the open       fails the open          -
//! 2 point in time           stops the replay; a later log goes on only where its first number is the next
//! 3 skip any corrupted      skipped              skipped, next record    -
//! ```
//!
//! Whatever is dropped is counted in the report: file, offset, bytes, reason; whole logs that are passed over
//! as well.
#![forbid(unsafe_code)]

use super::Inner;
use super::column_family::FamilyCore;
use crate::base::sync::Arc;
use crate::base::{Error, Result, Sequence};
use crate::env::{FileSystem, LogLevel};
use crate::format::batch::{self, Record};
use crate::format::log::{Damage, Event, LogReader};
use crate::format::name::{self, FileName};
use crate::memtable::MemTable;
use crate::options::WalRecoveryMode;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// What opening a store had to drop. All zero when nothing was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Log records that could not be used and whose extent is known.
    pub records: u64,
    /// Bytes of logs passed over.
    pub bytes: u64,
    /// Whole logs passed over.
    pub files: u64,
    /// One line for each place: file, offset, bytes, reason.
    pub details: Vec<String>,
    /// Records replayed.
    pub replayed: u64,
}

impl RecoveryReport {
    fn drop_at(&mut self, file: &str, offset: u64, bytes: u64, records: u64, why: &str) {
        self.records += records;
        self.bytes += bytes;
        self.details.push(format!("{file} at {offset}: {bytes} bytes dropped: {why}"));
    }

    /// The text of the property `mountdb.recovery-report`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!(
            "records dropped: {}\nbytes dropped: {}\nfiles dropped: {}\nrecords replayed: {}\n",
            self.records, self.bytes, self.files, self.replayed
        );
        for line in &self.details {
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

/// A family while logs are replayed into it.
pub(super) struct Replayed {
    pub(super) core: Arc<FamilyCore>,
    pub(super) mem: Arc<MemTable>,
    pub(super) log_number: u64,
}

/// The state of a replay.
pub(super) struct Replay<'a> {
    pub(super) fs: &'a dyn FileSystem,
    pub(super) wal_dir: &'a Path,
    pub(super) mode: WalRecoveryMode,
    pub(super) families: BTreeMap<u32, Replayed>,
    /// The largest sequence number seen.
    pub(super) last_sequence: Sequence,
    pub(super) report: RecoveryReport,
    /// Set once mode 2 has stopped: the damaged log's number.
    stopped_in: Option<u64>,
    /// Numbers of logs read, with their sizes.
    pub(super) logs: Vec<(u64, u64)>,
}

/// Called when a memtable is full during replay.
pub(super) type Full<'f> = dyn FnMut(&mut Replayed) -> Result<()> + 'f;

impl<'a> Replay<'a> {
    pub(super) fn new(
        fs: &'a dyn FileSystem,
        wal_dir: &'a Path,
        mode: WalRecoveryMode,
        families: BTreeMap<u32, Replayed>,
        last_sequence: Sequence,
    ) -> Self {
        Self {
            fs,
            wal_dir,
            mode,
            families,
            last_sequence,
            report: RecoveryReport::default(),
            stopped_in: None,
            logs: Vec::new(),
        }
    }

    /// Numbers of the logs in the folder, ascending.
    pub(super) fn find_logs(fs: &dyn FileSystem, wal_dir: &Path) -> Result<Vec<u64>> {
        let mut logs: Vec<u64> = fs
            .list(wal_dir)?
            .iter()
            .filter_map(|n| match FileName::parse(n) {
                Some(FileName::Wal(number)) => Some(number),
                _ => None,
            })
            .collect();
        logs.sort_unstable();
        Ok(logs)
    }

    /// Replays the logs from `floor` on.
    pub(super) fn run(&mut self, logs: &[u64], floor: u64, full: &mut Full<'_>) -> Result<()> {
        for &number in logs.iter().filter(|n| **n >= floor) {
            let path = self.wal_dir.join(name::wal(number));
            let size = self.fs.size(&path)?;
            self.logs.push((number, size));
            self.replay_log(number, size, full).map_err(|e| {
                if e.is_corruption() { e } else { e.context(&path.display().to_string()) }
            })?;
        }
        let Some(stopped) = self.stopped_in else { return Ok(()) };
        // Tables hold data that is newer than the log's damage: what lies between is lost, and no
        // prefix of the writes is what is left.
        for family in self.families.values() {
            let has_tables = !family.core.view.load().version.is_empty();
            if has_tables && family.log_number > stopped {
                return Err(Error::corruption(format!(
                    "SST file is ahead of WALs in CF {}",
                    family.core.name
                )));
            }
        }
        Ok(())
    }

    fn replay_log(&mut self, number: u64, size: u64, full: &mut Full<'_>) -> Result<()> {
        let file_name = name::wal(number);
        let file = self.fs.open_sequential(&self.wal_dir.join(&file_name))?;
        let mut reader = LogReader::new(file, number);
        let mut first = true;
        loop {
            match reader.next()? {
                Event::End { .. } => return Ok(()),
                Event::Record { offset, payload } => {
                    let parsed = batch::records(payload).and_then(|records| {
                        let (sequence, count) =
                            (records.sequence(), u64::from(records.header_count()));
                        for record in records {
                            record?;
                        }
                        Ok((sequence, count))
                    });
                    let (sequence, count) = match parsed {
                        Ok(header) => header,
                        Err(error) => {
                            let bytes = payload.len() as u64;
                            let why = error.message().to_owned();
                            if self.damage(
                                &file_name,
                                number,
                                offset,
                                bytes,
                                1,
                                Damage::BadData,
                                &why,
                            )? {
                                self.drop_rest(&file_name, offset + bytes, size);
                                return Ok(());
                            }
                            continue;
                        }
                    };
                    if first && self.stopped_in.is_some() {
                        if sequence != self.last_sequence + 1 {
                            self.report.files += 1;
                            self.report.drop_at(
                                &file_name,
                                0,
                                size,
                                0,
                                &format!(
                                    "an older log ended early; this one starts at sequence {sequence}, not {}",
                                    self.last_sequence + 1
                                ),
                            );
                            return Ok(());
                        }
                        self.stopped_in = None;
                    }
                    first = false;
                    self.apply(number, payload)?;
                    self.report.replayed += 1;
                    if count > 0 {
                        self.last_sequence = self.last_sequence.max(sequence + count - 1);
                    }
                    for family in self.families.values_mut() {
                        if family.mem.should_flush(family.core.options.load().write_buffer_size) {
                            full(family)?;
                        }
                    }
                }
                Event::Damage { offset, bytes, kind, why } => {
                    if self.damage(&file_name, number, offset, bytes, 0, kind, why)? {
                        self.drop_rest(&file_name, offset + bytes, size);
                        return Ok(());
                    }
                }
            }
        }
    }

    /// What lies behind the place where a log was given up.
    fn drop_rest(&mut self, file: &str, from: u64, size: u64) {
        if from < size {
            self.report.drop_at(file, from, size - from, 0, "behind the damage");
        }
    }

    /// Judges damage by the mode: `Ok(true)` ends this log, `Ok(false)` goes on behind it.
    #[allow(clippy::too_many_arguments, reason = "one place of damage, told whole")]
    fn damage(
        &mut self,
        file: &str,
        number: u64,
        offset: u64,
        bytes: u64,
        records: u64,
        kind: Damage,
        why: &str,
    ) -> Result<bool> {
        let fail = || Err(Error::corruption(format!("{why} in {file} at {offset}, {bytes} bytes")));
        let ends = match (self.mode, kind) {
            (WalRecoveryMode::SkipAnyCorruptedRecords, _) => false,
            // A record of the file's former life: the end of the log, nothing is lost.
            (_, Damage::StaleRecord) => {
                if self.mode == WalRecoveryMode::PointInTime {
                    self.stopped_in = Some(number);
                }
                return Ok(true);
            }
            (WalRecoveryMode::AbsoluteConsistency, _)
            | (WalRecoveryMode::TolerateCorruptedTailRecords, Damage::BadData) => {
                return fail();
            }
            (WalRecoveryMode::TolerateCorruptedTailRecords, Damage::TornTail) => true,
            (WalRecoveryMode::PointInTime, _) => {
                self.stopped_in = Some(number);
                true
            }
        };
        self.report.drop_at(file, offset, bytes, records, why);
        Ok(ends)
    }

    fn apply(&mut self, log: u64, payload: &[u8]) -> Result<()> {
        let records = batch::records(payload)?;
        let mut sequence = records.sequence();
        for record in records {
            let record = record?;
            if record.is_transaction_marker() {
                return Err(Error::not_supported(
                    "WAL contains prepared transactions. Open with TransactionDB::Open().",
                ));
            }
            let Some(id) = record.family() else { continue };
            if let Some(family) = self.families.get(&id)
                && log >= family.log_number
            {
                let Some((kind, key, value)) = record.entry() else {
                    return Err(Error::not_supported(format!("{record:?} in a log")));
                };
                if matches!(record, Record::DeleteRange { begin, end, .. }
                    if family.core.order.compare_user(begin, end).is_ge())
                {
                    sequence += 1;
                    continue;
                }
                if family.mem.is_empty() {
                    family.mem.set_log_number(log);
                }
                family.mem.add(sequence, kind, key, value);
            }
            sequence += 1;
        }
        Ok(())
    }
}

impl Inner {
    /// Puts what recovery dropped into LOG, a line each.
    pub(super) fn log_report(&self) {
        for line in &self.report.details {
            self.log(LogLevel::Warn, &format!("Recovery: {line}"));
        }
        if !self.report.details.is_empty() {
            self.log(
                LogLevel::Warn,
                &format!(
                    "Recovery dropped {} records, {} bytes, {} files",
                    self.report.records, self.report.bytes, self.report.files
                ),
            );
        }
    }
}
