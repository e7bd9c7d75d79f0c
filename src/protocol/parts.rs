//! The parts of a protocol: tags, budgets, grants.

use alloc::string::String;

/// One tag of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct TagSpec<'p> {
    pub(super) name: &'p str,
    pub(super) body: bool,
    pub(super) budget: Option<&'p str>,
}

impl<'p> TagSpec<'p> {
    /// A tag without a body, which is complete with its token. `name` is in upper case.
    pub const fn new(name: &'p str) -> Self {
        TagSpec { name, body: false, budget: None }
    }

    /// A tag with a body, which needs its close unless it closes itself. `name` is in upper case.
    pub const fn with_body(name: &'p str) -> Self {
        TagSpec { name, body: true, budget: None }
    }

    /// The same tag, counted in the budget of this name.
    pub const fn budget(self, budget: &'p str) -> Self {
        TagSpec { budget: Some(budget), ..self }
    }

    /// Its name, in upper case.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// Whether it has a body.
    pub const fn has_body(&self) -> bool {
        self.body
    }

    /// The name of the budget it is counted in.
    pub const fn budget_name(&self) -> Option<&'p str> {
        self.budget
    }
}

/// How many tags of one or more kinds a reply may hold; those beyond it are dropped and reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Budget<'p> {
    pub(super) name: &'p str,
    pub(super) max: u32,
}

impl<'p> Budget<'p> {
    /// At most `max` tags a reply, of all the kinds that name this budget together.
    pub const fn new(name: &'p str, max: u32) -> Self {
        Budget { name, max }
    }

    /// Its name, by which tags refer to it.
    pub const fn name(&self) -> &'p str {
        self.name
    }

    /// How many tags it allows a reply.
    pub const fn max(&self) -> u32 {
        self.max
    }
}

/// The tags that one role may use in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Grant<'p> {
    pub(super) role: &'p str,
    pub(super) mode: &'p str,
    pub(super) tags: Names<'p>,
}

impl<'p> Grant<'p> {
    /// Grants `tags` to `role` in `mode`.
    pub const fn new(role: &'p str, mode: &'p str, tags: &'p [&'p str]) -> Self {
        Grant { role, mode, tags: Names::Strs(tags) }
    }

    /// The role, as its host writes it.
    pub const fn role(&self) -> &'p str {
        self.role
    }

    /// The mode, as its host writes it.
    pub const fn mode(&self) -> &'p str {
        self.mode
    }

    /// The names of the tags that are granted.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &'p str> + use<'p> {
        let names = self.tags;
        (0..names.len()).map(move |i| names.at(i))
    }
}

/// A list of names, in either form.
#[derive(Clone, Copy, Debug, Eq)]
pub(super) enum Names<'p> {
    Strs(&'p [&'p str]),
    Strings(&'p [String]),
}

impl<'p> Names<'p> {
    pub(super) const fn len(&self) -> usize {
        match self {
            Names::Strs(names) => names.len(),
            Names::Strings(names) => names.len(),
        }
    }

    pub(super) const fn at(&self, i: usize) -> &'p str {
        match self {
            Names::Strs(names) => names[i],
            Names::Strings(names) => names[i].as_str(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &'p str> {
        (0..self.len()).map(|i| self.at(i))
    }
}

impl PartialEq for Names<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl core::hash::Hash for Names<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.iter().for_each(|name| name.hash(state));
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Names<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
