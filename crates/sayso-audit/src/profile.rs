//! What a specification or a directory asks of a listing, as dated data.

/// A dated set of requirements.
#[derive(Debug)]
pub struct Profile {
    /// Its id, as given on the command line.
    pub id: String,
}
