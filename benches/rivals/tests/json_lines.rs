//! The rival of `tagwire batch` writes each line as it was, in order, at any number of threads.

use std::fs;
use std::process::Command;

#[test]
fn lines_are_written_as_they_were() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let (input, output) = (format!("{folder}/input"), format!("{folder}/output"));
    let lines = 0..5000;
    let inputs =
        lines.clone().map(|id| format!(r#"{{"id":{id},"role":"developer","mode":"work","text":"[[NOTE]] é\n{id}"}}"#));
    let outputs = lines.map(|id| {
        let tag = r#"{"name":"RUN","attrs":{"b":"1","a":"2"},"body":"","raw":"[[RUN b='1' a='2'/]]","span":[0,20],"view":null}"#;
        let diagnostic = r#"{"code":"stray-close","tag":null,"span":[0,8],"line":1,"column":1,"message":"ERROR"}"#;
        format!(r#"{{"id":{id},"tags":[{tag}],"errors":["ERROR"],"diagnostics":[{diagnostic}],"prose":"é\n{id}"}}"#)
    });
    let text = |lines: &mut dyn Iterator<Item = String>| lines.map(|line| line + "\n").collect::<String>();
    let (inputs, outputs) = (text(&mut inputs.into_iter()), text(&mut outputs.into_iter()));
    fs::write(&input, inputs).expect("a file");
    fs::write(&output, &outputs).expect("a file");
    for threads in ["1", "2", "5"] {
        let run = Command::new(env!("CARGO_BIN_EXE_json_lines")).args([&input, &output, threads]).output();
        let run = run.expect("it runs");
        assert!(run.status.success());
        assert!(run.stdout == outputs.as_bytes(), "{threads} threads");
    }
}
