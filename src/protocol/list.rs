//! Lists of a protocol's parts, borrowed from slices of a `const` or from a [`ProtocolBuf`](super::ProtocolBuf).

use alloc::string::String;
use core::fmt;

use super::buf::{AttrBuf, BudgetBuf, ExampleBuf, GrantBuf, RegionBuf, SectionBuf, TagBuf};
use super::spec::{AttrSpec, Budget, ExampleSpec, Grant, RegionSpec, SectionSpec, TagSpec};

macro_rules! lists {
    ($($(#[$doc:meta])* $list:ident of $item:ty, owned $owned:ty, lent by $lend:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) enum $list<'p> {
            Slice(&'p [$item]),
            Owned(&'p [$owned]),
        }

        impl<'p> $list<'p> {
            pub(crate) const fn len(self) -> usize {
                match self {
                    $list::Slice(items) => items.len(),
                    $list::Owned(items) => items.len(),
                }
            }

            pub(crate) const fn at(self, i: usize) -> $item {
                match self {
                    $list::Slice(items) => items[i],
                    $list::Owned(items) => $lend(&items[i]),
                }
            }

            pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = $item> + DoubleEndedIterator + Clone + use<'p> {
                (0..self.len()).map(move |i| self.at(i))
            }
        }

        impl PartialEq for $list<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.iter().eq(other.iter())
            }
        }

        impl Eq for $list<'_> {}

        impl fmt::Debug for $list<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.iter()).finish()
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $list<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.iter())
            }
        }
    )+};
}

lists! {
    /// Names of one kind.
    Names of &'p str, owned String, lent by String::as_str;
    /// Keys and values.
    Pairs of (&'p str, &'p str), owned (String, String), lent by lend_pair;
    Tags of TagSpec<'p>, owned TagBuf, lent by TagBuf::lend;
    Attributes of AttrSpec<'p>, owned AttrBuf, lent by AttrBuf::lend;
    Sections of SectionSpec<'p>, owned SectionBuf, lent by SectionBuf::lend;
    Regions of RegionSpec<'p>, owned RegionBuf, lent by RegionBuf::lend;
    Budgets of Budget<'p>, owned BudgetBuf, lent by BudgetBuf::lend;
    Grants of Grant<'p>, owned GrantBuf, lent by GrantBuf::lend;
    Examples of ExampleSpec<'p>, owned ExampleBuf, lent by ExampleBuf::lend;
}

impl<'p> Tags<'p> {
    /// The name of the tag at `i`, without a copy of the whole entry.
    #[inline(always)]
    pub(crate) const fn name(self, i: usize) -> &'p str {
        match self {
            Tags::Slice(tags) => tags[i].name,
            Tags::Owned(tags) => tags[i].name.as_str(),
        }
    }

    /// The word of the tag at `i`, without a copy of the whole entry.
    #[inline(always)]
    pub(crate) fn word(self, i: usize) -> &'p str {
        match self {
            Tags::Slice(tags) => tags[i].word(),
            Tags::Owned(tags) => tags[i].lend().word(),
        }
    }
}

const fn lend_pair((key, value): &(String, String)) -> (&str, &str) {
    (key.as_str(), value.as_str())
}
