//! Directories that RocksDB wrote open here to the rows that RocksDB shows, and what we leave behind opens
//! in RocksDB's own tools again.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a test copies fixtures and runs other programs")]

use mountdb::base::comparator::{ReverseBytewise, bytewise};
use mountdb::base::prefix::FixedPrefix;
use mountdb::db::{Db, Family};
use mountdb::hooks::MergeOperator;
use mountdb::hooks::merge::UInt64Add;
use mountdb::options::{
    CfOptions, CompactRangeOptions, DbOptions, FlushOptions, ReadOptions, WalRecoveryMode,
    WriteOptions,
};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

#[path = "support/sha256.rs"]
mod sha256;

/// The operator of the `merge_append` and `wal_*` cases.
struct Append;

impl MergeOperator for Append {
    fn name(&self) -> &str {
        "mountdb.fixture.append"
    }
    fn full_merge(&self, _: &[u8], existing: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
        let mut parts: Vec<&[u8]> = existing.into_iter().collect();
        parts.extend(operands);
        Some(parts.join(&b','))
    }
    fn partial_merge(&self, _: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        Some(operands.join(&b','))
    }
}

/// Cases that open to the rows of their `.expect.tsv`.
const OPEN: &[&str] = &[
    "default",
    "empty",
    "comp_none",
    "comp_snappy",
    "comp_lz4",
    "comp_zstd",
    "comp_zlib",
    "checksum_none",
    "checksum_crc32c",
    "checksum_xxhash",
    "checksum_xxhash64",
    "bloom10",
    "bloom_prefix_only",
    "bloom_prefix_whole",
    "big_values",
    "edge_keys",
    "levels",
    "multi_cf",
    "overwrites",
    "range_del",
    "merge_append",
    "merge_uint64add",
    "reverse_comparator",
    "wal_only",
    "wal_edges",
    "wal_zero_tail",
    "torn_wal_body",
    "torn_wal_fragment",
    "torn_wal_header",
    "torn_manifest",
    "flipped_wal_middle",
    "no_options_identity",
    "damage_base_sst",
    "damage_base_wal",
    "atomic_flush",
    "bloom_legacy",
    "data_block_hash",
    "edge_keys_legacy",
    "format_v2",
    "format_v3",
    "format_v4",
    "format_v5_irestart",
    "index_hash",
    "ingested",
    "partitioned",
    "partitioned_v2",
    "ribbon",
    "wal_recycled",
    "wal_zstd",
    "comp_lz4_dict",
    "comp_zstd_dict",
];

const MODES: [WalRecoveryMode; 4] = [
    WalRecoveryMode::TolerateCorruptedTailRecords,
    WalRecoveryMode::AbsoluteConsistency,
    WalRecoveryMode::PointInTime,
    WalRecoveryMode::SkipAnyCorruptedRecords,
];

fn fixtures(release: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(release)
}

/// A copy of a case that may be written to.
fn copy(case: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("a folder");
    for file in fs::read_dir(case).expect("the case") {
        let file = file.expect("an entry");
        fs::copy(file.path(), to.path().join(file.file_name())).expect("copies");
    }
    to
}

fn family_options(case: &str) -> CfOptions {
    let merge: Arc<dyn MergeOperator> =
        if case == "merge_uint64add" { Arc::new(UInt64Add) } else { Arc::new(Append) };
    CfOptions {
        merge_operator: Some(merge),
        comparator: if case == "reverse_comparator" {
            Arc::new(ReverseBytewise)
        } else {
            bytewise()
        },
        prefix_extractor: case
            .starts_with("bloom_prefix")
            .then(|| Arc::new(FixedPrefix::new(4)) as Arc<_>),
        ..CfOptions::default()
    }
}

fn open(case: &str, dir: &Path, mode: WalRecoveryMode) -> mountdb::base::Result<(Db, Vec<Family>)> {
    let options = DbOptions { wal_recovery_mode: mode, ..DbOptions::default() };
    let families: Vec<_> = Db::list_families(&options, dir)?
        .into_iter()
        .map(|name| (name, family_options(case)))
        .collect();
    Db::open(&options, dir, &families)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    if bytes.len() > 256 {
        text.push_str("sha256:");
        for b in sha256::digest(bytes) {
            let _ = write!(text, "{b:02x}");
        }
        let _ = write!(text, ":{}", bytes.len());
        return text;
    }
    for b in bytes {
        let _ = write!(text, "{b:02x}");
    }
    text
}

/// All rows in the form of `.expect.tsv`, and the error that ended the dump.
fn dump(db: &Db, families: &[Family]) -> (String, Option<String>) {
    let mut text = String::new();
    for family in families {
        let mut iter = db.iter(&ReadOptions::default(), family);
        iter.seek_to_first();
        while iter.valid() {
            let _ = writeln!(text, "{}\t{}\t{}", family.name(), hex(iter.key()), hex(iter.value()));
            let got = db.get(&ReadOptions::default(), family, iter.key()).expect("a get");
            assert_eq!(got.as_deref(), Some(iter.value()), "get and iterator agree");
            iter.next();
        }
        if let Err(error) = iter.status() {
            return (text, Some(error.to_string()));
        }
    }
    (text, None)
}

fn backward(db: &Db, families: &[Family]) -> String {
    let mut text = String::new();
    for family in families {
        let mut rows = Vec::new();
        let mut iter = db.iter(&ReadOptions::default(), family);
        iter.seek_to_last();
        while iter.valid() {
            rows.push(format!("{}\t{}\t{}\n", family.name(), hex(iter.key()), hex(iter.value())));
            iter.prev();
        }
        iter.status().expect("a whole scan back");
        rows.reverse();
        text.extend(rows);
    }
    text
}

#[test]
fn every_case_opens_to_its_rows() {
    let mut failed = Vec::new();
    let release = fixtures("rocksdb-7.8.3");
    let newer = fixtures("rocksdb-newer");
    let mut cases: Vec<(PathBuf, &str)> = OPEN.iter().map(|c| (release.join(c), *c)).collect();
    for case in ["v8.10.0_default", "v9.8.4_default", "v11.1.2_default"] {
        cases.push((newer.join(case), case));
    }
    for (path, case) in cases {
        let expected = fs::read_to_string(path.with_extension("expect.tsv"))
            .or_else(|_| fs::read_to_string(format!("{}.expect.tsv", path.display())))
            .expect("the expected rows");
        let dir = copy(&path);
        match open(case, dir.path(), WalRecoveryMode::PointInTime) {
            Err(error) => failed.push(format!("{case}: {error}")),
            Ok((db, families)) => {
                let (rows, error) = dump(&db, &families);
                if rows != expected || error.is_some() {
                    let at = rows.lines().zip(expected.lines()).position(|(a, b)| a != b);
                    failed.push(format!(
                        "{case}: {} of {} rows, first other row {at:?}, {error:?}",
                        rows.lines().count(),
                        expected.lines().count()
                    ));
                } else if backward(&db, &families) != expected {
                    failed.push(format!("{case}: other rows backward"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn damaged_cases_have_their_outcome_in_every_mode() {
    let release = fixtures("rocksdb-7.8.3");
    let mut failed = Vec::new();
    let mut seen = 0;
    for entry in fs::read_dir(&release).expect("fixtures") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(case) = name.strip_suffix(".modes.tsv") else { continue };
        for line in fs::read_to_string(&path).expect("the modes").lines() {
            seen += 1;
            let mut columns = line.split('\t');
            let mode: usize = columns.next().expect("mode").parse().expect("a number");
            let rows: i64 = columns.next().expect("rows").parse().expect("a number");
            let digest = columns.next().expect("digest");
            let error = columns.next().unwrap_or("");
            let dir = copy(&release.join(case));
            let outcome = open(case, dir.path(), MODES[mode]);
            match outcome {
                Err(e) => {
                    if rows != -1 || !e.is_corruption() {
                        failed.push(format!("{case} mode {mode}: {e}, expected {rows} rows"));
                    }
                }
                Ok((db, families)) => {
                    let (text, stopped) = dump(&db, &families);
                    let got: String = sha256::digest(text.as_bytes())
                        .iter()
                        .map(|b| format!("{b:02x}"))
                        .collect();
                    if rows == -1
                        || got != digest
                        || stopped.is_some() != error.starts_with("iterate")
                    {
                        failed.push(format!(
                            "{case} mode {mode}: {} rows, {stopped:?}; expected {rows}, {error}",
                            text.lines().count()
                        ));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(seen >= 36, "only {seen} outcomes checked");
}

#[test]
fn what_is_not_served_is_refused_by_name() {
    for (case, named) in [("blob_files", "blob files"), ("txn_2pc", "prepared transactions")] {
        let dir = copy(&fixtures("rocksdb-7.8.3").join(case));
        let Err(error) = open(case, dir.path(), WalRecoveryMode::PointInTime) else {
            panic!("{case} opens");
        };
        assert!(error.to_string().starts_with("Not implemented: "), "{case}: {error}");
        assert!(error.to_string().contains(named), "{case}: {error}");
    }
}

fn tool(name: &str) -> Option<PathBuf> {
    let found = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).map(|d| d.join(name)).find(|p| p.exists()));
    if found.is_none() {
        println!("SKIPPED: {name} is not installed (Debian package rocksdb-tools)");
    }
    found
}

fn run(command: &mut Command) -> String {
    let out = command.output().expect("starts");
    let text =
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{command:?}: {}\n{text}", out.status);
    text
}

/// RocksDB's own tools on a directory: consistency, every checksum, the rows of `default`.
fn rocksdb_reads(dir: &Path, expected_default_rows: usize) {
    let (Some(ldb), Some(sst_dump)) = (tool("ldb"), tool("sst_dump")) else { return };
    let db = format!("--db={}", dir.display());
    run(Command::new(&ldb).arg(&db).arg("checkconsistency"));
    let rows = run(Command::new(&ldb).arg(&db).args(["scan", "--hex"]));
    let rows = rows.lines().filter(|l| l.starts_with("0x")).count();
    assert_eq!(rows, expected_default_rows, "rows that ldb shows in {}", dir.display());
    let tables = fs::read_dir(dir)
        .expect("the folder")
        .any(|e| e.expect("an entry").path().extension().is_some_and(|x| x == "sst"));
    if tables {
        let text = run(Command::new(&sst_dump)
            .arg(format!("--file={}", dir.display()))
            .arg("--command=verify"));
        assert!(!text.contains("Corruption"), "{text}");
    }
}

#[test]
fn rocksdb_opens_what_we_wrote() {
    for case in ["default", "comp_zstd", "range_del", "multi_cf", "levels", "edge_keys", "wal_only"]
    {
        let dir = copy(&fixtures("rocksdb-7.8.3").join(case));
        let (db, families) =
            open(case, dir.path(), WalRecoveryMode::PointInTime).expect("the fixture opens");
        for i in 0..3000u32 {
            let key = format!("written-{:06}", i * 7919 % 3001);
            db.put(&WriteOptions::default(), &families[0], key.as_bytes(), &[b'v'; 100])
                .expect("writes");
        }
        db.delete_range(&WriteOptions::default(), &families[0], b"written-001", b"written-001500")
            .expect("writes");
        db.flush(&FlushOptions::default(), &families).expect("flushes");
        let full = case != "range_del";
        if full {
            db.compact_range(&CompactRangeOptions::default(), &families[0], None, None)
                .expect("compacts");
        }
        db.put(&WriteOptions::default(), &families[0], b"in the log", b"1").expect("writes");
        let (rows, error) = dump(&db, &families);
        assert_eq!(error, None);
        let expected = rows.lines().filter(|l| l.starts_with("default\t")).count();
        db.close();
        drop((db, families));
        rocksdb_reads(dir.path(), expected);
        let (db, families) =
            open(case, dir.path(), WalRecoveryMode::PointInTime).expect("opens again");
        assert_eq!(dump(&db, &families).0, rows, "{case}");
    }
}
