//! A concurrent bump arena. (Being built.)
