//! The store on a disk that fails: errors of every kind of call in turn, full disks, syncs that fail, logs with
//! torn and rotten bytes. Everything runs in memory, single-stepped, from seeds; a failure names its plan.
//!
//! By default a part of the cases runs; `MOUNTDB_FAULTS=all` runs them all.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "one test links real folders, one runs real threads")]

/// 1, 2, 3, then with growing gaps; every number if all cases are wanted.
fn counting() -> impl Iterator<Item = u64> {
    let all = is_all();
    std::iter::successors(Some(1), move |n| Some(if all { n + 1 } else { n + 1 + n / 4 }))
}

fn is_all() -> bool {
    std::env::var("MOUNTDB_FAULTS").is_ok_and(|text| text == "all")
}

mod families;
mod full;
mod locks;
mod logs;
mod store;
mod sweep;
mod syncs;
mod threads;
