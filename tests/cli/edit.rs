//! `tagwire edit`: the blocks are applied all or nothing, and the rest of the file is unchanged.

use std::fs;
use std::path::Path;

use crate::support::{Run, run};
#[cfg(unix)]
use crate::{
    batch::make_pipe,
    support::{finish, tagwire},
};

const BLOCKS: &str = "\n<<<OLD\nport = 80\n===\nport = 8080\nNEW>>>\n";

#[test]
fn the_blocks_are_applied_and_the_change_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.toml");
    fs::write(&file, "host = \"a\"\nport = 80\nuser = 1").expect("written");
    let run = edit(&file, &[], BLOCKS).succeeded();
    assert_eq!(fs::read_to_string(&file).expect("there"), "host = \"a\"\nport = 8080\nuser = 1");
    let name = file.display();
    assert_eq!(
        run.out,
        format!(
            "--- {name}\n+++ {name}\n@@ -1,3 +1,3 @@\n host = \"a\"\n-port = 80\n+port = 8080\n user = 1\n\
             \\ No newline at end of file\n"
        )
    );
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no temporary file is left");
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.toml");
    fs::write(&file, "port = 80\n").expect("written");
    let run = edit(&file, &["--dry-run"], BLOCKS).succeeded();
    assert!(run.out.contains("-port = 80\n+port = 8080\n"), "{}", run.out);
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 80\n");
}

#[test]
fn blocks_that_do_not_fit_change_nothing_and_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.toml");
    fs::write(&file, "a\n  port = 80\nport = 80\n").expect("written");
    let blocks = format!("{BLOCKS}<<<OLD\nb\n===\nc\nNEW>>>");
    let run = edit(&file, &[], &blocks);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.starts_with("tagwire: ") && run.err.contains("block 1"), "{}", run.err);
    assert_eq!(run.out, "");
    assert_eq!(fs::read_to_string(&file).expect("there"), "a\n  port = 80\nport = 80\n");
}

#[test]
fn a_body_without_blocks_is_refused_with_the_seeds_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "a").expect("written");
    let run = edit(&file, &[], "no blocks");
    let message = "tagwire: [[EDIT_FILE]] needs one or more <<<OLD ... === ... NEW>>> blocks\n";
    assert_eq!((run.code, run.err.as_str()), (Some(1), message));
}

#[test]
fn blocks_may_come_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, blocks) = (folder.path().join("a"), folder.path().join("blocks"));
    fs::write(&file, "port = 80\n").expect("written");
    fs::write(&blocks, BLOCKS).expect("written");
    edit(&file, &["--blocks", blocks.to_str().expect("a plain path")], "ignored").succeeded();
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");
}

#[test]
fn what_cannot_be_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    edit(&file, &[], BLOCKS).refused(&["a: ", "check the path"]);
    fs::write(&file, b"port = 80\n\xFF").expect("written");
    edit(&file, &[], BLOCKS).refused(&["invalid UTF-8 at byte 10"]);
    edit(folder.path(), &[], BLOCKS).refused(&["it is a directory"]);
}

#[test]
fn a_hostile_change_does_not_act_on_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "port = 80\r\n").expect("written");
    let run =
        edit(&file, &["--color", "always"], "<<<OLD\nport = 80\n===\n\u{1b}[2J\u{202e}\u{9b}x\nNEW>>>").succeeded();
    assert!(run.out.contains("\\u{1b}[2J\\u{202e}\\u{9b}x\\r"), "{:?}", run.out);
    assert!(!run.out.contains("\u{1b}[2J") && !run.out.contains('\r'), "{:?}", run.out);
    assert_eq!(fs::read_to_string(&file).expect("there"), "\u{1b}[2J\u{202e}\u{9b}x\r\n");
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("script.sh"), folder.path().join("link"));
    fs::write(&file, "port = 80\n").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o751)).expect("set");
    symlink(&file, &link).expect("linked");
    edit(&link, &[], BLOCKS).succeeded();
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");
    assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o751);
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
}

#[test]
fn a_diff_says_what_changed_and_little_else() {
    // Few distinct lines, so that there are many ways to pair them.
    let mut random = 1_u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for round in 0..40 {
        let mut text = || {
            let lines = (0..1 + next(30)).map(|_| format!("line {}", next(1 + round % 8)));
            lines.collect::<Vec<_>>().join("\n")
        };
        let (old, new) = (text(), text());
        if old == new {
            continue;
        }
        let end = ["", "\n", "\nend"][next(3) as usize];
        let (before, after) = (old.clone() + end, new.clone() + end);
        let shown = shown(&before, &old, &new);
        assert_eq!(patched(&before, &shown), after, "{shown}");
        let [before, after] = [&before, &after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
        let fewest = before.len() + after.len() - 2 * most_in_common(&before, &after);
        assert_eq!(changed(&shown), fewest, "{shown}");
    }
}

/// The textbook algorithm, in quadratic time.
fn most_in_common(before: &[&str], after: &[&str]) -> usize {
    let mut row = vec![0; after.len() + 1];
    for old in before {
        let mut diagonal = 0;
        for (at, new) in after.iter().enumerate() {
            let best = if old == new { diagonal + 1 } else { row[at].max(row[at + 1]) };
            diagonal = std::mem::replace(&mut row[at + 1], best);
        }
    }
    row[after.len()]
}

#[test]
fn changes_far_apart_are_shown_alone() {
    for line in ["same\n", "{}\n"] {
        // Each line occurs often, or once.
        let middle = (0..100_000).map(|i| line.replace("{}", &i.to_string())).collect::<String>();
        let before = format!("first\n{middle}last\n");
        let after = format!("1st\n{middle}at last\n");
        let shown = shown(&before, "first", "1st<<<END>>>last\n===\nat last");
        assert_eq!(changed(&shown), 4, "{shown}");
        assert_eq!(patched(&before, &shown), after);
    }
}

#[test]
fn a_change_of_very_many_lines_is_shown() {
    let count = 200_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..count).map(|i| line(i) + "\n").collect::<String>();
    // All lines; every second one, between unique or repeated lines, of which as many may count as changed.
    let cases = [
        (lines(&|i| format!("old {i}")), lines(&|i| format!("new {i}")), 2 * count..=2 * count),
        (lines(&|i| format!("old {i}")), lines(&|i| format!("{} {i}", ["old", "new"][i % 2])), count..=count),
        (
            lines(&|i| if i % 2 == 0 { "same".into() } else { format!("old {i}") }),
            lines(&|i| if i % 2 == 0 { "same".into() } else { format!("new {i}") }),
            count..=2 * count,
        ),
        // Lines moved as a whole.
        (lines(&|i| format!("line {i}")), lines(&|i| format!("line {}", (i + count / 2) % count)), count..=count),
        // And backwards.
        (lines(&|i| format!("line {i}")), lines(&|i| format!("line {}", count - i)), count..=2 * count),
    ];
    for (before, after, changes) in cases {
        let shown = shown(&before, before.trim_end(), after.trim_end());
        assert!(changes.contains(&changed(&shown)), "{}", changed(&shown));
        assert!(patched(&before, &shown) == after);
    }
}

/// The change of a dry run. NEW may lead into another block.
#[track_caller]
fn shown(before: &str, old: &str, new: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, before).expect("written");
    let new = new.replace("<<<END>>>", "\nNEW>>>\n<<<OLD\n");
    edit(&file, &["--dry-run"], &format!("<<<OLD\n{old}\n===\n{new}\nNEW>>>")).succeeded().out
}

/// The number of lines that a diff removes and adds.
fn changed(diff: &str) -> usize {
    diff.lines().skip(2).filter(|line| line.starts_with(['-', '+'])).count()
}

/// Applies a diff to a text.
#[track_caller]
fn patched(before: &str, diff: &str) -> String {
    let mut old = before.split_inclusive('\n');
    let mut patched = String::new();
    // Lines are counted from 1.
    let (mut old_line, mut new_line) = (1, 1);
    let mut lines = diff.lines().skip(2).peekable();
    while let Some(line) = lines.next() {
        if let Some(header) = line.strip_prefix("@@ -").and_then(|line| line.strip_suffix(" @@")) {
            let (from, to) = header.split_once(" +").expect(line);
            let [from, to] = [from, to].map(|range| match range.split_once(',') {
                // An empty range names the line before it.
                Some((start, "0")) => start.parse::<usize>().expect(line) + 1,
                Some((start, _)) => start.parse().expect(line),
                None => range.parse().expect(line),
            });
            while old_line < from {
                patched.push_str(old.next().expect(line));
                (old_line, new_line) = (old_line + 1, new_line + 1);
            }
            assert_eq!((old_line, new_line), (from, to), "{line}");
            continue;
        }
        let mut text = line[1..].to_owned() + "\n";
        if lines.next_if(|line| line.starts_with('\\')).is_some() {
            text.pop();
        }
        if !line.starts_with('+') {
            assert_eq!(old.next(), Some(&*text));
            old_line += 1;
        }
        if !line.starts_with('-') {
            patched.push_str(&text);
            new_line += 1;
        }
    }
    old.for_each(|line| patched.push_str(line));
    patched
}

#[cfg(unix)]
#[test]
fn only_a_plain_file_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    edit(&pipe, &[], BLOCKS).refused(&["cannot edit ", "not a plain file", "--dry-run"]);
    edit(Path::new("/dev/null"), &[], BLOCKS).refused(&["cannot edit /dev/null: ", "not a plain file"]);
    std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&pipe, "port = 80\n").expect("written"));
        assert!(edit(&pipe, &["--dry-run"], BLOCKS).succeeded().out.contains("+port = 8080\n"));
    });
    assert!(!fs::metadata(&pipe).expect("there").is_file());
}

#[test]
fn a_read_only_file_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "port = 80\n").expect("written");
    let mut permissions = fs::metadata(&file).expect("there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).expect("set");
    edit(&file, &[], BLOCKS).refused(&["cannot write ", "it is read-only; nothing was changed"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 80\n");
    edit(&file, &["--dry-run"], BLOCKS).succeeded();
}

/// These need a user who may give files away.
#[cfg(unix)]
#[test]
fn a_file_stays_its_owners() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "port = 80\n").expect("written");
    if chown(&file, Some(12_345), Some(12_346)).is_err() {
        return;
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("set");
    let owner = || fs::metadata(&file).map(|file| (file.uid(), file.gid(), file.mode() & 0o777)).expect("there");
    edit(&file, &[], BLOCKS).succeeded();
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");
    assert_eq!(owner(), (12_345, 12_346, 0o666));

    // A user who may write the file and the folder, but not change owners.
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("set");
    let mut command = tagwire(["edit", file.to_str().expect("a plain path")]);
    let Ok(child) = command.uid(12_347).gid(12_347).spawn() else { return };
    let blocks = "<<<OLD\nport\n===\nPort\nNEW>>>";
    finish(child, blocks.as_bytes())
        .refused(&["its owner and group, 12345:12346, cannot be kept", "nothing was changed"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");
    assert_eq!(owner(), (12_345, 12_346, 0o666));
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1, "no temporary file is left");
}

#[cfg(unix)]
#[test]
fn the_exit_code_tells_whether_the_file_was_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    let path = file.to_str().expect("a plain path");
    fs::write(&file, "port = 80\n").expect("written");
    // To a closed pipe.
    let mut child = tagwire(["edit", path]).spawn().expect("it starts");
    drop(child.stdout.take());
    finish(child, BLOCKS.as_bytes()).succeeded();
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");

    // To a full device.
    let Ok(full) = fs::File::options().write(true).open("/dev/full") else { return };
    let to_full = |args: &[&str]| {
        let mut command = tagwire([&["edit", path], args].concat());
        let child = command.stdout(full.try_clone().expect("one more")).spawn().expect("it starts");
        finish(child, b"<<<OLD\nport\n===\nPort\nNEW>>>")
    };
    to_full(&["--dry-run"]).refused(&["cannot write to standard output"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");
    let run = to_full(&[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("a was changed, but the change can't be shown: cannot write to "), "{}", run.err);
    assert_eq!(fs::read_to_string(&file).expect("there"), "Port = 8080\n");
}

#[test]
fn the_help_has_the_exit_codes() {
    let help = run(&["edit", "--help"], "").succeeded().out;
    assert!(help.contains("Exit codes: 0 the file was changed"), "{help}");
}

fn edit(file: &Path, args: &[&str], blocks: &str) -> Run {
    run(&[&["edit", file.to_str().expect("a plain path")], args].concat(), blocks)
}

#[test]
fn line_ends_are_those_of_the_file() {
    for (before, blocks, after) in [
        // Each side of a block with its own line ends.
        ("a\r\nb\r\n", "<<<OLD\na\r\n===\nX\nNEW>>>\n", "X\r\nb\r\n"),
        ("a\nb\n", "<<<OLD\na\n===\nX\r\nY\r\nNEW>>>\n", "X\nY\nb\n"),
        ("a\r\nb\r\n", "<<<OLD\r\na\r\nb\r\n===\nX\nY\nNEW>>>\n", "X\r\nY\r\n"),
        ("a\nb\n", "<<<OLD\na\r\nb\n===\r\nX\nY\r\nNEW>>>\r\n", "X\nY\n"),
        // No end of the last line, only carriage returns, both kinds, a byte-order mark.
        ("a\r\nb", "<<<OLD\nb\n===\nX\nY\nNEW>>>\n", "a\r\nX\r\nY"),
        ("a\rb\rc\r", "<<<OLD\na\nb\n===\nX\nY\nZ\nNEW>>>\n", "X\rY\rZ\rc\r"),
        ("a\r\nb\nc\r\n", "<<<OLD\na\nb\nc\n===\na\nX\nc\nNEW>>>\n", "a\r\nX\nc\r\n"),
        ("\u{feff}a\r\nb\r\n", "<<<OLD\na\nb\n===\nX\nNEW>>>\n", "\u{feff}X\r\n"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a");
        fs::write(&file, before).expect("written");
        edit(&file, &[], blocks).succeeded();
        assert_eq!(fs::read_to_string(&file).expect("there"), after, "{blocks:?} in {before:?}");
    }
}

#[test]
fn an_empty_file_is_like_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "").expect("written");
    let run = edit(&file, &[], BLOCKS);
    let message = "tagwire: edit block 1: OLD is not in the file. Nothing was changed. The file is empty.\n";
    assert_eq!((run.code, run.err.as_str()), (Some(1), message));
}

#[test]
fn edits_at_the_same_time_all_happen() {
    const EDITS: usize = 40;
    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("a"), folder.path().join("link"));
    for args in [&[][..], &["--in-place"], &["linked"]] {
        let args = if args == ["linked"] {
            // Written in place, since it has two names.
            fs::hard_link(&file, &link).expect("linked");
            &[][..]
        } else {
            args
        };
        fs::write(&file, (0..EDITS).map(|i| format!("slot {i};\n")).collect::<String>()).expect("written");
        std::thread::scope(|scope| {
            for i in 0..EDITS {
                let file = if link.exists() && i % 2 == 0 { &link } else { &file };
                scope.spawn(move || {
                    let block = format!("<<<OLD\nslot {i};\n===\nslot {i}, edited;\nNEW>>>");
                    edit(file, args, &block).succeeded();
                });
            }
        });
        let expected: String = (0..EDITS).map(|i| format!("slot {i}, edited;\n")).collect();
        assert_eq!(fs::read_to_string(&file).expect("there"), expected, "{args:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "no temporary file is left");
}

#[test]
fn standard_input_is_edited_to_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let blocks = folder.path().join("blocks");
    fs::write(&blocks, BLOCKS).expect("written");
    let blocks = blocks.to_str().expect("a plain path");
    let run_on = |args: &[&str], input: &str| run(&[&["edit", "-", "--blocks", blocks], args].concat(), input);
    assert_eq!(run_on(&[], "a\r\nport = 80\r\n").succeeded().out, "a\r\nport = 8080\r\n");
    let shown = run_on(&["--dry-run"], "port = 80\n").succeeded().out;
    assert_eq!(shown, "--- standard input\n+++ standard input\n@@ -1 +1 @@\n-port = 80\n+port = 8080\n");
    let run = run_on(&[], "nothing");
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    for args in [&["edit", "-"][..], &["edit", "-", "--blocks", "-"]] {
        crate::support::run(args, BLOCKS).refused(&["cannot be both the text and the blocks", "--blocks"]);
    }
}

#[test]
fn hints_work_for_the_command_that_prints_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, missing) = (folder.path().join("a"), folder.path().join("missing"));
    fs::write(&file, "port = 80\n").expect("written");
    let path = missing.to_str().expect("a plain path");
    for args in [&[][..], &["--dry-run"]] {
        let run = edit(&missing, args, BLOCKS);
        run.refused(&["cannot read ", "; check the path\n"]);
    }
    edit(&file, &["--blocks", path], "").refused(&["; check the path, or pass `-` to read standard input\n"]);
    edit(&file, &["--blocks", "-"], BLOCKS).succeeded();
}

#[test]
fn a_quiet_edit_shows_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "port = 80\n").expect("written");
    assert_eq!(edit(&file, &["--quiet", "--dry-run"], BLOCKS).succeeded().out, "");
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 80\n");
    assert_eq!(edit(&file, &["-q"], BLOCKS).succeeded().out, "");
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");
    let run = edit(&file, &["-q"], "<<<OLD\nx\n===\ny\nNEW>>>");
    assert!(run.code == Some(1) && run.err.contains("OLD is not in the file"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn hard_links_stay_links() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("a"), folder.path().join("b"));
    fs::write(&file, "port = 80\n").expect("written");
    fs::hard_link(&file, &link).expect("linked");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
    let inode = fs::metadata(&file).expect("there").ino();
    edit(&file, &[], BLOCKS).succeeded();
    edit(&link, &[], "<<<OLD\nport = 8080\n===\np\nNEW>>>").succeeded();
    for path in [&file, &link] {
        let metadata = fs::metadata(path).expect("there");
        assert_eq!((metadata.ino(), metadata.nlink(), metadata.mode() & 0o7777), (inode, 2, 0o640));
        assert_eq!(fs::read_to_string(path).expect("there"), "p\n", "a shorter text leaves nothing of the longer one");
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2, "no copy is left");
}

#[cfg(unix)]
#[test]
fn in_place_the_file_stays_the_same() {
    use std::os::unix::fs::MetadataExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "port = 80\n").expect("written");
    let inode = || fs::metadata(&file).expect("there").ino();
    let before = inode();
    edit(&file, &["--in-place"], BLOCKS).succeeded();
    assert_eq!((inode(), fs::read_to_string(&file).expect("there").as_str()), (before, "port = 8080\n"));
    edit(&file, &[], "<<<OLD\nport\n===\nPort\nNEW>>>").succeeded();
    assert_ne!(inode(), before);
}

#[cfg(unix)]
#[test]
fn all_bits_of_the_mode_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    for args in [&[][..], &["--in-place"]] {
        for mode in [0o4755, 0o2755, 0o6711, 0o1644, 0o600] {
            fs::write(&file, "port = 80\n").expect("written");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("set");
            edit(&file, args, BLOCKS).succeeded();
            assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o7777, mode, "{mode:o} {args:?}");
        }
    }
}

/// These need a file system with attributes.
#[cfg(target_os = "linux")]
#[test]
fn attributes_and_access_control_lists_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::fs::{XattrFlags, getxattr, setxattr};

    const ACL: &str = "system.posix_acl_access";
    // The permissions of the owner, user 12345, the group, the mask and others.
    let entries = [(1, 6, u32::MAX), (2, 4, 12_345), (4, 4, u32::MAX), (0x10, 4, u32::MAX), (0x20, 0, u32::MAX)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend([u16::to_le_bytes(tag), u16::to_le_bytes(permissions)].concat());
        list.extend(id.to_le_bytes());
    }

    let folder = tempfile::tempdir().expect("a folder");
    let (file, plain) = (folder.path().join("a"), folder.path().join("plain"));
    let attribute = |path: &Path, name: &str| {
        let mut value = Vec::with_capacity(256);
        getxattr(path, name, rustix::buffer::spare_capacity(&mut value)).ok().map(|_| value)
    };
    for path in [&file, &plain] {
        fs::write(path, "port = 80\n").expect("written");
    }
    if setxattr(&file, "user.note", b"mine", XattrFlags::empty()).is_err()
        || setxattr(&file, ACL, &list, XattrFlags::empty()).is_err()
    {
        return;
    }
    // The folder's default differs from the files' own lists.
    setxattr(folder.path(), "system.posix_acl_default", &list, XattrFlags::empty()).expect("set");
    for args in [&[][..], &["--in-place"]] {
        for path in [&file, &plain] {
            fs::write(path, "port = 80\n").expect("written");
            edit(path, args, BLOCKS).succeeded();
            assert_eq!(fs::read_to_string(path).expect("there"), "port = 8080\n");
        }
        assert_eq!(attribute(&file, "user.note").as_deref(), Some(&b"mine"[..]));
        assert_eq!(attribute(&file, ACL).as_deref(), Some(&*list));
        assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(attribute(&plain, ACL), None);
    }
}

/// These need a user who may become another.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_no_matter_in_place() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a");
    fs::write(&file, "port = 80\n").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("set");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("set");
    let as_other = |args: &[&str]| {
        let mut command = tagwire([&["edit", file.to_str().expect("a plain path")], args].concat());
        command.uid(12_347).gid(12_347).spawn().map(|child| finish(child, BLOCKS.as_bytes()))
    };
    let Ok(run) = as_other(&[]) else { return };
    run.refused(&["cannot write ", "Permission denied", "nothing was changed", "--in-place"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 80\n");
    as_other(&["--in-place"]).expect("it starts").succeeded();
    assert_eq!(fs::read_to_string(&file).expect("there"), "port = 8080\n");
}
