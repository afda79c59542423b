//! The rules of structure that `src/lib.rs` and CONTRIBUTING.md state, held against the sources:
//! a module uses only floors below its own, and `unsafe` lives only where it is announced.

#![allow(clippy::disallowed_methods, reason = "a test reads the sources")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files in which `unsafe` is allowed. Whoever adds to it says why in review.
const UNSAFE: &[&str] = &[
    "base/arena.rs",
    "capi/",
    "env/aligned.rs",
    "env/mapped.rs",
    "env/posix.rs",
    "memtable/skiplist.rs",
];

/// Libraries about sorted keys that know nothing of the rest: they see only `base`.
const SEE_ONLY_BASE: &[&str] = &["learned", "iter"];

struct Source {
    /// Below `src`.
    path: PathBuf,
    text: String,
}

impl Source {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The module on a floor that this belongs to.
    fn module(&self) -> String {
        let first = self.path.components().next().expect("a path has parts");
        first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
    }

    fn is_test(&self) -> bool {
        self.path.file_stem().is_some_and(|stem| stem == "tests")
            || self.path.components().any(|part| part.as_os_str() == "tests")
    }

    /// What is compiled into the library: no comments, no tests.
    fn code(&self) -> String {
        let mut code = String::new();
        for line in self.text.lines() {
            if line.trim_start().starts_with("#[cfg(test)]") {
                break;
            }
            code.push_str(line.split("//").next().unwrap_or(""));
            code.push('\n');
        }
        code
    }
}

fn sources() -> Vec<Source> {
    fn walk(dir: &Path, root: &Path, out: &mut Vec<Source>) {
        for entry in fs::read_dir(dir).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, root, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("UTF-8");
                let path = path.strip_prefix(root).expect("below it").to_path_buf();
                out.push(Source { path, text });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut out = Vec::new();
    walk(&root, &root, &mut out);
    out.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(out.len() > 20, "the sources are found");
    out
}

/// The table in `src/lib.rs`: module to floor.
fn floors(sources: &[Source]) -> BTreeMap<String, u32> {
    let lib = sources.iter().find(|s| s.path == Path::new("lib.rs")).expect("lib.rs");
    let mut floors = BTreeMap::new();
    for line in lib.text.lines().filter_map(|line| line.strip_prefix("//!")) {
        let mut words = line.split_whitespace();
        let Some(Ok(floor)) = words.next().map(str::parse) else { continue };
        for word in words.map_while(|word| word.strip_suffix('/')) {
            floors.insert(word.to_owned(), floor);
        }
    }
    floors
}

/// The modules that `code` names behind `crate::`.
fn used(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let ident = |text: &str| -> String {
        text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    for (at, _) in code.match_indices("crate::") {
        let rest = code[at + "crate::".len()..].trim_start();
        let Some(group) = rest.strip_prefix('{') else {
            used.insert(ident(rest));
            continue;
        };
        let (mut depth, mut fresh) = (1, true);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => fresh = true,
                c if fresh && depth == 1 && !c.is_whitespace() => {
                    used.insert(ident(&group[i..]));
                    fresh = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    used
}

#[test]
fn no_module_climbs() {
    let sources = sources();
    let floors = floors(&sources);
    let mut faults = Vec::new();
    for source in sources.iter().filter(|s| !s.is_test() && s.path != Path::new("lib.rs")) {
        let module = source.module();
        if module == "bin" {
            continue;
        }
        let Some(own) = floors.get(&module) else {
            faults.push(format!("{}: {module} has no floor in src/lib.rs", source.name()));
            continue;
        };
        for other in used(&source.code()) {
            let Some(floor) = floors.get(&other) else { continue };
            if other == module {
                continue;
            }
            if floor >= own {
                faults.push(format!("{}: {module} ({own}) uses {other} ({floor})", source.name()));
            } else if SEE_ONLY_BASE.contains(&module.as_str()) && other != "base" {
                faults.push(format!("{}: {module} sees only base, not {other}", source.name()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_module_has_a_floor_and_every_floor_a_module() {
    let sources = sources();
    let floors: BTreeSet<String> = floors(&sources).into_keys().collect();
    let lib = sources.iter().find(|s| s.path == Path::new("lib.rs")).expect("lib.rs");
    let declared: BTreeSet<String> = lib
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    assert_eq!(declared, floors);
}

#[test]
fn unsafe_lives_where_it_is_announced() {
    let sources = sources();
    let allowed = |name: &str| {
        UNSAFE.iter().any(|at| name == *at || at.ends_with('/') && name.starts_with(at))
    };
    let forbids: BTreeSet<PathBuf> = sources
        .iter()
        .filter(|s| s.text.contains("#![forbid(unsafe_code)]"))
        .map(|s| s.path.clone())
        .collect();
    // A module's attribute holds for those inside it: dir/mod.rs, or dir.rs beside dir.
    let covered = |path: &Path| {
        forbids.contains(path)
            || path.ancestors().skip(1).any(|dir| {
                forbids.contains(&dir.join("mod.rs")) || forbids.contains(&dir.with_extension("rs"))
            })
    };
    let mut faults = Vec::new();
    for source in &sources {
        let name = source.name();
        let module_of_unsafe = source.path.ends_with("mod.rs") || name == "lib.rs";
        let is_unsafe = |word: &str| word == "unsafe";
        let words = source.code();
        let mut words = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if words.any(is_unsafe) && !allowed(&name) {
            faults.push(format!("{name}: unsafe"));
        }
        let parent = name.trim_end_matches("mod.rs");
        let above_unsafe = module_of_unsafe && UNSAFE.iter().any(|at| at.starts_with(parent));
        if !covered(&source.path) && !allowed(&name) && !above_unsafe && name != "lib.rs" {
            faults.push(format!("{name}: no #![forbid(unsafe_code)]"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_file_says_what_it_is() {
    let faults: Vec<String> = sources()
        .iter()
        .filter(|s| !s.is_test() && !s.text.starts_with("//! "))
        .map(Source::name)
        .collect();
    assert!(faults.is_empty(), "no //! header: {}", faults.join(", "));
}

#[test]
fn paths_are_found_in_any_spelling() {
    let code = "use crate::base::{Error, Result};\nuse crate::{env::{self, Env}, format::log,\n \
                stats};\nfn f() { crate::table::x(); }\nmacro_rules! m { () => { $crate::db::y() } }";
    let expected = ["base", "db", "env", "format", "stats", "table"];
    assert_eq!(used(code).iter().map(String::as_str).collect::<Vec<_>>(), expected);
}
