//! Every key of the configuration, from which its page and its schema follow.

use manila_files::{Key, Kind, key};

use super::redact::PassthroughWord;
use super::tables::{OutputCheckWord, PlacementWord, StartWord};

/// The keys of the configuration, each with what it does.
pub const KEYS: [Key; 61] = [
    key(
        "contract",
        Kind::Shape,
        "the contract of all answers, unless a server, a tool or a request has another; `none` \
         passes them on as they come",
    ),
    key(
        "speaks",
        Kind::Contract,
        "the contract in which the server answers already, where its answers do not show it: \
         `machine-readable-v1` has no mark",
    ),
    key(
        "placement",
        Kind::Words(PlacementWord::WORDS),
        "where the envelope goes in a result: `structured` (as `structuredContent`, and as the \
         first text block), or `text` (as the first text block only)",
    ),
    key(
        "timeout",
        Kind::Time,
        "how long a call may take without a sign of life, e.g. `\"30s\"`; 60s by default",
    ),
    key(
        "output_check",
        Kind::Words(OutputCheckWord::WORDS),
        "what becomes of an answer that does not fit its tool's own `outputSchema`: `warn` passes \
         it on with the warning `OUTPUT_SCHEMA_MISMATCH`, which is what happens otherwise; \
         `strict` makes it a failure, `INVALID_TOOL_OUTPUT`, without the answer; `off` checks \
         nothing, and advertises the envelope's schema without the tool's own",
    ),
    key(
        "listen.http",
        Kind::Address,
        "the address at which clients come over HTTP, e.g. `\"127.0.0.1:7300\"`",
    ),
    key("listen.stdio", Kind::Flag, "`true` serves one client over standard input and output"),
    key(
        "limits.message_bytes_max",
        Kind::Size,
        "the largest message that is read, from either side, e.g. `\"64MiB\"`; a larger answer is \
         `TOO_LARGE`",
    ),
    key("limits.in_flight_max", Kind::Several, "how many requests may be open"),
    key("limits.in_flight_bytes_max", Kind::Size, "how many bytes they may have together"),
    key("limits.queue_bytes_max", Kind::Size, "how much may wait in each queue"),
    key("limits.connections_max", Kind::Several, "how many connections may be open"),
    key("limits.sessions_max", Kind::Several, "how many sessions of the legacy era may be open"),
    key(
        "limits.session_idle",
        Kind::Time,
        "how long a session may be silent before it is forgotten",
    ),
    key("limits.head_timeout", Kind::Time, "how long the head of a request may take"),
    key("limits.body_timeout", Kind::Time, "how long the body of a request may take"),
    key("limits.grace", Kind::Time, "how long open calls have to end when Manila stops"),
    key(
        "upstream.NAME",
        Kind::Server,
        "a table for each server. With several of them, the names of its tools and prompts begin \
         with `NAME_`; a name has letters, digits and `-`",
    ),
    key(
        "upstream.NAME.command",
        Kind::Command,
        "the server's program and its arguments; no shell is involved",
    ),
    key(
        "upstream.NAME.env",
        Kind::NamedTexts,
        "variables for the program, beside the few that every program needs (`PATH`, `HOME`, the \
         language, folders for temporary files); `${VAR}` stands for a variable of Manila's own",
    ),
    key(
        "upstream.NAME.pass_env",
        Kind::Texts,
        "names of variables that are handed on to the program as they are",
    ),
    key("upstream.NAME.cwd", Kind::Text, "the folder in which the program runs"),
    key(
        "upstream.NAME.url",
        Kind::Url,
        "the URL of a server that runs already, instead of a command",
    ),
    key(
        "upstream.NAME.headers",
        Kind::NamedTexts,
        "headers for it, such as credentials; `${VAR}` as above",
    ),
    key(
        "upstream.NAME.start",
        Kind::Words(StartWord::WORDS),
        "`lazy` starts the program when it is needed for the first time, `eager` at once, which is \
         what happens otherwise",
    ),
    key("upstream.NAME.start_timeout", Kind::Time, "how long it may take to answer the greeting"),
    key("upstream.NAME.contract", Kind::Shape, "the contract of this server's answers"),
    key("upstream.NAME.speaks", Kind::Contract, "the contract in which it answers already"),
    key("upstream.NAME.timeout", Kind::Time, "how long a call of its tools may take"),
    key(
        "upstream.NAME.output_check",
        Kind::Words(OutputCheckWord::WORDS),
        "what becomes of answers that do not fit the `outputSchema` of its tools",
    ),
    key(
        "upstream.NAME.allow",
        Kind::Texts,
        "the tools that are offered, by their own names; `*` stands for any letters. Without it, \
         all are",
    ),
    key("upstream.NAME.deny", Kind::Texts, "the tools that are not offered, whatever `allow` says"),
    key(
        "pack.NAME",
        Kind::Pack,
        "a table for each pack: a program whose tools come from a declarative file, such as \
         `cargo` or `dotnet` (`manila pack list`). The names of its tools begin with `NAME_`",
    ),
    key(
        "pack.NAME.file",
        Kind::Text,
        "the file of a pack of your own, from the folder in which Manila runs; without it, `NAME` \
         is one that Manila brings along",
    ),
    key(
        "pack.NAME.roots",
        Kind::Texts,
        "the folders in which the program may work, and which paths that callers give may not \
         leave; it runs in the first of them. Without it, the folder in which Manila runs, from \
         which relative ones count",
    ),
    key(
        "pack.NAME.env",
        Kind::NamedTexts,
        "variables for the program, beside the few that every program needs and those that the \
         pack names; `${VAR}` as above",
    ),
    key(
        "pack.NAME.pass_env",
        Kind::Texts,
        "names of variables that are handed on to the program as they are; a `*` at the end stands \
         for any letters",
    ),
    key("pack.NAME.start", Kind::Words(StartWord::WORDS), "as for a server"),
    key("pack.NAME.contract", Kind::Shape, "the contract of the answers of its tools"),
    key(
        "pack.NAME.timeout",
        Kind::Time,
        "how long an action may take for which the pack says nothing; 10m by default",
    ),
    key(
        "pack.NAME.output_chars_max",
        Kind::Several,
        "how many characters are kept of each stream of the program; 1,000,000 by default. \
         Messages must have room for both: 2,796,202 at most, unless `limits.message_bytes_max` \
         says otherwise",
    ),
    key(
        "pack.NAME.programs_max",
        Kind::Several,
        "how many of its programs may run at once; further calls wait. 16 by default",
    ),
    key(
        "pack.NAME.allow",
        Kind::Texts,
        "the tools that are offered, by the names that the pack has for them, e.g. `project`",
    ),
    key("pack.NAME.deny", Kind::Texts, "the tools that are not offered, whatever `allow` says"),
    key("tool.NAME", Kind::Table, "a table for the tool of this name, as clients know it"),
    key("tool.NAME.contract", Kind::Shape, "the contract of its answers"),
    key(
        "tool.NAME.placement",
        Kind::Words(PlacementWord::WORDS),
        "where the envelope goes in its results",
    ),
    key("tool.NAME.timeout", Kind::Time, "how long a call of it may take"),
    key(
        "tool.NAME.output_check",
        Kind::Words(OutputCheckWord::WORDS),
        "what becomes of answers that do not fit its `outputSchema`",
    ),
    key(
        "tool.NAME.redact",
        Kind::Flag,
        "`false` leaves this tool's answers as they are; the log tells each time",
    ),
    key(
        "redact.off",
        Kind::Rules,
        "names of rules that are not used, as `manila redact --rules` lists them",
    ),
    key(
        "redact.extra",
        Kind::Tables,
        "rules of your own: tables with `name` and `pattern`, a regular expression that sees one \
         line at a time; group 1, if it has one, is the secret",
    ),
    key("redact.extra.name", Kind::RuleName, "the rule's name, in receipts and reports"),
    key("redact.extra.pattern", Kind::Text, "what it finds"),
    key("redact.allow", Kind::Texts, "values that are left alone, exactly as they stand here"),
    key(
        "redact.allow_patterns",
        Kind::Texts,
        "values that are left alone if one of these expressions matches",
    ),
    key(
        "redact.unsafe_output",
        Kind::Flag,
        "whether a caller may ask for one answer with its secrets, by `unsafeOutput`; `false` \
         unless you say otherwise",
    ),
    key(
        "redact.passthrough",
        Kind::Words(PassthroughWord::WORDS),
        "`verbatim` leaves secrets in answers that already are envelopes of the caller's \
         contract; `redacted` unless you say otherwise",
    ),
    key(
        "journal.folder",
        Kind::Text,
        "where the journal is written; `runs` below `MANILA_HOME` by default",
    ),
    key("journal.file_bytes_max", Kind::Size, "how large a file of the journal may become"),
    key("journal.files_max", Kind::Count, "how many files of it are kept; 0 keeps no journal"),
];
