//! Installs the library that this build made into a temporary folder, and finds it there in every way
//! that programs find RocksDB. What a machine has no tool for is skipped aloud.

#![allow(clippy::disallowed_methods, reason = "these tests install files and run programs")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

struct Installed {
    prefix: PathBuf,
    /// What looks like a RocksDB prefix.
    shaped: PathBuf,
    /// Where programs and their stores go.
    work: PathBuf,
}

static INSTALLED: LazyLock<Installed> = LazyLock::new(|| {
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging");
    // A leftover of an earlier run; the first run has none.
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).expect("make a folder");
    let prefix = work.join("prefix");
    // cargo puts the library beside the tests.
    let own = env::current_exe().expect("own path");
    run(Command::new("sh")
        .arg(format!("{ROOT}/packaging/install.sh"))
        .arg(&prefix)
        .env("BUILT", own.parent().expect("a folder"))
        .env_remove("DESTDIR"));
    let shaped = prefix.join("lib/mountdb/rocksdb");
    Installed { prefix, shaped, work }
});

fn run(command: &mut Command) -> String {
    let out = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{command:?}: {}\n{stderr}", out.status);
    String::from_utf8(out.stdout).expect("UTF-8")
}

fn has(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: no {tool} here");
    }
    there
}

/// A C compiler that makes `name` from the quickstart.
fn cc(name: &str) -> (Command, PathBuf) {
    let program = INSTALLED.work.join(name);
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    cc.arg(format!("{ROOT}/examples-c/quickstart.c"));
    (cc, program)
}

/// Runs the quickstart and compares what it says.
fn works(program: &Path, library_path: Option<&Path>) {
    let mut store = program.as_os_str().to_owned();
    store.push(".db");
    let store = PathBuf::from(store);
    let mut command = Command::new(program);
    command.arg(&store).env_remove("LD_LIBRARY_PATH");
    if let Some(path) = library_path {
        command.env("LD_LIBRARY_PATH", path);
    }
    let said = run(&mut command);
    assert!(said.ends_with("from k on: makalu = 8485 m\n"), "{said}");
    assert!(store.join("CURRENT").exists());
}

fn path_flag(flag: &str, path: impl AsRef<Path>) -> String {
    format!("{flag}{}", path.as_ref().display())
}

#[test]
fn a_program_finds_it_by_lrocksdb() {
    if !has("cc") {
        return;
    }
    let (mut cc, program) = cc("by-flag");
    let (lib, include) = (INSTALLED.shaped.join("lib"), INSTALLED.shaped.join("include"));
    run(cc.args([path_flag("-L", &lib), path_flag("-I", &include), "-lrocksdb".into()]));
    works(&program, Some(&lib));
    works(&program, Some(&INSTALLED.prefix.join("lib")));
}

#[test]
fn a_program_finds_it_by_pkg_config() {
    if !has("cc") || !has("pkg-config") {
        return;
    }
    let search = INSTALLED.shaped.join("lib/pkgconfig");
    let ask =
        |args: &[&str]| run(Command::new("pkg-config").args(args).env("PKG_CONFIG_PATH", &search));
    ask(&["--atleast-version=8.10.0", "rocksdb"]);
    let flags = ask(&["--cflags", "--libs", "rocksdb"]);
    let (cc, program) = cc("by-pkg-config");
    // Through a shell, since the answer is quoted for one.
    let line = format!("{cc:?} {flags}");
    run(Command::new("sh").args(["-c", &line]));
    works(&program, Some(&INSTALLED.prefix.join("lib")));
}

#[test]
fn a_program_finds_it_by_cmake() {
    if !has("cmake") || !has("cc") {
        return;
    }
    let project = INSTALLED.work.join("cmake");
    fs::create_dir_all(&project).expect("make a folder");
    let lists = format!(
        "cmake_minimum_required(VERSION 3.13)\n\
         project(quickstart C)\n\
         find_package(RocksDB 8.0 CONFIG REQUIRED)\n\
         foreach(target rocksdb rocksdb-shared)\n\
           add_executable(by-${{target}} \"{ROOT}/examples-c/quickstart.c\")\n\
           target_link_libraries(by-${{target}} RocksDB::${{target}})\n\
         endforeach()\n"
    );
    fs::write(project.join("CMakeLists.txt"), lists).expect("write");
    let build = project.join("build");
    run(Command::new("cmake")
        .arg("-S")
        .arg(&project)
        .arg("-B")
        .arg(&build)
        .arg(path_flag("-DCMAKE_PREFIX_PATH=", &INSTALLED.shaped)));
    run(Command::new("cmake").arg("--build").arg(&build));
    for name in ["by-rocksdb", "by-rocksdb-shared"] {
        works(&build.join(name), None);
    }
    let lists = "cmake_minimum_required(VERSION 3.13)\nproject(newer C)\n\
                 find_package(RocksDB 99 CONFIG REQUIRED)\n";
    fs::write(project.join("CMakeLists.txt"), lists).expect("write");
    let newer = Command::new("cmake")
        .arg("-S")
        .arg(&project)
        .arg("-B")
        .arg(project.join("newer"))
        .arg(path_flag("-DCMAKE_PREFIX_PATH=", &INSTALLED.shaped))
        .output()
        .expect("start");
    assert!(!newer.status.success(), "a newer RocksDB than we serve is refused");
}

/// The Rust binding's build script looks for these two.
#[test]
fn the_rust_binding_finds_library_and_header() {
    assert!(INSTALLED.shaped.join("lib/librocksdb.so").exists());
    let header = INSTALLED.shaped.join("include/rocksdb/c.h");
    let header = fs::read_to_string(header).expect("ROCKSDB_INCLUDE_DIR has rocksdb/c.h");
    // The binding wants plain unsigned constants, which bindgen makes of enums without a name only.
    assert!(header.contains("enum {"), "constants without a type of their own");
}

/// The library's functions that the quickstart calls.
fn called() -> impl Iterator<Item = String> {
    let source = fs::read_to_string(format!("{ROOT}/examples-c/quickstart.c")).expect("source");
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before_parentheses = source.split('(').filter_map(|text| text.rsplit(|c| !word(c)).next());
    let names: BTreeSet<String> =
        before_parentheses.filter(|name| name.starts_with("rocksdb_")).map(str::to_owned).collect();
    names.into_iter()
}

/// A binary that was linked with RocksDB is started with our folder in front, nothing else.
#[test]
fn an_existing_binary_takes_it_for_rocksdb() {
    if !has("cc") {
        return;
    }
    let sonames = fs::read_to_string(format!("{ROOT}/packaging/rocksdb-sonames")).expect("list");
    let lib = INSTALLED.shaped.join("lib");
    for soname in sonames.lines() {
        // Stands in for the library that the binary was built with: the same names, doing nothing.
        let stub_dir = INSTALLED.work.join(format!("stub-{soname}"));
        fs::create_dir_all(&stub_dir).expect("make a folder");
        let stub = stub_dir.join("stub.c");
        fs::write(
            &stub,
            called().map(|name| format!("void {name}(void) {{}}\n")).collect::<String>(),
        )
        .expect("write");
        run(Command::new("cc")
            .args(["-shared", "-fPIC"])
            .arg(&stub)
            .arg("-o")
            .arg(stub_dir.join("librocksdb.so"))
            .arg(format!("-Wl,-soname,{soname}")));
        let (mut cc, program) = cc(&format!("built-for-{soname}"));
        run(cc
            .arg(path_flag("-I", INSTALLED.shaped.join("include")))
            .arg(path_flag("-L", &stub_dir))
            .arg("-lrocksdb"));
        works(&program, Some(&lib));
    }
}

#[test]
fn a_program_may_link_it_statically() {
    if !has("cc") || !has("pkg-config") {
        return;
    }
    let archive = INSTALLED.prefix.join("lib/libmountdb.a");
    if !archive.exists() {
        eprintln!("skipped: this build made no static library");
        return;
    }
    let mut ask = Command::new("pkg-config");
    ask.args(["--static", "--libs-only-l", "mountdb"])
        .env("PKG_CONFIG_PATH", INSTALLED.prefix.join("lib/pkgconfig"));
    let libs = run(&mut ask);
    let (mut cc, program) = cc("static");
    cc.arg(path_flag("-I", INSTALLED.prefix.join("include/mountdb"))).arg(&archive);
    cc.args(libs.split_whitespace().filter(|lib| *lib != "-lmountdb"));
    run(&mut cc);
    works(&program, None);
}

#[test]
fn nothing_lies_outside_the_prefix_and_links_stay_inside() {
    fn walk(dir: &Path, root: &Path) {
        for entry in fs::read_dir(dir).expect("a folder").flatten() {
            let path = entry.path();
            let real = fs::canonicalize(&path).expect("no link dangles");
            assert!(real.starts_with(root), "{} leads to {}", path.display(), real.display());
            if entry.file_type().expect("a type").is_dir() {
                walk(&path, root);
            }
        }
    }
    let root = fs::canonicalize(&INSTALLED.prefix).expect("it is there");
    walk(&INSTALLED.prefix, &root);
}
