//! Every block of every table that RocksDB wrote for us is read, checked against what the properties
//! say, and where we know how it was built, built again to the same bytes.

use super::{
    BUILTIN_NAME, FULL_PREFIX, FilterBuilder, FilterPolicy, FilterReader, PARTITIONED_PREFIX, Probe,
};
use crate::base::comparator::{Comparator, ReverseBytewise, bytewise};
use crate::base::prefix::{self, prefix_of};
use crate::base::{InternalComparator, ParsedKey};
use crate::env::{Env, read_file};
use crate::format::block::{Block, BlockBuilder, ByteOrder, KeyForm};
use crate::format::compression::{self, decompress_with};
use crate::format::handle::{BlockHandle, Footer, MAX_FOOTER_BYTES, TRAILER_BYTES};
use crate::format::index_block::{IndexBuilder, IndexCursor, IndexFormat, prepare};
use crate::format::properties::{self, TableProperties, index_type};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct File {
    name: String,
    bytes: Vec<u8>,
    footer: Footer,
    metaindex: Block,
    properties: TableProperties,
    order: InternalComparator,
    dictionary: Vec<u8>,
}

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

impl File {
    fn open(path: &Path) -> Self {
        let fs = Env::posix().fs;
        let bytes = read_file(&*fs, path, 1 << 24).unwrap();
        let tail = &bytes[bytes.len().saturating_sub(MAX_FOOTER_BYTES)..];
        let footer = Footer::decode(tail, bytes.len() as u64).unwrap();
        let empty = Block::parse(BlockBuilder::new(1, true).finish().to_vec()).unwrap();
        let mut file = Self {
            name: path.display().to_string(),
            bytes,
            footer,
            metaindex: empty,
            properties: TableProperties::new(),
            order: InternalComparator::new(bytewise()),
            dictionary: Vec::new(),
        };
        file.metaindex = Block::parse(file.raw(footer.metaindex)).unwrap();
        let handle = file.meta(properties::META_NAME).unwrap();
        // Ingestion patches the global sequence number behind the checksum's back.
        let from = handle.offset as usize;
        let mut patched = file.bytes[from..from + handle.size as usize + TRAILER_BYTES].to_vec();
        if footer.open_block(handle, &patched, true).is_err() {
            let (stored, _) = patched.split_at_mut(handle.size as usize);
            assert!(properties::zero_global_sequence(stored));
            footer.open_block(handle, &patched, true).unwrap();
        }
        let block =
            Block::parse(footer.open_block(handle, &file.bytes[from..], false).unwrap().0.to_vec());
        file.properties = TableProperties::decode(&block.unwrap()).unwrap();
        if file.properties.comparator == ReverseBytewise.name() {
            file.order = InternalComparator::new(Arc::new(ReverseBytewise));
        }
        if let Some(handle) = file.meta("rocksdb.compression_dict") {
            file.dictionary = file.raw(handle);
        }
        file
    }

    fn stored(&self, handle: BlockHandle) -> (&[u8], u8) {
        handle.check(self.footer.offset).unwrap();
        let from = handle.offset as usize;
        let bytes = &self.bytes[from..from + handle.size as usize + TRAILER_BYTES];
        self.footer.open_block(handle, bytes, true).expect(&self.name)
    }

    fn load(&self, handle: BlockHandle, dictionary: &[u8]) -> Vec<u8> {
        let (stored, kind) = self.stored(handle);
        let block = decompress_with(kind, self.footer.version, stored, dictionary);
        block.unwrap_or_else(|e| panic!("{} at {handle:?}: {e}", self.name))
    }

    fn raw(&self, handle: BlockHandle) -> Vec<u8> {
        self.load(handle, &[])
    }

    fn block(&self, handle: BlockHandle) -> Block {
        Block::parse(self.raw(handle)).unwrap()
    }

    fn meta(&self, name: &str) -> Option<BlockHandle> {
        let mut c = self.metaindex.cursor();
        c.seek(&ByteOrder, name.as_bytes());
        c.status().unwrap();
        if !c.valid() || c.key() != name.as_bytes() {
            return None;
        }
        Some(BlockHandle::read(&mut crate::base::coding::Reader::new(c.value())).unwrap())
    }

    fn index_format(&self) -> IndexFormat {
        IndexFormat {
            user_keys: self.properties.index_key_is_user_key != 0,
            delta_handles: self.properties.index_value_is_delta_encoded != 0,
            first_keys: self.properties.index_type == index_type::FIRST_KEY,
        }
    }

    /// Separators and handles of an index block.
    fn index(&self, handle: BlockHandle, format: IndexFormat) -> Vec<(Vec<u8>, BlockHandle)> {
        let mut block = self.block(handle);
        if self.order.is_bytewise() {
            prepare(&mut block, format);
        }
        let mut c = IndexCursor::new(&block, format);
        let mut all = Vec::new();
        c.seek_to_first();
        while c.valid() {
            all.push((c.key().to_vec(), c.handle()));
            c.next();
        }
        c.status().unwrap();
        let mut c = IndexCursor::new(&block, format);
        c.seek_to_last();
        for (key, handle) in all.iter().rev() {
            assert_eq!((c.key(), c.handle()), (&key[..], *handle), "{}", self.name);
            c.prev();
        }
        assert!(!c.valid());
        all
    }

    fn data_blocks(&self) -> Vec<(Vec<u8>, BlockHandle)> {
        let index = self.footer.index.or_else(|| self.meta("rocksdb.index")).unwrap();
        let format = self.index_format();
        let top = self.index(index, format);
        if self.properties.index_type != index_type::TWO_LEVEL {
            return top;
        }
        let mut all = Vec::new();
        for (separator, handle) in top {
            all.extend(self.index(handle, format));
            assert_eq!(all.last().unwrap().0, separator);
        }
        all
    }

    fn entries(&self) -> Entries {
        let mut all = Entries::new();
        let user_keys = self.index_format().user_keys;
        for (separator, handle) in self.data_blocks() {
            let mut block = Block::parse(self.load(handle, &self.dictionary)).unwrap();
            if self.order.is_bytewise() {
                block.prepare(KeyForm::Internal);
            }
            let mut c = block.cursor();
            c.seek_to_first();
            let first = all.len();
            while c.valid() {
                all.push((c.key().to_vec(), c.value().to_vec()));
                c.next();
            }
            c.status().unwrap();
            for (key, value) in &all[first..] {
                c.seek_hashed(&self.order, key);
                assert_eq!((c.key(), c.value()), (&key[..], &value[..]));
                c.seek(&self.order, key);
                assert_eq!((c.key(), c.value()), (&key[..], &value[..]));
            }
            let last = &all.last().unwrap().0;
            let place = if user_keys {
                self.order.compare_user(crate::base::key::user_key(last), &separator)
            } else {
                self.order.compare(last, &separator)
            };
            assert!(place.is_le(), "{}", self.name);
        }
        assert!(all.is_sorted_by(|a, b| self.order.compare(&a.0, &b.0).is_lt()), "{}", self.name);
        all
    }

    /// What a filter of this table holds, in the order of the table.
    fn filter_keys(&self, entries: &Entries) -> Vec<Vec<u8>> {
        let extractor = prefix::from_name(&self.properties.prefix_extractor);
        let mut keys = Vec::new();
        for (key, _) in entries {
            let user = ParsedKey::parse(key).unwrap().user_key;
            if self.properties.whole_key_filtering {
                keys.push(user.to_vec());
            }
            keys.extend(extractor.as_ref().and_then(|e| prefix_of(&**e, user)));
        }
        keys
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// All tables of all cases whose tables are whole.
fn tables() -> Vec<(String, PathBuf)> {
    let fs = Env::posix().fs;
    let mut all = Vec::new();
    for release in ["rocksdb-7.8.3", "rocksdb-newer"] {
        for case in fs.list(&fixtures().join(release)).unwrap() {
            if case.starts_with("flipped_")
                || case.contains('.') && !case.starts_with('v')
                || case.ends_with(".tsv")
            {
                continue;
            }
            let dir = fixtures().join(release).join(&case);
            let Ok(files) = fs.list(&dir) else { continue };
            let tables = files.into_iter().filter(|f| f.ends_with(".sst"));
            all.extend(tables.map(|f| (case.clone(), dir.join(f))));
        }
    }
    all.sort();
    assert!(all.len() > 60, "{} tables", all.len());
    all
}

#[test]
fn every_entry_of_every_table_is_read() {
    for (case, path) in tables() {
        let file = File::open(&path);
        let p = &file.properties;
        let entries = file.entries();
        let points = p.num_entries - p.num_range_deletions;
        assert_eq!(entries.len() as u64, points, "{case}");
        if p.num_range_deletions == 0 {
            let sum =
                |f: fn(&(Vec<u8>, Vec<u8>)) -> usize| entries.iter().map(f).sum::<usize>() as u64;
            assert_eq!(sum(|e| e.0.len()), p.raw_key_size, "{case}");
            assert_eq!(sum(|e| e.1.len()), p.raw_value_size, "{case}");
        }
        assert_eq!(file.data_blocks().len() as u64, p.num_data_blocks, "{case}");
        let again = TableProperties::decode(&Block::parse(p.encode()).unwrap()).unwrap();
        assert_eq!(&again, p, "{case}");
        if let Some(kind) = case.strip_prefix("comp_").and_then(|c| c.split('_').next()) {
            let name = match kind {
                "none" => "NoCompression".to_owned(),
                "lz4" | "zstd" => kind.to_uppercase(),
                _ => kind[..1].to_uppercase() + &kind[1..],
            };
            assert_eq!(p.compression, name);
        }
    }
}

#[test]
fn every_key_of_every_table_may_match_its_filter() {
    let mut filters = 0;
    for (case, path) in tables() {
        let file = File::open(&path);
        let keys = file.filter_keys(&file.entries());
        let full = file.meta(&format!("{FULL_PREFIX}{BUILTIN_NAME}"));
        if let Some(handle) = full {
            filters += 1;
            let filter = file.raw(handle);
            assert!(keys.iter().all(|k| FilterReader::may_match(&filter, k)), "{case}");
            {
                let wrong = (0..1000).filter(|i| {
                    FilterReader::may_match_probe(
                        &filter,
                        &Probe::new(format!("absent{i}").as_bytes()),
                    )
                });
                assert!(wrong.count() < 40, "{case}");
            }
        }
        if let Some(handle) = file.meta(&format!("{PARTITIONED_PREFIX}{BUILTIN_NAME}")) {
            filters += 1;
            let format = IndexFormat { first_keys: false, ..file.index_format() };
            let top = file.block(handle);
            let mut c = IndexCursor::new(&top, format);
            for (key, _) in file.entries() {
                c.seek(&file.order, &key);
                if !c.valid() {
                    c.seek_to_last();
                }
                let filter = file.raw(c.handle());
                let user = ParsedKey::parse(&key).unwrap().user_key;
                assert!(FilterReader::may_match(&filter, user), "{case}");
            }
        }
    }
    assert!(filters >= 6, "{filters} filters");
}

#[test]
fn filters_are_rebuilt_to_the_bit() {
    let mut seen = 0;
    for (case, path) in tables() {
        if !case.starts_with("bloom") && case != "ribbon" {
            continue;
        }
        let file = File::open(&path);
        let handle = file.meta(&format!("{FULL_PREFIX}{BUILTIN_NAME}")).unwrap();
        let policy =
            if case == "ribbon" { FilterPolicy::ribbon(10.0) } else { FilterPolicy::bloom(10.0) };
        let mut b = FilterBuilder::new(&policy, file.footer.version).unwrap();
        let keys = file.filter_keys(&file.entries());
        keys.iter().for_each(|k| b.add_key(k));
        if case == "bloom_prefix_only" {
            b.add_key(b""); // where keys without a prefix are not added, 7.8 adds an empty one
        }
        let entries = b.entries() as u64;
        assert!(b.finish() == file.raw(handle), "{case}, {entries} entries");
        if case != "bloom_prefix_only" {
            assert_eq!(entries, file.properties.num_filter_entries, "{case}");
        }
        seen += 1;
    }
    assert!(seen >= 6, "{seen} filters");
}

#[test]
fn blocks_are_rebuilt_to_the_byte() {
    for (case, path) in tables() {
        let plain =
            ["default", "bloom", "checksum_", "comp_", "edge_keys", "data_block_hash", "format_v"];
        if !plain.iter().any(|p| case.starts_with(p)) {
            continue;
        }
        let file = File::open(&path);
        let blocks = file.data_blocks();
        for (_, handle) in &blocks {
            let bytes = file.load(*handle, &file.dictionary);
            let block = Block::parse(bytes.clone()).unwrap();
            let mut b = match case.as_str() {
                "data_block_hash" => BlockBuilder::new(4, true).with_hash(0.75),
                "format_v5_irestart" => BlockBuilder::new(4, true),
                _ => BlockBuilder::new(16, true),
            };
            let mut c = block.cursor();
            c.seek_to_first();
            while c.valid() {
                b.add(c.key(), c.value());
                c.next();
            }
            assert!(b.finish() == bytes, "{case}");
            let (stored, kind) = file.stored(*handle);
            let trailer = file.footer.trailer(handle.offset, stored, kind);
            let at = (handle.offset + handle.size) as usize;
            assert_eq!(trailer, file.bytes[at..at + TRAILER_BYTES]);
            let mut out = Vec::new();
            if kind != compression::NONE && file.dictionary.is_empty() {
                let settings = compression::Settings::default();
                assert!(compression::compress(
                    kind,
                    &settings,
                    file.footer.version,
                    &bytes,
                    &mut out
                ));
                assert_eq!(
                    compression::decompress(kind, file.footer.version, &out).unwrap(),
                    bytes
                );
            }
        }
        let format = file.index_format();
        let mut b = IndexBuilder::new();
        for (separator, handle) in &blocks {
            let mut key = separator.clone();
            if format.user_keys {
                key.extend_from_slice(&[0; 8]);
            }
            b.add(&key, &[], *handle);
        }
        let index = file.raw(file.footer.index.or_else(|| file.meta("rocksdb.index")).unwrap());
        let interval = match case.as_str() {
            "format_v4" => 8,
            "format_v5_irestart" => 16,
            _ => 1,
        };
        assert!(b.finish(interval, format) == index, "{case}");
    }
}
