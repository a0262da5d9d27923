//! A server in shell that responds to each method with given JSON, and records what it receives.

/// Writes every message that it receives to stderr.
const SERVER: &str = r#"
while read -r line; do
  echo "received: $line" >&2
  id=$(printf %s "$line" | sed -E 's/.*"id":([0-9]+).*/\1/')
  reply() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
  case "$line" in
    *'"server/discover"'*) reply 'DISCOVER' ;;
    *'"initialize"'*) reply 'INITIALIZE' ;;
    *'"tools/list"'*) reply 'LIST' ;;
    *'"tools/call"'*) reply 'RESULT' ;;
    *'"tasks/'*) reply 'TASK' ;;
  esac
done
"#;

const UNKNOWN: &str = r#""error":{"code":-32601,"message":"unknown"}"#;
/// The result of a handshake of the legacy era.
pub(crate) const INITIALIZE: &str = concat!(
    r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"#,
    r#""serverInfo":{"name":"s","version":"1"}}"#
);
const DISCOVER: &str = concat!(
    r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"#,
    r#""capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#
);

/// Returns the script of a server of the legacy era. `list` and `result` are the members `result`
/// or `error` of its responses to `tools/list` and `tools/call`.
pub(crate) fn legacy_script(list: &str, result: &str) -> String {
    let script = SERVER.replace("DISCOVER", UNKNOWN).replace("INITIALIZE", INITIALIZE);
    script.replace("LIST", list).replace("RESULT", result)
}

/// Returns a script whose server responds to every request about tasks with `task`.
pub(crate) fn with_task(script: &str, task: &str) -> String {
    script.replace("TASK", task)
}

/// Returns the script of a server of the modern era.
pub(crate) fn modern_script(list: &str, result: &str) -> String {
    let script = SERVER.replace("DISCOVER", DISCOVER).replace("INITIALIZE", UNKNOWN);
    script.replace("LIST", list).replace("RESULT", result)
}
