//! The manifest's records: version edits, runs of tagged fields.
//!
//!     edit  := (tag varint32 | body)*          slice := length varint32 | bytes
//!       1 comparator slice              200 family varint32
//!       2 log number varint64           201 add family, name slice
//!       3 next file number varint64     202 drop family
//!       4 last sequence varint64        203 max family varint32
//!       5 compact cursor: level, key    300 atomic group: edits still to come varint32
//!       6 delete file: level, number    400 blob file added    401 blob garbage
//!       9 previous log varint64         8193 identity slice
//!      10 min log to keep varint64      8198 history low slice  8199 log added  8200 logs deleted
//!     103 add file (7, 100, 102 older)  8201 timestamps persisted
//!
//!     file  := level number size smallest largest smallest_sequence largest_sequence field* 1
//!     field := tag varint32 | slice
//!
//! An unknown tag with bit 13 set is a slice to skip; any other unknown tag is Corruption. In a file,
//! an unknown field with bit 6 set is Corruption, any other is skipped. An empty edit says nothing.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)
)]

use crate::base::coding::{Reader, put_slice, put_varint32, put_varint64};
use crate::base::key::TAG_BYTES;
use crate::base::{Error, Result, Sequence};

/// Unknown tags with this bit may be skipped.
pub const IGNORABLE: u32 = 1 << 13;

mod tag {
    use super::IGNORABLE;
    pub(super) const COMPARATOR: u32 = 1;
    pub(super) const LOG_NUMBER: u32 = 2;
    pub(super) const NEXT_FILE: u32 = 3;
    pub(super) const LAST_SEQUENCE: u32 = 4;
    pub(super) const CURSOR: u32 = 5;
    pub(super) const DELETE_FILE: u32 = 6;
    pub(super) const ADD_FILE_1: u32 = 7;
    pub(super) const PREV_LOG: u32 = 9;
    pub(super) const MIN_LOG: u32 = 10;
    pub(super) const ADD_FILE_2: u32 = 100;
    pub(super) const ADD_FILE_3: u32 = 102;
    pub(super) const ADD_FILE_4: u32 = 103;
    pub(super) const FAMILY: u32 = 200;
    pub(super) const ADD_FAMILY: u32 = 201;
    pub(super) const DROP_FAMILY: u32 = 202;
    pub(super) const MAX_FAMILY: u32 = 203;
    pub(super) const ATOMIC_GROUP: u32 = 300;
    pub(super) const ADD_BLOB: u32 = 400;
    pub(super) const BLOB_GARBAGE: u32 = 401;
    pub(super) const DB_ID: u32 = IGNORABLE + 1;
    pub(super) const ADD_BLOB_OLD: u32 = IGNORABLE + 2;
    pub(super) const BLOB_GARBAGE_OLD: u32 = IGNORABLE + 3;
    pub(super) const ADD_WAL_OLD: u32 = IGNORABLE + 4;
    pub(super) const DELETE_WALS_OLD: u32 = IGNORABLE + 5;
    pub(super) const HISTORY_LOW: u32 = IGNORABLE + 6;
    pub(super) const ADD_WAL: u32 = IGNORABLE + 7;
    pub(super) const DELETE_WALS: u32 = IGNORABLE + 8;
    pub(super) const PERSIST_TIMESTAMPS: u32 = IGNORABLE + 9;
    /// Our own, far from RocksDB's.
    pub(super) const LOG_FLOOR: u32 = IGNORABLE + 0x104D;
}

mod field {
    pub(super) const END: u32 = 1;
    pub(super) const NEED_COMPACTION: u32 = 2;
    pub(super) const MIN_LOG: u32 = 3;
    pub(super) const OLDEST_BLOB: u32 = 4;
    pub(super) const OLDEST_ANCESTOR: u32 = 5;
    pub(super) const CREATION: u32 = 6;
    pub(super) const CHECKSUM: u32 = 7;
    pub(super) const CHECKSUM_NAME: u32 = 8;
    pub(super) const TEMPERATURE: u32 = 9;
    pub(super) const MIN_TIMESTAMP: u32 = 10;
    pub(super) const MAX_TIMESTAMP: u32 = 11;
    pub(super) const UNIQUE_ID: u32 = 12;
    pub(super) const EPOCH: u32 = 13;
    pub(super) const RANGE_DELETION_SIZE: u32 = 14;
    pub(super) const TAIL_SIZE: u32 = 15;
    pub(super) const TIMESTAMPS_PERSISTED: u32 = 16;
    pub(super) const PATH_ID: u32 = 65;
    pub(super) const MUST_UNDERSTAND: u32 = 64;
}

/// A table as the manifest knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its number, from the store's counter.
    pub number: u64,
    /// Bytes.
    pub size: u64,
    /// First internal key, range tombstones included.
    pub smallest: Vec<u8>,
    /// Last internal key; with the tag of `MAX_SEQUENCE` and kind 0x0F it excludes its user key.
    pub largest: Vec<u8>,
    /// Smallest sequence number in it.
    pub smallest_sequence: Sequence,
    /// Largest sequence number in it.
    pub largest_sequence: Sequence,
    /// Somebody asked for it to be compacted.
    pub marked_for_compaction: bool,
    /// Unix time of its oldest ancestor, 0 unknown.
    pub oldest_ancestor_time: u64,
    /// Unix time at which it was made, 0 unknown.
    pub file_creation_time: u64,
    /// Bigger means flushed later; 0 unknown.
    pub epoch: u64,
    /// Bytes behind the data blocks, 0 unknown.
    pub tail_size: u64,
    /// Bytes that its range tombstones are thought to drop.
    pub compensated_range_deletion_size: u64,
    /// Unique id; checked by RocksDB against the table's properties when present.
    pub unique_id: Option<[u8; 16]>,
    /// Index into the store's list of folders.
    pub path_id: u32,
    /// Smallest blob file number it refers to, 0 none.
    pub oldest_blob_file: u64,
    /// File checksum and the name of its function, both empty when unknown.
    pub checksum: (Vec<u8>, String),
    /// Temperature, 0 unknown.
    pub temperature: u8,
    /// Smallest and largest user timestamp, empty without timestamps.
    pub timestamps: (Vec<u8>, Vec<u8>),
    /// False when user timestamps were cut from its keys.
    pub timestamps_persisted: bool,
}

impl Default for FileEntry {
    fn default() -> Self {
        Self {
            number: 0,
            size: 0,
            smallest: Vec::new(),
            largest: Vec::new(),
            smallest_sequence: 0,
            largest_sequence: 0,
            marked_for_compaction: false,
            oldest_ancestor_time: 0,
            file_creation_time: 0,
            epoch: 0,
            tail_size: 0,
            compensated_range_deletion_size: 0,
            unique_id: None,
            path_id: 0,
            oldest_blob_file: 0,
            checksum: (Vec::new(), String::new()),
            temperature: 0,
            timestamps: (Vec::new(), Vec::new()),
            timestamps_persisted: true,
        }
    }
}

/// A new blob file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobAddition {
    /// File number.
    pub number: u64,
    /// Values in it.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Name of the checksum function.
    pub checksum_method: Vec<u8>,
    /// Checksum.
    pub checksum: Vec<u8>,
}

/// More garbage in a blob file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlobGarbage {
    /// File number.
    pub number: u64,
    /// Values that are garbage now.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// One step of the store's history. A field that is `None` or empty does not change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionEdit {
    /// The family that files and log number belong to.
    pub family: u32,
    /// Name of its comparator.
    pub comparator: Option<String>,
    /// Its data in older logs is in tables.
    pub log_number: Option<u64>,
    /// Legacy, written as 0.
    pub prev_log_number: Option<u64>,
    /// First number not in use.
    pub next_file_number: Option<u64>,
    /// Largest sequence number in use; only grows.
    pub last_sequence: Option<Sequence>,
    /// No log below this is needed.
    pub min_log_number_to_keep: Option<u64>,
    /// Largest family id ever used.
    pub max_column_family: Option<u32>,
    /// Makes the family, with this name.
    pub add_family: Option<String>,
    /// Drops the family.
    pub drop_family: bool,
    /// Where the next compaction of a level shall begin: level, internal key.
    pub compact_cursors: Vec<(i32, Vec<u8>)>,
    /// Level and number of files that leave.
    pub deleted_files: Vec<(i32, u64)>,
    /// Files that come, with their level.
    pub new_files: Vec<(i32, FileEntry)>,
    /// Blob files that come.
    pub blob_additions: Vec<BlobAddition>,
    /// Garbage in blob files.
    pub blob_garbage: Vec<BlobGarbage>,
    /// The store's identity.
    pub db_id: Option<String>,
    /// Member of an atomic group: edits of the group behind this one.
    pub atomic_group: Option<u32>,
    /// Logs that came, with the bytes known to be durable.
    pub wal_additions: Vec<(u64, Option<u64>)>,
    /// Logs below this number are gone.
    pub wals_deleted_before: Option<u64>,
    /// No history is kept below this user timestamp.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// Are user timestamps kept in tables?
    pub persist_timestamps: Option<bool>,
    /// Logs, each with a number that its sequence numbers are not below: what is smaller came there from
    /// an older log. Our own; RocksDB ignores it.
    pub log_floors: Vec<(u64, Sequence)>,
    /// Fields that readers may ignore: tag (with bit 13), bytes.
    pub ignorable: Vec<(u32, Vec<u8>)>,
}

impl VersionEdit {
    /// An edit of family `family`.
    #[must_use]
    pub fn of(family: u32) -> Self {
        Self { family, ..Self::default() }
    }

    /// The bytes of a manifest record.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut to = Vec::new();
        let number = |to: &mut Vec<u8>, tag: u32, n: Option<u64>| {
            if let Some(n) = n {
                put_varint32(to, tag);
                put_varint64(to, n);
            }
        };
        let text = |to: &mut Vec<u8>, tag: u32, s: Option<&[u8]>| {
            if let Some(s) = s {
                put_varint32(to, tag);
                put_slice(to, s);
            }
        };
        text(&mut to, tag::DB_ID, self.db_id.as_deref().map(str::as_bytes));
        text(&mut to, tag::COMPARATOR, self.comparator.as_deref().map(str::as_bytes));
        number(&mut to, tag::LOG_NUMBER, self.log_number);
        number(&mut to, tag::PREV_LOG, self.prev_log_number);
        number(&mut to, tag::NEXT_FILE, self.next_file_number);
        number(&mut to, tag::MAX_FAMILY, self.max_column_family.map(u64::from));
        number(&mut to, tag::MIN_LOG, self.min_log_number_to_keep);
        number(&mut to, tag::LAST_SEQUENCE, self.last_sequence);
        for (level, key) in &self.compact_cursors {
            put_varint32(&mut to, tag::CURSOR);
            put_level(&mut to, *level);
            put_slice(&mut to, key);
        }
        for &(level, number) in &self.deleted_files {
            put_varint32(&mut to, tag::DELETE_FILE);
            put_level(&mut to, level);
            put_varint64(&mut to, number);
        }
        for (level, file) in &self.new_files {
            put_varint32(&mut to, tag::ADD_FILE_4);
            put_level(&mut to, *level);
            file.encode(&mut to);
        }
        for blob in &self.blob_additions {
            put_varint32(&mut to, tag::ADD_BLOB);
            for n in [blob.number, blob.count, blob.bytes] {
                put_varint64(&mut to, n);
            }
            put_slice(&mut to, &blob.checksum_method);
            put_slice(&mut to, &blob.checksum);
            put_varint32(&mut to, 0);
        }
        for garbage in &self.blob_garbage {
            put_varint32(&mut to, tag::BLOB_GARBAGE);
            for n in [garbage.number, garbage.count, garbage.bytes] {
                put_varint64(&mut to, n);
            }
            put_varint32(&mut to, 0);
        }
        for &(log, synced) in &self.wal_additions {
            let mut body = Vec::new();
            put_varint64(&mut body, log);
            number(&mut body, 2, synced);
            put_varint32(&mut body, 1);
            text(&mut to, tag::ADD_WAL, Some(&body));
        }
        if let Some(log) = self.wals_deleted_before {
            let mut body = Vec::new();
            put_varint64(&mut body, log);
            text(&mut to, tag::DELETE_WALS, Some(&body));
        }
        if self.family != 0 {
            number(&mut to, tag::FAMILY, Some(u64::from(self.family)));
        }
        text(&mut to, tag::ADD_FAMILY, self.add_family.as_deref().map(str::as_bytes));
        if self.drop_family {
            put_varint32(&mut to, tag::DROP_FAMILY);
        }
        number(&mut to, tag::ATOMIC_GROUP, self.atomic_group.map(u64::from));
        text(&mut to, tag::HISTORY_LOW, self.full_history_ts_low.as_deref());
        let persist = self.persist_timestamps.map(|p| [u8::from(p)]);
        text(&mut to, tag::PERSIST_TIMESTAMPS, persist.as_ref().map(|b| &b[..]));
        for &(log, floor) in &self.log_floors {
            let mut body = Vec::new();
            put_varint64(&mut body, log);
            put_varint64(&mut body, floor);
            text(&mut to, tag::LOG_FLOOR, Some(&body));
        }
        for (tag, body) in &self.ignorable {
            assert!(tag & IGNORABLE != 0, "only tags with bit 13 may be ignored");
            text(&mut to, *tag, Some(body));
        }
        to
    }

    /// Reads a manifest record.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let mut edit = Self::default();
        let mut r = Reader::new(bytes);
        while !r.is_empty() {
            let at = r.position();
            edit.decode_field(&mut r).map_err(|e| {
                Error::new(e.kind(), format!("version edit field at byte {at}: {}", e.message()))
            })?;
        }
        Ok(edit)
    }

    fn decode_field(&mut self, r: &mut Reader<'_>) -> Result<()> {
        let tag = r.varint32()?;
        match tag {
            tag::COMPARATOR => self.comparator = Some(utf8(r.slice()?)?),
            tag::LOG_NUMBER => self.log_number = Some(r.varint64()?),
            tag::PREV_LOG => self.prev_log_number = Some(r.varint64()?),
            tag::NEXT_FILE => self.next_file_number = Some(r.varint64()?),
            tag::LAST_SEQUENCE => self.last_sequence = Some(r.varint64()?),
            tag::MIN_LOG => self.keep_logs_from(r.varint64()?),
            tag::MAX_FAMILY => self.max_column_family = Some(r.varint32()?),
            tag::CURSOR => self.compact_cursors.push((level(r)?, internal_key(r)?)),
            tag::DELETE_FILE => self.deleted_files.push((level(r)?, r.varint64()?)),
            tag::ADD_FILE_1 | tag::ADD_FILE_2 | tag::ADD_FILE_3 | tag::ADD_FILE_4 => {
                let level = level(r)?;
                let (file, min_log) = FileEntry::decode(tag, r)?;
                self.new_files.push((level, file));
                if let Some(log) = min_log {
                    self.keep_logs_from(log);
                }
            }
            tag::FAMILY => self.family = r.varint32()?,
            tag::ADD_FAMILY => self.add_family = Some(utf8(r.slice()?)?),
            tag::DROP_FAMILY => self.drop_family = true,
            tag::ATOMIC_GROUP => self.atomic_group = Some(r.varint32()?),
            tag::ADD_BLOB | tag::ADD_BLOB_OLD => {
                self.blob_additions.push(BlobAddition {
                    number: r.varint64()?,
                    count: r.varint64()?,
                    bytes: r.varint64()?,
                    checksum_method: r.slice()?.to_vec(),
                    checksum: r.slice()?.to_vec(),
                });
                skip_blob_fields(r)?;
            }
            tag::BLOB_GARBAGE | tag::BLOB_GARBAGE_OLD => {
                self.blob_garbage.push(BlobGarbage {
                    number: r.varint64()?,
                    count: r.varint64()?,
                    bytes: r.varint64()?,
                });
                skip_blob_fields(r)?;
            }
            tag::DB_ID => self.db_id = Some(utf8(r.slice()?)?),
            tag::ADD_WAL_OLD => self.wal_additions.push(wal_addition(r)?),
            tag::ADD_WAL => self.wal_additions.push(wal_addition(&mut Reader::new(r.slice()?))?),
            tag::DELETE_WALS_OLD => self.wals_deleted_before = Some(r.varint64()?),
            tag::DELETE_WALS => {
                self.wals_deleted_before = Some(Reader::new(r.slice()?).varint64()?);
            }
            tag::HISTORY_LOW => self.full_history_ts_low = Some(r.slice()?.to_vec()),
            tag::PERSIST_TIMESTAMPS => {
                self.persist_timestamps = match r.slice()? {
                    [b] => Some(*b != 0),
                    _ => return Err(Error::corruption("persist timestamps is not one byte")),
                };
            }
            tag::LOG_FLOOR => {
                let mut body = Reader::new(r.slice()?);
                self.log_floors.push((body.varint64()?, body.varint64()?));
            }
            _ if tag & IGNORABLE != 0 => self.ignorable.push((tag, r.slice()?.to_vec())),
            _ => return Err(Error::corruption(format!("unknown tag {tag}"))),
        }
        Ok(())
    }

    fn keep_logs_from(&mut self, log: u64) {
        self.min_log_number_to_keep = Some(self.min_log_number_to_keep.map_or(log, |m| m.max(log)));
    }
}

impl FileEntry {
    fn encode(&self, to: &mut Vec<u8>) {
        put_varint64(to, self.number);
        put_varint64(to, self.size);
        put_slice(to, &self.smallest);
        put_slice(to, &self.largest);
        put_varint64(to, self.smallest_sequence);
        put_varint64(to, self.largest_sequence);
        let mut bytes = |tag: u32, body: &[u8]| {
            put_varint32(to, tag);
            put_slice(to, body);
        };
        if self.marked_for_compaction {
            bytes(field::NEED_COMPACTION, &[1]);
        }
        let varint = |n: u64| {
            let mut body = Vec::with_capacity(10);
            put_varint64(&mut body, n);
            body
        };
        bytes(field::OLDEST_ANCESTOR, &varint(self.oldest_ancestor_time));
        bytes(field::CREATION, &varint(self.file_creation_time));
        for (tag, n) in [
            (field::OLDEST_BLOB, self.oldest_blob_file),
            (field::EPOCH, self.epoch),
            (field::RANGE_DELETION_SIZE, self.compensated_range_deletion_size),
            (field::TAIL_SIZE, self.tail_size),
        ] {
            if n != 0 {
                bytes(tag, &varint(n));
            }
        }
        if !self.checksum.0.is_empty() || !self.checksum.1.is_empty() {
            bytes(field::CHECKSUM, &self.checksum.0);
            bytes(field::CHECKSUM_NAME, self.checksum.1.as_bytes());
        }
        if self.temperature != 0 {
            bytes(field::TEMPERATURE, &[self.temperature]);
        }
        if !self.timestamps.0.is_empty() || !self.timestamps.1.is_empty() {
            bytes(field::MIN_TIMESTAMP, &self.timestamps.0);
            bytes(field::MAX_TIMESTAMP, &self.timestamps.1);
        }
        if let Some(id) = &self.unique_id {
            bytes(field::UNIQUE_ID, id);
        }
        if !self.timestamps_persisted {
            bytes(field::TIMESTAMPS_PERSISTED, &[0]);
        }
        if self.path_id != 0 {
            let id = u8::try_from(self.path_id).ok().filter(|&id| id < 4);
            bytes(field::PATH_ID, &[id.expect("a store has at most four folders")]);
        }
        put_varint32(to, field::END);
    }

    /// Reads a file of any encoding, and the min log number that may hide in it.
    fn decode(tag: u32, r: &mut Reader<'_>) -> Result<(Self, Option<u64>)> {
        let mut file = Self { number: r.varint64()?, ..Self::default() };
        if tag == tag::ADD_FILE_3 {
            file.path_id = r.varint32()?;
        }
        file.size = r.varint64()?;
        file.smallest = internal_key(r)?;
        file.largest = internal_key(r)?;
        if tag != tag::ADD_FILE_1 {
            file.smallest_sequence = r.varint64()?;
            file.largest_sequence = r.varint64()?;
        }
        let mut min_log = None;
        if tag == tag::ADD_FILE_4 {
            loop {
                let field = r.varint32()?;
                if field == field::END {
                    break;
                }
                let body = r.slice()?;
                file.decode_field(field, body, &mut min_log)
                    .map_err(|e| e.context(&format!("field {field} of file {}", file.number)))?;
            }
        }
        if file.tail_size > file.size {
            return Err(Error::corruption(format!(
                "file {}: tail of {} bytes in {} bytes",
                file.number, file.tail_size, file.size
            )));
        }
        Ok((file, min_log))
    }

    fn decode_field(&mut self, field: u32, body: &[u8], min_log: &mut Option<u64>) -> Result<()> {
        let byte = || match body {
            [b] => Ok(*b),
            _ => Err(Error::corruption("not one byte")),
        };
        let varint = || Reader::new(body).varint64();
        match field {
            field::NEED_COMPACTION => self.marked_for_compaction = byte()? == 1,
            field::MIN_LOG => *min_log = Some(Reader::new(body).u64()?),
            field::OLDEST_BLOB => self.oldest_blob_file = varint()?,
            field::OLDEST_ANCESTOR => self.oldest_ancestor_time = varint()?,
            field::CREATION => self.file_creation_time = varint()?,
            field::CHECKSUM => self.checksum.0 = body.to_vec(),
            field::CHECKSUM_NAME => self.checksum.1 = utf8(body)?,
            field::TEMPERATURE => self.temperature = byte()?,
            field::MIN_TIMESTAMP => self.timestamps.0 = body.to_vec(),
            field::MAX_TIMESTAMP => self.timestamps.1 = body.to_vec(),
            field::UNIQUE_ID => {
                let id = body.try_into().map_err(|_| Error::corruption("not 16 bytes"))?;
                self.unique_id = Some(id).filter(|id| *id != [0; 16]);
            }
            field::EPOCH => self.epoch = varint()?,
            field::RANGE_DELETION_SIZE => self.compensated_range_deletion_size = varint()?,
            field::TAIL_SIZE => self.tail_size = varint()?,
            field::TIMESTAMPS_PERSISTED => self.timestamps_persisted = byte()? != 0,
            field::PATH_ID => {
                self.path_id = u32::from(byte()?);
                if self.path_id > 3 {
                    return Err(Error::corruption("path id above 3"));
                }
            }
            _ if field & field::MUST_UNDERSTAND != 0 => {
                return Err(Error::not_supported("a field that must be understood"));
            }
            _ => {}
        }
        Ok(())
    }
}

fn put_level(to: &mut Vec<u8>, level: i32) {
    put_varint32(to, u32::try_from(level).expect("levels are not negative"));
}

fn level(r: &mut Reader<'_>) -> Result<i32> {
    let level = r.varint32()?;
    i32::try_from(level).map_err(|_| Error::corruption(format!("level {level}")))
}

fn internal_key(r: &mut Reader<'_>) -> Result<Vec<u8>> {
    let key = r.slice()?;
    if key.len() < TAG_BYTES {
        return Err(Error::corruption("internal key shorter than 8 bytes"));
    }
    Ok(key.to_vec())
}

fn utf8(bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Error::not_supported("a name that is not UTF-8"))
}

fn skip_blob_fields(r: &mut Reader<'_>) -> Result<()> {
    loop {
        let field = r.varint32()?;
        if field == 0 {
            return Ok(());
        }
        r.slice()?;
        if field & field::MUST_UNDERSTAND != 0 {
            return Err(Error::not_supported("a blob field that must be understood"));
        }
    }
}

fn wal_addition(r: &mut Reader<'_>) -> Result<(u64, Option<u64>)> {
    let number = r.varint64()?;
    let mut synced = None;
    loop {
        match r.varint32()? {
            1 => return Ok((number, synced)),
            2 => synced = Some(r.varint64()?),
            other => return Err(Error::corruption(format!("unknown field {other} of a log"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn maybe<T>(rng: &mut Rng, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
        if rng.one_in(2) { Some(value(rng)) } else { None }
    }

    fn some(rng: &mut Rng, limit: u64) -> Vec<u8> {
        let n = rng.below(limit) as usize;
        rng.bytes(n)
    }

    fn any_number(rng: &mut Rng) -> u64 {
        rng.next() >> rng.below(64)
    }

    fn any_key(rng: &mut Rng) -> Vec<u8> {
        let n = 8 + rng.below(20) as usize;
        rng.bytes(n)
    }

    fn any_file(rng: &mut Rng) -> FileEntry {
        let size = any_number(rng);
        let known = rng.one_in(2);
        FileEntry {
            number: any_number(rng),
            size,
            smallest: any_key(rng),
            largest: any_key(rng),
            smallest_sequence: any_number(rng),
            largest_sequence: any_number(rng),
            marked_for_compaction: rng.one_in(2),
            oldest_ancestor_time: any_number(rng),
            file_creation_time: any_number(rng),
            epoch: any_number(rng),
            tail_size: any_number(rng).min(size),
            compensated_range_deletion_size: rng.below(3),
            unique_id: maybe(rng, |r| [r.below(255) as u8 + 1; 16]),
            path_id: rng.below(4) as u32,
            oldest_blob_file: rng.below(3),
            checksum: if known { (some(rng, 9), "crc".to_owned()) } else { Default::default() },
            temperature: rng.below(3) as u8,
            timestamps: (some(rng, 9), some(rng, 9)),
            timestamps_persisted: rng.one_in(2),
        }
    }

    fn any_edit(rng: &mut Rng) -> VersionEdit {
        let level = |rng: &mut Rng| rng.below(70) as i32;
        VersionEdit {
            family: rng.below(3) as u32,
            comparator: maybe(rng, |_| "leveldb.BytewiseComparator".to_owned()),
            log_number: maybe(rng, any_number),
            prev_log_number: maybe(rng, any_number),
            next_file_number: maybe(rng, any_number),
            last_sequence: maybe(rng, any_number),
            min_log_number_to_keep: maybe(rng, any_number),
            max_column_family: maybe(rng, |r| r.next() as u32),
            add_family: maybe(rng, |_| "ü/x".to_owned()),
            drop_family: rng.one_in(2),
            compact_cursors: (0..rng.below(3)).map(|_| (level(rng), any_key(rng))).collect(),
            deleted_files: (0..rng.below(3)).map(|_| (level(rng), any_number(rng))).collect(),
            new_files: (0..rng.below(3)).map(|_| (level(rng), any_file(rng))).collect(),
            blob_additions: (0..rng.below(2))
                .map(|_| BlobAddition {
                    number: any_number(rng),
                    count: any_number(rng),
                    bytes: any_number(rng),
                    checksum_method: some(rng, 5),
                    checksum: some(rng, 5),
                })
                .collect(),
            blob_garbage: (0..rng.below(2))
                .map(|_| BlobGarbage {
                    number: any_number(rng),
                    count: any_number(rng),
                    bytes: any_number(rng),
                })
                .collect(),
            db_id: maybe(rng, |_| "some id".to_owned()),
            atomic_group: maybe(rng, |r| r.next() as u32),
            wal_additions: (0..rng.below(3))
                .map(|_| (any_number(rng), maybe(rng, any_number)))
                .collect(),
            wals_deleted_before: maybe(rng, any_number),
            full_history_ts_low: maybe(rng, |r| some(r, 9)),
            persist_timestamps: maybe(rng, |r| r.one_in(2)),
            log_floors: vec![(7, 1 << 40), (9, 0)],
            ignorable: (0..rng.below(2)).map(|_| (IGNORABLE + 4711, some(rng, 9))).collect(),
        }
    }

    #[test]
    fn an_edit_comes_back() {
        let mut rng = Rng::new(8);
        for _ in 0..2000 {
            let edit = any_edit(&mut rng);
            assert_eq!(VersionEdit::decode(&edit.encode()).unwrap(), edit);
        }
        assert_eq!(VersionEdit::decode(&[]).unwrap(), VersionEdit::default());
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut rng = Rng::new(9);
        for _ in 0..3000 {
            let mut bytes = any_edit(&mut rng).encode();
            for _ in 0..rng.below(4) {
                let at = rng.below(bytes.len().max(1) as u64) as usize;
                if let Some(b) = bytes.get_mut(at) {
                    *b ^= 1 << rng.below(8);
                }
            }
            bytes.truncate(rng.below(2 * bytes.len() as u64 + 1) as usize);
            if let Ok(edit) = VersionEdit::decode(&bytes) {
                assert_eq!(VersionEdit::decode(&edit.encode()).unwrap(), edit);
            }
        }
    }

    #[test]
    fn what_must_be_understood_is_not_skipped() {
        let field = |number: u8| {
            let mut bytes = vec![103, 0, 9, 100];
            for _ in 0..2 {
                bytes.extend_from_slice(b"\x09k\x01\0\0\0\0\0\0\0");
            }
            bytes.extend_from_slice(&[1, 1, number, 1, 0, 1]);
            VersionEdit::decode(&bytes)
        };
        assert_eq!(field(60).unwrap().new_files[0].1.number, 9);
        assert!(field(66).unwrap_err().to_string().starts_with("Not implemented: "));
        // Tag 8192 + 99 with a slice; tag 99 without.
        let edit = VersionEdit::decode(&[0xE3, 0x40, 2, 1, 2, 2, 5]).unwrap();
        assert_eq!(edit.log_number, Some(5));
        assert!(VersionEdit::decode(&[99, 0]).unwrap_err().is_corruption());
    }

    #[test]
    fn older_files_are_read() {
        let keys = b"\x09a\x01\0\0\0\0\0\0\0\x09b\x01\0\0\0\0\0\0\0";
        let mut one = vec![7, 1, 9, 100];
        one.extend_from_slice(keys);
        let mut two = vec![100, 1, 9, 100];
        two.extend_from_slice(keys);
        two.extend_from_slice(&[3, 8]);
        let mut three = vec![102, 1, 9, 2, 100];
        three.extend_from_slice(keys);
        three.extend_from_slice(&[3, 8]);
        for (bytes, sequences, path) in [(one, (0, 0), 0), (two, (3, 8), 0), (three, (3, 8), 2)] {
            let edit = VersionEdit::decode(&bytes).unwrap();
            let (level, file) = &edit.new_files[0];
            assert_eq!((*level, file.number, file.size), (1, 9, 100));
            assert_eq!((file.smallest_sequence, file.largest_sequence), sequences);
            assert_eq!(file.path_id, path);
        }
    }
}
