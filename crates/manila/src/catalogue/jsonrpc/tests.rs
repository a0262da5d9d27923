use super::Code;

/// The table of the specification: name, HTTP status, JSON-RPC code, message.
const TABLE: [(&str, u16, i32, &str); 4] = [
    ("INVALID_ENVELOPE", 400, -32600, "Invalid MCP envelope"),
    ("INVALID_TOOL_INPUT", 422, -32602, "Invalid tool input"),
    ("TOOL_NOT_FOUND", 404, -32001, "Unknown tool"),
    ("INTERNAL_ERROR", 500, -32603, "Internal error"),
];

#[test]
fn matches_the_four_codes_of_the_specification() {
    for (name, http_status, number, message) in TABLE {
        let code = Code::from_name(name).unwrap();
        assert_eq!(code.http_status(), http_status, "{name}");
        let expected = format!(r#"{{"code":{number},"message":"{message}"}}"#);
        assert_eq!(code.jsonrpc_error_plain().to_string(), expected);
        let number = if name == "TOOL_NOT_FOUND" { -32602 } else { number };
        let expected = format!(
            r#"{{"code":{number},"message":"{message}","data":{{"canonicalCode":"{name}"}}}}"#
        );
        assert_eq!(code.jsonrpc_error_mcp(None, &[]).to_string(), expected);
    }
}

#[test]
fn every_code_has_a_status_and_a_number_in_range() {
    for code in Code::ALL {
        assert!((400..600).contains(&code.http_status()), "{code}");
        let plain = code.jsonrpc_error_plain();
        assert_eq!(plain.members().count(), 2, "{code}");
        let number = |it: i32| (-32768..=-32000).contains(&it);
        assert!(number(code.entry().jsonrpc_plain), "{code}");
        // On MCP, Manila uses none of the numbers that servers may define.
        let is_standard = (-32700..=-32600).contains(&code.entry().jsonrpc_mcp);
        assert!(is_standard, "{code}");
        assert_eq!(Code::from_name(code.name()), Ok(*code));
    }
}

#[test]
fn an_unknown_name_is_an_error() {
    for name in ["", "UNKNOWN", "internal_error", "INTERNAL_ERROR ", "INTERNAL-ERROR"] {
        assert_eq!(Code::from_name(name).unwrap_err().0, name);
    }
}
