//! Where the parts of a protocol are.

use super::check::same;
use super::owned::OwnedParts;
use super::parts::{Budget, Grant, Names, TagSpec};

/// Where the parts are: given as slices, or lent by a [`ProtocolBuf`].
#[derive(Clone, Copy)]
pub(super) enum Source<'p> {
    Slices { tags: &'p [TagSpec<'p>], budgets: &'p [Budget<'p>], grants: &'p [Grant<'p>] },
    Owned(&'p OwnedParts),
}

impl<'p> Source<'p> {
    pub(super) const fn tag_count(&self) -> usize {
        match self {
            Source::Slices { tags, .. } => tags.len(),
            Source::Owned(parts) => parts.tags.len(),
        }
    }

    pub(super) const fn tag(&self, i: usize) -> TagSpec<'p> {
        match self {
            Source::Slices { tags, .. } => tags[i],
            Source::Owned(parts) => {
                let tag = &parts.tags.as_slice()[i];
                let budget = match &tag.budget {
                    Some(budget) => Some(budget.as_str()),
                    None => None,
                };
                TagSpec { name: tag.name.as_str(), body: tag.body, budget }
            }
        }
    }

    pub(super) const fn budget_count(&self) -> usize {
        match self {
            Source::Slices { budgets, .. } => budgets.len(),
            Source::Owned(parts) => parts.budgets.len(),
        }
    }

    pub(super) const fn budget(&self, i: usize) -> Budget<'p> {
        match self {
            Source::Slices { budgets, .. } => budgets[i],
            Source::Owned(parts) => {
                let budget = &parts.budgets.as_slice()[i];
                Budget { name: budget.name.as_str(), max: budget.max }
            }
        }
    }

    pub(super) const fn grant_count(&self) -> usize {
        match self {
            Source::Slices { grants, .. } => grants.len(),
            Source::Owned(parts) => parts.grants.len(),
        }
    }

    pub(super) const fn grant(&self, i: usize) -> Grant<'p> {
        match self {
            Source::Slices { grants, .. } => grants[i],
            Source::Owned(parts) => {
                let grant = &parts.grants.as_slice()[i];
                let tags = Names::Strings(grant.tags.as_slice());
                Grant { role: grant.role.as_str(), mode: grant.mode.as_str(), tags }
            }
        }
    }

    /// The tag called `name`, compared in any case, among the first `count`.
    pub(super) const fn tag_among(&self, name: &str, count: usize) -> Option<usize> {
        let mut i = 0;
        while i < count {
            if self.tag(i).name.eq_ignore_ascii_case(name) {
                return Some(i);
            }
            i += 1;
        }
        None
    }

    /// The budget called `name`, among the first `count`.
    pub(super) const fn budget_among(&self, name: &str, count: usize) -> Option<usize> {
        let mut i = 0;
        while i < count {
            if same(self.budget(i).name, name) {
                return Some(i);
            }
            i += 1;
        }
        None
    }
}
