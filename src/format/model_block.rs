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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learned::{BuildOptions, PgmFenceBuilder};

    fn block() -> Vec<u8> {
        let mut builder = PgmFenceBuilder::new();
        for i in 0..50u64 {
            let key = |n: u64| (i * 1000 + n).to_be_bytes();
            builder.add_block(&key(1), &key(990), i * 4101, 4096);
        }
        let options = BuildOptions { standard_index_bytes: 10_000, ..Default::default() };
        builder.finish(50 * 4101, &options).expect("worth it")
    }

    #[test]
    fn a_model_of_another_table_is_refused() {
        assert_eq!(load(block(), 50, 50 * 4101).expect("same table").blocks(), 50);
        assert!(load(block(), 0, u64::MAX).is_ok());
        assert!(load(block(), 51, 50 * 4101).expect_err("count").is_corruption());
        assert!(load(block(), 50, 50 * 4101 - 1).expect_err("end").is_corruption());
        assert!(load(block()[..100].to_vec(), 50, u64::MAX).is_err());
    }

    #[test]
    fn the_property_says_what_the_block_is_made_of() {
        let model = load(block(), 50, u64::MAX).expect("good");
        let text = property_text(&model);
        let bytes = model.bytes().len();
        assert_eq!(
            text,
            format!("mode=exact;blocks=50;bytes={bytes};segments=1;nodes=1;leaves=0;depth=1")
        );
    }

    #[test]
    fn rocksdb_takes_the_name_for_an_obsolete_filter() {
        assert!(META_NAME.starts_with("filter."));
        assert!(!PROPERTY_NAME.starts_with("rocksdb."));
    }
}
