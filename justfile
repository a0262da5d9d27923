# Everyday commands for https://github.com/casey/just. CONTRIBUTING.md has them without `just`.

# List the commands
default:
    @just --list --unsorted

# Run all tests, or those whose name contains FILTER
test FILTER="":
    cargo test --workspace {{ FILTER }}

# Run every check that a change must pass
ci:
    .ci/run

# Format the Rust code
fmt:
    cargo fmt --all

# Run clippy, with warnings as errors
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Build the API documentation, with warnings as errors
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Check the code with the oldest supported Rust
msrv:
    cargo +"$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)" check --workspace --all-targets --locked

# Check the spelling
spelling:
    typos

# Check licences, duplicates and sources of dependencies
deny:
    cargo deny --locked check licenses bans sources

# Measure one benchmark, e.g. `just bench seal` or `just bench seal records 1MB`
bench NAME *ARGS:
    cargo bench --bench {{ NAME }} -- {{ ARGS }}

# Rewrite recorded vectors and generated documents, then show what changed
update-vectors:
    UPDATE=1 cargo test --workspace
    git diff --stat

# Fuzz one target until it fails or is interrupted, e.g. `just fuzz redact`
[working-directory('fuzz')]
fuzz TARGET *ARGS:
    cargo +nightly fuzz run {{ TARGET }} {{ ARGS }}

# Run the MCP conformance suite against the gateway, as a server and as a client
conformance:
    cargo build
    tests/conformance/run
    tests/conformance/run --client

# Run published MCP clients and servers through the gateway
real-clients:
    cargo build
    tests/real-clients/run

# Attack running gateways, and print which attacks held
attack *ARGS:
    cargo build
    tests/attack/run {{ ARGS }}
