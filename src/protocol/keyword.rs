//! The closed choices of a protocol, each with its word in a file.

/// An enum whose variants are words of the protocol file.
macro_rules! keywords {
    ($(#[$doc:meta])* $type:ident: $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $type {
            /// All words, in the order of the variants.
            #[cfg(feature = "serde")]
            pub(crate) const WORDS: &'static [&'static str] = &[$($word,)+];

            /// Returns the word of a protocol file.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($type::$variant => $word,)+
                }
            }

            /// The variant with this word.
            #[cfg(feature = "serde")]
            pub(crate) fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($type::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

keywords! {
    /// The rules by which replies are read.
    Dialect:
    /// The rules of the Python module that the crate comes from: upper-case names, tags without declared attributes.
    Seed = "seed",
    /// The default of a protocol file: a tag counts only if it was written whole and well-formed.
    #[default]
    Strict = "strict",
}

keywords! {
    /// What a tag has between its token and its close.
    Body:
    /// No body: the tag is complete with its token.
    #[default]
    None = "none",
    /// Any text.
    Text = "text",
    /// One JSON value.
    Json = "json",
    /// Edit blocks, at least one.
    Edits = "edits",
    /// Declared sections.
    Sections = "sections",
}

keywords! {
    /// What becomes of tags that the protocol does not have.
    UnknownTags:
    /// They are dropped and reported.
    #[default]
    Report = "report",
    /// They stay prose, and nothing is reported.
    Prose = "prose",
}

keywords! {
    /// What becomes of tags in code fences, inline code and quotes.
    TagsInCode:
    /// Code is prose: no tag in it runs.
    #[default]
    Prose = "prose",
    /// Tags are read in code too.
    Tags = "tags",
}

keywords! {
    /// What becomes of attributes that a tag does not declare.
    UnknownAttributes:
    /// They refuse the tag.
    #[default]
    Refuse = "refuse",
    /// They are kept, with a warning.
    Warn = "warn",
    /// They are kept.
    Keep = "keep",
}
