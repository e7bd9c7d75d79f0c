//! The search for many keys in one pass, after Aho and Corasick, "Efficient string matching: an aid to bibliographic search".
//!
//! A node stands for a start of a key. The search is at the node of the longest end of the text so far that is such a start.

use alloc::{vec, vec::Vec};

use memchr::memchr;

pub(super) struct Automaton {
    /// The byte by which each node extends its parent. Nodes are in breadth-first order, so that the children of a node are
    /// neighbours: those of `node` are `children[node]..children[node + 1]`.
    bytes: Vec<u8>,
    children: Vec<u32>,
    /// The node of the longest proper end of each node's text that is a node.
    fallbacks: Vec<u32>,
    /// The key that each node completes, or [`NONE`].
    keys: Vec<u32>,
    /// The nearest node along the fallbacks that completes a key, or the root.
    outputs: Vec<u32>,
    /// The children of the root by their byte, the root itself where there is none.
    starts: [u32; 256],
}

impl Automaton {
    /// Builds the automaton of sorted, distinct keys that are not empty, in time and memory linear in their bytes.
    ///
    /// # Panics
    ///
    /// If the keys have more than `u32::MAX` bytes together.
    pub(super) fn new(sorted: &[&[u8]]) -> Self {
        let mut automaton = Automaton {
            bytes: vec![0],
            children: Vec::new(),
            fallbacks: Vec::new(),
            keys: Vec::new(),
            outputs: Vec::new(),
            starts: [ROOT; 256],
        };
        automaton.add_nodes(sorted);
        automaton.link();
        automaton
    }

    fn add_nodes(&mut self, sorted: &[&[u8]]) {
        // Of each node: the keys that start with its text, and the length of that text.
        let mut starting = vec![(0..sorted.len(), 0)];
        let mut node = 0;
        while node < starting.len() {
            let (mut keys, depth) = starting[node].clone();
            self.children.push(starting.len().try_into().expect("keys of less than 4 GiB"));
            self.keys.push(NONE);
            if sorted[keys.start].len() == depth {
                self.keys[node] = keys.start as u32;
                keys.start += 1;
            }
            while !keys.is_empty() {
                let byte = sorted[keys.start][depth];
                let same = sorted[keys.clone()].iter().take_while(|key| key[depth] == byte).count();
                count_work!(same);
                starting.push((keys.start..keys.start + same, depth + 1));
                self.bytes.push(byte);
                keys.start += same;
            }
            node += 1;
        }
        self.children.push(node as u32);
        for child in self.children[0]..self.children[1] {
            self.starts[usize::from(self.bytes[child as usize])] = child;
        }
    }

    fn link(&mut self) {
        self.fallbacks = vec![ROOT; self.bytes.len()];
        self.outputs = vec![ROOT; self.bytes.len()];
        for node in 0..self.bytes.len() {
            for child in self.children[node] as usize..self.children[node + 1] as usize {
                let fallback = if node == 0 { ROOT } else { self.step(self.fallbacks[node], self.bytes[child]) };
                self.fallbacks[child] = fallback;
                self.outputs[child] = match self.keys[fallback as usize] {
                    NONE => self.outputs[fallback as usize],
                    _ => fallback,
                };
            }
        }
    }

    fn step(&self, mut node: u32, byte: u8) -> u32 {
        while node != ROOT {
            count_work!(1);
            let (first, next) = (self.children[node as usize] as usize, self.children[node as usize + 1] as usize);
            if let Some(offset) = memchr(byte, &self.bytes[first..next]) {
                return (first + offset) as u32;
            }
            node = self.fallbacks[node as usize];
        }
        count_work!(1);
        self.starts[usize::from(byte)]
    }

    /// Calls `found` with each occurrence of a key in `text`, overlapping ones too: the key's index and the offset of its
    /// end. Where it returns false, that key is never reported again.
    pub(super) fn search(&mut self, text: &[u8], mut found: impl FnMut(usize, usize) -> bool) {
        let mut node = ROOT;
        for (at, &byte) in text.iter().enumerate() {
            node = self.step(node, byte);
            let mut output = if self.keys[node as usize] == NONE { self.next_output(node) } else { node };
            while output != ROOT {
                count_work!(1);
                let key = self.keys[output as usize];
                if !found(key as usize, at + 1) {
                    self.keys[output as usize] = NONE;
                }
                output = self.next_output(output);
            }
        }
    }

    /// The next node that completes a key which is still reported. Shortens the way there.
    fn next_output(&mut self, node: u32) -> u32 {
        let mut output = self.outputs[node as usize];
        while output != ROOT && self.keys[output as usize] == NONE {
            count_work!(1);
            output = self.outputs[output as usize];
        }
        self.outputs[node as usize] = output;
        output
    }
}

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    fn all(keys: &[&str], text: &str) -> Vec<(usize, usize)> {
        let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_bytes()).collect();
        let mut all = Vec::new();
        Automaton::new(&keys).search(text.as_bytes(), |key, end| {
            all.push((key, end));
            true
        });
        all
    }

    #[test]
    fn all_occurrences_are_found() {
        assert_eq!(all(&["he", "hers", "his", "she"], "ushers"), [(3, 4), (0, 4), (1, 6)]);
        assert_eq!(all(&["a", "aa", "aaa"], "aaa"), [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (0, 3)]);
        assert_eq!(all(&["abc", "bd"], "abdabc"), [(1, 3), (0, 6)]);
        assert_eq!(all(&["b"], ""), []);
    }

    #[test]
    fn a_key_that_is_done_is_reported_no_more() {
        let keys: [&[u8]; 3] = [b"a", b"aa", b"aaa"];
        let mut automaton = Automaton::new(&keys);
        let mut ends = Vec::new();
        automaton.search(b"aaaa", |key, end| {
            ends.push((key, end));
            key != 1
        });
        assert_eq!(ends, [(0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (2, 4), (0, 4)]);
    }
}
