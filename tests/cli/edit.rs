//! `edit`: the blocks are applied whole or not at all, and the file is never half written.

use std::fs;
use std::path::Path;

use crate::support::{Run, run};

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

fn edit(file: &Path, args: &[&str], blocks: &str) -> Run {
    run(&[&["edit", file.to_str().expect("a plain path")], args].concat(), blocks)
}
