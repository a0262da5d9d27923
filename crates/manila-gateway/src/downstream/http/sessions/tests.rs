use super::*;
use crate::config::{Address, Server, Settings};
use crate::protocol::era::Era;

#[tokio::test]
async fn only_the_principal_that_opened_a_session_may_use_it() {
    // No server listens on the discard port.
    let server = Server::Remote(Address::new("http://127.0.0.1:9/mcp", &[]).unwrap());
    let gateway = Gateway::with_server(server, Settings::default(), Arc::new(|_| ()));
    let sessions = Sessions::new(1_000);
    let info = ClientInfo::of(Era::FALLBACK);
    let session = sessions.open(&gateway, info, Revision::LATEST, Principal::Local, 1).unwrap();
    assert!(sessions.get(&session.id, Principal::Local).is_some());
    assert!(sessions.get(&session.id, Principal::Unknown).is_none());
    assert!(sessions.get("another", Principal::Local).is_none());
}
