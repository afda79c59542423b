//! The store on a disk that fails: errors of every kind of call in turn, full disks, syncs that fail, logs with
//! torn and rotten bytes. Everything runs in memory, single-stepped, from seeds; a failure names its plan.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "one test links real folders, one runs real threads")]

mod families;
mod full;
mod locks;
mod logs;
mod store;
mod sweep;
mod syncs;
mod threads;
