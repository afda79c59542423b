//! Documents that are generated from the code, and compared with those in the tree.

use super::ROOT;
use mountdb::options::{CfOptions, DbOptions, OptionText, TableOptions};
use std::fmt::Write as _;
use std::{env, fs};

/// Compares `text` with the file, or rewrites it when `MOUNTDB_BLESS` is set.
fn is_current(file: &str, text: &str) {
    let path = format!("{ROOT}/{file}");
    if env::var_os("MOUNTDB_BLESS").is_some() {
        fs::write(&path, text).expect("write");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{file} is stale: run MOUNTDB_BLESS=1 cargo test --test capi docs");
}

fn table<T: OptionText + Default>(text: &mut String, title: &str) {
    let defaults = T::default();
    writeln!(text, "\n## {title}\n\n| option | default | changes while open | what it is |")
        .unwrap();
    text.push_str("| --- | --- | --- | --- |\n");
    for (name, doc) in T::DOCS {
        let default = defaults.get_text(name).map_or("-".to_owned(), |value| {
            if value.is_empty() { "empty".to_owned() } else { format!("`{value}`") }
        });
        let mutable = if T::is_mutable(name) { "yes" } else { "no" };
        writeln!(text, "| `{name}` | {default} | {mutable} | {} |", doc.trim()).unwrap();
    }
}

fn ignored<T: OptionText>(text: &mut String, of: &str) {
    for (name, doc) in T::DOCS {
        if let Some((_, reason)) = doc.split_once("Accepted") {
            let reason = reason.trim_start_matches(|c: char| !c.is_alphanumeric());
            let reason = reason.trim_start_matches("not used").trim_start_matches([':', '.', ' ']);
            let reason = if reason.is_empty() { "nothing here depends on it." } else { reason };
            writeln!(text, "| `{name}` | {of} | {reason} |").unwrap();
        }
    }
}

/// The functions of `src/capi/missing.tbl`, in its sections.
#[test]
fn docs_compat_names_what_is_missing() {
    let table = fs::read_to_string(format!("{ROOT}/src/capi/missing.tbl")).expect("table");
    let mut list = String::from("<!-- begin: src/capi/missing.tbl -->\n");
    for line in table.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some(section) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            writeln!(list, "\n{section}:\n").unwrap();
        } else {
            let name = line.split('(').next().unwrap_or(line);
            writeln!(list, "- `{name}`").unwrap();
        }
    }
    list.push('\n');
    let file = "docs/compat.md";
    let text = fs::read_to_string(format!("{ROOT}/{file}")).expect("compat.md");
    let begin = text.find("<!-- begin: src/capi/missing.tbl -->").expect("a begin mark");
    let end = text.find("<!-- end -->").expect("an end mark");
    is_current(file, &format!("{}{list}{}", &text[..begin], &text[end..]));
}

#[test]
fn docs_options_is_current() {
    let mut text = String::from(
        "# Options\n\nWritten by `cargo test --test capi docs` from `src/options`. Names, meanings and \
         defaults are those of RocksDB 8.10;\n`pgm_fence_*` are ours. A default of `-` is an object or a \
         list.\n",
    );
    table::<DbOptions>(&mut text, "Of a store");
    table::<CfOptions>(&mut text, "Of a column family");
    table::<TableOptions>(&mut text, "Of block-based tables");
    text.push_str(
        "\n## Accepted, not used\n\nThese are stored and read back, and change nothing.\n\n\
         | option | of | why |\n| --- | --- | --- |\n",
    );
    ignored::<DbOptions>(&mut text, "store");
    ignored::<CfOptions>(&mut text, "family");
    ignored::<TableOptions>(&mut text, "table");
    is_current("docs/options.md", &text);
}
