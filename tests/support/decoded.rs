//! The output of a decoder.

use tagwire::Utf8Error;

/// The decoded text, and the offset of the error.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    pub error: Option<usize>,
}

impl Decoded {
    #[track_caller]
    pub fn take(&mut self, piece: Result<&str, Utf8Error>) {
        assert_eq!(self.error, None, "something after the error");
        match piece {
            Ok(text) => {
                assert!(!text.is_empty(), "an empty piece");
                self.text.push_str(text);
            }
            Err(error) => self.error = Some(error.offset()),
        }
    }
}
