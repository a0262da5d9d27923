//! One connection: a request, its answer, the next request.

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use super::Site;
use super::endpoint::{self, Held};
use super::reader::{More, Next, Reader};
use super::response::{Manner, Response, Turn};

/// How long nothing is waited for at a time; then a stream gets a sign of life.
const ROUND: Duration = Duration::from_secs(15);

/// How long a client may take to accept what is written.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves all requests of a connection. An error means that the client is gone.
pub(super) fn converse(stream: &TcpStream, site: &Arc<Site>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ROUND))?;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let mut reader = Reader::new(stream);
    loop {
        let turn = Arc::new(Turn::default());
        let answering = stream.try_clone()?;
        let response = |manner| Response::new(answering, Arc::clone(&turn), manner);
        let request = match reader.request()? {
            Next::Request(request) => request,
            Next::End => return Ok(()),
            Next::Refused(refused) => {
                response(Manner { closes: true, ..Manner::default() }).refuse(&refused)?;
                return drain(stream);
            }
        };
        let closes = request.wants_close();
        let manner = Manner { closes, is_noisy: site.is_noisy, session: None };
        let held = endpoint::serve(site, &request, response, manner)?;
        watch(&mut reader, &turn, &held)?;
        if closes {
            return drain(stream);
        }
    }
}

/// Waits for the end of an answer that takes its time, and notices a client that goes before it.
fn watch(reader: &mut Reader<'_>, turn: &Turn, held: &Held) -> io::Result<()> {
    while !turn.is_over() {
        if reader.is_ahead() {
            // The next request is there already, and has to wait.
            turn.wait();
            break;
        }
        match reader.more() {
            Ok(More::Bytes) => {}
            Ok(More::Nothing) => held.stay_alive()?,
            Ok(More::End) => {
                held.client_is_gone();
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Err(error) => {
                held.client_is_gone();
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Reads what the client still sends: a socket that is closed before that takes our last answer
/// away from it.
fn drain(mut stream: &TcpStream) -> io::Result<()> {
    const BYTES_MAX: u64 = 256 << 20;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut stream.by_ref().take(BYTES_MAX), &mut io::sink())?;
    Ok(())
}
