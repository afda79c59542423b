//! RocksDB's tables in our hands, and ours in RocksDB's.

use super::*;
use crate::format::batch::{Record, records};
use crate::format::log::{Event, LogReader};
use crate::format::name::FileName;
use std::process::Command;

fn fixtures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut found = Vec::new();
    for release in ["rocksdb-7.8.3", "rocksdb-newer"] {
        let Ok(dir) = std::fs::read_dir(root.join(release)) else { continue };
        found.extend(dir.map(|e| e.unwrap().path()).filter(|p| p.is_dir()));
    }
    found.sort();
    found
}

fn tables_of(dir: &Path) -> Vec<(u64, PathBuf)> {
    let mut found: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .filter_map(|e| {
            let path = e.unwrap().path();
            match FileName::parse(path.file_name()?.to_str()?) {
                Some(FileName::Table(n)) => Some((n, path)),
                _ => None,
            }
        })
        .collect();
    found.sort();
    found
}

fn order_of(dir: &Path) -> InternalComparator {
    if dir.ends_with("reverse_comparator") {
        InternalComparator::new(Arc::new(comparator::ReverseBytewise))
    } else {
        order()
    }
}

fn open_fixture(dir: &Path, path: &Path, options: &TableOptions) -> Result<Arc<Table>> {
    let bytes = std::fs::read(path).unwrap();
    let size = bytes.len() as u64;
    let name = path.display().to_string();
    let opening = OpenOptions::new(name, size, order_of(dir), Arc::new(options.clone()));
    Table::open(Arc::new(Memory::of(bytes)), opening)
}

fn entries_of(table: &Arc<Table>) -> Entries {
    let mut iter = table.iter(&ReadOptions::default(), IterPurpose::User);
    let mut entries = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        entries.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().unwrap();
    entries
}

#[test]
fn every_fixture_is_read_both_ways_and_point_by_point() {
    let filtered = TableOptions {
        filter_policy: Some(Arc::new(FilterPolicy::bloom(10.0))),
        ..TableOptions::default()
    };
    let mut seen = 0;
    for dir in fixtures() {
        let damaged = dir.file_name().unwrap().to_str().unwrap().starts_with("flipped_sst");
        for (number, path) in tables_of(&dir) {
            for options in [&TableOptions::default(), &filtered] {
                let table = match open_fixture(&dir, &path, options) {
                    Ok(table) => table,
                    Err(e) if damaged => {
                        assert!(e.is_corruption(), "{e}");
                        continue;
                    }
                    Err(e) => panic!("{}: {e}", path.display()),
                };
                if damaged && table.verify_checksums().is_err() {
                    continue;
                }
                let order = order_of(&dir);
                let entries = entries_of(&table);
                let p = table.properties();
                assert_eq!(p.num_entries - p.num_range_deletions, entries.len() as u64);
                assert_eq!(table.tombstones().is_empty(), p.num_range_deletions == 0);
                for pair in entries.windows(2) {
                    assert_eq!(order.compare(&pair[0].0, &pair[1].0), Ordering::Less);
                }
                let mut iter = table.iter(&ReadOptions::default(), IterPurpose::Compaction);
                iter.seek_to_last();
                for entry in entries.iter().rev() {
                    assert_eq!(at_ref(&*iter), Some((&entry.0[..], &entry.1[..])));
                    iter.prev();
                }
                assert!(!iter.valid());
                // Point by point once, with the filter.
                let points = if options.filter_policy.is_some() { &entries[..] } else { &[] };
                for (k, v) in points {
                    assert_eq!(get_all(&table, &ReadOptions::default(), k).unwrap()[0].2, *v);
                    iter.seek(k);
                    assert_eq!(iter.key(), k);
                    iter.seek_for_prev(k);
                    assert_eq!(iter.key(), k);
                }
                let mut rng = Rng::new(number);
                for _ in 0..100 {
                    let target = key::seek_target(&probe(&mut rng, &entries), rng.below(600));
                    let got = get_all(&table, &ReadOptions::default(), &target).unwrap();
                    assert_eq!(got, expected(&order, &entries, &target), "{}", path.display());
                }
                table.verify_checksums().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "fixtures are missing");
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// Newest version of each key.
type Newest = BTreeMap<Vec<u8>, (u64, Option<Vec<u8>>)>;

fn note(newest: &mut Newest, user: &[u8], sequence: u64, value: Option<&[u8]>) {
    let entry = newest.entry(user.to_vec()).or_default();
    if sequence >= entry.0 {
        *entry = (sequence, value.map(<[u8]>::to_vec));
    }
}

fn note_log(newest: &mut Newest, path: &Path, number: u64) {
    let file = crate::env::Env::posix().fs.open_sequential(path).unwrap();
    let mut reader = LogReader::new(file, number);
    loop {
        match reader.next().unwrap() {
            Event::Record { payload, .. } => {
                let mut sequence = u64::from_le_bytes(payload[..8].try_into().unwrap());
                for record in records(payload).unwrap() {
                    match record.unwrap() {
                        Record::Put { key, value, .. } => note(newest, key, sequence, Some(value)),
                        Record::Delete { key, .. } | Record::SingleDelete { key, .. } => {
                            note(newest, key, sequence, None);
                        }
                        _ => continue,
                    }
                    sequence += 1;
                }
            }
            Event::Damage { .. } => {}
            Event::End { .. } => break,
        }
    }
}

#[test]
fn the_newest_entries_of_a_directory_are_what_rocksdb_reads() {
    // One family, only puts and deletions, every table live.
    let cases = [
        "bloom10",
        "bloom_legacy",
        "bloom_prefix_only",
        "bloom_prefix_whole",
        "checksum_crc32c",
        "checksum_none",
        "checksum_xxhash",
        "checksum_xxhash64",
        "comp_lz4",
        "comp_lz4_dict",
        "comp_none",
        "comp_snappy",
        "comp_zlib",
        "comp_zstd",
        "comp_zstd_dict",
        "data_block_hash",
        "default",
        "edge_keys",
        "edge_keys_legacy",
        "format_v2",
        "format_v3",
        "format_v4",
        "format_v5_irestart",
        "index_hash",
        "partitioned",
        "partitioned_v2",
        "reverse_comparator",
        "ribbon",
        "v8.10.0_default",
        "v9.8.4_default",
        "v11.1.2_default",
    ];
    let mut seen = 0;
    for dir in fixtures() {
        let name = dir.file_name().unwrap().to_str().unwrap().to_owned();
        if !cases.contains(&&*name) {
            continue;
        }
        let mut newest = Newest::new();
        for (_, path) in tables_of(&dir) {
            let table = open_fixture(&dir, &path, &TableOptions::default()).unwrap();
            for (k, v) in entries_of(&table) {
                let e = ParsedKey::parse(&k).unwrap();
                let value = (e.kind == Kind::Value).then_some(&v[..]);
                note(&mut newest, e.user_key, e.sequence, value);
            }
        }
        for e in std::fs::read_dir(&dir).unwrap() {
            let path = e.unwrap().path();
            if let Some(FileName::Wal(n)) =
                FileName::parse(path.file_name().unwrap().to_str().unwrap())
            {
                note_log(&mut newest, &path, n);
            }
        }
        let live: BTreeMap<_, _> =
            newest.into_iter().filter_map(|(k, (_, v))| Some((k, v?))).collect();
        let text =
            std::fs::read_to_string(dir.with_file_name(format!("{name}.expect.tsv"))).unwrap();
        let mut rows = 0;
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            rows += 1;
            if fields[1].starts_with("sha256") || fields[2].starts_with("sha256") {
                continue;
            }
            assert_eq!(live.get(&unhex(fields[1])), Some(&unhex(fields[2])), "{name}: {line}");
        }
        assert_eq!(live.len(), rows, "{name}");
        seen += 1;
    }
    assert_eq!(seen, cases.len());
}

/// Debian's tool, if it is there.
fn sst_dump(file: &Path, command: &str) -> Option<(bool, String)> {
    let run = Command::new("sst_dump")
        .arg(format!("--file={}", file.display()))
        .arg(format!("--command={command}"))
        .args(["--output_hex", "--show_properties"])
        .output();
    let Ok(run) = run else {
        eprintln!("SKIPPED: sst_dump is not installed");
        return None;
    };
    let text = [run.stdout, run.stderr].concat();
    Some((run.status.success(), String::from_utf8_lossy(&text).into_owned()))
}

#[test]
fn rocksdb_verifies_and_scans_our_tables() {
    let dir = tempfile::tempdir().unwrap();
    let mut learned = 0;
    for seed in 0..12u64 {
        let mut rng = Rng::new(seed + 900);
        let mut options = random_options(&mut rng);
        options.pgm_fence_mode = LearnedIndex::from_number((seed % 3) as i32).unwrap();
        options.block_size = options.block_size.max(64);
        if seed < 3 {
            options = TableOptions { pgm_fence_mode: options.pgm_fence_mode, ..Default::default() };
        }
        let entries = random_entries(&mut rng, 1200);
        let mut building = BuildOptions::new(order(), Arc::new(options));
        // Debian's build has no other codecs than these.
        building.compression = [
            Compression::None,
            Compression::Snappy,
            Compression::Zlib,
            Compression::Lz4,
            Compression::Zstd,
        ][(seed % 5) as usize];
        building.number = 7;
        building.db_id = "7a1f4c0e-0000-4000-8000-000000000001".into();
        building.db_session_id = "ABCDEFGHIJ0123456789".into();
        building.prefix_extractor = Some(Arc::new(FixedPrefix::new(2)));
        let file = Memory::default();
        let mut builder = TableBuilder::new(building, Box::new(file.clone())).unwrap();
        for (k, v) in &entries {
            builder.add(k, v).unwrap();
        }
        builder.add(&key::internal(b"a", 7, Kind::RangeDeletion), b"b").unwrap();
        let summary = builder.finish().unwrap();
        learned += u32::from(summary.learned_bytes > 0);
        let path = dir.path().join(format!("{seed:06}.sst"));
        std::fs::write(&path, file.bytes()).unwrap();
        let Some((ok, text)) = sst_dump(&path, "verify") else { return };
        assert!(ok && !text.contains("orruption") && text.contains("file is ok"), "{text}");
        let (ok, text) = sst_dump(&path, "scan").unwrap();
        assert!(ok && !text.contains("orruption"), "{text}");
        let rows = text.lines().filter(|l| l.starts_with('\'') && l.contains(" => ")).count();
        assert_eq!(rows, entries.len(), "{text}");
        assert!(text.contains(&format!("# entries: {}", entries.len() + 1)), "{text}");
    }
    assert!(learned >= 6);
}
