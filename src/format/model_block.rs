//! Where a learned model sits in a table.
//!
//! One meta block, raw (never compressed), with a normal block trailer, written among the other meta
//! blocks before the metaindex, which names it [`META_NAME`]. The name starts with `filter.` because
//! RocksDB's checksum walk knows that prefix as an obsolete filter and passes it, while it asserts on
//! names that it does not know; opening, reading and compacting never look at it.
//!
//! The user property [`PROPERTY_NAME`] tells tools what the block is made of:
//!
//!     mode=exact;blocks=16531;bytes=57312;segments=104;nodes=1;leaves=0;depth=1
#![forbid(unsafe_code)]

use crate::base::{Error, Result};
use crate::learned::{Mode, PgmFence};

/// The block's name in the metaindex.
pub const META_NAME: &str = "filter.mountdb.pgm_fence";

/// The property's name among the user properties.
pub const PROPERTY_NAME: &str = "mountdb.pgm-fence";

/// The property's text for `model`.
#[must_use]
pub fn property_text(model: &PgmFence) -> String {
    let s = model.stats();
    let mode = match model.mode() {
        Mode::Exact => "exact",
        Mode::Window => "window",
    };
    format!(
        "mode={mode};blocks={};bytes={};segments={};nodes={};leaves={};depth={}",
        model.blocks(),
        s.bytes,
        s.segments,
        s.nodes,
        s.leaves,
        s.depth
    )
}

/// The model in a meta block's content, if it speaks of the same table: as many data blocks as the
/// properties say (0 when they do not say), ending before `meta_start`, the offset of the first block
/// behind the data (`u64::MAX` when unknown). An error means: use the classic index.
pub fn load(content: Vec<u8>, data_blocks: u64, meta_start: u64) -> Result<PgmFence> {
    let model = PgmFence::parse(content)?;
    if data_blocks != 0 && u64::from(model.blocks()) != data_blocks {
        return Err(Error::corruption(format!(
            "learned index of {} blocks in a table of {data_blocks}",
            model.blocks()
        )));
    }
    if model.data_end() > meta_start {
        return Err(Error::corruption(format!(
            "learned index ends its data at {}, the table at {meta_start}",
            model.data_end()
        )));
    }
    Ok(model)
}
