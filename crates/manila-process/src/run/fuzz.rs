//! Capturing output without a program, for the fuzz targets. Only `cargo fuzz` compiles this.

use tokio::sync::SetOnce;

use super::capture::Capture;
use super::{Captured, End, Stream};

/// Captures this output as that of a program that exits, or that is stopped.
pub async fn capture(output: &[u8], chars_max: usize, is_stopped: bool) -> Captured {
    let source = Box::new(std::io::Cursor::new(output.to_vec()));
    let mut capture = Capture::new(Stream::Stdout, source, chars_max);
    capture.read(&|_, _: &[u8]| {}, &SetOnce::new()).await;
    capture.into_captured(&if is_stopped { End::Cancelled } else { End::Exited(0) })
}
