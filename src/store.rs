//! Where lists are kept: on the heap, or in an arena. One machine and one collector serve both.

use alloc::vec::Vec;
use core::ops::DerefMut;

use bumpalo::Bump;

/// Where the machine's lists are kept.
pub(crate) trait Store: Copy {
    /// A list kept there.
    type List<T: 'static>: List<T>;

    /// An empty list. Allocates nothing.
    fn list<T: 'static>(self) -> Self::List<T>;
}

/// A list that grows at its end.
pub(crate) trait List<T>: DerefMut<Target = [T]> {
    fn push(&mut self, item: T);

    /// Empties it, and keeps its memory.
    fn clear(&mut self);
}

/// Lists of their own, on the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heap;

/// Lists in an arena, freed with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InArena<'b>(pub(crate) &'b Bump);

impl Store for Heap {
    type List<T: 'static> = Vec<T>;

    #[inline]
    fn list<T: 'static>(self) -> Vec<T> {
        Vec::new()
    }
}

impl<T> List<T> for Vec<T> {
    #[inline]
    fn push(&mut self, item: T) {
        Vec::push(self, item);
    }

    #[inline]
    fn clear(&mut self) {
        Vec::clear(self);
    }
}

impl<'b> Store for InArena<'b> {
    type List<T: 'static> = bumpalo::collections::Vec<'b, T>;

    #[inline]
    fn list<T: 'static>(self) -> Self::List<T> {
        bumpalo::collections::Vec::new_in(self.0)
    }
}

impl<T> List<T> for bumpalo::collections::Vec<'_, T> {
    #[inline]
    fn push(&mut self, item: T) {
        bumpalo::collections::Vec::push(self, item);
    }

    #[inline]
    fn clear(&mut self) {
        bumpalo::collections::Vec::clear(self);
    }
}
