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
//! The writer writes plain records only. A log belongs to one thread at a time.
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
        Self { file, number, written, buffer: Vec::new(), broken: false }
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
        self.frame(payload);
        self.flush()
    }

    /// Appends `payload` in memory; `flush` hands it to the file.
    pub fn add_buffered(&mut self, payload: &[u8]) -> Result<()> {
        self.check()?;
        self.frame(payload);
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

    fn frame(&mut self, payload: &[u8]) {
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
            let length = u16::try_from(fragment.len()).expect("a fragment fits a block");
            self.buffer.extend_from_slice(&checksum(&[&[kind], fragment]).to_le_bytes());
            self.buffer.extend_from_slice(&length.to_le_bytes());
            self.buffer.push(kind);
            self.buffer.extend_from_slice(fragment);
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
    Damage {
        offset: u64,
        bytes: u64,
        kind: Damage,
        why: &'static str,
    },
    End {
        offset: u64,
    },
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
        }
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

    fn offset(&self) -> u64 {
        self.block_offset + self.at as u64
    }

    /// The next event. An error is an error of the file or an unsupported compression, not damage.
    pub fn next(&mut self) -> Result<Event<'_>> {
        let step = self.step()?;
        Ok(match step {
            Step::Assembled { offset } => Event::Record { offset, payload: &self.record },
            Step::InBlock { offset, from, to } => {
                Event::Record { offset, payload: self.block.get(from..to).unwrap_or(&[]) }
            }
            Step::Damage { offset, bytes, kind, why } => Event::Damage { offset, bytes, kind, why },
            Step::End { offset } => Event::End { offset },
        })
    }

    fn step(&mut self) -> Result<Step> {
        loop {
            let before = self.at;
            let physical = match self.physical()? {
                Ok(physical) => physical,
                Err(Step::Damage { offset, bytes, kind, why }) => {
                    // The payload under way is lost with it.
                    let from = self.started.take().unwrap_or(offset);
                    return Ok(Step::Damage {
                        offset: from,
                        bytes: bytes + (offset - from),
                        kind,
                        why,
                    });
                }
                Err(Step::End { offset }) => {
                    return Ok(match self.started.take() {
                        Some(from) => Step::Damage {
                            offset: from,
                            bytes: offset - from,
                            kind: Damage::TornTail,
                            why: "truncated record body",
                        },
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
                return Ok(Step::Damage {
                    offset: begun,
                    bytes: offset - begun,
                    kind: Damage::BadData,
                    why: "partial record without end",
                });
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
                        return Ok(Step::Damage {
                            offset,
                            bytes: self.offset() - offset,
                            kind: Damage::BadData,
                            why: "missing start of fragmented record",
                        });
                    };
                    self.record.extend_from_slice(payload);
                    if base == LAST {
                        self.started = None;
                        return self.finish(begun);
                    }
                }
                SET_COMPRESSION => match coding::u32_at(payload, 0) {
                    Some(0) => {}
                    Some(7) if cfg!(feature = "zstd") => self.compressed = true,
                    Some(kind) => {
                        return Err(Error::not_supported(format!(
                            "log {} has compression type {kind}",
                            self.number
                        )));
                    }
                    None => {
                        return Ok(Step::Damage {
                            offset,
                            bytes: self.offset() - offset,
                            kind: Damage::BadData,
                            why: "bad compression record",
                        });
                    }
                },
                TIMESTAMP_SIZES | RECYCLABLE_TIMESTAMP_SIZES => {}
                _ if kind & IGNORABLE != 0 => {}
                _ => {
                    let from = self.started.take().unwrap_or(offset);
                    return Ok(Step::Damage {
                        offset: from,
                        bytes: self.offset() - from,
                        kind: Damage::BadData,
                        why: "unknown record type",
                    });
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
                    return Ok(Step::Damage {
                        offset,
                        bytes: self.offset() - offset,
                        kind: Damage::BadData,
                        why: "record does not decompress",
                    });
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
                    damage(offset, bytes, Damage::TornTail, "truncated header")
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
                let bytes = self.skip_block();
                return Ok(Err(if whole {
                    damage(offset, bytes, Damage::BadData, "bad record length")
                } else {
                    damage(offset, bytes, Damage::TornTail, "truncated record body")
                }));
            };
            if is_recyclable(kind) {
                if *self.recycled.get_or_insert(true) {
                    let low = self.number & u64::from(u32::MAX);
                    if coding::u32_at(rest, HEADER).map(u64::from) != Some(low) {
                        self.at += header + length;
                        let bytes = (header + length) as u64;
                        return Ok(Err(damage(
                            offset,
                            bytes,
                            Damage::StaleRecord,
                            "record of an older log",
                        )));
                    }
                } else {
                    let bytes = self.skip_block();
                    return Ok(Err(damage(
                        offset,
                        bytes,
                        Damage::BadData,
                        "recyclable record in a plain log",
                    )));
                }
            }
            if kind == 0 && length == 0 {
                // Zeros from preallocation: nothing more in this block.
                let bytes = self.skip_block();
                if self.started.is_some() {
                    return Ok(Err(damage(
                        offset,
                        bytes,
                        Damage::BadData,
                        "error in middle of record",
                    )));
                }
                continue;
            }
            if checksum(&[body]) != stored {
                let bytes = self.skip_block();
                return Ok(Err(damage(offset, bytes, Damage::BadData, "checksum mismatch")));
            }
            self.recycled.get_or_insert(false);
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

fn damage(offset: u64, bytes: u64, kind: Damage, why: &'static str) -> Step {
    Step::Damage { offset, bytes, kind, why }
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
