//! Floor 2: learned models over sorted keys. Sees only `base/`: nothing here knows files or stores.
//!
//! The contract of every model: it **narrows**. [`PgmFence::candidates`] names at most three
//! neighbouring blocks, and the caller searches those and no others. That is only safe because the
//! bound is constructed, then verified against every block boundary before the model is written
//! (`docs/decisions/0002-pgm-fence-guarantee.md`).
#![forbid(unsafe_code)]

mod pgm_fence;

pub use pgm_fence::{BuildOptions, Candidates, Mode, PgmFence, PgmFenceBuilder, Stats};
