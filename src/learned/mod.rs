//! Floor 2: learned models over sorted keys. Sees only `base/`: nothing here knows files or stores.
//!
//! The contract of every model: it **narrows**. [`PgmFence::candidates`] names at most three
//! neighbouring blocks, and the caller searches those and no others. That is only safe because the
//! bound is constructed, then verified against every block boundary before the model is written
//! (`docs/decisions/0002-pgm-fence-guarantee.md`).
//!
//! | file | what it is |
//! | --- | --- |
//! | `project.rs` | byte strings to ordered numbers |
//! | `pla.rs` | numbers to block numbers: lines with a verified bound |
//! | `builder.rs` | block boundaries to a tree of models |
//! | `codec.rs` | the tree as bytes, checked once and read in place |
//! | `pgm_fence.rs` | the lookup |
//! | `offsets.rs` | block offsets in a few bits each |
//! | `cost.rs` | is it worth it here? |
#![forbid(unsafe_code)]

mod builder;
mod codec;
mod cost;
mod offsets;
mod pgm_fence;
mod pla;
mod project;

#[cfg(test)]
#[path = "../../tests/support/keysets.rs"]
mod keysets;
#[cfg(test)]
mod tests;

pub use builder::{BuildOptions, PgmFenceBuilder};
pub use pgm_fence::{Candidates, Mode, PgmFence, Stats};
