use super::*;
use crate::config::{Address, Server, Settings};
use crate::protocol::era::Era;

#[tokio::test]
async fn a_session_is_for_the_principal_that_opened_it() {
    // Nothing listens at the port for discarding.
    let server = Server::At(Address::new("http://127.0.0.1:9/mcp", &[]).unwrap());
    let gateway = Gateway::in_front_of(server, Settings::default(), Arc::new(|_| ()));
    let sessions = Sessions::default();
    let speech = Speech::of(Era::PLAINEST);
    let session = sessions.open(&gateway, speech, Revision::LATEST, Principal::Local, 1).unwrap();
    assert!(sessions.get(&session.id, Principal::Local).is_some());
    assert!(sessions.get(&session.id, Principal::Unknown).is_none());
    assert!(sessions.get("another", Principal::Local).is_none());
}
