//! The C side: four gates that keep `include/rocksdb/c.h` honest, and the C programs.
//!
//! 1. The library exports what the header declares, no more and no less.
//! 2. The header in the tree is the one that `build.rs` writes (CI also runs `git diff --exit-code`).
//! 3. Every C program of `capi-tests/` and `examples-c/` compiles as C99 without a warning and runs;
//!    the header also compiles as C++11.
//! 4. Prototypes and constants equal RocksDB's, as far as a header of RocksDB's is at hand.
//!
//! `MOUNTDB_VALGRIND=1` runs the programs under valgrind, `MOUNTDB_BLESS=1` rewrites generated documents.

#![allow(clippy::disallowed_methods, reason = "these tests compile and run C programs")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

mod docs;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A folder that looks like an installed lib: the library under its own name and RocksDB's.
static LIB: LazyLock<PathBuf> = LazyLock::new(|| {
    let built = env::current_exe().expect("own path").with_file_name("libmountdb.so");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lib-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("make the folder");
    for name in ["libmountdb.so.0", "libmountdb.so", "librocksdb.so"] {
        // There is none to remove, as a rule.
        let _ = fs::remove_file(dir.join(name));
        std::os::unix::fs::symlink(&built, dir.join(name)).expect("link");
    }
    dir
});

fn compiler(language: &str) -> Command {
    let target = env!("MOUNTDB_TARGET");
    cc::Build::new()
        .cargo_metadata(false)
        .target(target)
        .host(target)
        .opt_level(1)
        .debug(true)
        .out_dir(env!("CARGO_TARGET_TMPDIR"))
        .cpp(language == "c++")
        .warnings(true)
        .extra_warnings(true)
        .warnings_into_errors(true)
        .include(format!("{ROOT}/include"))
        .get_compiler()
        .to_command()
}

fn run(command: &mut Command) -> String {
    let out = command.output().expect("start");
    assert!(
        out.status.success(),
        "{:?} {:?}\n{}{}",
        command.get_program(),
        command.get_args().collect::<Vec<_>>(),
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).expect("UTF-8")
}

fn header() -> String {
    fs::read_to_string(format!("{ROOT}/include/rocksdb/c.h")).expect("header")
}

/// Compiles one C program and runs it in a folder of its own.
fn program(source: &Path) {
    let name = source.file_stem().expect("a name").to_owned();
    let dir = LIB.join(&name).with_extension("d");
    fs::create_dir_all(&dir).expect("make the folder");
    let binary = LIB.join(&name);
    run(compiler("c")
        .arg("-std=c99")
        .arg("-D_GNU_SOURCE")
        .arg(source)
        .arg("-L")
        .arg(&*LIB)
        .args(["-lrocksdb", "-lpthread", "-o"])
        .arg(&binary));
    let mut command = match env::var("MOUNTDB_VALGRIND") {
        Ok(_) => {
            let mut c = Command::new("valgrind");
            c.args(["-q", "--leak-check=full", "--error-exitcode=9"]).arg(&binary);
            c
        }
        Err(_) => Command::new(&binary),
    };
    run(command.env("LD_LIBRARY_PATH", &*LIB).current_dir(&dir));
    fs::remove_dir_all(&dir).expect("remove the folder");
}

/// The C programs of a folder.
fn sources(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ROOT).join(folder)).into_iter().flatten();
    let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

#[test]
fn programs_run() {
    for source in sources("capi-tests").iter().chain(&sources("examples-c")) {
        program(source);
    }
}

#[test]
fn header_is_cplusplus_too_and_may_come_twice() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("header.cc");
    let text = "#include <rocksdb/c.h>\n#include <rocksdb/c.h>\n\
                int main() { return rocksdb_level_compaction; }\n";
    fs::write(&source, text).expect("write");
    run(compiler("c++").args(["-std=c++11", "-Wpedantic", "-fsyntax-only"]).arg(&source));
}

/// Names of functions that a header declares.
fn declared(header: &str) -> BTreeSet<String> {
    header
        .split('(')
        .filter_map(|before| before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
        .filter(|word| word.starts_with("rocksdb_") || word.starts_with("mountdb_"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_library_exports_what_the_header_declares() {
    let nm = run(Command::new("nm")
        .args(["-D", "--defined-only", "--format=just-symbols"])
        .arg(LIB.join("libmountdb.so")));
    let exported: BTreeSet<String> = nm.lines().map(str::to_owned).collect();
    assert_eq!(declared(&header()), exported);
}

/// A header of RocksDB's, and the functions whose prototypes changed between it and 8.10.
fn reference() -> Option<(PathBuf, &'static [&'static str])> {
    /// Only ever fewer parameters or a `const` less.
    const CHANGED_SINCE_7_8: &[&str] = &[
        "rocksdb_options_set_plain_table_factory",
        "rocksdb_cache_create_lru_opts",
        "rocksdb_cache_get_capacity",
        "rocksdb_cache_get_usage",
        "rocksdb_cache_get_pinned_usage",
        "rocksdb_get_column_family_metadata_cf",
        "rocksdb_total_metric_count",
    ];
    if let Some(path) = env::var_os("MOUNTDB_ROCKSDB_HEADER") {
        return Some((path.into(), &[]));
    }
    let cargo = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(cargo.join("registry/src")).into_iter().flatten().flatten();
    let inside = "librocksdb-sys-0.16.0+8.10.0/rocksdb/include/rocksdb/c.h";
    if let Some(found) = registries.map(|r| r.path().join(inside)).find(|p| p.exists()) {
        return Some((found, &[]));
    }
    let debian = PathBuf::from("/usr/include/rocksdb/c.h");
    debian.exists().then_some((debian, CHANGED_SINCE_7_8))
}

/// A C file without comments and preprocessor lines.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out += &rest[..at];
        rest = rest[at..].split_once("*/").expect("a closed comment").1;
    }
    out += rest;
    out.lines()
        .map(|line| line.split("//").next().unwrap_or(line))
        .filter(|line| !line.trim_start().starts_with('#'))
        .fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn prototypes_and_constants_are_rocksdbs() {
    let Some((path, changed)) = reference() else {
        eprintln!(
            "SKIPPED: no header of RocksDB's. Fetch librocksdb-sys 0.16.0 into the cargo registry, \
             install librocksdb-dev, or set MOUNTDB_ROCKSDB_HEADER."
        );
        return;
    };
    let theirs = bare(&fs::read_to_string(&path).expect("reference header"));
    let theirs = theirs.replace("extern \"C\" {", "");
    let mut constants: BTreeMap<&str, String> = BTreeMap::new();
    let mut prototypes = String::new();
    let mut names = BTreeSet::new();
    for statement in theirs.split_inclusive(';') {
        let statement = statement.trim();
        if let Some(body) = statement.strip_prefix("enum {") {
            for constant in body.split('}').next().unwrap_or(body).split(',') {
                if let Some((name, value)) = constant.split_once('=') {
                    constants.insert(name.trim(), value.trim().to_owned());
                }
            }
        } else if let Some(name) =
            declared(statement.split_inclusive('(').next().unwrap_or("")).pop_last()
        {
            // Declared by RocksDB for years, never defined.
            if name != "rocksdb_writebatch_wi_create_from" && !changed.contains(&name.as_str()) {
                prototypes += &statement.replace("ROCKSDB_LIBRARY_API", "");
                prototypes.push('\n');
                names.insert(name);
            }
        }
    }
    let ours = declared(&header());
    if changed.is_empty() {
        assert_eq!(
            ours.iter().filter(|n| n.starts_with("rocksdb_")).cloned().collect::<BTreeSet<_>>(),
            names
        );
    } else {
        let lost: Vec<_> = names.difference(&ours).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
    let mut text = format!("#include <rocksdb/c.h>\n{prototypes}\n");
    for (name, value) in constants.iter().filter(|(name, _)| !changed.contains(name)) {
        writeln!(text, "_Static_assert((int){name} == (int){value}, \"{name}\");")
            .expect("a String takes all");
    }
    text += "int main(void) { return 0; }\n";
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prototypes.c");
    fs::write(&source, text).expect("write");
    run(compiler("c").args(["-std=c11", "-fsyntax-only"]).arg(&source));
}

/// The type of the one argument of each getter that the header declares.
fn getters(header: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for statement in header.split(';') {
        let Some((before, arguments)) = statement.split_once('(') else { continue };
        let name = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let argument = arguments.split_whitespace().find(|w| w.starts_with("rocksdb_"));
        if let (true, Some(argument)) = (name.contains("_get_"), argument) {
            found.insert(name.to_owned(), argument.to_owned());
        }
    }
    found
}

/// A C program that reads every default of the table through its getter.
#[test]
fn defaults_are_rocksdbs() {
    let table = fs::read_to_string(format!("{ROOT}/capi-tests/data/defaults.tsv")).expect("table");
    let getters = getters(&bare(&header()));
    let mut text = String::from("#include <rocksdb/c.h>\n#include <stdio.h>\n\n");
    text += "static int wrong;\n#define CHECK(getter, it, value) \\\n  \
             if ((double)getter(it) != (double)(value)) { \\\n    \
             printf(#getter \" is %.0f\\n\", (double)getter(it)); \\\n    wrong = 1; \\\n  }\n\n\
             int main(void) {\n";
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (getter, value) = line.split_once('\t').expect("getter and value");
        let ty = getters.get(getter).unwrap_or_else(|| panic!("{getter} is not in the header"));
        let prefix = getter.split_once("_get_").expect("a getter").0;
        let argument = if prefix == "rocksdb_backup_engine_options" { "\"x\"" } else { "" };
        let suffix = if value.parse::<i64>().is_err() && !value.contains('.') { "ULL" } else { "" };
        writeln!(
            text,
            "  {{ {ty}* it = {prefix}_create({argument}); CHECK({getter}, it, {value}{suffix}) \
             {prefix}_destroy(it); }}"
        )
        .expect("a String takes all");
    }
    text += "  return wrong;\n}\n";
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("defaults.c");
    fs::write(&source, text).expect("write");
    program(&source);
}

/// A C program that sets every option that can be read back, reads it, and reads it from a copy.
#[test]
fn what_is_set_is_read_back_also_from_a_copy() {
    let header = bare(&header());
    let names = declared(&header);
    let mut text =
        String::from("#include <rocksdb/c.h>\n#include <stdio.h>\n\nstatic int wrong;\n");
    text += "static void check(double is, double want, const char* of) {\n  if (is != want) {\n    \
             printf(\"%s is %.0f, not %.0f\\n\", of, is, want);\n    wrong = 1;\n  }\n}\n\n\
             int main(void) {\n";
    let mut count = 0;
    for (getter, ty) in getters(&header) {
        let setter = getter.replacen("_get_", "_set_", 1);
        let prefix = getter.split_once("_get_").expect("a getter").0;
        if !names.contains(&setter) || !names.contains(&format!("{prefix}_create")) {
            continue;
        }
        // The first needs statistics, the second has a flag beside its value.
        if getter == "rocksdb_options_get_statistics_level"
            || getter.ends_with("bottommost_compression_options_use_zstd_dict_trainer")
        {
            continue;
        }
        let argument = if prefix == "rocksdb_backup_engine_options" { "\"x\"" } else { "" };
        count += 1;
        for value in [1, 0] {
            writeln!(text, "  {{ {ty}* it = {prefix}_create({argument}); {setter}(it, {value});")
                .expect("a String takes all");
            writeln!(text, "    check((double){getter}(it), {value}, \"{getter}\");")
                .expect("a String takes all");
            if prefix == "rocksdb_options" {
                writeln!(
                    text,
                    "    rocksdb_options_t* copy = rocksdb_options_create_copy(it); {setter}(it, \
                     {}); check((double){getter}(copy), {value}, \"copy of {getter}\"); \
                     rocksdb_options_destroy(copy);",
                    1 - value
                )
                .expect("a String takes all");
            }
            writeln!(text, "    {prefix}_destroy(it); }}").expect("a String takes all");
        }
    }
    assert!(count > 100, "{count}");
    text += "  return wrong;\n}\n";
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("round_trip.c");
    fs::write(&source, text).expect("write");
    program(&source);
}
