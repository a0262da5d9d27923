use std::time::Duration;

use super::{End, Program, Ran, Stream, run};
use crate::command::Command;

/// The keeper is this program run again, which a test is not; so what needs one is tried by the
/// integration tests. Here is what happens where nothing can be started.
#[tokio::test]
async fn a_folder_that_is_not_there_is_told() {
    let mut command = Command::new("true".into(), Vec::new());
    command.folder = Some("/no/such/folder".into());
    let mut program = Program::new(command);
    program.timeout = Duration::from_secs(10);
    let Ran { command, end, stdout, .. } =
        run(&program, &|_: Stream, _: &[u8]| (), std::future::pending()).await;
    assert_eq!(command, "true");
    assert!(matches!(&end, End::NotStarted(reason) if reason.contains("No such file")), "{end:?}");
    assert_eq!(stdout.text, "");
}
