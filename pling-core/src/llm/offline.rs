//! x
/// x
#[derive(Debug)]
pub struct Offline;
