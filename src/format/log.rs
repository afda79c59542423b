//! WAL and manifest records: payloads framed into blocks.
//!
//! A log is a run of 32 KiB blocks, so that a reader that lost its place finds it again at the next
//! one. The last block may be short.
//!
//!     block  := record* zeros            zeros only where fewer than 7 bytes are left
//!     record := masked crc32c u32 | length u16 | kind u8 | [log number u32] | payload
//!
//!     kind     1 full   2 first   3 middle   4 last          5..8 the same, recyclable
//!              9 compression of this log (u32)   10, 11 timestamp sizes   130, 131 previous log
//!
//! Invariants: no record crosses a block; the checksum covers all from the kind on; a payload is one
//! full record or first, middle*, last; a first record of no payload is normal when exactly a header
//! fits. Recyclable records (5..8, 11, 131) carry the low half of the file's number: another number
//! means that the record is left over from the file's earlier life.
//!
//! The writer writes plain records only, with `compress` one ZSTD frame as the payload of each. A log
//! belongs to one thread at a time.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)
)]

use crate::base::coding;
use crate::base::{Error, Result};
use crate::env::{SequentialFile, WritableFile};

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 32 * 1024;

const HEADER: usize = 7;
const RECYCLABLE_HEADER: usize = 11;
/// So many zeros at the end of a bad last record say that its end was never written.
const TORN_ZEROS: usize = 8;
/// Bytes that one reader looks through for records behind damage, so that no file takes for ever.
const SEARCH_BUDGET: u64 = 64 << 20;
/// Buffered records are handed to the file at this size.
const BUFFER_LIMIT: usize = 1 << 20;

const FULL: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;
const RECYCLABLE_FULL: u8 = 5;
const RECYCLABLE_LAST: u8 = 8;
const SET_COMPRESSION: u8 = 9;
const TIMESTAMP_SIZES: u8 = 10;
const RECYCLABLE_TIMESTAMP_SIZES: u8 = 11;
const RECYCLABLE_PREDECESSOR: u8 = 131;
const IGNORABLE: u8 = 0x80;

/// The one compression that a log may have.
const ZSTD: u32 = 7;
#[cfg(feature = "zstd")]
const ZSTD_LEVEL: i32 = 3;

fn checksum(covered: &[&[u8]]) -> u32 {
    let crc = covered.iter().fold(0, |crc, part| crc32c::crc32c_append(crc, part));
    crc.rotate_right(15).wrapping_add(0xA282_EAD8)
}

/// Appends payloads to a log.
///
/// After a failed append the file's tail is unknown: all calls fail until `truncate` has cut the
/// log to a size it had before.
pub struct LogWriter {
    file: Box<dyn WritableFile>,
    number: u64,
    /// Bytes that the file has taken.
    written: u64,
    /// Framed records that the file has not taken.
    buffer: Vec<u8>,
    /// An append failed and the tail is unknown.
    broken: bool,
    #[cfg(feature = "zstd")]
    compressor: Option<Compressor>,
}

#[cfg(feature = "zstd")]
struct Compressor {
    context: zstd::bulk::Compressor<'static>,
    frame: Vec<u8>,
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LogWriter({}, {} bytes)", self.number, self.size())
    }
}

impl LogWriter {
    /// Goes on at the end of `file`, which holds nothing or a log that was read to its clean end.
    #[must_use]
    pub fn new(file: Box<dyn WritableFile>, number: u64) -> Self {
        let written = file.size();
        Self {
            file,
            number,
            written,
            buffer: Vec::new(),
            broken: false,
            #[cfg(feature = "zstd")]
            compressor: None,
        }
    }

    /// Compresses all payloads; says so in the file, which must be empty. Not supported in a build without
    /// ZSTD.
    pub fn compress(&mut self) -> Result<()> {
        assert!(self.size() == 0, "a log is compressed from its beginning");
        #[cfg(not(feature = "zstd"))]
        return Err(Error::not_supported("compressed logs: ZSTD is not linked with the binary"));
        #[cfg(feature = "zstd")]
        {
            let context = zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(|e| self.no_zstd(&e))?;
            let head = ZSTD.to_le_bytes();
            self.physical(SET_COMPRESSION, &head);
            self.flush()?;
            self.compressor = Some(Compressor { context, frame: Vec::new() });
            Ok(())
        }
    }

    #[cfg(feature = "zstd")]
    fn no_zstd(&self, error: &std::io::Error) -> Error {
        Error::io_error(format!("log {}: compressing failed: {error}", self.number))
    }

    /// The log's number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the log, buffered ones included.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Bytes that wait for `flush`.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Appends `payload`, and what was buffered before it, with one call to the file.
    pub fn add(&mut self, payload: &[u8]) -> Result<()> {
        self.check()?;
        self.frame(payload)?;
        self.flush()
    }

    /// Appends `payload` in memory; `flush` hands it to the file.
    pub fn add_buffered(&mut self, payload: &[u8]) -> Result<()> {
        self.check()?;
        self.frame(payload)?;
        if self.buffer.len() < BUFFER_LIMIT { Ok(()) } else { self.flush() }
    }

    /// Hands buffered records to the file.
    pub fn flush(&mut self) -> Result<()> {
        self.check()?;
        if self.buffer.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.file.append(&self.buffer) {
            self.broken = true;
            return Err(error);
        }
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        // One huge batch must not hold its memory for the log's whole life.
        self.buffer.shrink_to(BUFFER_LIMIT);
        Ok(())
    }

    /// Flushes and makes the data durable.
    pub fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.file.sync()
    }

    /// Flushes and makes data and metadata durable.
    pub fn fsync(&mut self) -> Result<()> {
        self.flush()?;
        self.file.fsync()
    }

    /// Starts writing out without waiting; best effort.
    pub fn range_sync(&mut self) -> Result<()> {
        self.file.range_sync(self.written)
    }

    /// Cuts the log to `size`, a value that `size()` had before, and goes on from there.
    pub fn truncate(&mut self, size: u64) -> Result<()> {
        assert!(size <= self.size(), "a log is cut, not grown");
        if size < self.written || self.broken {
            let keep = size.min(self.written);
            self.broken = true;
            self.file.truncate(keep)?;
            self.broken = false;
            if size < self.written {
                self.buffer.clear();
            }
            self.written = keep;
        }
        let buffered = usize::try_from(size - self.written).expect("the buffer is in memory");
        self.buffer.truncate(buffered);
        Ok(())
    }

    /// Flushes and closes.
    pub fn close(&mut self) -> Result<()> {
        let flushed = if self.broken { Ok(()) } else { self.flush() };
        flushed.and(self.file.close())
    }

    fn check(&self) -> Result<()> {
        if self.broken {
            return Err(Error::io_error(format!(
                "log {}: an earlier append failed and its tail was not cut",
                self.number
            )));
        }
        Ok(())
    }

    /// A payload, as the log has it, in records.
    fn frame(&mut self, payload: &[u8]) -> Result<()> {
        #[cfg(feature = "zstd")]
        if let Some(mut compressor) = self.compressor.take() {
            let Compressor { context, frame } = &mut compressor;
            frame.resize(zstd::zstd_safe::compress_bound(payload.len()), 0);
            let done = context.compress_to_buffer(payload, frame.as_mut_slice());
            if let Ok(n) = done {
                self.fragments(frame.get(..n).unwrap_or(&[]));
            }
            // As for `buffer`.
            frame.truncate(BUFFER_LIMIT);
            frame.shrink_to(BUFFER_LIMIT);
            self.compressor = Some(compressor);
            return done.map(|_| ()).map_err(|e| self.no_zstd(&e));
        }
        self.fragments(payload);
        Ok(())
    }

    fn physical(&mut self, kind: u8, fragment: &[u8]) {
        let length = u16::try_from(fragment.len()).expect("a fragment fits a block");
        self.buffer.extend_from_slice(&checksum(&[&[kind], fragment]).to_le_bytes());
        self.buffer.extend_from_slice(&length.to_le_bytes());
        self.buffer.push(kind);
        self.buffer.extend_from_slice(fragment);
    }

    fn fragments(&mut self, payload: &[u8]) {
        let at = self.size() % BLOCK_BYTES as u64;
        let mut room = BLOCK_BYTES - usize::try_from(at).unwrap_or(0);
        self.buffer.reserve(payload.len() + HEADER * (payload.len() / BLOCK_BYTES + 2) + HEADER);
        let mut rest = payload;
        let mut first = true;
        loop {
            if room < HEADER {
                self.buffer.resize(self.buffer.len() + room, 0);
                room = BLOCK_BYTES;
            }
            let (fragment, tail) = rest.split_at(rest.len().min(room - HEADER));
            let kind = match (first, tail.is_empty()) {
                (true, true) => FULL,
                (true, false) => FIRST,
                (false, false) => MIDDLE,
                (false, true) => LAST,
            };
            self.physical(kind, fragment);
            room -= HEADER + fragment.len();
            rest = tail;
            first = false;
            if kind == FULL || kind == LAST {
                return;
            }
        }
    }
}

/// What is wrong with a place in a log. The caller's recovery mode says what that means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The file ends inside a record: what a crash leaves.
    TornTail,
    /// The bytes are not a record: checksum, length or order is wrong.
    BadData,
    /// A record of the file's earlier life.
    StaleRecord,
}

/// What a reader found next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A payload.
    Record {
        /// Where its first fragment's header is.
        offset: u64,
        /// The payload.
        payload: &'a [u8],
    },
    /// Something wrong; the next call goes on behind it.
    Damage {
        /// Where it begins.
        offset: u64,
        /// Bytes that are given up.
        bytes: u64,
        /// Of what kind.
        kind: Damage,
        /// In words.
        why: &'static str,
        /// Records that are given up, as far as one can tell.
        records: u64,
        /// Whole records lie behind the damage in what is given up: this is not the log's end.
        followed: bool,
    },
    /// Nothing more. A later call looks whether the file has grown.
    End {
        /// Where the file ends.
        offset: u64,
    },
}

/// `Event` without the borrow, so that the reader can loop.
enum Step {
    /// The payload is in `record`.
    Assembled {
        offset: u64,
    },
    /// The payload is in the block.
    InBlock {
        offset: u64,
        from: usize,
        to: usize,
    },
    Damage(Place),
    End {
        offset: u64,
    },
}

/// A place of damage.
struct Place {
    offset: u64,
    bytes: u64,
    kind: Damage,
    why: &'static str,
    records: u64,
    followed: bool,
}

/// What is given up at a place of damage.
struct Loss {
    bytes: u64,
    records: u64,
    followed: bool,
}

/// A physical record in the block.
struct Physical {
    offset: u64,
    kind: u8,
    from: usize,
    to: usize,
}

/// Reads payloads of a log from front to back.
pub struct LogReader {
    file: Box<dyn SequentialFile>,
    number: u64,
    block: Vec<u8>,
    /// Next byte of the block to look at.
    at: usize,
    /// File offset of the block.
    block_offset: u64,
    /// Fragments of the payload under way, when `started` is some offset.
    record: Vec<u8>,
    started: Option<u64>,
    /// Is the first record recyclable? Unknown before it.
    recycled: Option<bool>,
    compressed: bool,
    /// Fragments without a start belong to a record that was given up already.
    orphans: bool,
    /// The rest of the block before was given up: damage that goes on is no other record.
    in_ruins: bool,
    /// What the first eight bytes of later payloads are at least.
    floor: u64,
    /// Bytes that may still be looked through for records behind damage.
    search_budget: u64,
}

impl std::fmt::Debug for LogReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LogReader({}, at {})", self.number, self.offset())
    }
}

impl LogReader {
    /// Reads `file`, which must stand at its beginning, as the log of `number`.
    #[must_use]
    pub fn new(file: Box<dyn SequentialFile>, number: u64) -> Self {
        Self {
            file,
            number,
            block: Vec::new(),
            at: 0,
            block_offset: 0,
            record: Vec::new(),
            started: None,
            recycled: None,
            compressed: false,
            orphans: false,
            in_ruins: false,
            floor: 0,
            search_budget: SEARCH_BUDGET,
        }
    }

    /// Payloads from here on begin with a little-endian number of at least `floor` (a batch's sequence
    /// number). Behind damage, what looks like a record of a smaller number is not taken for one: it may be a
    /// piece of an older log.
    pub fn set_floor(&mut self, floor: u64) {
        self.floor = floor;
    }

    /// The log's number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Is this a recycled log? Then a wrong checksum may be the old life's end.
    #[must_use]
    pub fn recycled(&self) -> bool {
        self.recycled == Some(true)
    }

    /// Where the next event is looked for.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.block_offset + self.at as u64
    }

    /// The next event. An error is an error of the file or an unsupported compression, not damage.
    #[allow(clippy::should_implement_trait, reason = "an event borrows the reader")]
    pub fn next(&mut self) -> Result<Event<'_>> {
        let step = self.step()?;
        Ok(match step {
            Step::Assembled { offset } => Event::Record { offset, payload: &self.record },
            Step::InBlock { offset, from, to } => {
                Event::Record { offset, payload: self.block.get(from..to).unwrap_or(&[]) }
            }
            Step::Damage(Place { offset, bytes, kind, why, records, followed }) => {
                Event::Damage { offset, bytes, kind, why, records, followed }
            }
            Step::End { offset } => Event::End { offset },
        })
    }

    fn step(&mut self) -> Result<Step> {
        loop {
            let before = self.at;
            let physical = match self.physical()? {
                Ok(physical) => physical,
                Err(Step::Damage(place)) => {
                    self.orphans = true;
                    // The payload under way is lost with it, and is the same record.
                    let from = self.started.take().unwrap_or(place.offset);
                    let bytes = place.bytes + (place.offset - from);
                    return Ok(Step::Damage(Place { offset: from, bytes, ..place }));
                }
                Err(Step::End { offset }) => {
                    return Ok(match self.started.take() {
                        Some(from) => Step::Damage(Place {
                            offset: from,
                            bytes: offset - from,
                            kind: Damage::TornTail,
                            why: "truncated record body",
                            records: 1,
                            followed: false,
                        }),
                        None => Step::End { offset },
                    });
                }
                Err(other) => return Ok(other),
            };
            let Physical { offset, kind, from, to } = physical;
            let payload = self.block.get(from..to).unwrap_or(&[]);
            let base = if (RECYCLABLE_FULL..=RECYCLABLE_LAST).contains(&kind) {
                kind - (RECYCLABLE_FULL - FULL)
            } else {
                kind
            };
            if (base == FULL || base == FIRST)
                && let Some(begun) = self.started.take()
                && !self.record.is_empty()
            {
                // The record itself is fine: report the loss, then come back to it.
                self.at = before;
                return Ok(Step::Damage(Place {
                    offset: begun,
                    bytes: offset - begun,
                    kind: Damage::BadData,
                    why: "partial record without end",
                    records: 1,
                    followed: false,
                }));
            }
            if base == FULL || base == FIRST {
                self.orphans = false;
            }
            match base {
                FULL if self.compressed => {
                    self.record.clear();
                    self.record.extend_from_slice(payload);
                    return self.finish(offset);
                }
                FULL => return Ok(Step::InBlock { offset, from, to }),
                FIRST => {
                    self.record.clear();
                    self.record.extend_from_slice(payload);
                    self.started = Some(offset);
                }
                MIDDLE | LAST => {
                    let Some(begun) = self.started else {
                        let lost = Loss {
                            bytes: self.offset() - offset,
                            records: u64::from(!std::mem::replace(&mut self.orphans, base != LAST)),
                            followed: false,
                        };
                        let why = "missing start of fragmented record";
                        return Ok(damage(offset, lost, Damage::BadData, why));
                    };
                    self.record.extend_from_slice(payload);
                    if base == LAST {
                        self.started = None;
                        return self.finish(begun);
                    }
                }
                SET_COMPRESSION => match coding::u32_at(payload, 0) {
                    Some(0) => {}
                    Some(ZSTD) if cfg!(feature = "zstd") => self.compressed = true,
                    Some(kind) => {
                        return Err(Error::not_supported(format!(
                            "log {} has compression type {kind}",
                            self.number
                        )));
                    }
                    None => {
                        let lost = Loss::one(self.offset() - offset);
                        let why = "bad compression record";
                        return Ok(damage(offset, lost, Damage::BadData, why));
                    }
                },
                TIMESTAMP_SIZES | RECYCLABLE_TIMESTAMP_SIZES => {}
                _ if kind & IGNORABLE != 0 => {}
                _ => {
                    let from = self.started.take().unwrap_or(offset);
                    let lost = Loss::one(self.offset() - from);
                    return Ok(damage(from, lost, Damage::BadData, "unknown record type"));
                }
            }
        }
    }

    /// The payload in `record` is complete.
    fn finish(&mut self, offset: u64) -> Result<Step> {
        if self.compressed && !self.record.is_empty() {
            match decompress(&self.record) {
                Some(plain) => self.record = plain,
                None => {
                    let lost = Loss::one(self.offset() - offset);
                    let why = "record does not decompress";
                    return Ok(damage(offset, lost, Damage::BadData, why));
                }
            }
        }
        Ok(Step::Assembled { offset })
    }

    /// The next physical record, or `End` or `Damage`.
    fn physical(&mut self) -> Result<std::result::Result<Physical, Step>> {
        loop {
            let offset = self.offset();
            let rest = self.block.get(self.at..).unwrap_or(&[]);
            let whole = self.block.len() == BLOCK_BYTES;
            let header = match (rest.first_chunk::<HEADER>(), rest.get(6)) {
                (Some(_), Some(&kind)) if is_recyclable(kind) => RECYCLABLE_HEADER,
                _ => HEADER,
            };
            if rest.len() < header {
                if whole {
                    self.block_offset += BLOCK_BYTES as u64;
                    self.block.clear();
                    self.at = 0;
                    self.fill()?;
                    continue;
                }
                if self.fill()? {
                    continue;
                }
                let bytes = self.skip_block();
                return Ok(Err(if bytes == 0 {
                    Step::End { offset }
                } else {
                    let lost = Loss { records: u64::from(!self.in_ruins), ..Loss::one(bytes) };
                    damage(offset, lost, Damage::TornTail, "truncated header")
                }));
            }
            let stored = coding::u32_at(rest, 0).unwrap_or(0);
            let length = rest
                .get(4..6)
                .map_or(0, |b| b.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b)));
            let kind = rest.get(6).copied().unwrap_or(0);
            let Some(body) = rest.get(6..header + length) else {
                if !whole && self.fill()? {
                    continue;
                }
                // No record crosses a block, and nothing whole is behind a tail that is torn.
                let fits = self.at + header + length <= BLOCK_BYTES;
                let lost = self.give_up();
                return Ok(Err(if !fits || lost.followed {
                    damage(offset, lost, Damage::BadData, "bad record length")
                } else {
                    damage(offset, lost, Damage::TornTail, "truncated record body")
                }));
            };
            if kind == 0 && length == 0 {
                if rest.iter().any(|b| *b != 0) {
                    return Ok(Err(self.rot(offset, "bytes behind zeros")));
                }
                // Zeros from preallocation: nothing more in this block.
                let bytes = self.skip_block();
                if self.started.is_some() {
                    let lost = Loss::one(bytes);
                    let why = "error in middle of record";
                    return Ok(Err(damage(offset, lost, Damage::BadData, why)));
                }
                continue;
            }
            let recyclable = is_recyclable(kind);
            let low = self.number & u64::from(u32::MAX);
            let stale = recyclable && coding::u32_at(rest, HEADER).map(u64::from) != Some(low);
            let right = checksum(&[body]) == stored;
            // Only a record that is whole, or one in a log known to be recycled, tells of an older life.
            if stale && (self.recycled == Some(true) || (right && self.recycled.is_none())) {
                self.recycled = Some(true);
                self.at += header + length;
                let lost = Loss { records: 0, ..Loss::one((header + length) as u64) };
                let why = "record of an older log";
                return Ok(Err(damage(offset, lost, Damage::StaleRecord, why)));
            }
            if !right {
                return Ok(Err(self.rot(offset, "checksum mismatch")));
            }
            if recyclable && self.recycled == Some(false) {
                return Ok(Err(self.rot(offset, "recyclable record in a plain log")));
            }
            self.recycled.get_or_insert(recyclable);
            self.in_ruins = false;
            let from = self.at + header;
            self.at = from + length;
            return Ok(Ok(Physical { offset, kind, from, to: self.at }));
        }
    }

    /// Gives up the rest of the block and says how many bytes that were.
    fn skip_block(&mut self) -> u64 {
        let bytes = self.block.len().saturating_sub(self.at);
        self.at = self.block.len();
        bytes as u64
    }

    /// Gives up a record that is all there but wrong. One that ends in zeros where the file ends is torn: after
    /// a power cut a file may have its size and not yet its last blocks.
    fn rot(&mut self, offset: u64, why: &'static str) -> Step {
        let whole = self.block.len() == BLOCK_BYTES;
        let rest = self.block.get(self.at..).unwrap_or(&[]);
        let zeros = rest.iter().rev().take_while(|b| **b == 0).count();
        let lost = self.give_up();
        let is_end = !whole && self.at == self.block.len();
        if is_end && !lost.followed && zeros >= TORN_ZEROS {
            return damage(offset, lost, Damage::TornTail, "zeros in place of a record's end");
        }
        damage(offset, lost, Damage::BadData, why)
    }

    /// Gives up the rest of the block, as RocksDB does: what a search finds there might be part of somebody's
    /// value. It is searched all the same, to say how much is lost.
    fn give_up(&mut self) -> Loss {
        let first = u64::from(!std::mem::replace(&mut self.in_ruins, true));
        let end = self.end_of(self.at).filter(|end| self.leads_on(*end));
        let found = self.records_behind(end.unwrap_or(self.at + 1), end.is_some());
        Loss { bytes: self.skip_block(), records: first + found, followed: found > 0 }
    }

    /// Where the record at `at` ends by its own length, if that is in what was read of the block.
    fn end_of(&self, at: usize) -> Option<usize> {
        let header = self.block.get(at..)?.first_chunk::<HEADER>()?;
        let length = usize::from(u16::from_le_bytes([header[4], header[5]]));
        let header = if self.recycled == Some(true) { RECYCLABLE_HEADER } else { HEADER };
        let end = at + header + length;
        (end <= self.block.len()).then_some(end)
    }

    /// Do the lengths from `at` on lead to a sound record, or exactly to the end?
    fn leads_on(&mut self, mut at: usize) -> bool {
        loop {
            let rest = self.block.get(at..).unwrap_or(&[]);
            let is_end = rest.len() < HEADER && self.block.len() == BLOCK_BYTES;
            if (is_end || rest.len() >= HEADER || rest.is_empty()) && rest.iter().all(|b| *b == 0) {
                return true;
            }
            match self.sound_at(at) {
                Some((true, _)) => return true,
                Some((false, end)) => at = end,
                None => match self.end_of(at) {
                    Some(end) => at = end,
                    None => return false,
                },
            }
        }
    }

    /// A record at `at` whose checksum is right: whether it begins a payload of this log, and its end.
    fn sound_at(&mut self, at: usize) -> Option<(bool, usize)> {
        let rest = self.block.get(at..)?;
        let (&kind, stored) = (rest.get(6)?, coding::u32_at(rest, 0)?);
        let header = if is_recyclable(kind) { RECYCLABLE_HEADER } else { HEADER };
        let length = usize::from(*rest.get(4)?) | usize::from(*rest.get(5)?) << 8;
        let body = rest.get(6..header + length)?;
        if !(FULL..=RECYCLABLE_LAST).contains(&kind) {
            return None;
        }
        self.search_budget = self.search_budget.checked_sub(body.len() as u64)?;
        if checksum(&[body]) != stored {
            return None;
        }
        let low = self.number & u64::from(u32::MAX);
        let own = !is_recyclable(kind) || coding::u32_at(rest, HEADER).map(u64::from) == Some(low);
        let base = if is_recyclable(kind) { kind - (RECYCLABLE_FULL - FULL) } else { kind };
        let begins = own
            && (base == FULL || base == FIRST)
            && (self.compressed
                || coding::u64_at(rest, header).is_some_and(|number| number >= self.floor)
                || (self.floor == 0 && length > 0));
        Some((begins, at + header + length))
    }

    /// Records of this log in the block from `at` on, where a record ends if `in_step`: sound ones, and others
    /// between sound ones.
    fn records_behind(&mut self, mut at: usize, mut in_step: bool) -> u64 {
        let mut found = 0;
        while let Some(rest) = self.block.get(at..).filter(|rest| rest.len() >= HEADER) {
            if in_step && rest.iter().all(|b| *b == 0) {
                break;
            }
            if let Some((begins, end)) = self.sound_at(at) {
                found += u64::from(begins);
                (at, in_step) = (end, true);
                continue;
            }
            let end = self.end_of(at).filter(|_| in_step).filter(|end| *end < self.block.len());
            match end.filter(|end| self.leads_on(*end)) {
                Some(end) => {
                    found += 1;
                    at = end;
                }
                None => (at, in_step) = (at + 1, false),
            }
        }
        found
    }

    /// Reads on until the block is whole or the file ends; says whether anything came.
    fn fill(&mut self) -> Result<bool> {
        let before = self.block.len();
        let mut have = before;
        self.block.resize(BLOCK_BYTES, 0);
        while let Some(room) = self.block.get_mut(have..).filter(|room| !room.is_empty()) {
            match self.file.read(room) {
                Ok(0) => break,
                Ok(n) => have += n,
                Err(error) => {
                    self.block.truncate(have);
                    return Err(error);
                }
            }
        }
        self.block.truncate(have);
        Ok(have > before)
    }
}

impl Loss {
    fn one(bytes: u64) -> Self {
        Self { bytes, records: 1, followed: false }
    }
}

fn damage(offset: u64, lost: Loss, kind: Damage, why: &'static str) -> Step {
    let Loss { bytes, records, followed } = lost;
    Step::Damage(Place { offset, bytes, kind, why, records, followed })
}

fn is_recyclable(kind: u8) -> bool {
    (RECYCLABLE_FULL..=RECYCLABLE_LAST).contains(&kind)
        || kind == RECYCLABLE_TIMESTAMP_SIZES
        || kind == RECYCLABLE_PREDECESSOR
}

/// One ZSTD frame, of at most the 4 GiB that a batch may have.
#[cfg(feature = "zstd")]
fn decompress(frame: &[u8]) -> Option<Vec<u8>> {
    use std::io::Read;
    let mut plain = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(frame).ok()?;
    decoder.single_frame().take(u64::from(u32::MAX)).read_to_end(&mut plain).ok()?;
    Some(plain)
}

#[cfg(not(feature = "zstd"))]
fn decompress(_frame: &[u8]) -> Option<Vec<u8>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::env::Env;
    use crate::format::batch::{self, Record};
    use crate::format::name::FileName;
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};

    /// A file in memory that can be told to fail an append half way.
    #[derive(Clone, Default)]
    struct Memory {
        bytes: Arc<Mutex<Vec<u8>>>,
        fail_next: Arc<Mutex<bool>>,
        appends: Arc<Mutex<usize>>,
    }

    impl WritableFile for Memory {
        fn append(&mut self, bytes: &[u8]) -> Result<()> {
            *self.appends.lock().unwrap() += 1;
            let mut to = self.bytes.lock().unwrap();
            if std::mem::take(&mut *self.fail_next.lock().unwrap()) {
                to.extend_from_slice(&bytes[..bytes.len() / 2]);
                return Err(Error::io_error("by plan"));
            }
            to.extend_from_slice(bytes);
            Ok(())
        }
        fn sync(&mut self) -> Result<()> {
            Ok(())
        }
        fn truncate(&mut self, len: u64) -> Result<()> {
            self.bytes.lock().unwrap().truncate(len as usize);
            Ok(())
        }
        fn size(&self) -> u64 {
            self.bytes.lock().unwrap().len() as u64
        }
        fn close(&mut self) -> Result<()> {
            Ok(())
        }
    }

    /// Reads what `Memory` holds at that moment, in pieces of odd sizes.
    struct Source(Memory, usize);

    impl SequentialFile for Source {
        fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
            let bytes = self.0.bytes.lock().unwrap();
            let n = (bytes.len() - self.1.min(bytes.len())).min(buf.len()).min(9999);
            buf[..n].copy_from_slice(&bytes[self.1..self.1 + n]);
            self.1 += n;
            Ok(n)
        }
        fn skip(&mut self, n: u64) -> Result<()> {
            self.1 += n as usize;
            Ok(())
        }
    }

    fn reader(bytes: &[u8], number: u64) -> LogReader {
        let memory = Memory::default();
        *memory.bytes.lock().unwrap() = bytes.to_vec();
        LogReader::new(Box::new(Source(memory, 0)), number)
    }

    /// All payloads, all damages, and the end.
    type Found = (Vec<Vec<u8>>, Vec<(u64, Damage, &'static str)>, u64);

    fn all(mut reader: LogReader) -> Found {
        let (mut records, mut damages) = (Vec::new(), Vec::new());
        loop {
            match reader.next().unwrap() {
                Event::Record { payload, .. } => records.push(payload.to_vec()),
                Event::Damage { offset, kind, why, .. } => damages.push((offset, kind, why)),
                Event::End { offset } => return (records, damages, offset),
            }
        }
    }

    fn written(payloads: &[Vec<u8>]) -> Vec<u8> {
        let memory = Memory::default();
        let mut log = LogWriter::new(Box::new(memory.clone()), 1);
        for payload in payloads {
            log.add(payload).unwrap();
        }
        assert_eq!(log.size(), memory.size());
        memory.bytes.lock().unwrap().clone()
    }

    #[test]
    fn payloads_of_every_awkward_size_come_back() {
        let mut rng = Rng::new(1);
        let mut payloads = vec![Vec::new()];
        // Ends 0..15 bytes before a block's end, so that every padding and header case occurs.
        for left in 0..16 {
            payloads.push(rng.bytes(BLOCK_BYTES - HEADER - left));
            payloads.push(rng.bytes(1));
            payloads.push(Vec::new());
            payloads.push(rng.bytes(3 * BLOCK_BYTES - left));
        }
        for _ in 0..300 {
            let n = rng.below(5000) as usize;
            payloads.push(rng.bytes(n));
        }
        let bytes = written(&payloads);
        let (records, damages, end) = all(reader(&bytes, 1));
        assert!(records == payloads);
        assert_eq!(damages, []);
        assert_eq!(end, bytes.len() as u64);
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn compressed_payloads_come_back_and_a_torn_one_ends_the_log() {
        let mut rng = Rng::new(2);
        let mut payloads = vec![Vec::new(), vec![7; 1 << 20], rng.bytes(100_000)];
        for n in 0..2000usize {
            let mut payload = rng.bytes(n % 90);
            payload.resize(n, b'v');
            payloads.push(payload);
        }
        let memory = Memory::default();
        let mut log = LogWriter::new(Box::new(memory.clone()), 1);
        log.compress().unwrap();
        assert_eq!(log.size(), 11);
        for (n, payload) in payloads.iter().enumerate() {
            if n % 2 == 0 {
                log.add(payload).unwrap();
            } else {
                log.add_buffered(payload).unwrap();
            }
        }
        let good = log.size();
        log.add(b"not wanted").unwrap();
        log.truncate(good).unwrap();
        log.add(b"last").unwrap();
        payloads.push(b"last".to_vec());
        let bytes = memory.bytes.lock().unwrap().clone();
        assert!(bytes.len() < 400_000, "{}", bytes.len());
        let (records, damages, _) = all(reader(&bytes, 1));
        assert!(records == payloads && damages.is_empty(), "{damages:?}");
        for _ in 0..60 {
            let cut = 11 + rng.below(bytes.len() as u64 - 11) as usize;
            let (records, damages, _) = all(reader(&bytes[..cut], 1));
            assert!(records[..] == payloads[..records.len()] && damages.len() <= 1, "{cut}");
            assert!(damages.iter().all(|d| d.1 == Damage::TornTail), "{cut}: {damages:?}");
            let (_, damages, end) = all(reader(&bytes[..11], 1));
            assert_eq!((damages.len(), end), (0, 11));
        }
    }

    #[test]
    fn one_header_left_takes_an_empty_first_fragment() {
        let bytes = written(&[vec![7; BLOCK_BYTES - 2 * HEADER], b"next".to_vec()]);
        assert_eq!(&bytes[BLOCK_BYTES - 3..BLOCK_BYTES], [0, 0, FIRST]);
        assert_eq!(bytes[BLOCK_BYTES + 6], LAST);
        let bytes = written(&[vec![7; BLOCK_BYTES - 2 * HEADER + 1], b"next".to_vec()]);
        assert_eq!(&bytes[BLOCK_BYTES - 6..BLOCK_BYTES], [0; 6]);
        assert_eq!(bytes[BLOCK_BYTES + 6], FULL);
    }

    #[test]
    fn one_payload_is_one_append() {
        let memory = Memory::default();
        let mut log = LogWriter::new(Box::new(memory.clone()), 1);
        log.add(&vec![1; 200_000]).unwrap();
        assert_eq!(*memory.appends.lock().unwrap(), 1);
        log.add_buffered(b"a").unwrap();
        log.add_buffered(b"b").unwrap();
        assert_eq!((*memory.appends.lock().unwrap(), log.buffered()), (1, 16));
        log.sync().unwrap();
        assert_eq!((*memory.appends.lock().unwrap(), log.buffered()), (2, 0));
    }

    #[test]
    fn a_failed_append_is_cut_off() {
        let memory = Memory::default();
        let mut log = LogWriter::new(Box::new(memory.clone()), 1);
        log.add(b"one").unwrap();
        log.add_buffered(b"two").unwrap();
        let good = log.size();
        *memory.fail_next.lock().unwrap() = true;
        assert!(log.add(&[3; 50_000]).is_err());
        assert!(log.add(b"four").is_err());
        assert!(log.sync().is_err());
        log.truncate(good).unwrap();
        log.add(b"five").unwrap();
        // Cut back below what the file has, and go on.
        let mark = log.size();
        log.add(b"six").unwrap();
        log.add_buffered(b"seven").unwrap();
        log.truncate(mark).unwrap();
        log.add(b"eight").unwrap();
        let bytes = memory.bytes.lock().unwrap().clone();
        let (records, damages, _) = all(reader(&bytes, 1));
        assert_eq!(records, [&b"one"[..], b"two", b"five", b"eight"]);
        assert_eq!(damages, []);
    }

    #[test]
    fn a_torn_record_ends_the_log() {
        let payloads = [b"first".to_vec(), vec![5; 70_000]];
        let bytes = written(&payloads);
        for cut in 13..bytes.len() {
            // Every place in the first block would be slow and say nothing new.
            if cut > 300 && cut % 997 != 0 && (cut % BLOCK_BYTES > 12) {
                continue;
            }
            let (records, damages, _) = all(reader(&bytes[..cut], 1));
            assert_eq!(records, [b"first"], "cut at {cut}");
            assert_eq!(damages.len(), 1, "cut at {cut}");
            assert_eq!(damages[0].1, Damage::TornTail, "cut at {cut}");
        }
        assert_eq!(all(reader(&bytes[..12], 1)).1, []);
    }

    #[test]
    fn after_bad_data_the_next_block_is_read() {
        let payloads: Vec<Vec<u8>> = (0..100u8).map(|i| vec![i; 1000]).collect();
        let mut bytes = written(&payloads);
        bytes[5000] ^= 1;
        let (records, damages, _) = all(reader(&bytes, 1));
        assert_eq!(damages[0], (4 * 1007, Damage::BadData, "checksum mismatch"));
        // The fragment of the record that crosses into the next block has lost its start.
        assert_eq!(damages[1].2, "missing start of fragmented record");
        assert_eq!((&records[..4], &records[4..]), (&payloads[..4], &payloads[33..]));
    }

    #[test]
    fn lost_records_are_counted_and_a_torn_tail_is_told_from_rot() {
        let payloads: Vec<Vec<u8>> = (0..200u8).map(|i| vec![i; 400]).collect();
        let whole = written(&payloads);
        let lost = |bytes: &[u8]| {
            let mut reader = reader(bytes, 1);
            let (mut kept, mut lost, mut followed) = (0, 0, false);
            loop {
                match reader.next().unwrap() {
                    Event::Record { .. } => (kept, followed) = (kept + 1, followed || lost > 0),
                    Event::Damage { records, followed: f, .. } => {
                        lost += records;
                        followed |= f;
                    }
                    Event::End { .. } => return (kept, lost, followed),
                }
            }
        };
        for at in (0..whole.len()).step_by(61).chain(407 * 50..407 * 51) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            let (kept, lost, followed) = lost(&bytes);
            assert_eq!(kept + lost, 200, "flip at {at}");
            assert!(followed || at >= whole.len() - 407, "flip at {at}");
        }
        for at in (0..whole.len()).step_by(61) {
            let (kept, lost, followed) = lost(&whole[..at]);
            let torn = !payloads.is_empty() && kept < 200 && lost == 1;
            assert!(!followed && (torn || lost == 0), "cut at {at}");
        }
    }

    #[test]
    fn zeros_at_the_end_are_harmless() {
        let mut bytes = written(&[b"a".to_vec()]);
        bytes.resize(bytes.len() + 70_000, 0);
        let (records, damages, _) = all(reader(&bytes, 1));
        assert_eq!((records.len(), damages), (1, vec![]));
    }

    #[test]
    fn a_log_that_grows_is_read_on() {
        let memory = Memory::default();
        let mut log = LogWriter::new(Box::new(memory.clone()), 1);
        let mut tail = LogReader::new(Box::new(Source(memory.clone(), 0)), 1);
        assert_eq!(tail.next().unwrap(), Event::End { offset: 0 });
        for n in 0..100u32 {
            log.add(&vec![n as u8; n as usize * 37]).unwrap();
            match tail.next().unwrap() {
                Event::Record { payload, .. } => {
                    assert_eq!(payload, vec![n as u8; n as usize * 37])
                }
                other => panic!("{other:?}"),
            }
            assert_eq!(tail.next().unwrap(), Event::End { offset: log.size() });
        }
    }

    fn recyclable(number: u32, kind: u8, payload: &[u8]) -> Vec<u8> {
        let number = number.to_le_bytes();
        let mut to = checksum(&[&[kind], &number, payload]).to_le_bytes().to_vec();
        to.extend_from_slice(&(payload.len() as u16).to_le_bytes());
        to.push(kind);
        to.extend_from_slice(&number);
        to.extend_from_slice(payload);
        to
    }

    #[test]
    fn a_recycled_log_ends_where_its_old_life_begins() {
        let mut bytes = recyclable(9, 5, b"new");
        bytes.extend(recyclable(9, 6, b"he"));
        bytes.extend(recyclable(9, 8, b"llo"));
        bytes.extend(recyclable(4, 5, b"old"));
        let log = reader(&bytes, 9 + (1 << 32));
        let (records, damages, _) = all(log);
        assert_eq!(records, [&b"new"[..], b"hello"]);
        assert_eq!(damages.len(), 1);
        assert_eq!(damages[0].1, Damage::StaleRecord);
        let mut bytes = written(&[b"plain".to_vec()]);
        bytes.extend(recyclable(1, 5, b"x"));
        assert_eq!(all(reader(&bytes, 1)).1[0].1, Damage::BadData);
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut rng = Rng::new(2);
        let payloads: Vec<Vec<u8>> = (0..60).map(|i| rng.bytes(i * 40)).collect();
        let mut log = written(&payloads);
        log.extend(recyclable(1, 5, b"x"));
        for round in 0..400 {
            let mut bytes = log.clone();
            if round % 2 == 0 {
                bytes.truncate(rng.below(bytes.len() as u64) as usize);
            }
            for _ in 0..=rng.below(5) {
                let at = rng.below(bytes.len().max(1) as u64) as usize;
                if let Some(b) = bytes.get_mut(at) {
                    *b ^= 1 << rng.below(8);
                }
            }
            let (records, _, end) = all(reader(&bytes, 1));
            assert_eq!(end, bytes.len() as u64);
            // A checksum is a checksum: what is read was written.
            assert!(records.iter().all(|r| payloads.contains(r) || r == b"x" || r.is_empty()));
        }
    }

    fn fixtures() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
    }

    /// The logs of a folder, by number.
    fn logs(dir: &Path) -> Vec<(u64, PathBuf)> {
        let fs = Env::posix().fs;
        let mut found: Vec<_> = fs
            .list(dir)
            .unwrap()
            .into_iter()
            .filter_map(|name| match FileName::parse(&name) {
                Some(FileName::Wal(n)) => Some((n, dir.join(name))),
                _ => None,
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn every_log_of_the_fixtures_is_read() {
        let fs = Env::posix().fs;
        let (mut logs_read, mut records_read) = (0, 0);
        for release in ["rocksdb-7.8.3", "rocksdb-newer"] {
            for case in fs.list(&fixtures().join(release)).unwrap() {
                let dir = fixtures().join(release).join(&case);
                if case.contains('.') && !case.starts_with('v') || case.ends_with(".tsv") {
                    continue;
                }
                for (number, path) in logs(&dir) {
                    let mut reader = LogReader::new(fs.open_sequential(&path).unwrap(), number);
                    loop {
                        match reader.next().unwrap() {
                            Event::Record { payload, .. } => {
                                for record in batch::records(payload).unwrap() {
                                    record.unwrap();
                                }
                                records_read += 1;
                            }
                            Event::Damage { kind, why, offset, .. } => {
                                let expected = match &case[..] {
                                    "wal_recycled" => Damage::StaleRecord,
                                    "flipped_wal_middle" => Damage::BadData,
                                    _ if case.starts_with("torn_wal") => Damage::TornTail,
                                    _ => panic!("{case}: {why} at {offset}"),
                                };
                                // Behind an old life's first records its fragments may lie.
                                assert!(
                                    kind == expected || case == "wal_recycled",
                                    "{case}: {why}"
                                );
                                if case == "wal_recycled" {
                                    break;
                                }
                            }
                            Event::End { .. } => break,
                        }
                    }
                    logs_read += 1;
                }
            }
        }
        assert!(logs_read > 50 && records_read > 500, "{logs_read} logs, {records_read} records");
    }

    /// What a store of nothing but logs shows, under a recovery mode of formats that fail (`None`).
    fn replay(dir: &Path, mode: u8) -> Option<BTreeMap<Vec<u8>, Vec<u8>>> {
        let fs = Env::posix().fs;
        let mut shown: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for (number, path) in logs(dir) {
            let mut reader = LogReader::new(fs.open_sequential(&path).unwrap(), number);
            loop {
                let payload = match reader.next().unwrap() {
                    Event::Record { payload, .. } => payload,
                    Event::End { .. } => break,
                    Event::Damage { kind, .. } => match (mode, kind) {
                        (0, Damage::BadData) | (1, _) => return None,
                        (3, _) => continue,
                        _ => return Some(shown),
                    },
                };
                for record in batch::records(payload).unwrap() {
                    match record.unwrap() {
                        Record::Put { key, value, .. } => {
                            shown.insert(key.to_vec(), value.to_vec());
                        }
                        Record::Delete { key, .. } | Record::SingleDelete { key, .. } => {
                            shown.remove(key);
                        }
                        Record::Merge { key, value, .. } => {
                            let all = shown.entry(key.to_vec()).or_default();
                            if !all.is_empty() {
                                all.push(b',');
                            }
                            all.extend_from_slice(value);
                        }
                        Record::DeleteRange { begin, end, .. } => {
                            shown.retain(|k, _| &k[..] < begin || &k[..] >= end);
                        }
                        _ => {}
                    }
                }
            }
        }
        Some(shown)
    }

    fn hex_or_length(field: &str) -> std::result::Result<Vec<u8>, usize> {
        if let Some(digest) = field.strip_prefix("sha256:") {
            return Err(digest.rsplit(':').next().unwrap().parse().unwrap());
        }
        let digit = |b: u8| char::from(b).to_digit(16).unwrap() as u8;
        Ok(field.as_bytes().chunks(2).map(|p| digit(p[0]) << 4 | digit(p[1])).collect())
    }

    fn text(path: &Path) -> String {
        let bytes = crate::env::read_file(&*Env::posix().fs, path, 1 << 24).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn logs_alone_show_what_rocksdb_shows() {
        let dir = fixtures().join("rocksdb-7.8.3");
        for case in [
            "damage_base_wal",
            "flipped_wal_middle",
            "torn_wal_body",
            "torn_wal_fragment",
            "torn_wal_header",
            "wal_edges",
            "wal_only",
            "wal_zero_tail",
            "wal_zstd",
        ] {
            let shown = replay(&dir.join(case), 2).unwrap();
            let expected = text(&dir.join(format!("{case}.expect.tsv")));
            let expected: Vec<&str> = expected.lines().collect();
            assert_eq!(shown.len(), expected.len(), "{case}");
            for ((key, value), line) in shown.iter().zip(expected) {
                let mut fields = line.split('\t').skip(1);
                for bytes in [key, value] {
                    match hex_or_length(fields.next().unwrap()) {
                        Ok(expected) => assert_eq!(*bytes, expected, "{case}"),
                        Err(length) => assert_eq!(bytes.len(), length, "{case}"),
                    }
                }
            }
        }
    }

    #[test]
    fn damage_means_what_the_recovery_mode_says() {
        let dir = fixtures().join("rocksdb-7.8.3");
        for case in [
            "flipped_wal_middle",
            "torn_wal_body",
            "torn_wal_fragment",
            "torn_wal_header",
            "wal_zero_tail",
        ] {
            for line in text(&dir.join(format!("{case}.modes.tsv"))).lines() {
                let mut fields = line.split('\t');
                let mode = fields.next().unwrap().parse().unwrap();
                let rows: i64 = fields.next().unwrap().parse().unwrap();
                let shown = replay(&dir.join(case), mode).map_or(-1, |s| s.len() as i64);
                assert_eq!(shown, rows, "{case} in mode {mode}");
            }
        }
    }

    /// Debian's `ldb` prints the batches of a log that we write.
    fn ldb_prints_our_log(compressed: bool) {
        use std::process::Command;
        if Command::new("ldb").arg("--version").output().is_err() {
            eprintln!("SKIPPED: ldb (rocksdb-tools) is not installed");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("000004.log");
        let file = Env::posix().fs.create(&path, Default::default()).unwrap();
        let mut log = LogWriter::new(file, 4);
        if compressed {
            log.compress().unwrap();
        }
        let mut rng = Rng::new(4);
        for n in 0..300u64 {
            let mut batch = batch::WriteBatch::new();
            batch.put(0, format!("k{n}").as_bytes(), &rng.bytes(n as usize * 13)).unwrap();
            batch.delete_range(0, b"x", b"y").unwrap();
            batch.set_sequence(1 + 2 * n);
            log.add(batch.data()).unwrap();
        }
        log.close().unwrap();
        let walfile = format!("--walfile={}", path.display());
        let output = Command::new("ldb").args(["dump_wal", &walfile]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let batches: Vec<_> = text.lines().filter(|l| l.contains("PUT(0)")).collect();
        assert_eq!(batches.len(), 300, "{text}");
        for (n, line) in batches.iter().enumerate() {
            assert!(line.starts_with(&format!("{},2,", 1 + 2 * n)), "{line}");
            assert!(line.contains("DELETE_RANGE(0)"), "{line}");
        }
    }

    #[test]
    fn rocksdbs_tool_reads_our_log() {
        ldb_prints_our_log(false);
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn rocksdbs_tool_reads_our_compressed_log() {
        ldb_prints_our_log(true);
    }
}
