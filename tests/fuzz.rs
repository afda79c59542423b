//! Fuzz bodies: one `fn(&[u8])` for each format. None may panic, run away or take memory that the
//! bytes do not back, whatever the bytes are; what they accept must come back the same.
//!
//! Each body runs over its corpus (from RocksDB's directories in `tests/fixtures`, and what our own
//! writers make), then over mutations of it. `MOUNTDB_FUZZ_ROUNDS` sets how many (default 300),
//! `MOUNTDB_FUZZ_SEED` where the stream begins. A failure prints seed, round and bytes. The bodies
//! suit a coverage-guided fuzzer as they are.
#![forbid(unsafe_code)]

use mountdb::base::InternalComparator;
use mountdb::base::coding::Reader;
use mountdb::base::comparator::bytewise;
use mountdb::base::rng::Rng;
use mountdb::env::{self, Env, FileSystem, WriteMode};
use mountdb::format::batch::{self, Record, WriteBatch};
use mountdb::format::block::{Block, ByteOrder, KeyForm, KeyOrder};
use mountdb::format::compression::{self, Settings};
use mountdb::format::handle::{BlockHandle, Footer};
use mountdb::format::index_block::{self, IndexCursor, IndexFormat};
use mountdb::format::log::{Event, LogReader, LogWriter};
use mountdb::format::manifest::VersionEdit;
use mountdb::format::name::FileName;
use mountdb::format::properties::{self, TableProperties};
use mountdb::format::{name, options_file};
use mountdb::learned::{BuildOptions, Mode, PgmFence, PgmFenceBuilder};
use mountdb::version::{recover, set};
use std::path::{Path, PathBuf};
use std::sync::Arc;

// ---- bodies ----

/// A log: reading ends, gives no more than it got, and what it gives can be written again.
fn log(bytes: &[u8]) {
    let payloads = read_log(bytes);
    let total: usize = payloads.iter().map(Vec::len).sum();
    // Compressed records may be larger than the log; 1:1000 is far above what the corpus has.
    assert!(total <= bytes.len().max(1) * 4000, "{total} bytes out of {}", bytes.len());
    assert_eq!(read_log(&write_log(&payloads)), payloads);
}

/// A batch: records point into it, and a batch of the same records is the same.
fn write_batch(bytes: &[u8]) {
    let Ok(records) = batch::records(bytes) else {
        assert!(bytes.len() < 12);
        return;
    };
    let mut again = WriteBatch::new();
    again.set_sequence(records.sequence());
    for record in records {
        let Ok(record) = record else { return };
        match record {
            Record::Put { cf, key, value } => again.put(cf, key, value),
            Record::Delete { cf, key } => again.delete(cf, key),
            Record::SingleDelete { cf, key } => again.single_delete(cf, key),
            Record::Merge { cf, key, value } => again.merge(cf, key, value),
            Record::DeleteRange { cf, begin, end } => again.delete_range(cf, begin, end),
            Record::PutEntity { cf, key, value } => again.put_entity(cf, key, value),
            Record::LogData(data) => again.put_log_data(data),
            Record::Noop => again.put_noop(),
            // What our writers never write.
            _ => return,
        }
        .unwrap();
    }
    // Encodings differ (a family id 0, a long varint), records may not.
    let all = |b: &[u8]| format!("{:?}", batch::records(b).unwrap().collect::<Vec<_>>());
    assert_eq!(all(again.data()), all(bytes));
    let mut twice = WriteBatch::from_bytes(bytes.to_vec());
    if twice.append(&again).is_ok() {
        assert_eq!(twice.count(), 2 * again.count());
    }
}

/// One record of a manifest: what is read is written and read the same.
fn version_edit(bytes: &[u8]) {
    if let Ok(edit) = VersionEdit::decode(bytes) {
        assert_eq!(VersionEdit::decode(&edit.encode()).unwrap(), edit);
    }
}

/// A manifest as a list of records (each behind a 16-bit length): recovery says yes or Corruption.
fn manifest(bytes: &[u8]) {
    let mut records = Vec::new();
    let mut rest = bytes;
    while let Some((length, tail)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(tail.len());
        records.push(tail[..length].to_vec());
        rest = &tail[length..];
    }
    let fs = Env::memory(1).fs;
    let dir = Path::new("/db");
    fs.create_dir_all(dir).unwrap();
    write_file(&*fs, &dir.join(name::manifest(3)), &write_log(&records));
    set::set_current(&*fs, dir, 3).unwrap();
    let Ok(recovered) = recover::recover(&*fs, dir) else { return };
    assert!(recovered.next_file_number > 3);
    for family in recovered.families {
        let order = InternalComparator::new(bytewise());
        let Ok(version) = family.into_version(order.clone(), 7) else { continue };
        for level in 1..version.num_levels() {
            for pair in version.files(level).windows(2) {
                assert!(order.compare(pair[0].largest(), pair[1].smallest()).is_lt());
            }
            for file in version.files(level) {
                let found = version.files_for(file.smallest_user());
                let exclusive =
                    file.smallest_user() == file.largest_user() && file.largest_is_exclusive();
                assert!(exclusive || found.into_iter().any(|(_, f)| f.number() == file.number()));
            }
        }
    }
}

/// An OPTIONS file: sections that are read can be written.
fn options(bytes: &[u8]) {
    let Ok(sections) = options_file::parse(bytes) else { return };
    for section in sections {
        let family = options_file::FamilyOptions {
            name: section.argument.unwrap_or_default(),
            options: section.entries.clone(),
            table: Vec::new(),
        };
        let text = options_file::write(&[], std::slice::from_ref(&family));
        let again = options_file::parse(text.as_bytes()).unwrap();
        assert_eq!(again[2].argument.as_ref(), Some(&family.name));
    }
}

/// A file name: what is understood is printed and understood the same.
fn file_name(bytes: &[u8]) {
    if let Some(name) = std::str::from_utf8(bytes).ok().and_then(FileName::parse) {
        assert_eq!(FileName::parse(&name.to_string()), Some(name));
    }
}

/// A learned index: whatever it says, it stays within the table.
fn learned(bytes: &[u8]) {
    let Ok(model) = PgmFence::parse(bytes.to_vec()) else { return };
    let blocks = model.blocks();
    let mut rng = Rng::new(bytes.len() as u64);
    for n in 0..50u64 {
        let mut key = if n % 2 == 0 { (n * 977).to_be_bytes().to_vec() } else { bytes.to_vec() };
        key.truncate(rng.below(40) as usize);
        let found = model.candidates(&key);
        assert!(found.first <= found.last && found.last < blocks.max(1), "{found:?}");
        assert!(found.last - found.first < 3, "{found:?}");
    }
    for i in (0..blocks).step_by(1 + blocks as usize / 64) {
        let (offset, size) = model.handle(i);
        assert!(offset.checked_add(size).is_some_and(|end| end <= model.data_end()));
        let _ = model.span(i);
    }
    let _ = (model.stats(), model.memory(), model.mode());
}

/// A footer, behind the size of its file: handles stay within the file.
fn footer(bytes: &[u8]) {
    let Some((size, tail)) = bytes.split_first_chunk::<8>() else { return };
    let size = u64::from_le_bytes(*size);
    let Ok(footer) = Footer::decode(tail, size) else { return };
    assert!(footer.offset <= size);
    for handle in std::iter::once(footer.metaindex).chain(footer.index) {
        assert!(handle.end().is_some_and(|end| end <= footer.offset), "{handle:?} of {footer:?}");
    }
    if (1..=5).contains(&footer.version) {
        let again = footer.encode();
        assert_eq!(Footer::decode(&again, footer.offset + again.len() as u64).unwrap(), footer);
    }
    let _ = footer.open_block(footer.metaindex, tail, true);
}

/// A block: moves end both ways, values lie within it, seeks end somewhere.
fn block(bytes: &[u8]) {
    let Ok(mut block) = Block::parse(bytes.to_vec()) else { return };
    walk_block(&block, &ByteOrder);
    block.prepare(KeyForm::Internal);
    walk_block(&block, &InternalComparator::new(bytewise()));
}

fn walk_block<O: KeyOrder>(block: &Block, order: &O) {
    let mut cursor = block.cursor();
    let mut keys: Vec<Vec<u8>> = Vec::new();
    cursor.seek_to_first();
    while cursor.valid() {
        assert!(cursor.value_range().end <= block.bytes().len());
        assert_eq!(cursor.value(), &block.bytes()[cursor.value_range()]);
        keys.push(cursor.key().to_vec());
        assert!(keys.len() <= block.bytes().len(), "the walk does not end");
        cursor.next();
    }
    let mut back = 0;
    cursor.seek_to_last();
    while cursor.valid() {
        back += 1;
        assert!(back <= block.bytes().len(), "the way back does not end");
        cursor.prev();
    }
    for key in keys.iter().step_by(1 + keys.len() / 32) {
        cursor.seek(order, key);
        let _ = (cursor.valid().then(|| cursor.key().len()), cursor.status());
        cursor.seek_for_prev(order, key);
        let _ = (cursor.valid().then(|| cursor.value().len()), cursor.status());
        cursor.seek_hashed(&InternalComparator::new(bytewise()), key);
        let _ = (cursor.valid().then(|| cursor.key().len()), cursor.status());
    }
}

/// An index block, behind a byte of flags that say how it is laid out.
fn index(bytes: &[u8]) {
    let Some((flags, bytes)) = bytes.split_first() else { return };
    let format = index_format(*flags);
    let Ok(mut block) = Block::parse(bytes.to_vec()) else { return };
    if flags & 8 != 0 {
        index_block::prepare(&mut block, format);
    }
    let order = InternalComparator::new(bytewise());
    let mut cursor = IndexCursor::new(&block, format);
    let mut keys = Vec::new();
    cursor.seek_to_first();
    while cursor.valid() {
        let _ = (cursor.handle().end(), cursor.first_key().len(), cursor.user_key().len());
        assert!(cursor.first_key_range().end <= bytes.len());
        keys.push(cursor.key().to_vec());
        assert!(keys.len() <= bytes.len(), "the walk does not end");
        cursor.next();
    }
    for key in keys.iter().step_by(1 + keys.len() / 32) {
        cursor.seek(&order, key);
        cursor.next();
        cursor.prev();
        let _ = cursor.status();
    }
    cursor.seek_to_last();
    for _ in 0..=bytes.len() {
        cursor.prev();
    }
    assert!(!cursor.valid(), "the way back does not end");
}

fn index_format(flags: u8) -> IndexFormat {
    IndexFormat {
        user_keys: flags & 1 != 0,
        delta_handles: flags & 2 != 0,
        first_keys: flags & 4 != 0,
    }
}

/// A properties block: what is read is written and read the same.
fn table_properties(bytes: &[u8]) {
    let mut zeroed = bytes.to_vec();
    let _ = properties::zero_global_sequence(&mut zeroed);
    assert_eq!(zeroed.len(), bytes.len());
    let Ok(block) = Block::parse(bytes.to_vec()) else { return };
    let Ok(read) = TableProperties::decode(&block) else { return };
    let again = TableProperties::decode(&Block::parse(read.encode()).unwrap()).unwrap();
    assert_eq!(again, read);
}

/// A stored block, behind its compression type and its table's format version.
fn stored_block(bytes: &[u8]) {
    let [kind, version, stored @ ..] = bytes else { return };
    let version = u32::from(version % 8);
    if let Ok(plain) = compression::decompress(*kind, version, stored) {
        let mut again = Vec::new();
        if compression::compress(*kind, &Settings::default(), version, &plain, &mut again) {
            assert_eq!(compression::decompress(*kind, version, &again).unwrap(), plain);
        }
    }
    let _ = compression::decompress_with(*kind, version, stored, b"some dictionary");
}

// ---- tests: one for each body ----

#[test]
fn logs() {
    let mut corpus = fixtures(|n| matches!(n, FileName::Wal(_) | FileName::Manifest(_)), 200_000);
    corpus.push(write_log(&[b"one".to_vec(), Vec::new(), vec![7; 70_000]]));
    run("log", &corpus, log);
}

#[test]
fn write_batches() {
    let mut corpus: Vec<Vec<u8>> = fixtures(|n| matches!(n, FileName::Wal(_)), 200_000)
        .iter()
        .flat_map(|bytes| read_log(bytes))
        .filter(|payload| payload.len() < 4096)
        .collect();
    let mut own = WriteBatch::new();
    own.put(3, b"key", b"value").unwrap();
    own.delete_range(0, b"a", b"b").unwrap();
    own.put_log_data(b"data").unwrap();
    corpus.push(own.into_bytes());
    run("write_batch", &corpus, write_batch);
}

#[test]
fn version_edits() {
    run("version_edit", &edits(), version_edit);
}

#[test]
fn manifests() {
    let corpus: Vec<Vec<u8>> = fixtures(|n| matches!(n, FileName::Manifest(_)), 100_000)
        .iter()
        .map(|bytes| {
            read_log(bytes)
                .iter()
                .flat_map(|r| [&(r.len() as u16).to_le_bytes()[..], r].concat())
                .collect()
        })
        .collect();
    run("manifest", &corpus, manifest);
}

#[test]
fn options_files() {
    run("options", &fixtures(|n| matches!(n, FileName::Options(_)), 100_000), options);
}

#[test]
fn file_names() {
    let names = ["CURRENT", "000012.sst", "MANIFEST-000001", "OPTIONS-000007.dbtmp", "LOG.old.17"];
    run("file_name", &names.map(|n| n.as_bytes().to_vec()), file_name);
}

#[test]
fn learned_indexes() {
    let mut corpus = Vec::new();
    let mut rng = Rng::new(17);
    for (set, mode) in [(0, Mode::Exact), (0, Mode::Window), (1, Mode::Exact), (2, Mode::Window)] {
        let mut builder = PgmFenceBuilder::new();
        let mut base = 0u64;
        for block in 0..200u64 {
            base += 1 + rng.below(1 << (8 * (set + 1)));
            let key = |n: u64| match set {
                0 => n.to_be_bytes().to_vec(),
                _ => format!("user{n:019}/{}", "x".repeat((n % 7) as usize)).into_bytes(),
            };
            builder.add_block(&key(base), &key(base + 1), block * 4101, 4096);
            base += 1;
        }
        let options = BuildOptions { mode, standard_index_bytes: 1 << 30 };
        corpus.extend(builder.finish(200 * 4101, &options));
    }
    assert!(!corpus.is_empty(), "no key set was worth a learned index");
    run("learned", &corpus, learned);
}

#[test]
fn footers() {
    let corpus: Vec<Vec<u8>> = tables()
        .iter()
        .map(|t| {
            let tail = &t[t.len() - 60.min(t.len())..];
            [&(t.len() as u64).to_le_bytes()[..], tail].concat()
        })
        .collect();
    run("footer", &corpus, footer);
}

#[test]
fn blocks() {
    run("block", &parts().blocks, block);
}

#[test]
fn index_blocks() {
    run("index", &parts().indexes, index);
}

#[test]
fn table_property_blocks() {
    run("table_properties", &parts().properties, table_properties);
}

#[test]
fn stored_blocks() {
    run("stored_block", &parts().stored, stored_block);
}

// ---- what drives them ----

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Runs `body` over `corpus` and mutations of it.
fn run(name: &str, corpus: &[Vec<u8>], body: fn(&[u8])) {
    let guarded = |what: &str, bytes: &[u8]| {
        if let Err(panic) = std::panic::catch_unwind(|| body(bytes)) {
            let shown = &bytes[..bytes.len().min(2000)];
            eprintln!("{name}, {what}: {} bytes: {}", bytes.len(), shown.escape_ascii());
            std::panic::resume_unwind(panic);
        }
    };
    for (i, bytes) in corpus.iter().enumerate() {
        guarded(&format!("corpus {i}"), bytes);
    }
    guarded("empty", &[]);
    let seed = number("MOUNTDB_FUZZ_SEED", 1);
    for round in 0..number("MOUNTDB_FUZZ_ROUNDS", 300) {
        let mut rng = Rng::new(seed.wrapping_mul(0x0100_0000_01B3).wrapping_add(round));
        let mut bytes = pick(&mut rng, corpus).to_vec();
        for _ in 0..=rng.below(4) {
            mutate(&mut rng, &mut bytes, corpus);
        }
        guarded(&format!("seed {seed}, round {round}"), &bytes);
    }
}

fn pick<'a>(rng: &mut Rng, corpus: &'a [Vec<u8>]) -> &'a [u8] {
    corpus.get(rng.below(corpus.len() as u64) as usize).map_or(&[], |b| b)
}

/// One small change: most bytes stay, so that the reader gets past the beginning.
fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    const ODD: [u64; 10] =
        [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 56, u64::MAX];
    let at = rng.below(bytes.len() as u64 + 1) as usize;
    match rng.below(9) {
        0 => bytes.truncate(at),
        1 => {
            let upto = at + rng.below((bytes.len() - at) as u64 + 1).min(40) as usize;
            bytes.drain(at..upto);
        }
        2 => {
            let n = rng.below(12) as usize;
            bytes.splice(at..at, rng.bytes(n));
        }
        3 => {
            let other = pick(rng, corpus);
            let from = rng.below(other.len() as u64 + 1) as usize;
            let upto = from + rng.below((other.len() - from) as u64 + 1).min(200) as usize;
            bytes.splice(at..at, other[from..upto].iter().copied());
        }
        4 | 5 => {
            let odd = ODD[rng.below(10) as usize].to_le_bytes();
            let width = [1, 2, 4, 8][rng.below(4) as usize];
            for (to, from) in bytes[at..].iter_mut().zip(&odd[..width]) {
                *to = *from;
            }
        }
        6 => {
            if let Some(b) = bytes.get_mut(at) {
                *b = rng.next() as u8;
            }
        }
        _ => {
            if let Some(b) = bytes.get_mut(at) {
                *b ^= 1 << rng.below(8);
            }
        }
    }
}

// ---- the corpus ----

/// The files of all fixtures whose names are wanted, up to `limit` bytes each.
fn fixtures(wanted: fn(FileName) -> bool, limit: u64) -> Vec<Vec<u8>> {
    let fs = Env::posix().fs;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found: Vec<PathBuf> = Vec::new();
    for release in ["rocksdb-7.8.3", "rocksdb-newer"] {
        for case in fs.list(&root.join(release)).expect("the fixtures are in the tree") {
            let dir = root.join(release).join(case);
            let names = fs.list(&dir).unwrap_or_default();
            let names = names.iter().filter(|n| FileName::parse(n).is_some_and(wanted));
            found.extend(names.map(|n| dir.join(n)));
        }
    }
    found.sort();
    let files: Vec<_> =
        found.iter().filter_map(|path| env::read_file(&*fs, path, limit).ok()).collect();
    assert!(!files.is_empty());
    files
}

fn edits() -> Vec<Vec<u8>> {
    let manifests = fixtures(|n| matches!(n, FileName::Manifest(_)), 100_000);
    manifests.iter().flat_map(|bytes| read_log(bytes)).collect()
}

fn tables() -> Vec<Vec<u8>> {
    fixtures(|n| matches!(n, FileName::Table(_)), 300_000)
}

/// The parts of all tables that are sound, in the bodies' form.
#[derive(Default)]
struct Parts {
    blocks: Vec<Vec<u8>>,
    indexes: Vec<Vec<u8>>,
    properties: Vec<Vec<u8>>,
    stored: Vec<Vec<u8>>,
}

fn parts() -> Parts {
    let mut parts = Parts::default();
    for table in tables() {
        // A damaged table gives what it has.
        let _ = take_apart(&table, &mut parts);
    }
    assert!(parts.blocks.len() > 100 && parts.indexes.len() > 50 && parts.properties.len() > 50);
    parts
}

fn take_apart(table: &[u8], parts: &mut Parts) -> Option<()> {
    let footer = Footer::decode(table, table.len() as u64).ok()?;
    let load = |handle: BlockHandle, parts: &mut Parts| -> Option<Vec<u8>> {
        let handle = handle.check(table.len() as u64).ok()?;
        let (stored, kind) =
            footer.open_block(handle, table.get(handle.offset as usize..)?, false).ok()?;
        parts.stored.push([&[kind, footer.version as u8], stored].concat());
        compression::decompress(kind, footer.version, stored).ok()
    };
    let meta = Block::parse(load(footer.metaindex, parts)?).ok()?;
    parts.blocks.push(meta.bytes().to_vec());
    let meta_handle = |name: &str| {
        let mut cursor = meta.cursor();
        cursor.seek(&ByteOrder, name.as_bytes());
        let found = cursor.valid() && cursor.key() == name.as_bytes();
        found.then(|| BlockHandle::read(&mut Reader::new(cursor.value())).ok()).flatten()
    };
    let properties = load(meta_handle("rocksdb.properties")?, parts)?;
    parts.properties.push(properties.clone());
    let properties = TableProperties::decode(&Block::parse(properties).ok()?).ok()?;
    let flags = u8::from(properties.index_key_is_user_key != 0)
        | u8::from(properties.index_value_is_delta_encoded != 0) << 1
        | u8::from(properties.index_type == 3) << 2;
    let index = footer.index.or_else(|| meta_handle("rocksdb.index"))?;
    let index = load(index, parts)?;
    for prepared in [0, 8] {
        parts.indexes.push([&[flags | prepared], &index[..]].concat());
    }
    let index = Block::parse(index).ok()?;
    let mut cursor = IndexCursor::new(&index, index_format(flags));
    cursor.seek_to_first();
    for _ in 0..4 {
        if cursor.valid() {
            let block = load(cursor.handle(), parts)?;
            parts.blocks.push(block);
            cursor.next();
        }
    }
    Some(())
}

fn write_file(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) {
    let mut file = fs.create(path, WriteMode::default()).unwrap();
    file.append(bytes).unwrap();
    file.close().unwrap();
}

fn read_log(bytes: &[u8]) -> Vec<Vec<u8>> {
    let fs: Arc<dyn FileSystem> = Env::memory(1).fs;
    let path = Path::new("/log");
    write_file(&*fs, path, bytes);
    let mut reader = LogReader::new(fs.open_sequential(path).unwrap(), 4);
    let mut payloads = Vec::new();
    let mut last = 0;
    loop {
        match reader.next() {
            Ok(Event::Record { offset, payload }) => {
                assert!(offset >= last && offset < bytes.len() as u64);
                last = offset;
                payloads.push(payload.to_vec());
            }
            Ok(Event::Damage { offset, bytes: lost, .. }) => {
                assert!(offset + lost <= bytes.len() as u64);
            }
            Ok(Event::End { offset }) => {
                assert_eq!(offset, bytes.len() as u64);
                return payloads;
            }
            // A compression that we lack.
            Err(_) => return payloads,
        }
    }
}

fn write_log(payloads: &[Vec<u8>]) -> Vec<u8> {
    let fs: Arc<dyn FileSystem> = Env::memory(1).fs;
    let path = Path::new("/log");
    let file = fs.create(path, WriteMode::default()).unwrap();
    let mut log = LogWriter::new(file, 4);
    for payload in payloads {
        log.add(payload).unwrap();
    }
    log.close().unwrap();
    env::read_file(&*fs, path, u64::MAX).unwrap()
}
