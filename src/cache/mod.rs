//! Being built.
/// Placeholder until the cache lands.
#[derive(Debug)]
pub struct Cache;
