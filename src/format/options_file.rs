//! The OPTIONS file: options as text, for tools.
//!
//!     file    := line*                     `#` starts a comment, `\#` is a hash sign
//!     section := [Version] | [DBOptions] | [CFOptions "name"] | [TableOptions/BlockBasedTable "name"]
//!     line    := section | name=value
//!
//! No open reads this file. It is written so that RocksDB's tools find a store's comparators and
//! sizes: few, old names only, since a reader fails on a name that it does not know.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_possible_truncation)
)]

use crate::base::{Error, Result};

/// The release whose names we write.
pub const ROCKSDB_VERSION: &str = "7.8.3";

/// Names with their values.
pub type Entries = Vec<(String, String)>;

/// The options of one family, as names and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FamilyOptions {
    /// The family's name.
    pub name: String,
    /// `[CFOptions]`
    pub options: Entries,
    /// `[TableOptions/BlockBasedTable]`
    pub table: Entries,
}

/// A section of an OPTIONS file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// What stands first in the brackets.
    pub title: String,
    /// The quoted text behind it.
    pub argument: Option<String>,
    /// The lines.
    pub entries: Entries,
}

/// The text of an OPTIONS file. `families` must start with `default`.
#[must_use]
pub fn write(db: &[(String, String)], families: &[FamilyOptions]) -> String {
    let mut to = String::from("# This is a RocksDB option file.\n# Written by MountDB.\n\n");
    let mut section = |title: &str, entries: &[(String, String)]| {
        to.push_str(title);
        to.push('\n');
        for (name, value) in entries {
            to.push_str("  ");
            to.push_str(name);
            to.push('=');
            to.push_str(&escape(value));
            to.push('\n');
        }
        to.push('\n');
    };
    let version = [("rocksdb_version", ROCKSDB_VERSION), ("options_file_version", "1.1")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    section("[Version]", &version);
    section("[DBOptions]", db);
    for family in families {
        let name = escape(&family.name);
        section(&format!("[CFOptions \"{name}\"]"), &family.options);
        section(&format!("[TableOptions/BlockBasedTable \"{name}\"]"), &family.table);
    }
    to
}

/// Reads the sections of an OPTIONS file in their order. What the names mean is the caller's to say.
pub fn parse(bytes: &[u8]) -> Result<Vec<Section>> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| Error::corruption(format!("not UTF-8 at byte {}", e.valid_up_to())))?;
    let mut sections: Vec<Section> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let bad = |why: &str| Error::invalid_argument(format!("line {}: {why}", number + 1));
        let line = without_comment(line).trim();
        if line.is_empty() {
            continue;
        }
        if let Some(head) = line.strip_prefix('[') {
            let head = head.strip_suffix(']').ok_or_else(|| bad("section without end"))?;
            let (title, argument) = match head.split_once(char::is_whitespace) {
                None => (head, None),
                Some((title, quoted)) => {
                    let argument = quoted
                        .trim()
                        .strip_prefix('"')
                        .and_then(|q| q.strip_suffix('"'))
                        .ok_or_else(|| bad("section argument without quotes"))?;
                    (title, Some(unescape(argument)))
                }
            };
            sections.push(Section { title: title.to_owned(), argument, entries: Vec::new() });
            continue;
        }
        let (name, value) =
            line.split_once('=').ok_or_else(|| bad("a valid statement must have a '='"))?;
        let section = sections.last_mut().ok_or_else(|| bad("a statement before any section"))?;
        section.entries.push((name.trim().to_owned(), unescape(value.trim())));
    }
    Ok(sections)
}

fn escape(text: &str) -> String {
    let mut to = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\\' | '#' => {
                to.push('\\');
                to.push(c);
            }
            _ => to.push(c),
        }
    }
    to
}

fn unescape(text: &str) -> String {
    let mut to = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => to.push('\n'),
                Some('r') => to.push('\r'),
                Some(c) => to.push(c),
                None => to.push('\\'),
            },
            _ => to.push(c),
        }
    }
    to
}

fn without_comment(line: &str) -> &str {
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        if c == '#' && !escaped {
            return line.get(..at).unwrap_or(line);
        }
        escaped = c == '\\' && !escaped;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Env;
    use std::path::Path;

    fn pairs(of: &[(&str, &str)]) -> Entries {
        of.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let family = |name: &str| FamilyOptions {
            name: name.to_owned(),
            options: pairs(&[("comparator", "leveldb.BytewiseComparator"), ("odd", "a#b\\c\nd=e")]),
            table: pairs(&[("block_size", "4096")]),
        };
        let families = [family("default"), family("s/\"#\\ü]\n")];
        let db = pairs(&[("max_open_files", "-1"), ("wal_dir", "")]);
        let text = write(&db, &families);
        let sections = parse(text.as_bytes()).unwrap();
        let titles: Vec<_> = sections.iter().map(|s| &s.title[..]).collect();
        let table = "TableOptions/BlockBasedTable";
        assert_eq!(titles, ["Version", "DBOptions", "CFOptions", table, "CFOptions", table]);
        assert_eq!(sections[1].entries, db);
        for (i, family) in families.iter().enumerate() {
            for (section, entries) in [(2 + 2 * i, &family.options), (3 + 2 * i, &family.table)] {
                assert_eq!(sections[section].argument.as_deref(), Some(&family.name[..]));
                assert_eq!(sections[section].entries, *entries);
            }
        }
    }

    #[test]
    fn comments_and_blanks_are_skipped() {
        let text = "# top\r\n [A]  # c\n x = 1 # one\n\n[B \"q\"]\ny=\\#2\nz=\n";
        let s = parse(text.as_bytes()).unwrap();
        assert_eq!(s[0].entries, pairs(&[("x", "1")]));
        assert_eq!(s[1].argument.as_deref(), Some("q"));
        assert_eq!(s[1].entries, pairs(&[("y", "#2"), ("z", "")]));
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in ["x=1", "[A\n", "[A b]\n", "[A]\nx\n"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(parse(b"[A]\nx=\xFF").unwrap_err().is_corruption());
    }

    #[test]
    fn rocksdbs_files_parse() {
        let fs = Env::posix().fs;
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        for path in [
            "rocksdb-7.8.3/range_del/OPTIONS-000007",
            "rocksdb-newer/v8.10.0_default/OPTIONS-000007",
            "rocksdb-newer/v9.8.4_default/OPTIONS-000007",
            "rocksdb-newer/v11.1.2_default/OPTIONS-000007",
        ] {
            let bytes = crate::env::read_file(&*fs, &dir.join(path), 1 << 20).unwrap();
            let sections = parse(&bytes).unwrap();
            assert_eq!(sections[0].title, "Version");
            assert_eq!(sections[2].title, "CFOptions");
            assert_eq!(sections[2].argument.as_deref(), Some("default"));
            assert!(sections[2].entries.iter().any(|(n, v)| n == "num_levels" && v == "7"));
        }
    }

    /// Debian's `ldb` loads what we write, and says no to a name that it does not know.
    #[test]
    fn rocksdbs_tool_loads_our_file() {
        use std::process::Command;
        if Command::new("ldb").arg("--version").output().is_err() {
            eprintln!("SKIPPED: ldb (rocksdb-tools) is not installed");
            return;
        }
        let fs = Env::posix().fs;
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rocksdb-7.8.3/empty");
        let loads = |extra: &str| {
            let dir = tempfile::tempdir().unwrap();
            let put = |name: &str, bytes: &[u8]| {
                let mut file = fs.create(&dir.path().join(name), Default::default()).unwrap();
                file.append(bytes).unwrap();
                file.close().unwrap();
            };
            for name in fs.list(&from).unwrap() {
                put(&name, &crate::env::read_file(&*fs, &from.join(&name), 1 << 20).unwrap());
            }
            let family = FamilyOptions {
                name: "default".to_owned(),
                options: pairs(&[
                    ("comparator", "leveldb.BytewiseComparator"),
                    ("write_buffer_size", "1000000"),
                    (extra, "1"),
                ]),
                table: pairs(&[("block_size", "4096")]),
            };
            let text = write(&pairs(&[("max_open_files", "-1")]), &[family]);
            put("OPTIONS-000007", text.as_bytes());
            let db = format!("--db={}", dir.path().display());
            let output = Command::new("ldb").args([&db, "--try_load_options", "scan"]).output();
            let output = output.unwrap();
            output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("Failed")
        };
        assert!(loads("num_levels"));
        assert!(!loads("no_such_option"));
    }
}
