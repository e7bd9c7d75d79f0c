//! Where lists are allocated: on the heap, or in an arena. One machine and one collector serve both.

use alloc::vec::Vec;
use core::ops::DerefMut;

use bumpalo::Bump;

/// Where the lists of a machine are allocated.
pub(crate) trait Storage: Copy {
    /// A list allocated there.
    type List<T: 'static>: List<T>;

    /// Creates an empty list. Allocates nothing.
    fn list<T: 'static>(self) -> Self::List<T>;
}

/// A list that grows at its end.
pub(crate) trait List<T>: DerefMut<Target = [T]> {
    fn push(&mut self, item: T);

    /// Removes all items and keeps the memory.
    fn clear(&mut self);
}

/// Lists on the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeapStorage;

/// Lists in an arena, freed with the arena.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArenaStorage<'b>(pub(crate) &'b Bump);

impl Storage for HeapStorage {
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

impl<'b> Storage for ArenaStorage<'b> {
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
