//! Being built.
/// Placeholder until the filters land.
#[derive(Debug)]
pub struct FilterPolicy;
