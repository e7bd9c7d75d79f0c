//! `tagwire batch`: input and output.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
#[cfg(unix)]
use std::{path::Path, process::Command};

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::support::in_shell;
use crate::support::{at_span, cases, expected, finish, shape, tagwire, words};

/// The vectors as input.
fn input() -> String {
    let lines = cases().into_iter().map(|case| {
        let [id, role, mode, text] = ["id", "role", "mode", "text"].map(|key| &case[key]);
        format!("{}\n", json!({"id": id, "role": role, "mode": mode, "text": text}))
    });
    lines.collect()
}

fn line(text: &str) -> String {
    json!({"role": "developer", "mode": "work", "text": text}).to_string()
}

#[test]
fn every_vector_as_the_seed_has_it() {
    let run = words("batch", input()).succeeded();
    let cases = cases();
    assert_eq!(run.lines().len(), cases.len());
    for (case, reply) in cases.iter().zip(run.lines()) {
        let text = case["text"].as_str().expect("a string");
        let tags = reply["tags"].as_array().expect("an array");
        assert_eq!(reply["id"], case["id"]);
        assert!(tags.iter().all(|tag| at_span(text, tag) == tag["raw"]), "{}", case["id"]);
        assert_eq!(shape(tags, &reply["errors"], &reply["prose"]), expected(case), "{}", case["id"]);
    }
}

#[test]
fn any_number_of_threads_writes_the_same() {
    // Many chunks, of which some take longer, and faults.
    let mut input = input().repeat(4);
    input.push_str("\nnothing\n");
    input.push_str(&line(&"[[NOTE]]".repeat(200_000)));
    input.push('\n');
    input.push_str(&self::input());
    let one = words("batch --threads 1", &input);
    assert_eq!(one.code, Some(1));
    assert_eq!(one.out.lines().count(), input.lines().count());
    for threads in ["2", "3", "9"] {
        let run = words(&format!("batch --threads {threads}"), &input);
        assert!(run.out == one.out, "{threads}");
        assert_eq!(run.err, one.err);
    }
    assert_eq!(
        words("batch", &input).err,
        "tagwire: 2 of 8278 lines could not be read; the first is line 6621: line is blank\n"
    );
}

#[test]
fn a_reply_is_what_parse_prints() {
    let text = "Hi [[RUN cmd='é'/]]\n[[NOTE]]";
    let parsed = words("parse --role developer --mode work", text).succeeded().out;
    assert_eq!(words("batch", line(text)).succeeded().out, parsed);
}

#[test]
fn ids_are_as_they_were_written() {
    let ids = [
        "7",
        "-0",
        "1E+5",
        "1.10",
        "123456789012345678901234567890.5e-400",
        "\"a\\u0062\\/\"",
        "\"é\"",
        "null",
        "true",
        "[1, {\"a\" : 2}]",
        "{}",
        "\"\\ud83d\\ude00\"",
        "\"\\\\ud83d\"",
    ];
    for id in ids {
        let run =
            words("batch", format!(r#"{{"text": "", "mode": "work", "id": {id}, "role": "tester"}}"#)).succeeded();
        assert_eq!(run.out, format!("{{\"id\":{id},\"tags\":[],\"errors\":[],\"diagnostics\":[],\"prose\":\"\"}}\n"));
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let run = words("batch", format!(r#"{{"id": {deep}, "mode": "work", "text": "", "role": "tester"}}"#)).succeeded();
    assert!(run.out.starts_with(&format!("{{\"id\":{deep},")));
}

#[test]
fn the_last_of_equal_keys_counts() {
    let input =
        r#"{"id":1,"text":5,"role":"tester","te\u0078t":"[[RUN/]]","role":"developer","mode":[],"mode":"work","id":2}"#;
    let reply = words("batch", input).succeeded().lines().remove(0);
    assert_eq!((&reply["id"], &reply["tags"][0]["name"]), (&json!(2), &json!("RUN")));
    words("batch", format!("{input}\n")).succeeded();
}

#[test]
fn ends_of_lines_and_byte_order_marks_are_accepted() {
    let reply = line("[[RUN/]]");
    let expected = words("batch", &reply).succeeded().out;
    for input in [
        format!("{reply}\n"),
        format!("{reply}\r\n"),
        format!("\u{feff}{reply}\n"),
        format!("\u{feff} {reply} \r\n"),
        format!("{}\n", reply.replace(',', "\t,\r ")),
    ] {
        assert_eq!(words("batch", &input).succeeded().out, expected, "{input:?}");
    }
    let two = format!("{expected}{expected}");
    assert_eq!(words("batch", format!("\u{feff}{reply}\r\n{reply}")).succeeded().out, two);
    for nothing in ["", "\u{feff}"] {
        assert_eq!(words("batch", nothing).succeeded().out, "");
    }
}

#[test]
fn other_keys_and_defaults() {
    let input = r#"{"a": "[[RUN/]]", "b": "developer", "c": "work", "text": 1, "role": 2, "mode": 3}"#;
    let reply = words("batch --text-key a --role-key b --mode-key c", input).succeeded().lines().remove(0);
    assert_eq!(reply["tags"][0]["name"], "RUN");
    let input = "{\"text\": \"[[RUN/]]\"}\n{\"text\": \"[[RUN/]]\", \"role\": \"manager\"}";
    let replies = words("batch --role developer --mode work", input).succeeded().lines();
    assert_eq!(replies[0]["tags"][0]["name"], "RUN");
    assert_eq!(replies[1]["errors"][0], "ERROR: tag [[RUN]] is not allowed for role=manager mode=work");
    words("batch --text-key id", "").refused(&["id", "--text-key"]);
    words("batch --text-key role", "").refused(&["role", "--role-key"]);
    words("batch --role boss", "").refused(&["boss", "manager"]);
    words("batch --threads 0", "").refused(&["--threads"]);
}

#[test]
fn a_limit_is_kept() {
    let reply =
        words("batch --max-tag-bytes 20", line("[[WRITE_FILE]]1234567[[/WRITE_FILE]]")).succeeded().lines().remove(0);
    assert_eq!(reply["diagnostics"][0]["code"], "too-long");
}

#[test]
fn a_line_of_64_mib_is_read_and_no_longer_one() {
    let text = "x".repeat((64 << 20) - line("").len());
    let longest = line(&text);
    assert_eq!(longest.len(), 64 << 20);
    let input = format!("{}\n{longest}\r\n{longest} \n{}\n{longest}", line("a"), line("b"));
    for threads in ["1", "2"] {
        let run = words(&format!("batch --threads {threads}"), &input);
        assert_eq!(
            run.err,
            "tagwire: 1 of 5 lines could not be read; the first is line 3: line is longer than 67108864 bytes; \
             --max-line-bytes sets the limit\n"
        );
        let lines = run.out.lines().collect::<Vec<_>>();
        let fault = json!({"line": 3, "fault": "line is longer than 67108864 bytes; --max-line-bytes sets the limit"});
        assert_eq!(serde_json::from_str::<Value>(lines[2]).expect("JSON"), fault);
        let proses = [0, 1, 3, 4].map(|i| lines[i].rsplit('"').nth(1).expect("prose").len());
        assert_eq!((lines.len(), proses), (5, [1, text.len(), 1, text.len()]));
    }
}

#[test]
fn the_longest_line_is_as_asked_for() {
    let (short, max) = (line("ab"), line("ab").len());
    let long = line("abc");
    // Also longer than one read.
    let huge = line(&"x".repeat(3 << 20));
    for end in ["\n", "\r\n"] {
        let lines = [&short, &long, &short, &huge, &huge, &short, &long];
        let input = "\u{feff}".to_owned() + &lines.map(|line| format!("{line}{end}")).concat();
        for input in [&*input, input.trim_end(), &format!("{input}{huge}")] {
            for threads in ["1", "2", "3"] {
                let run = words(&format!("batch --max-line-bytes {max} --threads {threads}"), input);
                let mut expected = vec![None, Some(2), None, Some(4), Some(5), None, Some(7)];
                if input.len() > 7 << 20 {
                    expected.push(Some(8));
                }
                let faults = run.lines().iter().map(|line| line["line"].as_u64()).collect::<Vec<_>>();
                assert_eq!(faults, expected, "{end:?} {threads}");
                assert!(run.out.contains(&format!("line is longer than {max} bytes")));
                assert_eq!(run.code, Some(1));
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["a", "b"].map(|name| folder.path().join(name));
    files.iter().for_each(|file| fs::write(file, format!("{huge}\n{short}")).expect("written"));
    let run = words(&format!("batch --max-line-bytes {max} {} {}", files[0].display(), files[1].display()), "");
    let places = run.lines().iter().map(|line| (line["line"].as_u64(), line["file"].is_string())).collect::<Vec<_>>();
    assert_eq!(places, [(Some(1), true), (None, false), (Some(1), true), (None, false)]);
}

/// One of them is parsed at a time.
#[test]
fn large_lines_stay_in_order_among_others() {
    let large = format!("{}\n", line(&("x".repeat(5 << 20) + "[[NOTE]]")));
    let input =
        format!("{0}{large}{0}{large}{large}{0}{large}{large}{large}{0}", format!("{}\n", line("a")).repeat(300));
    let one = words("batch --threads 1", &input).succeeded();
    assert_eq!(one.out.lines().count(), input.lines().count());
    for threads in ["2", "5"] {
        assert!(words(&format!("batch --threads {threads}"), &input).succeeded().out == one.out, "{threads}");
    }
}

/// The output for such a line is 13 to 40 times as long and would not fit.
#[cfg(target_os = "linux")]
#[test]
fn a_hostile_line_takes_a_small_multiple_of_its_memory() {
    let token = ["[[NOTE]]", "[[A]]", "[[/A]]", "[[WRITE_FILE]]", "[[HIRE x]]", "[[RUN y]]"];
    for (number, token) in token.iter().enumerate() {
        let text = token.repeat((4 << 20) / token.len());
        let input = format!("{}\n{}\n", line(&text), line("after"));
        let threads = number % 2 + 1;
        let command = in_shell("ulimit -v 250000", &format!("batch --threads {threads} | wc -c")).spawn();
        let run = finish(command.expect("it starts"), input.as_bytes());
        let bytes = run.out.trim().parse::<usize>().expect("a number");
        assert!(run.err.is_empty() && bytes > 10 * text.len(), "{token} {threads}: {run:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_memory_for_a_line_it_says_so() {
    let input = format!("{}\n{}\n", line("first"), line(&"\n".repeat(60 << 20)));
    for limit in ["100000", "200000", "300000"] {
        let words = "batch --threads 1 --max-line-bytes 1000000000";
        let run = finish(in_shell(&format!("ulimit -v {limit}"), words).spawn().expect("it starts"), input.as_bytes());
        run.refused(&["tagwire: out of memory at ", "line 2", "--max-line-bytes"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn with_fewer_threads_than_asked_for_it_says_so() {
    let input = format!("{}\n", line("one")).repeat(10_000);
    let run = finish(in_shell("ulimit -v 300000", "batch --threads 900").spawn().expect("it starts"), input.as_bytes());
    assert_eq!((run.code, run.out.lines().count()), (Some(0), 10_000), "{}", run.err);
    assert!(
        run.err.starts_with("tagwire: only ") && run.err.contains(" of 900 threads could be started: "),
        "{}",
        run.err
    );
    assert_eq!(run.err.lines().count(), 1);
}

/// A truncated body that contains a tag.
const CUT_OFF: &str = "[[WRITE_FILE path=\"notes.md\"]]Never run this:\n[[RUN cmd=\"rm -rf /\"/]]";

/// The names of the tags of the truncated reply, in a line with these additional fields.
#[track_caller]
fn names(args: &str, fields: &str) -> Vec<Value> {
    let text = serde_json::to_string(CUT_OFF).expect("it is text");
    let input = format!(r#"{{"role": "developer", "mode": "work", "text": {text}{fields}}}"#);
    let reply = words(args, input).succeeded().lines().remove(0);
    reply["tags"].as_array().expect("an array").iter().map(|tag| tag["name"].clone()).collect()
}

#[test]
fn a_line_says_how_its_reply_ended() {
    assert_eq!(names("batch", ""), ["RUN"]);
    assert_eq!(names("batch", r#", "finish": "complete""#), ["RUN"]);
    assert_eq!(names("batch", r#", "finish": "truncated""#), [""; 0]);
    assert_eq!(names("batch", r#", "fin\u0069sh": "trunc\u0061ted""#), [""; 0]);
    assert_eq!(names("batch", r#", "finish": "truncated", "finish": "complete""#), ["RUN"]);
    // An unknown value is treated as absent.
    for fields in ["", r#", "finish": null"#] {
        assert_eq!(names("batch --finish complete", fields), ["RUN"]);
        assert_eq!(names("batch --finish truncated", fields), [""; 0]);
    }
    assert_eq!(names("batch --finish truncated", r#", "finish": "complete""#), ["RUN"]);
    assert_eq!(names("batch --finish complete", r#", "finish": "truncated""#), [""; 0]);
    words("batch --finish cut", "").refused(&["cut", "complete", "truncated"]);
}

#[test]
fn another_key_has_a_providers_own_reasons() {
    for (reason, is_complete) in [
        ("stop", true),
        ("end_turn", true),
        ("tool_use", true),
        ("STOP", true),
        ("complete", true),
        ("length", false),
        ("max_tokens", false),
        ("MAX_TOKENS", false),
        ("content_filter", false),
        ("truncated", false),
    ] {
        let expected = if is_complete { &["RUN"][..] } else { &[] };
        for key in ["finish_reason", "stop_reason", "finish"] {
            let found = names(&format!("batch --finish-key {key}"), &format!(r#", "{key}": "{reason}""#));
            assert_eq!(found, expected, "{key} {reason}");
        }
    }
    let args = "batch --finish-key stop_reason --finish truncated";
    assert_eq!(names(args, r#", "stop_reason": null"#), [""; 0]);
    assert_eq!(names(args, r#", "finish": "complete""#), [""; 0], "another key is read instead");
    words("batch --finish-key text", "").refused(&["text", "--finish-key"]);
    words("batch --finish-key id", "").refused(&["id", "--finish-key"]);
}

/// Longer replies are read again for each list.
#[test]
fn a_long_reply_is_what_a_short_one_is() {
    let text = format!("{CUT_OFF} [[NOTE]] [[HIRE]]\n [[ASSIGN employee='x']] é [[RUN a b]] ");
    let long = format!("\u{1c} \n{}[[/x]]\n", text.repeat((300 << 10) / text.len() + 1));
    for finish in ["complete", "truncated"] {
        let input = json!({"id": 1, "role": "developer", "mode": "work", "text": long, "finish": finish}).to_string();
        let written = words("batch", input).succeeded().out;
        let finish = if finish == "complete" { tagwire::Finish::Complete } else { tagwire::Finish::Truncated };
        let policy = tagwire::workforce::PROTOCOL.policy("developer", "work").expect("it is known");
        let reply = policy.parse_with(&long, finish);
        let reply = serde_json::to_value(&reply).expect("it is written");
        let mut read = serde_json::from_str::<Value>(&written).expect("JSON");
        for tag in read["tags"].as_array_mut().expect("an array") {
            tag.as_object_mut().expect("an object").remove("view");
        }
        assert_eq!(read.as_object_mut().expect("an object").remove("id"), Some(json!(1)));
        assert!(read == reply, "{finish:?}");
    }
}

#[test]
fn a_slow_pipe_is_answered_line_by_line() {
    for threads in ["1", "2"] {
        let mut child = tagwire(["batch", "--threads", threads]).spawn().expect("it starts");
        let mut input = child.stdin.take().expect("it is piped");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        for word in ["one", "two", "three"] {
            let line = line(word) + "\n";
            let (start, end) = line.split_at(10);
            input.write_all(start.as_bytes()).expect("it reads");
            input.write_all(end.as_bytes()).expect("it reads");
            let mut answer = String::new();
            output.read_line(&mut answer).expect("it writes");
            assert!(answer.contains(word), "{answer}");
        }
        drop(input);
        assert_eq!(output.read_to_string(&mut String::new()).expect("it ends"), 0);
        finish(child, b"").succeeded();
    }
}

#[test]
fn a_closed_pipe_is_the_end() {
    for threads in ["1", "2"] {
        let mut child = tagwire(["batch", "--threads", threads]).spawn().expect("it starts");
        let mut input = child.stdin.take().expect("it is piped");
        drop(child.stdout.take());
        let line = line(&"x".repeat(1_000)) + "\n";
        while input.write_all(line.as_bytes()).is_ok() {}
        // While its input is still open.
        let run = finish(child, b"");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    }
}

#[test]
fn files_in_and_a_file_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("it is text").to_owned();
    let [a, b, out] = ["a", "b", "out"].map(path);
    fs::write(&a, format!("\u{feff}{}", line("one"))).expect("it is written");
    fs::write(&b, format!("\u{feff}{}\n", line("two"))).expect("it is written");
    let prose = |out: &str| {
        let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).expect(line)["prose"].clone());
        lines.collect::<Vec<_>>()
    };
    let run = words(&format!("batch {a} - {b}"), line("in between")).succeeded();
    assert_eq!(prose(&run.out), ["one", "in between", "two"]);

    assert_eq!(words(&format!("batch {a} {b} -o {out}"), "").succeeded().out, "");
    assert_eq!(prose(&fs::read_to_string(&out).expect("it is there")), ["one", "two"]);
    // The output may also be the input.
    words(&format!("batch {a} -o {a}"), "").succeeded();
    assert_eq!(prose(&fs::read_to_string(&a).expect("it is there")), ["one"]);
    // A failure changes no file.
    words(&format!("batch {b} no/such/file -o {out}"), "").refused(&["no/such/file"]);
    assert_eq!(prose(&fs::read_to_string(&out).expect("it is there")), ["one", "two"]);
    words(&format!("batch {b} -o {out}/x"), "").refused(&["tagwire: cannot write to "]);
    let mut names =
        fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").file_name()).collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["a", "b", "out"], "nothing is left over");
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_half_of_a_file() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for threads in ["1", "2"] {
            let folder = tempfile::tempdir().expect("a folder");
            let out = folder.path().join("out");
            fs::write(&out, "before").expect("it is written");
            let args = ["batch", "--threads", threads, "-o", out.to_str().expect("it is text")];
            let mut child = tagwire(args).spawn().expect("it starts");
            let mut input = child.stdin.take().expect("it is piped");
            input.write_all((line("one") + "\n").as_bytes()).expect("it reads");
            while fs::read_dir(&folder).expect("a folder").count() < 2 {
                std::thread::yield_now();
            }
            crate::support::signal(&child, signal);
            let run = finish(child, b"");
            assert_eq!((run.code, run.err.as_str()), (Some(code), ""), "{signal}");
            assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1, "{signal}");
            assert_eq!(fs::read_to_string(&out).expect("it is there"), "before");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn under_nohup_it_goes_on_after_a_hangup() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let words = format!("batch -o {}", out.display());
    let child = in_shell("trap '' HUP", &words).spawn().expect("it starts");
    while fs::read_dir(&folder).expect("a folder").count() < 1 {
        std::thread::yield_now();
    }
    crate::support::signal(&child, "HUP");
    finish(child, line("one").as_bytes()).succeeded();
    assert!(fs::read_to_string(&out).expect("it is there").contains("one"));
}

/// Makes a named pipe.
#[cfg(unix)]
#[track_caller]
pub(crate) fn make_pipe(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status();
    assert!(status.expect("mkfifo runs").success());
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("in")).expect("made");
    let path = |name: &str| folder.path().join(name);
    // Each links to the next, and the last to no file yet.
    symlink("in/link", path("link")).expect("linked");
    symlink("../out", path("in/link")).expect("linked");
    for text in ["one", "two"] {
        words(&format!("batch -o {}", path("link").display()), line(text)).succeeded();
        assert!(fs::read_to_string(path("out")).expect("it is there").contains(text));
        assert!(["link", "in/link"].iter().all(|link| fs::symlink_metadata(path(link)).expect("there").is_symlink()));
    }
    symlink("nowhere/out", path("astray")).expect("linked");
    symlink("ring", path("ring")).expect("linked");
    for link in ["astray", "ring"] {
        words(&format!("batch -o {}", path(link).display()), line("one")).refused(&["cannot write to ", link]);
        assert!(fs::symlink_metadata(path(link)).expect("there").is_symlink());
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 5, "nothing is left over");
}

#[test]
fn a_read_only_file_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    fs::write(&out, "before").expect("it is written");
    let mut permissions = fs::metadata(&out).expect("there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&out, permissions).expect("set");
    words(&format!("batch -o {}", out.display()), line("one")).refused(&["cannot write to ", "it is read-only"]);
    assert_eq!(fs::read_to_string(&out).expect("it is there"), "before");
}

#[cfg(unix)]
#[test]
fn a_file_stays_its_owners_with_its_permissions() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    fs::write(&out, "before").expect("it is written");
    fs::set_permissions(&out, fs::Permissions::from_mode(0o640)).expect("set");
    // If we may.
    let _ = chown(&out, Some(12_345), Some(12_346));
    let owner = || fs::metadata(&out).map(|file| (file.uid(), file.gid(), file.mode() & 0o777)).expect("there");
    let before = owner();
    words(&format!("batch -o {}", out.display()), line("one")).succeeded();
    assert_eq!(owner(), before);
    assert!(fs::read_to_string(&out).expect("it is there").contains("one"));
}

#[cfg(target_os = "linux")]
#[test]
fn one_signal_ends_the_wait_for_a_reader() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        make_pipe(&out);
        let child = tagwire(["batch", "-o", out.to_str().expect("it is text")]).spawn().expect("it starts");
        // It listens for Ctrl-C before it opens the pipe, in a thread of its own.
        let threads = format!("/proc/{}/task", child.id());
        while fs::read_dir(&threads).expect("it runs").count() < 2 {
            std::thread::yield_now();
        }
        crate::support::signal(&child, signal);
        let run = finish(child, b"");
        assert_eq!((run.code, run.err.as_str()), (Some(code), ""));
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_gets_its_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    make_pipe(&out);
    let read = std::thread::scope(|scope| {
        let reader = scope.spawn(|| fs::read_to_string(&out).expect("it is text"));
        words(&format!("batch -o {}", out.display()), line("one")).succeeded();
        reader.join().expect("no panic")
    });
    assert!(read.contains("one"), "{read}");
}
