//! A write batch: the unit of a write, and the payload of a WAL record.
//!
//!     batch  := sequence u64 | count u32 | record*
//!     record := tag u8, then by tag:
//!       0x01 put  0x02 merge  0x11 blob index  0x16 wide columns    key slice, value slice
//!       0x00 delete  0x07 single delete                              key slice
//!       0x0F delete range                                            begin slice, end slice
//!       0x18 timed put                                               key slice, (value | time u64) slice
//!       0x05 0x06 0x10 0x17 0x04 0x08 0x0E 0x19   the same, with a family varint32 before them
//!       0x03 log data   0x0A end prepare   0x0B commit   0x0C rollback    slice
//!       0x15 commit with timestamp                                   timestamp slice, name slice
//!       0x09 0x12 0x13 begin prepare   0x0D noop                     nothing
//!     slice  := length varint32 | bytes
//!
//! `count` is the number of records that take a sequence number: all but log data, noops and the
//! transaction marks. Record i of those gets `sequence + i`.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)
)]

use crate::base::coding::{self, Reader};
use crate::base::{Error, ErrorKind, Kind, Result, Sequence, SubKind};

/// Bytes before the first record.
pub const HEADER_BYTES: usize = 12;

mod tag {
    pub(super) const DELETE: u8 = 0x00;
    pub(super) const PUT: u8 = 0x01;
    pub(super) const MERGE: u8 = 0x02;
    pub(super) const LOG_DATA: u8 = 0x03;
    pub(super) const CF_DELETE: u8 = 0x04;
    pub(super) const CF_PUT: u8 = 0x05;
    pub(super) const CF_MERGE: u8 = 0x06;
    pub(super) const SINGLE_DELETE: u8 = 0x07;
    pub(super) const CF_SINGLE_DELETE: u8 = 0x08;
    pub(super) const BEGIN_PREPARE: u8 = 0x09;
    pub(super) const END_PREPARE: u8 = 0x0A;
    pub(super) const COMMIT: u8 = 0x0B;
    pub(super) const ROLLBACK: u8 = 0x0C;
    pub(super) const NOOP: u8 = 0x0D;
    pub(super) const CF_DELETE_RANGE: u8 = 0x0E;
    pub(super) const DELETE_RANGE: u8 = 0x0F;
    pub(super) const CF_BLOB_INDEX: u8 = 0x10;
    pub(super) const BLOB_INDEX: u8 = 0x11;
    pub(super) const BEGIN_PERSISTED_PREPARE: u8 = 0x12;
    pub(super) const BEGIN_UNPREPARE: u8 = 0x13;
    pub(super) const COMMIT_WITH_TIMESTAMP: u8 = 0x15;
    pub(super) const PUT_ENTITY: u8 = 0x16;
    pub(super) const CF_PUT_ENTITY: u8 = 0x17;
    pub(super) const TIMED_PUT: u8 = 0x18;
    pub(super) const CF_TIMED_PUT: u8 = 0x19;
}

/// Bytes and count at one moment, to come back to.
#[derive(Clone, Copy, Debug)]
struct SavePoint {
    bytes: usize,
    count: u32,
}

/// Records that are written together or not at all.
#[derive(Clone, Debug)]
pub struct WriteBatch {
    rep: Vec<u8>,
    save_points: Vec<SavePoint>,
    max_bytes: usize,
}

impl Default for WriteBatch {
    fn default() -> Self {
        Self::new()
    }
}

impl WriteBatch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty batch with room for `bytes`.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let mut rep = Vec::with_capacity(bytes.max(HEADER_BYTES));
        rep.resize(HEADER_BYTES, 0);
        Self { rep, save_points: Vec::new(), max_bytes: 0 }
    }

    /// A batch of these bytes, whatever they are: they are checked when the batch is read.
    #[must_use]
    pub fn from_bytes(rep: Vec<u8>) -> Self {
        Self { rep, save_points: Vec::new(), max_bytes: 0 }
    }

    /// Refuses records that would make the batch larger than `max_bytes`; 0 means no bound.
    pub fn set_max_bytes(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes;
    }

    /// The bytes.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.rep
    }

    /// The bytes, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.rep
    }

    /// Records that take a sequence number, as the header says.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u32 {
        coding::u32_at(&self.rep, 8).unwrap_or(0)
    }

    /// Has it neither counted records nor any other?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rep.len() <= HEADER_BYTES
    }

    /// The number of the first record, as the header says.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        coding::u64_at(&self.rep, 0).unwrap_or(0)
    }

    /// Stores the number of the first record in the header.
    pub fn set_sequence(&mut self, sequence: Sequence) {
        if self.rep.len() >= HEADER_BYTES
            && let Some(field) = self.rep.first_chunk_mut::<8>()
        {
            *field = sequence.to_le_bytes();
        }
    }

    fn set_count(&mut self, count: u32) {
        if let Some(field) = self.rep.get_mut(8..HEADER_BYTES) {
            field.copy_from_slice(&count.to_le_bytes());
        }
    }

    /// Drops records and save points; keeps the memory and the bound.
    pub fn clear(&mut self) {
        self.rep.clear();
        self.rep.resize(HEADER_BYTES, 0);
        self.save_points.clear();
    }

    /// Sets `key` to `value`.
    pub fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.record(tag::PUT, tag::CF_PUT, cf, &[key], Some(&[value]))
    }

    /// Sets the key made of `key`'s parts to the value made of `value`'s parts.
    pub fn put_parts(&mut self, cf: u32, key: &[&[u8]], value: &[&[u8]]) -> Result<()> {
        self.record(tag::PUT, tag::CF_PUT, cf, key, Some(value))
    }

    /// Removes `key`.
    pub fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.record(tag::DELETE, tag::CF_DELETE, cf, &[key], None)
    }

    /// Removes the key made of `key`'s parts.
    pub fn delete_parts(&mut self, cf: u32, key: &[&[u8]]) -> Result<()> {
        self.record(tag::DELETE, tag::CF_DELETE, cf, key, None)
    }

    /// Removes `key`, which was put exactly once.
    pub fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.record(tag::SINGLE_DELETE, tag::CF_SINGLE_DELETE, cf, &[key], None)
    }

    /// Adds an operand for the merge operator.
    pub fn merge(&mut self, cf: u32, key: &[u8], operand: &[u8]) -> Result<()> {
        self.record(tag::MERGE, tag::CF_MERGE, cf, &[key], Some(&[operand]))
    }

    /// Adds the operand made of parts to the key made of parts.
    pub fn merge_parts(&mut self, cf: u32, key: &[&[u8]], operand: &[&[u8]]) -> Result<()> {
        self.record(tag::MERGE, tag::CF_MERGE, cf, key, Some(operand))
    }

    /// Removes all keys from `begin` up to but not including `end`.
    pub fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        self.record(tag::DELETE_RANGE, tag::CF_DELETE_RANGE, cf, &[begin], Some(&[end]))
    }

    /// Removes all keys between two keys made of parts.
    pub fn delete_range_parts(&mut self, cf: u32, begin: &[&[u8]], end: &[&[u8]]) -> Result<()> {
        self.record(tag::DELETE_RANGE, tag::CF_DELETE_RANGE, cf, begin, Some(end))
    }

    /// Sets `key` to encoded wide columns.
    pub fn put_entity(&mut self, cf: u32, key: &[u8], columns: &[u8]) -> Result<()> {
        self.record(tag::PUT_ENTITY, tag::CF_PUT_ENTITY, cf, &[key], Some(&[columns]))
    }

    /// Adds bytes that reach the log and nothing else.
    pub fn put_log_data(&mut self, bytes: &[u8]) -> Result<()> {
        let before = self.begin()?;
        check_length(&[bytes], "log data")?;
        self.rep.push(tag::LOG_DATA);
        coding::put_slice(&mut self.rep, bytes);
        self.end(before)
    }

    /// Adds a record that says nothing.
    pub fn put_noop(&mut self) -> Result<()> {
        let before = self.begin()?;
        self.rep.push(tag::NOOP);
        self.end(before)
    }

    fn begin(&self) -> Result<SavePoint> {
        if self.rep.len() < HEADER_BYTES {
            return Err(too_small());
        }
        Ok(SavePoint { bytes: self.rep.len(), count: self.count() })
    }

    fn end(&mut self, before: SavePoint) -> Result<()> {
        if self.max_bytes != 0 && self.rep.len() > self.max_bytes {
            self.rep.truncate(before.bytes);
            self.set_count(before.count);
            return Err(Error::new(ErrorKind::Aborted, "").with_sub(SubKind::MemoryLimit));
        }
        Ok(())
    }

    fn record(
        &mut self,
        plain: u8,
        with_family: u8,
        cf: u32,
        key: &[&[u8]],
        value: Option<&[&[u8]]>,
    ) -> Result<()> {
        let before = self.begin()?;
        let key_bytes = check_length(key, "key")?;
        let value_bytes = value.map_or(Ok(0), |v| check_length(v, "value"))?;
        let count = before
            .count
            .checked_add(1)
            .ok_or_else(|| Error::invalid_argument("too many records in one batch"))?;
        if cf == 0 {
            self.rep.push(plain);
        } else {
            self.rep.push(with_family);
            coding::put_varint32(&mut self.rep, cf);
        }
        coding::put_varint32(&mut self.rep, key_bytes);
        key.iter().for_each(|part| self.rep.extend_from_slice(part));
        if let Some(value) = value {
            coding::put_varint32(&mut self.rep, value_bytes);
            value.iter().for_each(|part| self.rep.extend_from_slice(part));
        }
        self.set_count(count);
        self.end(before)
    }

    /// Remembers this moment.
    pub fn set_save_point(&mut self) {
        self.save_points.push(SavePoint { bytes: self.rep.len(), count: self.count() });
    }

    /// Drops the records since the last save point, and it. NotFound when there is none.
    pub fn rollback_to_save_point(&mut self) -> Result<()> {
        let point = self.save_points.pop().ok_or_else(|| Error::not_found(""))?;
        self.rep.truncate(point.bytes);
        self.set_count(point.count);
        Ok(())
    }

    /// Forgets the last save point. NotFound when there is none.
    pub fn pop_save_point(&mut self) -> Result<()> {
        self.save_points.pop().map(|_| ()).ok_or_else(|| Error::not_found(""))
    }

    /// Adds the records of `other` behind the own ones.
    pub fn append(&mut self, other: &Self) -> Result<()> {
        let before = self.begin()?;
        let records = other.rep.get(HEADER_BYTES..).ok_or_else(too_small)?;
        let count = before
            .count
            .checked_add(other.count())
            .ok_or_else(|| Error::invalid_argument("too many records in one batch"))?;
        self.rep.extend_from_slice(records);
        self.set_count(count);
        self.end(before)
    }

    /// The records, checked one by one.
    pub fn records(&self) -> Result<Records<'_>> {
        records(&self.rep)
    }
}

fn too_small() -> Error {
    Error::corruption("malformed WriteBatch (too small)")
}

/// The length of all parts together, which must fit the format's 32 bits.
fn check_length(parts: &[&[u8]], what: &str) -> Result<u32> {
    let total = parts.iter().fold(0usize, |n, p| n.saturating_add(p.len()));
    u32::try_from(total).map_err(|_| Error::invalid_argument(format!("{what} is too large")))
}

/// One record of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// Sets a key.
    Put {
        /// Family id.
        cf: u32,
        /// User key.
        key: &'a [u8],
        /// Its value.
        value: &'a [u8],
    },
    /// Removes a key.
    Delete {
        /// Family id.
        cf: u32,
        /// User key.
        key: &'a [u8],
    },
    /// Removes the one put of a key.
    SingleDelete {
        /// Family id.
        cf: u32,
        /// User key.
        key: &'a [u8],
    },
    /// Adds an operand.
    Merge {
        /// Family id.
        cf: u32,
        /// User key.
        key: &'a [u8],
        /// The operand.
        value: &'a [u8],
    },
    /// Removes the keys of a range.
    DeleteRange {
        /// Family id.
        cf: u32,
        /// First key.
        begin: &'a [u8],
        /// First key behind the range.
        end: &'a [u8],
    },
    /// Sets a key to wide columns.
    PutEntity {
        /// Family id.
        cf: u32,
        /// User key.
        key: &'a [u8],
        /// Encoded columns.
        value: &'a [u8],
    },
    /// Sets a key to a reference into a blob file.
    BlobIndex {
        /// Family id.
        cf: u32,
        /// User key.
        key: &'a [u8],
        /// The encoded reference.
        value: &'a [u8],
    },
    /// Sets a key, with the time at which it was written elsewhere.
    TimedPut {
        /// Family id.
        cf: u32,
        /// User key.
        key: &'a [u8],
        /// Its value.
        value: &'a [u8],
        /// Unix time of the write.
        time: u64,
    },
    /// Bytes for the log's readers.
    LogData(&'a [u8]),
    /// Nothing.
    Noop,
    /// A prepared transaction starts; the tag tells its kind.
    BeginPrepare(u8),
    /// It ends; its name.
    EndPrepare(&'a [u8]),
    /// The transaction of this name is committed.
    Commit(&'a [u8]),
    /// The same, with a timestamp.
    CommitWithTimestamp {
        /// The timestamp.
        timestamp: &'a [u8],
        /// The transaction's name.
        name: &'a [u8],
    },
    /// The transaction of this name is rolled back.
    Rollback(&'a [u8]),
}

impl Record<'_> {
    /// Does it take a sequence number?
    #[must_use]
    pub fn counts(&self) -> bool {
        self.family().is_some()
    }

    /// Does it belong to a prepared transaction?
    #[must_use]
    pub fn is_transaction_marker(&self) -> bool {
        matches!(
            self,
            Self::BeginPrepare(_)
                | Self::EndPrepare(_)
                | Self::Commit(_)
                | Self::CommitWithTimestamp { .. }
                | Self::Rollback(_)
        )
    }

    /// What it becomes in a memtable: kind, key and value (the end of a range for a range deletion).
    /// `None` for records that carry no data, and for timed puts, which are not served.
    #[must_use]
    pub fn entry(&self) -> Option<(Kind, &[u8], &[u8])> {
        Some(match *self {
            Self::Put { key, value, .. } => (Kind::Value, key, value),
            Self::Delete { key, .. } => (Kind::Deletion, key, &[]),
            Self::SingleDelete { key, .. } => (Kind::SingleDeletion, key, &[]),
            Self::Merge { key, value, .. } => (Kind::Merge, key, value),
            Self::DeleteRange { begin, end, .. } => (Kind::RangeDeletion, begin, end),
            Self::PutEntity { key, value, .. } => (Kind::WideColumns, key, value),
            Self::BlobIndex { key, value, .. } => (Kind::BlobIndex, key, value),
            _ => return None,
        })
    }

    /// The family it goes to; `None` for records that carry no data.
    #[must_use]
    pub fn family(&self) -> Option<u32> {
        match *self {
            Self::Put { cf, .. }
            | Self::Delete { cf, .. }
            | Self::SingleDelete { cf, .. }
            | Self::Merge { cf, .. }
            | Self::DeleteRange { cf, .. }
            | Self::PutEntity { cf, .. }
            | Self::BlobIndex { cf, .. }
            | Self::TimedPut { cf, .. } => Some(cf),
            _ => None,
        }
    }
}

/// Writes the records of several batches as one, with a header of its own, into `to`.
pub fn merge_into<'a>(
    to: &mut Vec<u8>,
    sequence: Sequence,
    count: u32,
    batches: impl Iterator<Item = &'a [u8]>,
) {
    to.clear();
    to.extend_from_slice(&sequence.to_le_bytes());
    to.extend_from_slice(&count.to_le_bytes());
    for rep in batches {
        to.extend_from_slice(rep.get(HEADER_BYTES..).unwrap_or(&[]));
    }
}

/// The records of a batch in order; the last item is an error when the count is wrong.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: Reader<'a>,
    sequence: Sequence,
    count: u32,
    found: u32,
    done: bool,
}

/// The records of the batch with these bytes. Corruption when they are too few for a header.
pub fn records(rep: &[u8]) -> Result<Records<'_>> {
    let mut rest = Reader::new(rep);
    let (Ok(sequence), Ok(count)) = (rest.u64(), rest.u32()) else {
        return Err(too_small());
    };
    Ok(Records { rest, sequence, count, found: 0, done: false })
}

impl<'a> Records<'a> {
    /// The header's sequence number.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// The header's count.
    #[must_use]
    pub fn header_count(&self) -> u32 {
        self.count
    }

    fn read(&mut self, tag: u8) -> Result<Record<'a>> {
        let r = &mut self.rest;
        let (base, cf) = match tag {
            tag::CF_DELETE => (tag::DELETE, r.varint32()?),
            tag::CF_PUT => (tag::PUT, r.varint32()?),
            tag::CF_MERGE => (tag::MERGE, r.varint32()?),
            tag::CF_SINGLE_DELETE => (tag::SINGLE_DELETE, r.varint32()?),
            tag::CF_DELETE_RANGE => (tag::DELETE_RANGE, r.varint32()?),
            tag::CF_BLOB_INDEX => (tag::BLOB_INDEX, r.varint32()?),
            tag::CF_PUT_ENTITY => (tag::PUT_ENTITY, r.varint32()?),
            tag::CF_TIMED_PUT => (tag::TIMED_PUT, r.varint32()?),
            other => (other, 0),
        };
        Ok(match base {
            tag::PUT => Record::Put { cf, key: r.slice()?, value: r.slice()? },
            tag::DELETE => Record::Delete { cf, key: r.slice()? },
            tag::SINGLE_DELETE => Record::SingleDelete { cf, key: r.slice()? },
            tag::MERGE => Record::Merge { cf, key: r.slice()?, value: r.slice()? },
            tag::DELETE_RANGE => Record::DeleteRange { cf, begin: r.slice()?, end: r.slice()? },
            tag::PUT_ENTITY => Record::PutEntity { cf, key: r.slice()?, value: r.slice()? },
            tag::BLOB_INDEX => Record::BlobIndex { cf, key: r.slice()?, value: r.slice()? },
            tag::TIMED_PUT => {
                let key = r.slice()?;
                let (value, time) =
                    r.slice()?.split_last_chunk::<8>().ok_or_else(|| Error::corruption("short"))?;
                Record::TimedPut { cf, key, value, time: u64::from_le_bytes(*time) }
            }
            tag::LOG_DATA => Record::LogData(r.slice()?),
            tag::NOOP => Record::Noop,
            tag::BEGIN_PREPARE | tag::BEGIN_PERSISTED_PREPARE | tag::BEGIN_UNPREPARE => {
                Record::BeginPrepare(base)
            }
            tag::END_PREPARE => Record::EndPrepare(r.slice()?),
            tag::COMMIT => Record::Commit(r.slice()?),
            tag::COMMIT_WITH_TIMESTAMP => {
                Record::CommitWithTimestamp { timestamp: r.slice()?, name: r.slice()? }
            }
            tag::ROLLBACK => Record::Rollback(r.slice()?),
            // Told apart from a bad body by `what`.
            _ => return Err(Error::corruption("unknown WriteBatch tag")),
        })
    }
}

/// The sentence for a record whose body does not parse.
fn what(tag: u8) -> &'static str {
    match tag {
        tag::PUT | tag::CF_PUT => "bad WriteBatch Put",
        tag::DELETE | tag::CF_DELETE => "bad WriteBatch Delete",
        tag::SINGLE_DELETE | tag::CF_SINGLE_DELETE => "bad WriteBatch SingleDelete",
        tag::MERGE | tag::CF_MERGE => "bad WriteBatch Merge",
        tag::DELETE_RANGE | tag::CF_DELETE_RANGE => "bad WriteBatch DeleteRange",
        tag::BLOB_INDEX | tag::CF_BLOB_INDEX => "bad WriteBatch BlobIndex",
        tag::PUT_ENTITY | tag::CF_PUT_ENTITY => "bad WriteBatch PutEntity",
        tag::TIMED_PUT | tag::CF_TIMED_PUT => "bad WriteBatch TimedPut",
        tag::LOG_DATA => "bad WriteBatch Blob",
        tag::END_PREPARE => "bad EndPrepare XID",
        tag::COMMIT | tag::COMMIT_WITH_TIMESTAMP => "bad Commit XID",
        tag::ROLLBACK => "bad Rollback XID",
        _ => "unknown WriteBatch tag",
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let Ok(tag) = self.rest.u8() else {
            self.done = true;
            return (self.found != self.count)
                .then(|| Err(Error::corruption("WriteBatch has wrong count")));
        };
        let Ok(record) = self.read(tag) else {
            self.done = true;
            return Some(Err(Error::corruption(what(tag))));
        };
        self.found = self.found.wrapping_add(u32::from(record.counts()));
        Some(Ok(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn the_bytes_are_rocksdbs() {
        let mut b = WriteBatch::new();
        b.put(0, b"a", b"1").unwrap();
        b.single_delete(0, b"s").unwrap();
        b.merge(0, b"m", b"x").unwrap();
        b.put_log_data(b"log").unwrap();
        b.delete(0, b"e").unwrap();
        b.delete_range(0, b"x", b"y").unwrap();
        b.put(0, b"z", b"1").unwrap();
        assert_eq!(
            hex(b.data()),
            "000000000000000006000000010161013107017302016d0178\
             03036c6f670001650f0178017901017a0131"
        );
        assert_eq!(b.count(), 6);
    }

    #[test]
    fn records_come_back() {
        let mut b = WriteBatch::new();
        b.put_parts(7, &[b"k", b"ey"], &[b"va", b"", b"lue"]).unwrap();
        b.delete(300, b"").unwrap();
        b.single_delete(1, b"s").unwrap();
        b.merge(2, b"m", b"").unwrap();
        b.delete_range(3, b"a", b"b").unwrap();
        b.put_entity(4, b"w", b"\x01\x00").unwrap();
        b.put_noop().unwrap();
        b.set_sequence(42);
        let r = records(b.data()).unwrap();
        assert_eq!((r.sequence(), r.header_count()), (42, 6));
        let all: Vec<_> = r.map(Result::unwrap).collect();
        assert_eq!(
            all,
            [
                Record::Put { cf: 7, key: b"key", value: b"value" },
                Record::Delete { cf: 300, key: b"" },
                Record::SingleDelete { cf: 1, key: b"s" },
                Record::Merge { cf: 2, key: b"m", value: b"" },
                Record::DeleteRange { cf: 3, begin: b"a", end: b"b" },
                Record::PutEntity { cf: 4, key: b"w", value: b"\x01\x00" },
                Record::Noop,
            ]
        );
    }

    #[test]
    fn transaction_marks_and_timed_puts_parse() {
        let mut rep = vec![0; 12];
        rep[8] = 1;
        rep.extend_from_slice(b"\x09\x0A\x01x\x0B\x01y\x0C\x01z\x12\x13\x15\x01t\x01n");
        rep.extend_from_slice(b"\x19\x05\x01k\x09v\x07\0\0\0\0\0\0\0");
        let all: Vec<_> = records(&rep).unwrap().map(Result::unwrap).collect();
        assert_eq!(all[0], Record::BeginPrepare(9));
        assert_eq!(all[1], Record::EndPrepare(b"x"));
        assert_eq!(all[2], Record::Commit(b"y"));
        assert_eq!(all[3], Record::Rollback(b"z"));
        assert_eq!(all[6], Record::CommitWithTimestamp { timestamp: b"t", name: b"n" });
        assert_eq!(all[7], Record::TimedPut { cf: 5, key: b"k", value: b"v", time: 7 });
    }

    #[test]
    fn bad_bytes_have_rocksdbs_sentences() {
        let error = |rep: &[u8]| match records(rep) {
            Err(e) => e.to_string(),
            Ok(r) => r.last().map_or_else(String::new, |x| x.unwrap_err().to_string()),
        };
        assert_eq!(error(b"short"), "Corruption: malformed WriteBatch (too small)");
        assert_eq!(error(b"00000000\x01\0\0\0"), "Corruption: WriteBatch has wrong count");
        assert_eq!(error(b"00000000\x01\0\0\0\x7F"), "Corruption: unknown WriteBatch tag");
        assert_eq!(error(b"00000000\x01\0\0\0\x01\x05ab"), "Corruption: bad WriteBatch Put");
        assert_eq!(error(b"00000000\0\0\0\0\x00\x01k"), "Corruption: WriteBatch has wrong count");
        assert_eq!(error(b"00000000\0\0\0\0"), "");
    }

    #[test]
    fn a_batch_over_its_bound_is_unchanged() {
        let mut b = WriteBatch::new();
        b.set_max_bytes(20);
        b.put(0, b"k", b"v").unwrap();
        let before = b.data().to_vec();
        let e = b.put(0, b"key", b"value").unwrap_err();
        assert_eq!(e.to_string(), "Operation aborted: Memory limit reached");
        assert_eq!(b.data(), before);
        b.put_noop().unwrap();
    }

    #[test]
    fn short_bytes_are_kept_and_refused() {
        let mut b = WriteBatch::from_bytes(b"abc".to_vec());
        assert_eq!((b.count(), b.sequence(), b.data()), (0, 0, &b"abc"[..]));
        b.set_sequence(9);
        assert!(b.put(0, b"k", b"v").unwrap_err().is_corruption());
        assert!(WriteBatch::new().append(&b).unwrap_err().is_corruption());
        b.clear();
        b.put(0, b"k", b"v").unwrap();
        assert_eq!(b.count(), 1);
    }

    #[test]
    fn save_points_are_a_stack() {
        let mut rng = Rng::new(5);
        let mut b = WriteBatch::new();
        let mut model: Vec<Vec<u8>> = Vec::new();
        let mut points: Vec<usize> = Vec::new();
        for _ in 0..2000 {
            match rng.below(6) {
                0 => {
                    b.set_save_point();
                    points.push(model.len());
                }
                1 => match points.pop() {
                    Some(n) => {
                        b.rollback_to_save_point().unwrap();
                        model.truncate(n);
                    }
                    None => {
                        let e = b.rollback_to_save_point().unwrap_err();
                        assert_eq!(e.to_string(), "NotFound: ");
                    }
                },
                2 => assert_eq!(b.pop_save_point().is_ok(), points.pop().is_some()),
                _ => {
                    let n = rng.below(300) as usize;
                    let key = rng.bytes(n);
                    b.put(rng.below(3) as u32, &key, b"v").unwrap();
                    model.push(key);
                }
            }
            assert_eq!(b.count() as usize, model.len());
        }
        let keys: Vec<Vec<u8>> = records(b.data())
            .unwrap()
            .map(|r| match r.unwrap() {
                Record::Put { key, .. } => key.to_vec(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(keys, model);
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut b = WriteBatch::new();
        for i in 0..20u32 {
            b.put(i % 3, &i.to_le_bytes(), b"value").unwrap();
            b.delete_range(i % 2, b"a", b"b").unwrap();
            b.put_log_data(b"x").unwrap();
        }
        let mut rng = Rng::new(11);
        for round in 0..3000 {
            let mut bytes = b.data().to_vec();
            if round % 2 == 0 {
                bytes.truncate(rng.below(bytes.len() as u64 + 1) as usize);
            }
            for _ in 0..rng.below(4) {
                let at = rng.below(bytes.len().max(1) as u64) as usize;
                if let Some(x) = bytes.get_mut(at) {
                    *x ^= 1 << rng.below(8);
                }
            }
            if let Ok(r) = records(&bytes) {
                let _ = r.header_count();
                let _ = r.last();
            }
        }
    }
}
