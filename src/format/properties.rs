//! Table properties: an ordinary block of sorted names and values with one restart point.
//!
//! Numbers are varint64 where nothing else is said. A number that does not parse is passed over; a
//! name that we do not know, and any name without `rocksdb.` in front, is a user property. Ingested
//! files carry `external_sst_file.version` (fixed32, 2) and `external_sst_file.global_seqno`
//! (fixed64); older releases wrote the latter in place, behind the checksum's back, see
//! [`zero_global_sequence`].
#![forbid(unsafe_code)]

use super::block::{Block, BlockBuilder};
use crate::base::coding::{Reader, put_varint64};
use crate::base::{Error, Result};
use std::collections::BTreeMap;

/// The block's name in the metaindex.
pub const META_NAME: &str = "rocksdb.properties";

const GLOBAL_SEQUENCE: &str = "rocksdb.external_sst_file.global_seqno";
const EXTERNAL_VERSION: &str = "rocksdb.external_sst_file.version";

/// What kind of index a table has. The numbers are on disk.
pub mod index_type {
    /// One sorted block.
    pub const BINARY: u32 = 0;
    /// One sorted block, with a hash of prefixes beside it.
    pub const HASH: u32 = 1;
    /// Blocks of blocks.
    pub const TWO_LEVEL: u32 = 2;
    /// One sorted block that holds first keys too.
    pub const FIRST_KEY: u32 = 3;
}

macro_rules! properties {
    (
        numbers { $($(#[$ndoc:meta])* $number:ident = $nname:literal;)* }
        texts { $($(#[$tdoc:meta])* $text:ident = $tname:literal;)* }
    ) => {
        /// What a table says about itself.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct TableProperties {
            $($(#[$ndoc])* pub $number: u64,)*
            $($(#[$tdoc])* pub $text: String,)*
            /// `index_type`.
            pub index_type: u32,
            /// Whole keys are in the filter.
            pub whole_key_filtering: bool,
            /// Prefixes are in the filter.
            pub prefix_filtering: bool,
            /// Where the blocks behind the data start, when it is known.
            pub tail_start_offset: Option<u64>,
            /// Smallest and largest sequence number, when they are known.
            pub key_sequences: Option<(u64, u64)>,
            /// 0 when user timestamps were cut off.
            pub timestamps_persisted: Option<u64>,
            /// Version of an ingested file.
            pub external_version: Option<u32>,
            /// The sequence number of all entries of an ingested file.
            pub global_sequence: Option<u64>,
            /// All other properties.
            pub user: BTreeMap<Vec<u8>, Vec<u8>>,
        }

        impl TableProperties {
            fn set_number(&mut self, name: &str, n: u64) -> bool {
                match name {
                    $($nname => self.$number = n,)*
                    _ => return false,
                }
                true
            }

            fn text_field(&mut self, name: &str) -> Option<&mut String> {
                match name {
                    $($tname => Some(&mut self.$text),)*
                    _ => None,
                }
            }

            fn put_all(&self, numbers: &mut dyn FnMut(&str, u64), texts: &mut dyn FnMut(&str, &str)) {
                $(numbers($nname, self.$number);)*
                $(texts($tname, &self.$text);)*
            }
        }

        fn is_number(name: &str) -> bool {
            matches!(name, $($nname)|*)
        }
    };
}

properties! {
    numbers {
        /// 1 when separators are user keys.
        index_key_is_user_key = "rocksdb.index.key.is.user.key";
        /// 1 when handles in the index are delta-coded.
        index_value_is_delta_encoded = "rocksdb.index.value.is.delta.encoded";
        /// Entries, range tombstones included.
        num_entries = "rocksdb.num.entries";
        /// Deletions, single deletions and range tombstones.
        num_deletions = "rocksdb.deleted.keys";
        /// Merge operands.
        num_merge_operands = "rocksdb.merge.operands";
        /// Range tombstones.
        num_range_deletions = "rocksdb.num.range-deletions";
        /// Bytes of internal keys before all coding.
        raw_key_size = "rocksdb.raw.key.size";
        /// Bytes of values before all coding.
        raw_value_size = "rocksdb.raw.value.size";
        /// Bytes of data blocks with trailers.
        data_size = "rocksdb.data.size";
        /// Bytes of the index.
        index_size = "rocksdb.index.size";
        /// Blocks of a two-level index.
        index_partitions = "rocksdb.index.partitions";
        /// Bytes of its top.
        top_level_index_size = "rocksdb.top-level.index.size";
        /// Bytes of the filter.
        filter_size = "rocksdb.filter.size";
        /// Keys and prefixes in the filter.
        num_filter_entries = "rocksdb.num.filter_entries";
        /// Data blocks.
        num_data_blocks = "rocksdb.num.data.blocks";
        /// Format version; 0 in old files.
        format_version = "rocksdb.format.version";
        /// 0: keys have any length.
        fixed_key_length = "rocksdb.fixed.key.length";
        /// The column family's number.
        column_family_id = "rocksdb.column.family.id";
        /// Unix seconds: the oldest data.
        creation_time = "rocksdb.creation.time";
        /// Unix seconds: this file.
        file_creation_time = "rocksdb.file.creation.time";
        /// Unix seconds: the oldest key.
        oldest_key_time = "rocksdb.oldest.key.time";
        /// The number under which the file was made.
        original_file_number = "rocksdb.original.file.number";
    }
    texts {
        /// The comparator's name.
        comparator = "rocksdb.comparator";
        /// The merge operator's name, or `nullptr`.
        merge_operator = "rocksdb.merge.operator";
        /// Names of collectors in brackets.
        property_collectors = "rocksdb.property.collectors";
        /// The prefix extractor's name, or `nullptr`.
        prefix_extractor = "rocksdb.prefix.extractor.name";
        /// The filter policy's name.
        filter_policy = "rocksdb.filter.policy";
        /// The codec's name.
        compression = "rocksdb.compression";
        /// The codec's settings.
        compression_options = "rocksdb.compression_options";
        /// The column family's name.
        column_family_name = "rocksdb.column.family.name";
        /// The store's identity.
        db_id = "rocksdb.creating.db.identity";
        /// The identity of the opening that wrote it.
        db_session_id = "rocksdb.creating.session.identity";
        /// The host.
        db_host_id = "rocksdb.creating.host.identity";
    }
}

const INDEX_TYPE: &str = "rocksdb.block.based.table.index.type";
const WHOLE_KEY: &str = "rocksdb.block.based.table.whole.key.filtering";
const PREFIX: &str = "rocksdb.block.based.table.prefix.filtering";
const TAIL_START: &str = "rocksdb.tail.start.offset";
const LARGEST_SEQUENCE: &str = "rocksdb.key.largest.seqno";
const SMALLEST_SEQUENCE: &str = "rocksdb.key.smallest.seqno";
const TIMESTAMPS: &str = "rocksdb.user.defined.timestamps.persisted";

impl TableProperties {
    /// What an empty block means: filters gate on both flags, which count as set when missing.
    #[must_use]
    pub fn new() -> Self {
        Self { whole_key_filtering: true, prefix_filtering: true, ..Self::default() }
    }

    /// The block.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut all: BTreeMap<Vec<u8>, Vec<u8>> = self.user.clone();
        let varint = |n: u64| {
            let mut v = Vec::new();
            put_varint64(&mut v, n);
            v
        };
        let mut texts = Vec::new();
        let mut numbers = Vec::new();
        self.put_all(&mut |name, n| numbers.push((name.to_owned(), n)), &mut |name, text| {
            texts.push((name.to_owned(), text.to_owned()));
        });
        numbers.extend(self.tail_start_offset.map(|n| (TAIL_START.to_owned(), n)));
        if let Some((smallest, largest)) = self.key_sequences {
            numbers.push((SMALLEST_SEQUENCE.to_owned(), smallest));
            numbers.push((LARGEST_SEQUENCE.to_owned(), largest));
        }
        numbers.extend(self.timestamps_persisted.map(|n| (TIMESTAMPS.to_owned(), n)));
        all.extend(numbers.into_iter().map(|(name, n)| (name.into_bytes(), varint(n))));
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        all.extend(texts.map(|(name, text)| (name.into_bytes(), text.into_bytes())));
        let flag = |set: bool| if set { b"1".to_vec() } else { b"0".to_vec() };
        all.insert(INDEX_TYPE.into(), self.index_type.to_le_bytes().to_vec());
        all.insert(WHOLE_KEY.into(), flag(self.whole_key_filtering));
        all.insert(PREFIX.into(), flag(self.prefix_filtering));
        if let Some(n) = self.external_version {
            all.insert(EXTERNAL_VERSION.into(), n.to_le_bytes().to_vec());
        }
        if let Some(n) = self.global_sequence {
            all.insert(GLOBAL_SEQUENCE.into(), n.to_le_bytes().to_vec());
        }
        let mut block = BlockBuilder::new(usize::MAX, true);
        for (name, value) in &all {
            block.add(name, value);
        }
        block.finish().to_vec()
    }

    /// Reads the properties in `block`.
    pub fn decode(block: &Block) -> Result<Self> {
        let mut p = Self::new();
        let mut cursor = block.cursor();
        let mut before: Option<Vec<u8>> = None;
        cursor.seek_to_first();
        while cursor.valid() {
            let name = cursor.key();
            if before.as_deref().is_some_and(|b| b >= name) {
                return Err(Error::corruption("properties are not sorted"));
            }
            before = Some(name.to_vec());
            p.take(name, cursor.value());
            cursor.next();
        }
        cursor.status()?;
        Ok(p)
    }

    fn take(&mut self, name: &[u8], value: &[u8]) {
        let Ok(text_name) = std::str::from_utf8(name) else {
            self.user.insert(name.to_vec(), value.to_vec());
            return;
        };
        let number = Reader::new(value).varint64().ok();
        let fixed32 = Reader::new(value).u32().ok();
        let fixed64 = Reader::new(value).u64().ok();
        match text_name {
            INDEX_TYPE => self.index_type = fixed32.unwrap_or(self.index_type),
            WHOLE_KEY => self.whole_key_filtering = value != b"0",
            PREFIX => self.prefix_filtering = value != b"0",
            TAIL_START => self.tail_start_offset = number,
            TIMESTAMPS => self.timestamps_persisted = number,
            SMALLEST_SEQUENCE => {
                self.key_sequences.get_or_insert_default().0 = number.unwrap_or(0);
            }
            LARGEST_SEQUENCE => {
                self.key_sequences.get_or_insert_default().1 = number.unwrap_or(0);
            }
            EXTERNAL_VERSION => self.external_version = fixed32,
            GLOBAL_SEQUENCE => self.global_sequence = fixed64,
            _ if is_number(text_name) => {
                number.map(|n| self.set_number(text_name, n));
            }
            _ => match self.text_field(text_name) {
                Some(field) => *field = String::from_utf8_lossy(value).into_owned(),
                None => {
                    self.user.insert(name.to_vec(), value.to_vec());
                }
            },
        }
    }
}

/// Zeros the global sequence number in the bytes of a properties block, as they were when their
/// checksum was made. False when there is none.
pub fn zero_global_sequence(bytes: &mut [u8]) -> bool {
    let Ok(block) = Block::parse(bytes.to_vec()) else { return false };
    let mut cursor = block.cursor();
    cursor.seek_to_first();
    while cursor.valid() && cursor.key() != GLOBAL_SEQUENCE.as_bytes() {
        cursor.next();
    }
    match bytes.get_mut(cursor.value_range()) {
        Some(field) if cursor.valid() && field.len() == 8 => {
            field.fill(0);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn sample() -> TableProperties {
        let mut p = TableProperties::new();
        p.num_entries = 1000;
        p.raw_key_size = 16_000;
        p.raw_value_size = 1 << 40;
        p.index_type = index_type::TWO_LEVEL;
        p.prefix_filtering = false;
        p.comparator = "leveldb.BytewiseComparator".into();
        p.key_sequences = Some((4, 9));
        p.external_version = Some(2);
        p.global_sequence = Some(77);
        p.user.insert(b"mountdb.test".to_vec(), b"\x00\xff".to_vec());
        p
    }

    #[test]
    fn properties_come_back() {
        let p = sample();
        let block = Block::parse(p.encode()).unwrap();
        assert_eq!(TableProperties::decode(&block).unwrap(), p);
        assert_eq!(block.restart_count(), 1);
    }

    #[test]
    fn the_global_sequence_can_be_taken_out() {
        let mut p = sample();
        let mut bytes = p.encode();
        assert!(zero_global_sequence(&mut bytes));
        p.global_sequence = Some(0);
        assert_eq!(bytes, p.encode());
        p.global_sequence = None;
        assert!(!zero_global_sequence(&mut p.encode()));
    }

    #[test]
    fn damaged_properties_never_panic() {
        let good = sample().encode();
        let mut rng = Rng::new(9);
        for _ in 0..3000 {
            let mut bad = good.clone();
            let at = rng.below(bad.len() as u64) as usize;
            bad[at] ^= 1 << rng.below(8);
            let _ = zero_global_sequence(&mut bad); // only must not panic
            let _ = Block::parse(bad).and_then(|b| TableProperties::decode(&b)); // the same
        }
    }
}
