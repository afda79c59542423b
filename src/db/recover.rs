//! From what lies in the folder to memtables and versions, and an account of what had to be dropped.
//!
//! Logs are replayed in the order of their numbers. What a damaged log means is the recovery mode's say:
//!
//! ```text
//! mode                      bad bytes at the end of a log    bad bytes before sound records
//! 0 tolerate corrupted tail end that log                     fail the open
//! 1 absolute consistency    fail the open                    fail the open
//! 2 point in time           stop the replay; a later log goes on only where its first number is the next
//! 3 skip any corrupted      skipped                          skipped, the next record is read
//! ```
//!
//! Numbers never go back, within a log and from log to log: a record whose number is below what was read
//! already is a piece of an older log and counts as bad bytes, however sound it is.
//!
//! Whatever is dropped is counted in the report: file, offset, records, bytes, reason; sound records that are
//! passed over as well. What was dropped leaves the folder with its log: opening ends with a flush then, since
//! the numbers of dropped records are used again.
#![forbid(unsafe_code)]

use super::Inner;
use super::column_family::FamilyCore;
use crate::base::key::MAX_SEQUENCE;
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
        self.details
            .push(format!("{file} at {offset}: {records} records, {bytes} bytes dropped: {why}"));
    }

    /// Was anything dropped?
    pub(super) fn is_loss(&self) -> bool {
        self.bytes > 0 || self.records > 0 || self.files > 0
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

/// What there is to replay.
pub(super) struct Logs {
    /// Ascending, from the first that is needed on.
    pub(super) numbers: Vec<u64>,
    /// Numbers that the sequence numbers in a log, by its number, are not below.
    pub(super) floors: BTreeMap<u64, Sequence>,
    /// The largest sequence number that the manifest knows.
    pub(super) last_sequence: Sequence,
}

/// The state of a replay.
pub(super) struct Replay<'a> {
    pub(super) fs: &'a dyn FileSystem,
    pub(super) wal_dir: &'a Path,
    pub(super) mode: WalRecoveryMode,
    pub(super) families: BTreeMap<u32, Replayed>,
    /// The largest sequence number seen.
    pub(super) last_sequence: Sequence,
    /// Numbers that those in a log, by its number, are not below.
    floors: BTreeMap<u64, Sequence>,
    /// The number that the next record has at least: the one behind the last record of a log.
    next_sequence: Sequence,
    pub(super) report: RecoveryReport,
    /// Set once mode 2 has stopped: the damaged log's number.
    stopped_in: Option<u64>,
    /// Numbers of logs read, with their sizes.
    pub(super) logs: Vec<(u64, u64)>,
}

/// A place of damage in a log.
struct Bad {
    offset: u64,
    bytes: u64,
    records: u64,
    kind: Damage,
    why: String,
    /// Sound records are among what is given up here.
    followed: bool,
}

/// What lies behind a place where a log was given up.
#[derive(Default)]
struct Rest {
    records: u64,
    /// Some of it could have been replayed.
    sound: bool,
}

/// Called when a memtable is full during replay.
pub(super) type Full<'f> = dyn FnMut(&mut Replayed) -> Result<()> + 'f;

impl<'a> Replay<'a> {
    pub(super) fn new(
        fs: &'a dyn FileSystem,
        wal_dir: &'a Path,
        mode: WalRecoveryMode,
        families: BTreeMap<u32, Replayed>,
        logs: &Logs,
    ) -> Self {
        Self {
            fs,
            wal_dir,
            mode,
            families,
            last_sequence: logs.last_sequence,
            floors: logs.floors.clone(),
            next_sequence: 0,
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

    /// Replays `logs`.
    pub(super) fn run(&mut self, logs: &Logs, full: &mut Full<'_>) -> Result<()> {
        for &number in &logs.numbers {
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
        if let Some((_, floor)) = self.floors.range(..=number).next_back() {
            self.next_sequence = self.next_sequence.max(*floor);
        }
        let mut first = true;
        loop {
            reader.set_floor(self.next_sequence);
            let bad = match reader.next()? {
                Event::End { .. } => return Ok(()),
                Event::Damage { offset, bytes, kind, why, records, followed } => {
                    Bad { offset, bytes, records, kind, why: why.to_owned(), followed }
                }
                Event::Record { offset, payload } => match self.judge(payload) {
                    Err((kind, why)) => {
                        let bytes = reader.offset() - offset;
                        Bad { offset, bytes, records: 1, kind, why, followed: false }
                    }
                    Ok((sequence, count)) => {
                        if first && self.stopped_in.is_some() {
                            if sequence != self.last_sequence + 1 {
                                let expected = self.last_sequence + 1;
                                let rest = self.survey(&mut reader)?;
                                self.report.files += 1;
                                let why = format!(
                                    "an older log ended early; this one starts at sequence {sequence}, not {expected}"
                                );
                                self.report.drop_at(&file_name, 0, size, 1 + rest.records, &why);
                                return Ok(());
                            }
                            self.stopped_in = None;
                        }
                        first = false;
                        self.apply(number, payload)?;
                        self.report.replayed += 1;
                        self.next_sequence = sequence + count;
                        if count > 0 {
                            self.last_sequence = self.last_sequence.max(sequence + count - 1);
                        }
                        for family in self.families.values_mut() {
                            let limit = family.core.options.load().write_buffer_size;
                            if family.mem.should_flush(limit) {
                                full(family)?;
                            }
                        }
                        continue;
                    }
                },
            };
            if self.damage(&file_name, number, &bad, &mut reader, size)? {
                return Ok(());
            }
        }
    }

    /// The sequence number and the count of a payload that can be replayed; else what is wrong with it.
    fn judge(&self, payload: &[u8]) -> std::result::Result<(Sequence, u64), (Damage, String)> {
        let parsed = batch::records(payload).and_then(|records| {
            let (sequence, count) = (records.sequence(), u64::from(records.header_count()));
            for record in records {
                record?;
            }
            Ok((sequence, count))
        });
        let (sequence, count) = parsed.map_err(|e| (Damage::BadData, e.message().to_owned()))?;
        if sequence < self.next_sequence {
            let why = format!(
                "a record of an older log: sequence {sequence} where {} is the least",
                self.next_sequence
            );
            return Err((Damage::StaleRecord, why));
        }
        if sequence.checked_add(count).is_none_or(|end| end > MAX_SEQUENCE) {
            return Err((Damage::BadData, format!("sequence {sequence} is too large")));
        }
        Ok((sequence, count))
    }

    /// Reads on to the end of a log that is given up.
    fn survey(&self, reader: &mut LogReader) -> Result<Rest> {
        let mut rest = Rest::default();
        loop {
            match reader.next()? {
                Event::End { .. } => return Ok(rest),
                Event::Damage { records, followed, .. } => {
                    rest.records += records;
                    rest.sound |= followed;
                }
                Event::Record { payload, .. } => {
                    rest.records += 1;
                    rest.sound |= self.judge(payload).is_ok();
                }
            }
        }
    }

    /// Judges damage by the mode: `Ok(true)` ends this log, `Ok(false)` goes on behind it.
    fn damage(
        &mut self,
        file: &str,
        number: u64,
        bad: &Bad,
        reader: &mut LogReader,
        size: u64,
    ) -> Result<bool> {
        let Bad { offset, bytes, records, kind, ref why, followed } = *bad;
        let fail = || Err(Error::corruption(format!("{why} in {file} at {offset}, {bytes} bytes")));
        match self.mode {
            WalRecoveryMode::SkipAnyCorruptedRecords => {
                self.report.drop_at(file, offset, bytes, records, why);
                return Ok(false);
            }
            // The end of a recycled file's present life: nothing is lost.
            _ if kind == Damage::StaleRecord && records == 0 => {
                if self.mode == WalRecoveryMode::PointInTime {
                    self.stopped_in = Some(number);
                }
                return Ok(true);
            }
            WalRecoveryMode::AbsoluteConsistency => return fail(),
            WalRecoveryMode::TolerateCorruptedTailRecords | WalRecoveryMode::PointInTime => {}
        }
        let rest = self.survey(reader)?;
        if self.mode == WalRecoveryMode::PointInTime {
            self.stopped_in = Some(number);
        } else if kind != Damage::TornTail && (followed || rest.sound) {
            return fail();
        }
        self.report.drop_at(file, offset, bytes, records, why);
        let end = offset + bytes;
        if end < size {
            self.report.drop_at(file, end, size - end, rest.records, "behind the damage");
        }
        Ok(true)
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
