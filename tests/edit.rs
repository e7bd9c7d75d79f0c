//! Edit blocks compared with the seed's answers and its pattern, and their application compared with a naive one.

use regex::Regex;
use serde_json::Value;
use tagwire::workforce::edit::{EditBlocks, EditBlocksError, EditError, edit_blocks};

/// A body of blocks, each as OLD and NEW.
fn body(blocks: &[(&str, &str)]) -> String {
    blocks.iter().map(|(old, new)| format!("<<<OLD\n{old}\n===\n{new}\nNEW>>>\n")).collect()
}

fn pairs<'a>(blocks: &EditBlocks<'a>) -> Vec<(&'a str, &'a str)> {
    blocks.iter().map(|block| (block.old, block.new)).collect()
}

#[track_caller]
fn apply(blocks: &[(&str, &str)], text: &str) -> Result<String, EditError> {
    let body = body(blocks);
    let read = edit_blocks(&body).expect("the body has blocks");
    assert_eq!(pairs(&read), blocks, "the body holds the intended blocks");
    read.apply(text)
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % end
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

mod reading {
    use super::*;

    #[test]
    fn named_cases() {
        let mut cases = 0;
        for line in include_str!("data/named.jsonl").lines().chain(include_str!("data/random.jsonl").lines()) {
            let case: Value = serde_json::from_str(line).unwrap();
            for tag in case["expected"]["tags"].as_array().unwrap() {
                if tag["name"] != "EDIT_FILE" {
                    continue;
                }
                let read = edit_blocks(tag["body"].as_str().unwrap());
                let view = match &read {
                    Ok(blocks) => {
                        serde_json::json!({ "type": "EditBlocks", "blocks": pairs(blocks) })
                    }
                    Err(error) => serde_json::json!({ "error": error.to_string() }),
                };
                assert_eq!(view, tag["view"], "{}", case["id"]);
                cases += 1;
            }
        }
        assert!(cases >= 27, "{cases}");
    }

    #[test]
    fn the_twin_agrees() {
        const SPACE: &str =
            r"[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]*";
        let pattern = format!(r"(?s)<<<OLD{SPACE}\n(?P<old>.*?)\n==={SPACE}\n(?P<new>.*?)\n{SPACE}NEW>>>");
        let twin = Regex::new(&pattern).unwrap();
        const FEW: &[&str] = &["<<<OLD", "===", "NEW>>>", "\n", "\n", "a", " "];
        const LINES: &[&str] = &["<<<OLD\n", "\n===\n", "\nNEW>>>", "\n", "\n===", " ", "x"];
        const MANY: &[&str] = &[
            "<<<OLD", "<<<OLD\n", "===", "\n===\n", "NEW>>>", "\nNEW>>>", "\n", "\n", " ", "\t", "\u{1c}", "\r",
            "\r\n", "\u{85}", "\u{3000}", "\u{200b}", "a", "é", "<<<OL", "\n==", "NEW>>", "=", "<", ">",
        ];
        let mut random = Random(0x7461_6777_6972_6531);
        let (mut fine, mut blank, mut several) = (0, 0, 0);
        for round in 0..100_000 {
            let body = random.text([FEW, LINES, MANY][round % 3], 30);
            let expected: Vec<(&str, &str)> = twin
                .captures_iter(&body)
                .map(|found| (found.name("old").unwrap().as_str(), found.name("new").unwrap().as_str()))
                .collect();
            match edit_blocks(&body) {
                Ok(blocks) => {
                    assert_eq!(pairs(&blocks), expected, "{body:?}");
                    fine += 1;
                    several += usize::from(blocks.len() > 1);
                }
                Err(EditBlocksError::BlankOld) => {
                    let is_blank =
                        |old: &str| old.chars().all(|c| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
                    assert!(expected.iter().any(|(old, _)| is_blank(old)), "{body:?}");
                    blank += 1;
                }
                Err(error) => {
                    assert_eq!(error, EditBlocksError::NoBlock);
                    assert!(expected.is_empty(), "{body:?}");
                }
            }
        }
        assert!(fine > 5_000 && blank > 500 && several > 500, "{fine} {blank} {several}");
    }

    #[test]
    fn blocks_are_a_list() {
        let body = body(&[("a", "b"), ("c", "")]);
        let blocks = edit_blocks(&body).unwrap();
        assert_eq!((blocks.len(), blocks[1].old, blocks.get(2)), (2, "c", None));
        assert_eq!(blocks.as_slice()[0], *(&blocks).into_iter().next().unwrap());
        assert_eq!(pairs(&blocks.reversed()), [("", "c"), ("b", "a")]);
        assert!(body.as_bytes().as_ptr_range().contains(&blocks[0].old.as_ptr()), "borrowed from the body");
    }
}

mod applying {
    use super::*;

    #[test]
    fn one_after_the_other() {
        assert_eq!(apply(&[("a", "b")], "a").unwrap(), "b");
        assert_eq!(apply(&[("a", "b"), ("b", "c")], "a\n").unwrap(), "c\n");
        assert_eq!(apply(&[("x", "y\nz"), ("y", "w")], "1\nx\n2").unwrap(), "1\nw\nz\n2");
        assert_eq!(apply(&[("grün\nblau", "größer 🦀")], "rot\ngrün\nblau\n").unwrap(), "rot\ngrößer 🦀\n");
        assert_eq!(apply(&[("🦀", "\u{1F980}\u{200d}")], "é🦀é").unwrap(), "é🦀\u{200d}é");
    }

    #[test]
    fn an_empty_new_deletes() {
        assert_eq!(apply(&[("b", "")], "a\nb\nc").unwrap(), "a\n\nc");
        assert_eq!(apply(&[("a\nb\n", "")], "a\nb\nc").unwrap(), "c");
        assert_eq!(apply(&[("a", "")], "a").unwrap(), "");
    }

    #[test]
    fn all_or_nothing() {
        let error = apply(&[("a", "b"), ("x", "y")], "a").unwrap_err();
        assert_eq!((error.block(), error.found()), (2, 0));
    }

    #[test]
    fn overlapping_occurrences_count() {
        for (old, text, found, lines) in [
            ("aa", "aaa", 2, &[1, 1][..]),
            ("a\na", "a\na\na", 2, &[1, 2]),
            ("abab", "xabababx", 2, &[1, 1]),
            ("x\n", "x\nx\nx\nx\nx\nx\nx\n", 7, &[1, 2, 3, 4, 5]),
        ] {
            let error = apply(&[(old, "n")], text).unwrap_err();
            assert_eq!((error.found(), error.lines()), (found, lines), "{old:?} in {text:?}");
        }
        assert_eq!(apply(&[("aab", "n")], "aaab").unwrap(), "an");
    }

    #[test]
    fn line_ends_are_the_files() {
        // The file in CRLF, the block in LF.
        assert_eq!(apply(&[("b\nc", "d\ne\nf")], "a\r\nb\r\nc\r\n").unwrap(), "a\r\nd\r\ne\r\nf\r\n");
        assert_eq!(apply(&[("b", "d\ne")], "a\r\nb\r\n").unwrap(), "a\r\nd\r\ne\r\n");
        // The other way round.
        let crlf = |old: &str, new: &str| format!("<<<OLD\r\n{old}\r\n===\r\n{new}\r\nNEW>>>\r\n");
        let turned = |old: &str, new: &str, text: &str| edit_blocks(&crlf(old, new)).unwrap().apply(text).unwrap();
        assert_eq!(turned("b\r\nc", "d\r\ne\r\nf", "a\nb\nc\n"), "a\nd\ne\nf\n");
        assert_eq!(turned("b", "d", "a\nb"), "a\nd");
        // Both in CRLF, and a last line without its end.
        assert_eq!(turned("b\r\nc", "d", "a\r\nb\r\nc\r\n"), "a\r\nd\r\n");
        assert_eq!(turned("c", "d\r\ne", "a\r\nb\r\nc"), "a\r\nb\r\nd\r\ne");
        assert_eq!(turned("c", "d", "c"), "d");
        // In a mixed file, a new line gets the end of the line that contains it.
        assert_eq!(apply(&[("a", "x\ny")], "a\r\nb\n").unwrap(), "x\r\ny\r\nb\n");
        assert_eq!(apply(&[("b\nc", "x")], "a\r\nb\nc").unwrap(), "a\r\nx");
        // A carriage return within a line is no line end.
        assert_eq!(apply(&[("b\rc\nd", "x\ny")], "b\rc\r\nd\r\n").unwrap(), "x\r\ny\r\n");
    }

    #[test]
    fn each_side_of_a_block_may_have_line_ends_of_its_own() {
        let sides = ["a\nb\n", "a\r\nb\r\n", "a\r\nb\n", "a\nb\r\n"];
        for old in sides {
            for new in sides {
                let body = format!("<<<OLD\n{old}===\n{}NEW>>>\n", new.replace('a', "x"));
                let blocks = edit_blocks(&body).unwrap();
                for (end, text) in [("\n", "1\na\nb\n2\n"), ("\r\n", "1\r\na\r\nb\r\n2\r\n"), ("\r", "1\ra\rb\r2")] {
                    assert_eq!(blocks.apply(text).unwrap(), text.replace('a', "x"), "{body:?} with {end:?}");
                }
            }
        }
    }

    #[test]
    fn a_mixed_file_keeps_the_end_of_each_line() {
        for (text, old, new, expected) in [
            // Lines that OLD has too, from both ends.
            ("a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nb\nc\nx", "a\r\nb\nc\r\nx\n"),
            ("a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "x\nb\nc\nd", "x\r\nb\nc\r\nd\n"),
            ("a\nb\r\nc\n", "a\nb\nc", "x\ny\nb\nc", "x\ny\nb\r\nc\n"),
            ("a\nb\r\nc\n", "a\nb\nc", "a\nb\nx\ny", "a\nb\r\nx\r\ny\n"),
            // More lines in place of others.
            ("a\r\nb\nc\r\n", "a\nb\nc", "x\ny\nz\nc", "x\r\ny\nz\nc\r\n"),
            ("a\nb\r\nc\n", "a\nb\nc", "x\nc", "x\nc\n"),
            ("a\nb\r\nc\n", "b", "x\ny", "a\nx\r\ny\r\nc\n"),
            ("a\nb\r\nc", "c", "x\ny", "a\nb\r\nx\r\ny"),
            // Fewer.
            ("a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nd", "a\r\nd\n"),
            ("a\r\nb\nc\r\nd\n", "b\nc", "", "a\r\n\r\nd\n"),
            // A carriage return alone is a character.
            ("a\rb\nc\r\n", "a\rb\nc", "x\ry\nc", "x\ry\nc\r\n"),
        ] {
            for end in ["\n", "\r\n"] {
                let body = body(&[(old, new)]).replace('\n', end);
                assert_eq!(edit_blocks(&body).unwrap().apply(text).unwrap(), expected, "{old:?} {new:?} in {text:?}");
            }
        }
    }

    #[test]
    fn a_later_block_finds_what_an_earlier_one_wrote_in_a_mixed_file() {
        let text = "a\r\nb\nc\r\n";
        let edited = apply(&[("b", "x\ny"), ("x\ny\nc", "z\nc"), ("z", "1\n2")], text).unwrap();
        assert_eq!(edited, "a\r\n1\n2\nc\r\n");
        let error = apply(&[("a\nb", "q\nq"), ("q", "x")], text).unwrap_err();
        assert_eq!((error.found(), error.lines()), (2, &[1, 2][..]));
    }

    #[test]
    fn sides_that_differ_in_line_ends_only_are_the_same() {
        let error = edit_blocks("<<<OLD\na\nb\n===\na\r\nb\r\nNEW>>>").unwrap().apply("a\nb\n").unwrap_err();
        assert_eq!(error.to_string(), "edit block 1: OLD and NEW are the same. Nothing was changed.");
    }

    #[test]
    fn the_same_old_twice_applies_to_what_is_left() {
        assert_eq!(apply(&[("a b", "b a b"), ("a b", "c")], "a b").unwrap(), "b c");
        let error = apply(&[("a", "b"), ("a", "c")], "a").unwrap_err();
        assert_eq!((error.block(), error.found()), (2, 0));
        // It occurred twice until the first block removed one.
        assert_eq!(apply(&[("1 x", "1"), ("x", "y")], "1 x 2 x").unwrap(), "1 2 y");
    }

    /// More occurrences than are noted for one OLD.
    #[test]
    fn an_old_that_is_often_there_until_blocks_take_it_away() {
        let text: String = (0..40).map(|i| format!("{i:02} {} end\n", "-".repeat(3_000))).collect();
        let head = "-".repeat(3_000);
        let mut blocks: Vec<(String, String)> =
            (1..40).map(|i| (format!("{i:02} {head} end"), format!("{i:02} no more"))).collect();
        blocks.push((head, "the last".to_owned()));
        let blocks: Vec<(&str, &str)> = blocks.iter().map(|(old, new)| (&old[..], &new[..])).collect();
        let edited = apply(&blocks, &text).unwrap();
        let expected: String = (1..40).map(|i| format!("{i:02} no more\n")).collect();
        assert_eq!(edited, format!("00 the last end\n{expected}"));
    }

    /// A block is found in CRLF where it is found in LF, for all line ends of the file.
    #[test]
    fn a_block_in_crlf_is_found_as_often_as_in_lf() {
        for (text, expected) in [
            ("x = x", Err((2, vec![1, 1]))),
            ("x = 1\ny = x", Err((2, vec![1, 2]))),
            ("x\nx = 1\n", Err((2, vec![1, 2]))),
            ("a\nb = x + 1\nc", Ok("a\nb = y + 1\nc")),
            ("x = 1\nz\n", Ok("y = 1\nz\n")),
            ("z\n\n1 = x", Ok("z\n\n1 = y")),
            ("xyz", Ok("yyz")),
            ("z", Err((0, vec![]))),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(in_all_line_ends(&[("x", "y")], text), expected, "{text:?}");
        }
        let empty = in_all_line_ends(&[("x\ny", "")], "a\nx\ny\nb");
        assert_eq!(empty, Ok("a\n\nb".to_owned()));
        let crlf = body(&[("a", "")]).replace('\n', "\r\n");
        let error = edit_blocks(&crlf).unwrap().reversed().apply("x\ry").unwrap_err();
        assert_eq!(error.to_string(), "edit block 1: OLD is empty. Nothing was changed.");
    }

    /// Also without a line end at the end of the file, and if one line starts like another.
    #[test]
    fn line_ends_make_no_difference() {
        let mut random = Random(17);
        let pieces: &[&str] = &["a", "b", "\n", "aa", "\n\n", " "];
        let (mut done, mut refused) = (0, 0);
        for _ in 0..30_000 {
            let text = random.text(pieces, 7);
            let blocks: Vec<(String, String)> = (0..1 + random.below(2))
                .map(|_| (format!("a{}", random.text(pieces, 2)), format!("b{}", random.text(pieces, 3))))
                .collect();
            let blocks: Vec<(&str, &str)> = blocks.iter().map(|(old, new)| (&old[..], &new[..])).collect();
            if pairs(&edit_blocks(&body(&blocks)).unwrap()) != blocks {
                continue; // The marker took a newline at an end.
            }
            match in_all_line_ends(&blocks, &text) {
                Ok(_) => done += 1,
                Err((found, _)) => refused += usize::from(found > 1),
            }
        }
        assert!(done > 1_000 && refused > 500, "{done} {refused}");
    }

    /// The result in LF: the text, or the number and lines of the occurrences of OLD.
    #[track_caller]
    fn in_all_line_ends(blocks: &[(&str, &str)], text: &str) -> Result<String, (usize, Vec<usize>)> {
        let mut all = Vec::new();
        for (block_end, end) in [("\n", "\n"), ("\n", "\r\n"), ("\r\n", "\n"), ("\r\n", "\r\n")] {
            let body = body(blocks).replace('\n', block_end);
            let applied = edit_blocks(&body).unwrap().apply(&text.replace('\n', end));
            if text.contains('\n')
                && let Ok(edited) = &applied
            {
                assert_eq!(edited.matches("\r\n").count(), if end == "\n" { 0 } else { edited.matches('\n').count() });
            }
            let applied = applied.map(|edited| edited.replace("\r\n", "\n"));
            all.push(applied.map_err(|error| (error.found(), error.lines().to_vec())));
        }
        assert!(all.iter().all(|one| *one == all[0]), "{blocks:?} in {text:?}: {all:?}");
        all.swap_remove(0)
    }

    /// A naive application, without regard to line ends.
    fn plainly(blocks: &[(&str, &str)], text: &str) -> Result<String, (usize, usize)> {
        let mut text = text.to_owned();
        for (index, (old, new)) in blocks.iter().enumerate() {
            let places: Vec<usize> =
                text.char_indices().map(|(at, _)| at).filter(|&at| text[at..].starts_with(old)).collect();
            match places[..] {
                [at] if old != new => text.replace_range(at..at + old.len(), new),
                _ => return Err((index + 1, if old == new { 0 } else { places.len() })),
            }
        }
        Ok(text)
    }

    #[test]
    fn as_plainly_done_and_reversed() {
        let mut random = Random(99);
        let (mut done, mut taken_back) = (0, 0);
        for round in 0..60_000 {
            let pieces: &[&str] =
                if round % 2 == 0 { &["a", "b", "\n"] } else { &["a", "é", "\n", " ", "\tx", "🦀", "foo(b)"] };
            let text = random.text(pieces, 12);
            let blocks: Vec<(String, String)> = (0..1 + random.below(3))
                .map(|_| (format!("a{}", random.text(pieces, 3)), format!("b{}", random.text(pieces, 3))))
                .collect();
            let blocks: Vec<(&str, &str)> = blocks.iter().map(|(old, new)| (&old[..], &new[..])).collect();
            let body = body(&blocks);
            let read = edit_blocks(&body).unwrap();
            if pairs(&read) != blocks {
                continue; // The marker took a newline at an end.
            }
            let applied = read.apply(&text);
            assert_eq!(
                applied.as_deref().map_err(|error| (error.block(), error.found())),
                plainly(&blocks, &text).as_deref().map_err(|error| *error)
            );
            match applied {
                Ok(edited) => {
                    done += 1;
                    if let Ok(before) = read.reversed().apply(&edited) {
                        assert_eq!(before, text, "{blocks:?}");
                        taken_back += 1;
                    }
                }
                Err(error) => assert_bounded(&error),
            }
        }
        assert!(done > 2_000 && taken_back > 1_000, "{done} {taken_back}");
    }

    #[test]
    fn reversed_in_either_line_end() {
        for end in ["\n", "\r\n"] {
            for block_end in ["\n", "\r\n"] {
                let text = ["one", "two", "three", "four", ""].join(end);
                let body = body(&[("two\nthree", "2\n\n3"), ("one", "eins\nuno")]).replace('\n', block_end);
                let blocks = edit_blocks(&body).unwrap();
                let edited = blocks.apply(&text).unwrap();
                assert_eq!(edited, ["eins", "uno", "2", "", "3", "four", ""].join(end));
                assert_eq!(blocks.reversed().apply(&edited).unwrap(), text);
            }
        }
    }

    #[track_caller]
    fn assert_bounded(error: &EditError) {
        let message = error.to_string();
        assert!(message.chars().count() <= 1_500 && message.lines().count() <= 11, "{message}");
        assert!(error.lines().len() <= 5);
    }

    /// A block with one wrong line is located, and the wrong line named.
    #[test]
    fn one_change_is_traced() {
        let mut random = Random(4);
        const WORDS: &[&str] = &["alpha", "beta", "gamma(", "δέλτα", "= ", "self.", "\"x\"", "[0]", "return "];
        for _ in 0..3_000 {
            let end = ["\n", "\r\n"][random.below(2)];
            let lines: Vec<String> = (0..60)
                .map(|index| format!("{}{} {index};", "    ".repeat(random.below(3)), random.text(WORDS, 6)))
                .collect();
            let first = random.below(40);
            let mut old = lines[first..first + 3 + random.below(15)].to_vec();
            let wrong = 1 + random.below(old.len() - 2);
            match random.below(4) {
                0 => old[wrong].push('!'),
                1 => old[wrong].insert_str(0, "  "),
                2 => old[wrong].push(' '),
                _ => drop(old.remove(wrong)),
            }
            let error = apply(&[(&old.join("\n"), "n")], &lines.join(end)).unwrap_err();
            assert_eq!((error.found(), error.nearest_line()), (0, Some(first + 1)), "{error}");
            assert!(error.to_string().contains(&format!("\nline {}", first + wrong + 1)), "{error}");
            assert_bounded(&error);
        }
    }

    /// Quadratic work would take hours here.
    #[test]
    fn ten_megabytes() {
        const SIZE: usize = 10_000_000;
        let line = "    let value = compute(index, other) + 1;\n";
        let text = format!("{}unique = 1\n{0}", line.repeat(SIZE / 2 / line.len()));
        let edited =
            apply(&[("unique = 1", "first = 1"), ("first = 1\n    let", "second = 1\n    let")], &text).unwrap();
        assert_eq!(edited, text.replace("unique", "second"));

        let error = apply(&[("unique = 2", "n")], &text).unwrap_err();
        assert_eq!(error.nearest_line(), Some(SIZE / 2 / line.len() + 1));
        let error = apply(&[("let value", "n")], &text).unwrap_err();
        assert_eq!((error.found(), error.lines()), (SIZE / 2 / line.len() * 2, &[1, 2, 3, 4, 5][..]));

        let many = "a".repeat(SIZE);
        let error = apply(&[(&many[..SIZE / 2], "n")], &many).unwrap_err();
        assert_eq!(error.found(), SIZE / 2 + 1);
        for (old, text) in [
            (format!("{}b", &many[..SIZE / 2]), many.clone()),
            (format!("a\n{}b", "\n".repeat(1_000_000)), "\n".repeat(SIZE)),
            (format!("b\n{}", "a\n".repeat(1_000_000)), "a\n".repeat(SIZE / 2)),
            ("let valve = compute".to_owned(), text.replace('\n', " ")),
            ("é".repeat(200) + "x", "é".repeat(SIZE / 2)),
        ] {
            assert_bounded(&apply(&[(&old, "n")], &text).unwrap_err());
        }
    }
}

/// Compared with a naive application: each block searches the whole text, with normalized line ends.
mod differential {
    use super::*;

    /// The text in LF, or the block, the occurrences and their lines before the edit.
    type Outcome = Result<String, (usize, usize, Vec<usize>)>;

    fn plainly(blocks: &[(String, String)], text: &str) -> Outcome {
        let mut text = text.replace("\r\n", "\n");
        // The line of the file that is named for each line of the text.
        let mut origins: Vec<usize> = (1..=text.matches('\n').count() + 1).collect();
        for (index, (old, new)) in blocks.iter().enumerate() {
            if old == new {
                return Err((index + 1, 0, vec![]));
            }
            let starts: Vec<usize> =
                text.char_indices().map(|(at, _)| at).filter(|&at| text[at..].starts_with(&**old)).collect();
            let [start] = starts[..] else {
                let line = |&start: &usize| origins[text[..start].matches('\n').count()];
                return Err((index + 1, starts.len(), starts.iter().take(5).map(line).collect()));
            };
            let line = text[..start].matches('\n').count();
            let (removed, added) = (old.matches('\n').count(), new.matches('\n').count());
            let written: Vec<usize> =
                (0..added).map(|index| origins[line + index.min(removed)]).chain([origins[line + removed]]).collect();
            origins.splice(line..=line + removed, written);
            text.replace_range(start..start + old.len(), new);
        }
        Ok(text)
    }

    /// A text and blocks whose OLDs are pieces of it, so that most blocks apply after the ones before them.
    struct Case {
        file: String,
        blocks: Vec<(String, String)>,
    }

    fn case(random: &mut Random, pieces: &[&str], most_pieces: usize, most_old: usize) -> Case {
        let file = random.text(pieces, most_pieces);
        let mut now = file.clone();
        let mut blocks = Vec::new();
        for _ in 0..1 + random.below(20) {
            let starts: Vec<usize> = now.char_indices().filter(|(_, c)| !c.is_whitespace()).map(|(at, _)| at).collect();
            if starts.is_empty() {
                break;
            }
            let start = starts[random.below(starts.len())];
            let end = (start + 1 + random.below(most_old)).min(now.len());
            let end = (end..=now.len()).find(|&end| now.is_char_boundary(end)).expect("an end");
            // The marker may take the white space at the end of a side.
            let mut old = now[start..end].trim_end().to_owned();
            if random.below(40) == 0 {
                old.push('z');
            }
            let most = [2, 30][random.below(2)];
            let new = format!("n{}", random.text(pieces, most)).trim_end().to_owned();
            let once = [(old.clone(), new.clone())];
            match plainly(&once, &now) {
                Ok(edited) => now = edited,
                // Some cases should fail.
                Err(_) if random.below(12) > 0 => continue,
                Err(_) => {}
            }
            blocks.extend(once);
        }
        Case { file, blocks }
    }

    fn in_line_ends(random: &mut Random, text: &str) -> String {
        match random.below(3) {
            0 => text.to_owned(),
            1 => text.replace('\n', "\r\n"),
            _ => {
                let mut mixed = String::new();
                for line in text.split_inclusive('\n') {
                    let end = ["\n", "\r\n"][random.below(2)];
                    mixed.push_str(&line.replace('\n', end));
                }
                mixed
            }
        }
    }

    #[test]
    fn all_blocks_at_once_are_as_one_by_one() {
        let shapes: [(&[&str], usize, usize); 4] = [
            (&["a", "b", "\n"], 60, 12),
            (&["a", "é", "\n", " ", "\tx", "🦀", "foo(b)"], 40, 20),
            // Several chunks of text, and keys that start alike.
            (&["aaaaaaaa", "aaaaaaaaaaaaaaab", "\n", "ccc", "é"], 1_500, 900),
            (&["line ", "1", "2", "3", "\n", "let x = ", "🦀"], 2_500, 60),
        ];
        let mut random = Random(2_024);
        let (mut done, mut absent, mut repeated, mut many) = (0, 0, 0, 0);
        for round in 0..5_000 {
            let shape = if round % 10 < 8 { round % 2 } else { 2 + round % 2 };
            let (pieces, most_pieces, most_old) = shapes[shape];
            let Case { file, blocks } = case(&mut random, pieces, most_pieces, most_old);
            let file = in_line_ends(&mut random, &file);
            let body: String = blocks
                .iter()
                .map(|(old, new)| {
                    let [old, new] = [old, new].map(|side| {
                        let end = ["\n", "\r\n"][random.below(2)];
                        format!("{side}\n").replace('\n', end)
                    });
                    format!("<<<OLD\n{old}===\n{new}NEW>>>\n")
                })
                .collect();
            let Ok(read) = edit_blocks(&body) else { continue };
            let in_lf = |side: &str| format!("{side}\n").replace("\r\n", "\n").trim_end_matches('\n').to_owned();
            let meant: Vec<_> = blocks.iter().map(|(old, new)| (in_lf(old), in_lf(new))).collect();
            if read.iter().map(|block| (in_lf(block.old), in_lf(block.new))).ne(meant.iter().cloned())
                || blocks != meant
            {
                continue; // The marker took a newline at an end.
            }
            let expected = plainly(&blocks, &file);
            let applied = read.apply(&file);
            if let Ok(edited) = &applied {
                let [lf, crlf] = [file.matches('\n').count(), file.matches("\r\n").count()];
                let edited_crlf = edited.matches("\r\n").count();
                assert!(lf == 0 || crlf > 0 || edited_crlf == 0, "{blocks:?} in {file:?}");
                assert!(lf == 0 || crlf < lf || edited_crlf == edited.matches('\n').count(), "{blocks:?} in {file:?}");
            }
            let outcome: Outcome = applied
                .map(|edited| edited.replace("\r\n", "\n"))
                .map_err(|error| (error.block(), error.found(), error.lines().to_vec()));
            assert_eq!(outcome, expected, "{blocks:?} in {file:?}");
            match outcome {
                Ok(_) => done += 1,
                Err((_, 0, _)) => absent += 1,
                Err(_) => repeated += 1,
            }
            many += usize::from(blocks.len() > 10);
        }
        assert!(done > 1_000 && absent > 50 && repeated > 200 && many > 500, "{done} {absent} {repeated} {many}");
    }
}

/// The exact messages for the model.
mod messages {
    use super::*;

    const FILE: &str = "\
import os

def add(a, b):
    total = a + b
    return total


def sub(a, b):
    return a - b

class C:
\tx = 1
\ty = 2

\tdef f(self):
\t\treturn self.x\u{20}
";
    const ABSENT: &str = "edit block 1: OLD is not in the file. Nothing was changed. ";

    #[track_caller]
    fn absent(old: &str, text: &str, expected: &str) {
        let error = apply(&[(old, "new")], text).unwrap_err();
        assert_eq!(error.to_string(), format!("{ABSENT}{expected}"));
        assert_eq!((error.found(), error.lines()), (0, &[][..]));
    }

    #[test]
    fn wrong_indent() {
        absent(
            "def sub(a, b):\n  return a - b",
            FILE,
            "Closest match: lines 8-9
line 9, indentation: OLD has 2 spaces (U+0020), the file 4 spaces (U+0020)
  OLD:  \"  return a - b\"
  file: \"    return a - b\"",
        );
    }

    #[test]
    fn spaces_for_tabs() {
        absent(
            "class C:\n    x = 1\n    y = 2",
            FILE,
            r#"Closest match: lines 11-13
line 12, indentation: OLD has 4 spaces (U+0020), the file 1 tab (U+0009)
  OLD:  "    x = 1"
  file: "\tx = 1"
line 13, indentation: OLD has 4 spaces (U+0020), the file 1 tab (U+0009)
  OLD:  "    y = 2"
  file: "\ty = 2""#,
        );
    }

    #[test]
    fn tabs_for_spaces() {
        absent(
            "\treturn total",
            FILE,
            r#"Closest match: line 5
line 5, indentation: OLD has 1 tab (U+0009), the file 4 spaces (U+0020)
  OLD:  "\treturn total"
  file: "    return total""#,
        );
    }

    #[test]
    fn a_letter_off() {
        absent(
            "    totel = a + b\n    return total",
            FILE,
            r#"Closest match: lines 4-5
line 4, character 8: OLD has "e", the file "a"
  OLD:  "    totel = a + b"
  file: "    total = a + b""#,
        );
    }

    #[test]
    fn a_letter_too_few_or_too_much() {
        absent(
            "improt os",
            FILE,
            r#"Closest match: line 1
line 1, character 4: OLD has "ro", the file "or"
  OLD:  "improt os"
  file: "import os""#,
        );
        absent(
            "def ad(a, b):\n    totaal = a",
            FILE,
            r#"Closest match: lines 3-4
line 3, character 7: OLD lacks "d"
  OLD:  "def ad(a, b):"
  file: "def add(a, b):"
line 4, character 9: OLD has extra "a"
  OLD:  "    totaal = a"
  file: "    total = a + b""#,
        );
    }

    #[test]
    fn a_line_missing() {
        absent(
            "def add(a, b):\n    return total",
            FILE,
            "Closest match: lines 3-5\nline 4 is not in OLD: \"    total = a + b\"",
        );
    }

    #[test]
    fn a_line_too_much() {
        absent(
            "    total = a + b\n    print(total)\n    return total",
            FILE,
            "Closest match: lines 4-5\nOLD line 2 is not in the file after line 4: \"    print(total)\"",
        );
        absent("    return total\n\ndef sub(a, b):", FILE, "Closest match: lines 5-8\nline 6 is not in OLD: \"\"");
    }

    #[test]
    fn trailing_space() {
        absent(
            "\tdef f(self):\n\t\treturn self.x\n",
            FILE,
            r#"Closest match: lines 15-16
line 16, trailing white space: OLD has none, the file 1 space (U+0020)
  OLD:  "\t\treturn self.x"
  file: "\t\treturn self.x ""#,
        );
    }

    #[test]
    fn white_space_within() {
        absent(
            "def add(a,b):",
            FILE,
            r#"Closest match: line 3
line 3, character 11: OLD lacks 1 space (U+0020)
  OLD:  "def add(a,b):"
  file: "def add(a, b):""#,
        );
        absent(
            "x\u{a0}= 1",
            FILE,
            r#"Closest match: line 12
line 12, character 3: OLD has "\u{a0}" (U+00A0), the file 1 space (U+0020)
  OLD:  "x\u{a0}= 1"
  file: "\tx = 1""#,
        );
    }

    #[test]
    fn look_alikes() {
        absent(
            "print(“hi\")",
            "print(\"hi\")\n",
            "Closest match: line 1
line 1, character 7: OLD has \"“\" (U+201C), the file \"\"\" (U+0022)
  OLD:  \"print(“hi\")\"
  file: \"print(\"hi\")\"",
        );
        absent(
            "na\u{200b}me = 1",
            "name = 1",
            r#"Closest match: line 1
line 1, character 3: OLD has extra "\u{200b}" (U+200B)
  OLD:  "na\u{200b}me = 1"
  file: "name = 1""#,
        );
    }

    #[test]
    fn an_invisible_difference_is_named_by_code_point() {
        for (old, file, expected) in [
            // Composed and decomposed.
            (
                "un café noir",
                "un cafe\u{301} noir\n",
                "character 7: OLD has \"é\" (U+00E9), the file \"e\u{301}\" (U+0065 U+0301)",
            ),
            (
                "un cafe\u{301} noir",
                "un café noir\n",
                "character 7: OLD has \"e\u{301}\" (U+0065 U+0301), the file \"é\" (U+00E9)",
            ),
            ("é", "e\u{301}\n", "character 1: OLD has \"é\" (U+00E9), the file \"e\u{301}\" (U+0065 U+0301)"),
            (
                "    é = 1",
                "  e\u{301} = 1\n",
                "character 3: OLD has \"é\" (U+00E9), the file \"e\u{301}\" (U+0065 U+0301)",
            ),
            (
                "한국어를",
                "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}\u{1105}\u{1173}\u{11af}\n",
                "character 1: OLD has \"한\" (U+D55C), the file \"\u{1112}\u{1161}\u{11ab}\" (U+1112 U+1161 U+11AB)",
            ),
            (
                "ạ\u{302}",
                "a\u{302}\u{323}\n",
                "character 1: OLD has \"ạ\u{302}\" (U+1EA1 U+0302), the file \"a\u{302}\u{323}\" (U+0061 U+0302 U+0323)",
            ),
            // White space.
            ("a\u{a0}b", "a b\n", r#"character 2: OLD has "\u{a0}" (U+00A0), the file 1 space (U+0020)"#),
            ("a b", "a\u{202f}b\n", r#"character 2: OLD has 1 space (U+0020), the file "\u{202f}" (U+202F)"#),
            ("a = b", "a =\tb\n", "character 4: OLD has 1 space (U+0020), the file 1 tab (U+0009)"),
            ("a    b", "a\t b\n", r#"character 2: OLD has 4 spaces (U+0020), the file "\t " (U+0009 U+0020)"#),
            ("a = 1", "a =  1\n", "character 5: OLD lacks 1 space (U+0020)"),
            ("a \nb", "a\nb\n", "trailing white space: OLD has 1 space (U+0020), the file none"),
            ("a\nb", "a\t\nb\n", "trailing white space: OLD has none, the file 1 tab (U+0009)"),
            ("a \nb", "a\u{a0}\nb\n", r#"trailing white space: OLD has 1 space (U+0020), the file "\u{a0}" (U+00A0)"#),
            ("\u{3000}a", "  a\n", r#"indentation: OLD has "\u{3000}" (U+3000), the file 2 spaces (U+0020)"#),
            // Invisible characters.
            ("na\u{200b}me", "name\n", r#"character 3: OLD has extra "\u{200b}" (U+200B)"#),
            ("name", "na\u{2060}me\n", r#"character 3: OLD lacks "\u{2060}" (U+2060)"#),
            ("b\nname", "b\nname\u{200b}\nc\n", ""),
            ("name\nb", "name\u{200b}\nb\n", r#"character 5: OLD lacks "\u{200b}" (U+200B)"#),
            ("a\n\u{feff}b", "a\nb\n", r#"character 1: OLD has extra "\u{feff}" (U+FEFF)"#),
            ("co\u{ad}op", "coop\n", r#"character 3: OLD has extra "\u{ad}" (U+00AD)"#),
            ("a❤\u{fe0f}b", "a❤b\n", r#"character 3: OLD has extra "\u{fe0f}" (U+FE0F)"#),
            // Letters that look alike.
            ("p\u{430}ss", "pass\n", "character 2: OLD has \"\u{430}\" (U+0430), the file \"a\" (U+0061)"),
            ("a – b", "a - b\n", r#"character 3: OLD has "–" (U+2013), the file "-" (U+002D)"#),
        ] {
            if expected.is_empty() {
                assert!(apply(&[(old, "new")], file).is_ok(), "OLD may end within a line");
                continue;
            }
            if old.contains('한') && !cfg!(feature = "normalization") {
                continue;
            }
            let error = apply(&[(old, "new")], file).unwrap_err().to_string();
            assert!(error.contains(&format!(", {expected}\n")), "{old:?} in {file:?}: {error}");
            assert_bounded(&error);
        }
    }

    #[track_caller]
    fn assert_bounded(message: &str) {
        assert!(message.chars().count() <= 1_500 && message.lines().count() <= 11, "{message}");
    }

    #[test]
    fn the_longest_message_is_bounded() {
        let lines = |c: char| format!("x{}\n", c.to_string().repeat(200)).repeat(6);
        for (old, file) in [
            (lines('\u{202e}'), lines('\u{10fffd}')),
            (lines('\u{e0001}').replace('x', "    "), lines('\u{e0001}').replace('x', "\t\u{3000}")),
        ] {
            assert_bounded(&apply(&[(&format!("a{old}"), "new")], &file).unwrap_err().to_string());
        }
    }

    #[test]
    fn short_lines_have_a_closest_match() {
        absent(
            "- a\n- zebra\n- b",
            "- a\n- b\n",
            "Closest match: lines 1-2\nOLD line 2 is not in the file after line 1: \"- zebra\"",
        );
        absent(
            "{\nzebra\n}",
            "{\n}\n",
            "Closest match: lines 1-2\nOLD line 2 is not in the file after line 1: \"zebra\"",
        );
        absent(
            "ab",
            "x\nac\n",
            r#"Closest match: line 2
line 2, character 2: OLD has "b", the file "c"
  OLD:  "ab"
  file: "ac""#,
        );
        absent("1\n2\n3", "1\n3\n", "Closest match: lines 1-2\nOLD line 2 is not in the file after line 1: \"2\"");
        absent("1\n3", "0\n1\n2\n3\n", "Closest match: lines 2-4\nline 3 is not in OLD: \"2\"");
        // A brace alone is similar to nothing.
        absent("zzz {\n  qqq\n  www\n}", FILE.replace("def", "}\ndef").as_str(), "No line of the file is like it.");
        absent("q", "a\nb\n", "No line of the file is like it.");
    }

    #[test]
    fn a_letter_off_in_crlf() {
        absent(
            "a = 1\nbee = 2",
            "a = 1\r\nbeee = 2\r\nc = 3\r\n",
            r#"Closest match: lines 1-2
line 2, character 4: OLD lacks "e"
  OLD:  "bee = 2"
  file: "beee = 2""#,
        );
    }

    #[test]
    fn an_empty_file() {
        absent("a", "", "The file is empty.");
    }

    #[test]
    fn nothing_like_it() {
        absent("zzz qqq\nwww", FILE, "No line of the file is like it.");
    }

    #[test]
    fn a_part_of_a_very_long_line() {
        let text = "function a(){return 1};var b=2;".repeat(2_000).replacen("b=2;f", "b=3;f", 1);
        absent(
            "function a(){return 1};var b=4;function",
            &text,
            r#"Closest match: line 1
line 1, character 30: OLD has "4", the file "3"
  OLD:  "function a(){return 1};var b=4;function"
  file: "function a(){return 1};var b=3;function a(){return 1};var b=2;function a(){retur"…"#,
        );
    }

    #[test]
    fn far_down_a_long_old() {
        let text: String = (0..200).map(|index| format!("line number {index} = {}\n", index * 7919 % 1000)).collect();
        absent(
            &text.replacen("line number 150", "line numbr 150", 1),
            &text,
            r#"Closest match: lines 1-200
line 151, character 10: OLD lacks "e"
  OLD:  "line numbr 150 = 850"
  file: "line number 150 = 850""#,
        );
    }

    #[test]
    fn more_than_three_differences() {
        absent(
            "one\n two\n three\n four\n five",
            "one\ntwo\nthree\nfour\nfive\n",
            r#"Closest match: lines 1-5
line 2, indentation: OLD has 1 space (U+0020), the file none
  OLD:  " two"
  file: "two"
line 3, indentation: OLD has 1 space (U+0020), the file none
  OLD:  " three"
  file: "three"
line 4, indentation: OLD has 1 space (U+0020), the file none
  OLD:  " four"
  file: "four"
One more line differs."#,
        );
    }

    #[track_caller]
    fn repeated(old: &str, text: &str, expected: &str) {
        let error = apply(&[(old, "new")], text).unwrap_err();
        let advice = "; it must be there exactly once. Nothing was changed. Add neighboring lines to OLD and NEW.";
        assert_eq!(error.to_string(), format!("edit block 1: OLD is in the file {expected}{advice}"));
        assert_eq!(error.nearest_line(), None);
    }

    #[test]
    fn there_more_than_once() {
        repeated("(a, b)", FILE, "2 times, in lines 3 and 8");
        repeated("    return", FILE, "2 times, in lines 5 and 9");
        repeated("aa", "aaaa", "3 times, in line 1");
        repeated("a", "b a\nb a\na\n", "3 times, in lines 1, 2 and 3");
        repeated("a", &"a\n".repeat(9), "9 times, in lines 1, 2, 3, 4, 5 and further on");
    }

    #[test]
    fn old_and_new_the_same() {
        let error = apply(&[("import os", "import os")], FILE).unwrap_err();
        assert_eq!(error.to_string(), "edit block 1: OLD and NEW are the same. Nothing was changed.");
    }

    #[test]
    fn an_empty_old_after_reversing() {
        let body = body(&[("a", "")]);
        let error = edit_blocks(&body).unwrap().reversed().apply("x").unwrap_err();
        assert_eq!(error.to_string(), "edit block 1: OLD is empty. Nothing was changed.");
    }

    #[test]
    fn lines_are_those_of_the_file_as_it_is() {
        let error =
            apply(&[("import os", "import os\nimport re\nimport sys"), ("retrun a - b", "new")], FILE).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"edit block 2: OLD is not in the file. Nothing was changed. Closest match: line 9
line 9, character 8: OLD has "ru", the file "ur"
  OLD:  "retrun a - b"
  file: "    return a - b""#
        );
        let blocks = [("import os\n\ndef add", "def add"), ("(a, b)", "new")];
        assert_eq!(apply(&blocks, FILE).unwrap_err().lines(), [3, 8]);
    }
}

/// NEW is a lone carriage return, which is an empty OLD in an LF file when reversed.
#[test]
fn an_old_that_is_empty_in_the_files_line_ends_is_refused() {
    let blocks = edit_blocks("<<<OLD\r\nx\r\n===\r\n\r\nNEW>>>\r\n").expect("a block");
    assert_eq!(blocks.apply("a\nx\nb\n").expect("applies"), "a\n\nb\n");
    let error = blocks.reversed().apply("a\n\nb\n").expect_err("nothing to find");
    assert_eq!(error.to_string(), "edit block 1: OLD is empty. Nothing was changed.");
}

#[test]
fn a_line_that_is_missing_at_the_end_is_said_to_be_missing_there() {
    let blocks = edit_blocks("<<<OLD\naaa line\nbbb line\nccc line\n===\nx\nNEW>>>").expect("a block");
    let error = blocks.apply("aaa line\nbbb line").expect_err("a line is missing").to_string();
    assert!(error.ends_with("OLD line 3 is not in the file after line 2: \"ccc line\""), "{error}");
}

#[test]
fn what_a_block_before_wrote_is_told_from_the_file() {
    let blocks = edit_blocks("<<<OLD\na\n===\nq\nq\nq\nNEW>>>\n<<<OLD\nq\n===\nr\nNEW>>>").expect("two blocks");
    let error = blocks.apply("b\na\n").expect_err("twice there").to_string();
    assert!(
        error.starts_with("edit block 2: OLD is in the file, as the blocks before leave it, 3 times, in line 2"),
        "{error}"
    );
}
