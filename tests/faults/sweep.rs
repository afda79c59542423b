//! Every kind of call fails, at its first, second, ... time, once or from then on; the same script of
//! writes, flushes and compactions runs over it.

use super::store::Store;
use mountdb::base::Result;
use mountdb::env::Pool;

/// What fails.
const CALLS: &[&str] = &[
    "create *.log",
    "append *.log",
    "sync *.log",
    "truncate|sync *.log",
    "create *.sst",
    "append *.sst",
    "sync *.sst",
    "close *.sst",
    "create MANIFEST-*",
    "append MANIFEST-*",
    "sync MANIFEST-*",
    "create *.dbtmp",
    "append *.dbtmp",
    "sync *.dbtmp",
    "rename *",
    "sync_dir *",
    "remove *",
    "create *",
    "append *",
    "open|read *.sst",
];

/// How it fails, and what the text of an error then says.
const WAYS: &[(&str, &str)] = &[
    ("EIO", "Input/output error"),
    ("ENOSPC", "No space left on device"),
    ("short EIO", "Input/output error"),
];

#[derive(Clone, Copy, Debug)]
enum Step {
    Write([bool; 2], bool),
    Flush(&'static [usize]),
    FlushWal,
    Compact(usize),
}

const A: [bool; 2] = [true, false];
const B: [bool; 2] = [false, true];
const BOTH: [bool; 2] = [true, true];

const SCRIPT: &[Step] = &[
    Step::Write(A, true),
    Step::Write(B, false),
    Step::Write(A, false),
    Step::Flush(&[0]),
    Step::Write(BOTH, false),
    Step::Write(B, true),
    Step::Flush(&[1]),
    Step::Write(A, false),
    Step::Flush(&[0]),
    Step::FlushWal,
    Step::Write(B, false),
    Step::Compact(0),
    Step::Write(A, true),
    Step::Flush(&[0, 1]),
    Step::Write(BOTH, false),
    Step::Compact(1),
    Step::Write(BOTH, true),
    Step::Write(A, false),
];

fn step(store: &mut Store, step: Step) -> Result<()> {
    match step {
        Step::Write(to, sync) => store.write(to, sync),
        Step::Flush(which) => store.flush(which),
        Step::FlushWal => store.flush_wal(),
        Step::Compact(which) => store.compact(which),
    }
}

/// Runs the script under a rule; says how often it acted.
fn run(rule: &str, cause: &str, what: &str, options: usize) -> u64 {
    let mut store = Store::new(7, |o| {
        o.manual_wal_flush = options == 1;
        o.avoid_flush_during_recovery = options == 2;
        if options == 3 {
            o.max_manifest_file_size = 1;
        }
    });
    let id = store.faults.plan(rule);
    let mut failed = 0;
    for (at, s) in SCRIPT.iter().enumerate() {
        let what = format!("{what}, step {at} {s:?}");
        if let Err(error) = step(&mut store, *s) {
            failed += 1;
            let text = error.to_string();
            assert!(text.contains(cause), "{what}: {text}");
        }
        store.memory.pool.join();
        if !rule.starts_with("open|read") {
            store.check_live(&what);
        }
        // A moment of doubt is worth a look.
        if failed == 1 || at + 1 == SCRIPT.len() {
            failed += 1;
            if store.options.manual_wal_flush {
                store.check_crash(mountdb::env::memory::Cut::PowerLost, &what);
            } else {
                store.check_crashes(&what);
            }
        }
    }
    let hits = store.faults.hits(id);
    store.faults.lift_all();
    // Ten seconds later all is well again, without a reopen.
    store.let_pass(9);
    let what = format!("{what}, lifted");
    let fine = |done: Result<()>, doing: &str| {
        done.unwrap_or_else(|e| panic!("{what}: {doing}: {e}"));
    };
    fine(store.write(BOTH, false), "write");
    fine(store.write(A, true), "sync write");
    fine(store.flush(&[0, 1]), "flush");
    fine(store.compact(0), "compact");
    fine(store.compact(1), "compact");
    let error = store.db().property(&store.families()[0], "mountdb.background-error");
    assert_eq!(error.as_deref(), Some(""), "{what}");
    fine(store.write(B, true), "sync write");
    store.check_live(&what);
    store.check_crashes(&what);
    store.check_leftovers(&what);
    hits
}

/// Lines of `CALLS` from `part` on, each `parts`-th, so that tests share the work between threads.
fn sweep(part: usize, parts: usize) {
    let mut runs = 0;
    for call in CALLS.iter().skip(part).step_by(parts) {
        for (way, cause) in WAYS {
            if way.starts_with("short") && !call.starts_with("append") {
                continue;
            }
            for when in ["", "from "] {
                for n in crate::counting() {
                    let (ops, pattern) = call.split_once(' ').expect("two words");
                    let rule = format!("{ops} {pattern} {when}{n}: {way}");
                    let options = runs % 4;
                    runs += 1;
                    if run(&rule, cause, &format!("{rule}, options {options}"), options) == 0 {
                        break;
                    }
                }
            }
        }
    }
    println!("{runs} runs");
}

#[test]
fn any_call_may_fail_logs() {
    sweep(0, 3);
}

#[test]
fn any_call_may_fail_tables() {
    sweep(1, 3);
}

#[test]
fn any_call_may_fail_names() {
    sweep(2, 3);
}

/// A disk that says yes and writes zeros in place of an end: what is read is right or an error, never
/// something that nobody wrote.
#[test]
fn torn_writes_never_become_wrong_data() {
    for pattern in ["*.sst", "*.log", "MANIFEST-*"] {
        for n in crate::counting().take_while(|n| *n < 40) {
            for seed in 0..if crate::is_all() { 9 } else { 2 } {
                let rule = format!("append {pattern} {n}: torn {seed}");
                let mut store = Store::new(7, |_| ());
                let id = store.faults.plan(&rule);
                for s in SCRIPT {
                    // A table that does not read back is an error, as it should be.
                    let _ = step(&mut store, *s);
                    store.memory.pool.join();
                    store.check_no_inventions(&rule);
                }
                if store.faults.hits(id) == 0 {
                    break;
                }
                store.faults.lift_all();
                if let Err(error) = store.reopen() {
                    assert!(error.is_corruption(), "{rule}: {error}");
                    continue;
                }
                store.check_no_inventions(&rule);
            }
        }
    }
}
