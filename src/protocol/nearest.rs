//! Names close to a written one, for diagnostics.

/// At most three names, nearest first, then in the order of `names`.
///
/// A name is near if the edit distance, in characters and in any ASCII case, is at most a third of the longer one's length, or if
/// one begins the other and has three letters at least. Costs the product of the lengths for each name of similar length.
pub(crate) fn nearest<'n, T: Copy>(written: &str, names: impl Iterator<Item = (T, &'n str)>) -> Nearest<T> {
    let mut nearest = Nearest { list: [None; MOST] };
    for (id, name) in names {
        if let Some(distance) = distance(written, name) {
            nearest.insert(distance, id);
        }
    }
    nearest
}

/// What [`nearest`] found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest<T> {
    /// With their distances, in ascending order.
    list: [Option<(usize, T)>; MOST],
}

impl<T: Copy> Nearest<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + use<T> {
        self.list.into_iter().flatten().map(|(_, id)| id)
    }

    fn insert(&mut self, distance: usize, id: T) {
        let after = |other: &Option<(usize, T)>| other.is_none_or(|(other, _)| other > distance);
        if let Some(i) = self.list.iter().position(after) {
            self.list[i..].rotate_right(1);
            self.list[i] = Some((distance, id));
        }
    }
}

/// The edit distance, where it is short or one name begins the other.
fn distance(a: &str, b: &str) -> Option<usize> {
    let (a, b) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let begins = a.len() >= 3 && b.is_char_boundary(a.len()) && b[..a.len()].eq_ignore_ascii_case(a) && chars(a) >= 3;
    if begins {
        return Some(chars(b) - chars(a));
    }
    let (a_len, b_len) = (chars(a), chars(b));
    let longer = a_len.max(b_len);
    // The distance is at least the difference in length. With it goes every name too long for the row.
    if 3 * a_len.abs_diff(b_len) > longer || a_len > MAX_NAME {
        return None;
    }
    let mut row: [usize; MAX_NAME + 1] = core::array::from_fn(|i| i);
    for (i, c) in b.chars().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], i + 1);
        for (j, d) in a.chars().enumerate() {
            let substituted = diagonal + usize::from(!c.eq_ignore_ascii_case(&d));
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j + 1] + 1).min(row[j] + 1);
        }
    }
    (3 * row[a_len] <= longer).then_some(row[a_len])
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

const MOST: usize = 3;
/// The longest name of a protocol is 64 bytes.
const MAX_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::nearest;

    #[test]
    fn names_within_a_third_of_the_longer_one_are_near() {
        assert_eq!(found("WRITE_FIEL", &["WRITE_FILE", "READ_FILE"]), ["WRITE_FILE"]);
        assert_eq!(found("abc", &["abd", "axx"]), ["abd"]);
        assert_eq!(found("ab", &["ax"]), [""; 0]);
        assert_eq!(found("READFILE", &["READ_FILE"]), ["READ_FILE"]);
    }

    #[test]
    fn a_name_that_begins_the_other_is_near() {
        assert_eq!(found("SEARCH_ALL_FILES", &["SEARCH"]), ["SEARCH"]);
        assert_eq!(found("sea", &["SEARCH"]), ["SEARCH"]);
        assert_eq!(found("SE", &["SEARCH"]), [""; 0], "two letters are too few");
        assert_eq!(found(&"search".repeat(100), &["SEARCH"]), ["SEARCH"]);
    }

    #[test]
    fn case_does_not_count() {
        assert_eq!(found("run", &["RUN"]), ["RUN"]);
        assert_eq!(found("wRiTe", &["WRITE"]), ["WRITE"]);
    }

    #[test]
    fn the_nearest_comes_first_and_then_as_declared() {
        assert_eq!(found("abcdef", &["abcdxx", "abcdex", "abcdey", "abcdef"]), ["abcdef", "abcdex", "abcdey"]);
    }

    #[test]
    fn characters_count_and_not_bytes() {
        assert_eq!(found("\u{e9}\u{e9}\u{e9}", &["\u{e9}\u{e9}x"]), ["\u{e9}\u{e9}x"]);
        assert_eq!(found("\u{e9}b", &["\u{e9}"]), [""; 0]);
    }

    #[test]
    fn long_text_costs_nothing() {
        assert_eq!(found(&"x".repeat(1 << 20), &["RUN", "xx"]), [""; 0]);
        assert_eq!(found("", &["RUN"]), [""; 0]);
    }

    fn found<'n>(written: &str, names: &[&'n str]) -> Vec<&'n str> {
        nearest(written, names.iter().map(|name| (*name, *name))).iter().collect()
    }
}
