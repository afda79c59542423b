//! Floor 9: the store. Being assembled; the signatures are those that `capi/` calls.
#![forbid(unsafe_code)]

mod api_stub;
mod fold;
pub mod get;
pub mod iterator;
mod sources;
pub mod tables;
mod types;

pub use api_stub::{Db, Family, Iter, Snapshot};
pub use types::{FamilyMetadata, LevelMetadata, LiveFile, WaitForCompactOptions};
