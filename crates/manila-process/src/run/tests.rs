use std::time::Duration;

use super::{End, Program, ProgramRun, Stream, run};
use crate::command::Command;

/// A keeper needs the executable of Manila, which a unit test is not. The integration tests cover
/// runs with a keeper; this test covers a program that cannot be started.
#[tokio::test]
async fn reports_a_missing_working_directory() {
    let mut command = Command::new("true".into(), Vec::new());
    command.folder = Some("/no/such/folder".into());
    let mut program = Program::new(command);
    program.timeout = Duration::from_secs(10);
    let ProgramRun { command, end, stdout, .. } =
        run(&program, &|_: Stream, _: &[u8]| (), std::future::pending()).await;
    assert_eq!(command, "true");
    assert!(matches!(&end, End::NotStarted(reason) if reason.contains("No such file")), "{end:?}");
    assert_eq!(stdout.text, "");
}
