//! The documents say what is there: functions of the walks, files they name, the two commands of the
//! README. (Generated lists are held against the code in `capi-tests/docs.rs`.)
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a test of the tree reads it")]

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// What stands between backquotes, outside of fenced code.
fn quoted(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut out = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            out.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    out
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let mut out = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for dir in ["docs", "docs/decisions"] {
        out.extend(
            fs::read_dir(root.join(dir))
                .expect("a folder")
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|e| e == "md")),
        );
    }
    out
}

#[test]
fn every_file_that_a_document_names_is_there() {
    let tops = ["src/", "tests/", "docs/", "packaging/", "capi-tests/", "examples-c/", "include/"];
    let mut faults = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).expect("UTF-8");
        for name in quoted(&text) {
            let name = name.split_whitespace().next().unwrap_or("");
            if tops.iter().any(|top| name.starts_with(top))
                && !name.contains(['*', '<', 'N'])
                && !Path::new(ROOT).join(name).exists()
            {
                faults.push(format!("{}: no {name}", document.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_walks_lead_through_functions_that_exist() {
    let mut file = String::new();
    let (mut faults, mut steps) = (Vec::new(), 0);
    for name in quoted(&read("docs/walks.md")) {
        if name.starts_with("src/") {
            file = name;
            continue;
        }
        if file.is_empty() || name.contains(['/', '=', ' ']) {
            continue;
        }
        steps += 1;
        let source = read(&file);
        let is_there = ["fn ", "struct "].iter().any(|what| {
            let found = format!("{what}{name}");
            source
                .match_indices(&found)
                .any(|(at, _)| source[at + found.len()..].starts_with(['(', '<', ' ', ';', '\n']))
        });
        if !is_there {
            faults.push(format!("{file}: no {name}"));
        }
    }
    assert!(steps > 20, "the walks were read");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_readme_has_two_commands_that_exist() {
    let readme = read("README.md");
    for script in ["packaging/quickstart.sh", "packaging/test.sh"] {
        assert!(readme.contains(script), "{script}");
        assert!(Path::new(ROOT).join(script).exists(), "{script}");
    }
    // The five lines are in a program that is compiled and run with every test run.
    let program = read("examples-c/quickstart.c");
    let five = readme.split("```c\n").nth(1).and_then(|rest| rest.split("```").next());
    let calls = five
        .expect("C in the README")
        .split('(')
        .filter_map(|text| text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next());
    for name in calls.filter(|name| name.starts_with("rocksdb_")) {
        assert!(program.contains(&format!("{name}(")), "quickstart.c does not call {name}");
    }
}
