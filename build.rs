//! Writes the mechanical part of the C API and its header.
//!
//! `src/capi/fields.tbl` (functions that move one value) and `src/capi/missing.tbl` (functions that
//! are not served yet) become `$OUT_DIR/capi_fields.rs` and `$OUT_DIR/capi_missing.rs`. cbindgen
//! reads those and `src/capi`; the result goes to `include/rocksdb/c.h` when it differs from what
//! is there, so a build of a clean tree leaves it clean.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script writes files; it is no part of the store"
)]

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const SONAME: &str = "libmountdb.so.0";

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for input in ["build.rs", "cbindgen.toml", "src/capi", "include/rocksdb/c.h"] {
        println!("cargo::rerun-if-changed={input}");
    }

    let table = |name: &str| fs::read_to_string(root.join("src/capi").join(name)).expect(name);
    let fields = out.join("capi_fields.rs");
    write_if_changed(&fields, &entry_points(&table("fields.tbl")));
    let missing = out.join("capi_missing.rs");
    write_if_changed(&missing, &missing_entry_points(&table("missing.tbl")));

    let header = anonymous_enums(&c_header(&root, &[&fields, &missing]));
    write_if_changed(&root.join("include/rocksdb/c.h"), &header);

    println!("cargo::rustc-env=MOUNTDB_TARGET={}", env::var("TARGET").expect("cargo sets it"));
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
        // Threads of ours outlive the last close, so the code must outlive a dlclose.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}

fn write_if_changed(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::create_dir_all(path.parent().expect("inside a folder")).expect("make the folder");
        fs::write(path, text).expect("write what was generated");
    }
}

fn c_header(root: &Path, generated: &[&Path]) -> String {
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder =
        cbindgen::Builder::new().with_config(config).with_src(root.join("src/capi/mod.rs")); // follows `mod` from there
    for file in generated {
        builder = builder.with_src(file);
    }
    let mut text = Vec::new();
    builder.generate().expect("cbindgen reads src/capi").write(&mut text);
    String::from_utf8(text).expect("cbindgen writes UTF-8")
}

/// RocksDB's constants live in enums without a name, which cbindgen cannot write.
fn anonymous_enums(header: &str) -> String {
    let mut text = String::with_capacity(header.len());
    for line in header.lines() {
        text += match line {
            l if l.starts_with("typedef enum ") && l.ends_with("_tag {") => "enum {",
            l if l.starts_with("} ") && l.ends_with("_tag;") => "};",
            l => l,
        };
        text.push('\n');
    }
    text
}

/// The lines of a table with their numbers, without blank ones and comments.
fn lines(table: &str) -> impl Iterator<Item = (usize, &str)> {
    table
        .lines()
        .enumerate()
        .map(|(number, line)| (number + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn section(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']')
}

/// Turns each line of `fields.tbl` into one or two `extern "C"` functions.
fn entry_points(table: &str) -> String {
    let mut text = String::new();
    let (mut c_type, mut prefix) = ("", "");
    for (number, line) in lines(table) {
        let words: Vec<&str> = section(line).unwrap_or(line).split_whitespace().collect();
        match (section(line), &words[..]) {
            (Some(_), [ty, name, life @ ..]) => {
                (c_type, prefix) = (ty, name);
                if life.contains(&"new") {
                    text += &create(c_type, prefix);
                }
                if life.contains(&"new") || life.contains(&"destroy") {
                    text += &destroy(c_type, prefix);
                }
            }
            (None, [access, kind, name, field, doc @ ..]) if !doc.is_empty() => {
                let (kind, doc) = (c_scalar(kind), doc.join(" "));
                if access.contains('w') {
                    // RocksDB named a few setters without "set"; the table spells those out.
                    let function = match name.strip_prefix('=') {
                        Some(rest) => format!("{prefix}_{rest}"),
                        None => format!("{prefix}_set_{name}"),
                    };
                    text += &setter(c_type, &function, kind, field, &doc);
                }
                if access.contains('r') {
                    text += &getter(c_type, &format!("{prefix}_get_{name}"), kind, field, &doc);
                }
            }
            _ => panic!("fields.tbl:{number}: not a line of the table: {line}"),
        }
    }
    text
}

fn setter(c_type: &str, function: &str, kind: &str, field: &str, doc: &str) -> String {
    format!(
        r#"
/// Sets: {doc}
///
/// # Safety
/// `it` is null or live, and nobody else uses it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn {function}(it: *mut {c_type}, value: {kind}) {{
    // SAFETY: the caller's promise.
    if let Some(it) = unsafe {{ it.as_mut() }} {{
        it.{field}.put(value);
    }}
}}
"#
    )
}

fn getter(c_type: &str, function: &str, kind: &str, field: &str, doc: &str) -> String {
    format!(
        r#"
/// Gets: {doc}
///
/// # Safety
/// `it` is null or live, and nobody changes it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn {function}(it: *mut {c_type}) -> {kind} {{
    // SAFETY: the caller's promise.
    unsafe {{ it.as_ref() }}.map_or_else(Default::default, |it| it.{field}.take())
}}
"#
    )
}

fn create(c_type: &str, prefix: &str) -> String {
    format!(
        r#"
/// Makes one with its defaults.
#[unsafe(no_mangle)]
pub extern "C" fn {prefix}_create() -> *mut {c_type} {{
    Box::into_raw(Box::default())
}}
"#
    )
}

fn destroy(c_type: &str, prefix: &str) -> String {
    format!(
        r#"
/// Destroys it.
///
/// # Safety
/// `it` is null, or live and never used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn {prefix}_destroy(it: *mut {c_type}) {{
    if !it.is_null() {{
        // SAFETY: the caller's promise.
        drop(unsafe {{ Box::from_raw(it) }});
    }}
}}
"#
    )
}

fn c_scalar(kind: &str) -> &str {
    match kind {
        "uchar" => "c_uchar",
        "char" => "c_char",
        "int" => "c_int",
        "uint" => "c_uint",
        "u32" => "u32",
        "u64" => "u64",
        "i64" => "i64",
        "size" => "usize",
        "double" => "f64",
        other => panic!("fields.tbl: unknown C type {other}"),
    }
}

/// Turns each prototype of `missing.tbl` into a function that says `Not implemented: NAME`.
fn missing_entry_points(table: &str) -> String {
    let mut text = String::new();
    for (number, line) in lines(table) {
        if section(line).is_some() {
            continue;
        }
        let parts = line.split_once('(').and_then(|(name, rest)| {
            let (arguments, result) = rest.rsplit_once(')')?;
            Some((name, arguments, result.trim()))
        });
        let Some((name, arguments, result)) = parts else {
            panic!("missing.tbl:{number}: not a prototype: {line}");
        };
        let has = |argument: &str| arguments.contains(argument);
        let (mut body, mut doc) = (String::new(), "Not served yet: does nothing.");
        for out in ["vallen", "vlen", "tslen", "ts_lowlen", "cnt", "lencf", "file_size"] {
            if has(&format!("{out}: *mut ")) {
                writeln!(
                    body,
                    "    // SAFETY: the caller's promise.\n    unsafe {{ store({out}, 0) }};"
                )
                .expect("a String takes all");
            }
        }
        if has("errptr: ") {
            doc = "Not served yet: always an error.";
            writeln!(
                body,
                "    // SAFETY: the caller's promise about errptr.\n    \
                 unsafe {{ missing(errptr, \"{name}\") }}"
            )
            .expect("a String takes all");
        } else if has("errs: ") {
            doc = "Not served yet: an error for each key.";
            writeln!(
                body,
                "    // SAFETY: the caller's promise about the arrays.\n    unsafe {{\n        \
                 missing_for_each(num_keys, values_list, values_list_sizes, errs, \"{name}\")\n    }}"
            )
            .expect("a String takes all");
        } else if name.contains("property_int") {
            body += "    -1\n";
        } else if !result.is_empty() {
            body += "    Default::default()\n";
        }
        write!(
            text,
            r#"
/// {doc}
///
/// # Safety
/// Output pointers are null or writable; errptr follows the error rule of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn {name}({arguments}) {result} {{
{body}}}
"#
        )
        .expect("a String takes all");
    }
    text
}
