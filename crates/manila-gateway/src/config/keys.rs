//! Every key of the configuration, from which its page follows.

/// The keys of the configuration, each with what it does.
pub const KEYS: [(&str, &str); 49] = [
    (
        "contract",
        "the contract of all answers, unless a server, a tool or a request has another; `none` \
         passes them on as they come",
    ),
    (
        "speaks",
        "the contract in which the server answers already, where its answers do not show it: \
         `machine-readable-v1` has no mark",
    ),
    (
        "placement",
        "where the envelope goes in a result: `structured` (as `structuredContent`, and as the first \
         text block), or `text` (as the first text block only)",
    ),
    ("timeout", "how long a call may take without a sign of life, e.g. `\"30s\"`; 60s by default"),
    (
        "output_check",
        "what becomes of an answer that does not fit its tool's own `outputSchema`: `warn` passes it \
         on with the warning `OUTPUT_SCHEMA_MISMATCH`, which is what happens otherwise; `strict` makes \
         it a failure, `INVALID_TOOL_OUTPUT`, without the answer; `off` checks nothing, and advertises \
         the envelope's schema without the tool's own",
    ),
    ("listen.http", "the address at which clients come over HTTP, e.g. `\"127.0.0.1:7300\"`"),
    ("listen.stdio", "`true` serves one client over standard input and output"),
    (
        "limits.message_bytes_max",
        "the largest message that is read, from either side, e.g. `\"64MiB\"`; a larger answer is \
         `TOO_LARGE`",
    ),
    ("limits.in_flight_max", "how many requests may be open"),
    ("limits.in_flight_bytes_max", "how many bytes they may have together"),
    ("limits.queue_bytes_max", "how much may wait in each queue"),
    ("limits.connections_max", "how many connections may be open"),
    ("limits.sessions_max", "how many sessions of the legacy era may be open"),
    ("limits.session_idle", "how long a session may be silent before it is forgotten"),
    ("limits.head_timeout", "how long the head of a request may take"),
    ("limits.body_timeout", "how long the body of a request may take"),
    ("limits.grace", "how long open calls have to end when Manila stops"),
    (
        "upstream.NAME",
        "a table for each server. With several of them, the names of its tools and prompts begin \
         with `NAME_`; a name has letters, digits and `-`",
    ),
    ("upstream.NAME.command", "the server's program and its arguments; no shell is involved"),
    (
        "upstream.NAME.env",
        "variables for the program, beside the few that every program needs (`PATH`, `HOME`, the \
         language, folders for temporary files); `${VAR}` stands for a variable of Manila's own",
    ),
    ("upstream.NAME.pass_env", "names of variables that are handed on to the program as they are"),
    ("upstream.NAME.cwd", "the folder in which the program runs"),
    ("upstream.NAME.url", "the URL of a server that runs already, instead of a command"),
    ("upstream.NAME.headers", "headers for it, such as credentials; `${VAR}` as above"),
    (
        "upstream.NAME.start",
        "`lazy` starts the program when it is needed for the first time, `eager` at once, which is \
         what happens otherwise",
    ),
    ("upstream.NAME.start_timeout", "how long it may take to answer the greeting"),
    ("upstream.NAME.contract", "the contract of this server's answers"),
    ("upstream.NAME.speaks", "the contract in which it answers already"),
    ("upstream.NAME.timeout", "how long a call of its tools may take"),
    (
        "upstream.NAME.output_check",
        "what becomes of answers that do not fit the `outputSchema` of its tools",
    ),
    (
        "upstream.NAME.allow",
        "the tools that are offered, by their own names; `*` stands for any letters. Without it, \
         all are",
    ),
    ("upstream.NAME.deny", "the tools that are not offered, whatever `allow` says"),
    ("tool.NAME", "a table for the tool of this name, as clients know it"),
    ("tool.NAME.contract", "the contract of its answers"),
    ("tool.NAME.placement", "where the envelope goes in its results"),
    ("tool.NAME.timeout", "how long a call of it may take"),
    ("tool.NAME.output_check", "what becomes of answers that do not fit its `outputSchema`"),
    ("tool.NAME.redact", "`false` leaves this tool's answers as they are; the log tells each time"),
    ("redact.off", "names of rules that are not used, as `manila redact --rules` lists them"),
    (
        "redact.extra",
        "rules of your own: tables with `name` and `pattern`, a regular expression that sees one \
         line at a time; group 1, if it has one, is the secret",
    ),
    ("redact.extra.name", "the rule's name, in receipts and reports"),
    ("redact.extra.pattern", "what it finds"),
    ("redact.allow", "values that are left alone, exactly as they stand here"),
    ("redact.allow_patterns", "values that are left alone if one of these expressions matches"),
    (
        "redact.unsafe_output",
        "whether a caller may ask for one answer with its secrets, by `unsafeOutput`; `false` \
         unless you say otherwise",
    ),
    (
        "redact.passthrough",
        "`verbatim` leaves secrets in answers that already are envelopes of the caller's \
         contract; `redacted` unless you say otherwise",
    ),
    ("journal.folder", "where the journal is written; `runs` below `MANILA_HOME` by default"),
    ("journal.file_bytes_max", "how large a file of the journal may become"),
    ("journal.files_max", "how many files of it are kept; 0 keeps no journal"),
];
