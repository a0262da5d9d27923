//! A program's output is captured within its limit, and a cut leaves no part of a secret.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila_process::run::fuzz::capture;
use manila_redact::{Redactor, apply};
use tokio::runtime;

/// A token, and the number of characters that any other text has in common with it at most.
const TOKEN: &str = "ghp_Zk3vQ8xLw2Rj7TbN5mYc1HsD9fGp4AqXe6Ku";
const COMMON_CHARS_MAX: usize = 8;

/// The input is a limit, options, the position of the token, and the output.
fuzz_target!(|input: (u16, u8, u16, &[u8])| {
    let (limit, options, at, written) = input;
    let chars_max = usize::from(limit % 2_048) + 1;
    let n_repetitions = 1 + usize::from(options >> 2);
    let mut output = written.repeat(n_repetitions);
    let has_token = options & 1 == 1 && !has_part(&output);
    if has_token {
        let at = usize::from(at).min(output.len());
        output.splice(at..at, format!(" {TOKEN} ").into_bytes());
    }
    let runtime = runtime::Builder::new_current_thread().build().expect("it needs no resources");
    let captured = runtime.block_on(capture(&output, chars_max, options & 2 == 2));
    assert_eq!(captured.n_bytes, output.len() as u64);
    let markers = captured.text.matches("[Output truncated]").count() * 20 + 64;
    assert!(captured.text.chars().count() <= chars_max + markers, "{captured:?}");
    if !has_token || written.contains(&b'\x1b') {
        return;
    }
    let text = captured.text.as_bytes();
    let redacted = apply(text, &Redactor::standard().text(text));
    assert!(!has_part(&redacted), "{captured:?}");
});

/// Returns whether the output has more of the token than any other text. Invisible characters do
/// not count, because a capture removes them.
fn has_part(output: &[u8]) -> bool {
    let output: Vec<u8> = output.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let parts = || TOKEN.as_bytes()[4..].windows(COMMON_CHARS_MAX);
    output.windows(COMMON_CHARS_MAX).any(|it| parts().any(|part| it == part))
}
