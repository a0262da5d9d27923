//! The pack `cargo` with the real program.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp::{Client, signal};
use crate::program::{Scratch, manila, start};
use crate::serve::wait_until_within;

/// A crate, and the configuration of a gateway that runs `cargo` in its folder.
struct Crate {
    scratch: Scratch,
    config: String,
}

impl Crate {
    fn new(test: &str, manifest: &str, sources: &[(&str, &str)]) -> Crate {
        let scratch = Scratch::new(test);
        let manifest = format!(
            "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
             [workspace]\n{manifest}"
        );
        let path = scratch.file("work/Cargo.toml", manifest);
        for (name, source) in sources {
            scratch.file(&format!("work/{name}"), source);
        }
        let work = path.trim_end_matches("/Cargo.toml").to_owned();
        let config = format!(
            "contract = \"machine-readable-v1\"\n[pack.cargo]\nroots = [\"{work}\"]\n\
             env = {{ CARGO_TARGET_DIR = \"{work}/target\", RUSTFLAGS = \"\" }}\n"
        );
        let config = scratch.file("manila.toml", config);
        Crate { scratch, config }
    }

    fn client(&self) -> Client {
        let mut client = Client::start_manila(&["serve", "--stdio", "--config", &self.config]);
        client.handshake("2025-11-25");
        client
    }

    /// Calls `cargo_project` and returns the envelope.
    fn call(&self, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        arguments["machineReadable"] = json!(true);
        arguments["offline"] = json!(true);
        let result = self.client().call("cargo_project", &arguments);
        serde_json::from_str(crate::test_pack::text(&result)).unwrap()
    }
}

#[test]
fn reports_each_compiler_error() {
    let main = "fn main() {\n    let x: u32 = \"hello\";\n    println!(\"{}\", y);\n}\n";
    let broken = Crate::new("cargo-broken", "", &[("src/main.rs", main)]);
    for format in [json!(null), json!("json"), json!("short")] {
        let found = broken.call(&json!({"action": "Check", "messageFormat": format}));
        let mut errors = found["errors"].as_array().unwrap().clone();
        // The compiler may report them in any order.
        errors.sort_by_key(|error| std::cmp::Reverse(error["code"].to_string()));
        let codes: Vec<&str> = errors.iter().map(|it| it["code"].as_str().unwrap()).collect();
        assert_eq!(codes, ["E0425", "E0308"], "{found}");
        if format.is_null() {
            let link = &errors[1]["documentationUrl"];
            assert_eq!(link, "https://doc.rust-lang.org/error_codes/E0308.html");
            assert_eq!(errors[1]["data"]["command"], "cargo check --offline");
        }
        assert_eq!(errors[1]["category"], "Compilation");
        let message = errors[1]["message"].as_str().unwrap();
        assert!(message.starts_with("mismatched types"), "{found}");
        let raw = errors[1]["rawOutput"].as_str().unwrap();
        assert!(raw.contains("expected `u32`, found `&str`"), "{found}");
        let place = &errors[1]["data"]["additionalData"];
        assert_eq!(*place, json!({"file": "src/main.rs", "line": "2", "column": "18"}), "{found}");
        assert_eq!(found["exitCode"], 101);
    }
}

#[test]
fn a_missing_dependency_is_a_package_error() {
    let manifest = "[dependencies]\nno-such-crate-of-manila = \"1\"\n";
    let lacking = Crate::new("cargo-lacking", manifest, &[("src/lib.rs", "")]);
    let found = lacking.call(&json!({"action": "Build"}));
    let error = &found["errors"][0];
    assert_eq!((&error["code"], &error["category"]), (&json!("CARGO_PACKAGE"), &json!("Package")));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("no matching package named `no-such-crate-of-manila`"), "{found}");
}

#[test]
fn reports_a_failing_test_with_its_location() {
    let lib = "#[test]\nfn passes() {}\n\n#[test]\nfn fails() {\n    assert_eq!(2 + 2, 5);\n}\n\n\
               #[test]\nfn returns() -> Result<(), String> {\n    Err(\"no\".into())\n}\n";
    let failing = Crate::new("cargo-failing", "", &[("src/lib.rs", lib)]);
    let found = failing.call(&json!({"action": "Test", "lib": true}));
    let mut errors = found["errors"].as_array().unwrap().clone();
    // Tests end in any order.
    errors.sort_by_key(|error| error["message"].to_string());
    let codes: Vec<&str> = errors.iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["RUST_TEST_FAILED", "RUST_TEST_FAILED"], "{found}");
    let message = "fails: assertion `left == right` failed\n  left: 4\n right: 5";
    assert_eq!(errors[0]["message"], message, "{found}");
    let place = &errors[0]["data"]["additionalData"];
    assert_eq!(*place, json!({"file": "src/lib.rs", "line": "6", "column": "5"}), "{found}");
    assert_eq!(errors[1]["message"], "returns: Error: \"no\"", "{found}");
    let found = failing.call(&json!({"action": "Test", "lib": true, "filter": "passes"}));
    assert_eq!(found["success"], true, "{found}");
}

#[test]
fn reports_each_failure_once_with_its_location() {
    let check = |name: &str, files: &[(&str, &str)], call: Value, code: &str, expected: &str| {
        let found = Crate::new(&format!("cargo-{name}"), "", files).call(&call);
        let errors = found["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{name}: {found}");
        assert_eq!(errors[0]["code"], code, "{name}: {found}");
        assert!(errors[0]["message"].as_str().unwrap().contains(expected), "{name}: {found}");
        errors[0]["data"]["additionalData"].clone()
    };
    let place = |line: &str, column: &str, file: &str| -> Value {
        json!({"file": file, "line": line, "column": column})
    };
    let lines = "compile_error!(\"first\\nsecond\");\n";
    let found =
        check("lines", &[("src/lib.rs", lines)], json!({"action": "Check"}), "RUSTC", "second");
    assert_eq!(found, place("1", "1", "src/lib.rs"));
    let syntax = "fn main() {\n    let x = ;\n}\n";
    let found = check(
        "syntax",
        &[("src/main.rs", syntax)],
        json!({"action": "Build"}),
        "RUSTC",
        "found `;`",
    );
    assert_eq!(found, place("2", "13", "src/main.rs"));
    let script = "fn main() { panic!(\"cannot find libfoo\"); }\n";
    let files = [("src/lib.rs", ""), ("build.rs", script)];
    check("script", &files, json!({"action": "Build"}), "CARGO_BUILD_SCRIPT", "cannot find libfoo");
    let panics = "fn main() { let none: Option<u8> = None; none.unwrap(); }\n";
    let found =
        check("panic", &[("src/main.rs", panics)], json!({"action": "Run"}), "RUST_PANIC", "None");
    assert_eq!(found["file"], "src/main.rs");
    // The warnings of a successful build are part of the output.
    let warned = Crate::new("cargo-warned", "", &[("src/main.rs", "fn main() { let x = 1; }\n")]);
    let found = warned.call(&json!({"action": "Build"}));
    assert!(found["output"].as_str().unwrap().contains("unused variable: `x`"), "{found}");
    // The pack does not search for a project above the allowed folder.
    warned.scratch.file("work/inner/keep", "");
    let inner = warned.config.replace("manila.toml", "work/inner");
    let outside = warned.scratch.file(
        "inner.toml",
        format!("[pack.cargo]\nroots = [\"{inner}\"]\n[journal]\nfiles_max = 0\n"),
    );
    let ran =
        manila(&["call", "cargo_project", "--arg", "action=Clean", "--config", &outside], b"");
    assert!(ran.stdout.contains("There is no `Cargo.toml`"), "{ran:?}");
    // A folder with the name of the project file does not count.
    warned.scratch.file("work/inner/x/Cargo.toml/Cargo.toml", "[package]\nname = \"x\"\n");
    let add = json!({"action": "Add", "crate": "x", "path": "x/Cargo.toml", "offline": true});
    let add = ["call", "cargo_package", "--args", &add.to_string(), "--config", &outside];
    let ran = manila(&add, b"");
    assert!(ran.stdout.contains("There is no `Cargo.toml`"), "{ran:?}");
}

#[test]
fn a_cancelled_build_reports_its_output() {
    let script = "fn main() {\n    std::fs::write(\"begun\", \"\").unwrap();\n    \
                  std::thread::sleep(std::time::Duration::from_secs(600));\n}\n";
    let slow = Crate::new("cargo-slow", "", &[("src/lib.rs", ""), ("build.rs", script)]);
    let child = start(&[
        "call",
        "cargo_project",
        "--arg",
        "action=Build",
        "--arg",
        "offline=true",
        "-c",
        "machine-readable-v1",
        "--config",
        &slow.config,
    ]);
    let begun = slow.config.replace("manila.toml", "work/begun");
    // A busy machine may need long to compile a build script.
    wait_until_within(Duration::from_secs(60), "the build script runs", || {
        std::path::Path::new(&begun).exists()
    });
    signal("INT", child.id());
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = &found["errors"][0];
    assert_eq!(error["code"], "OPERATION_CANCELLED", "{found}");
    assert!(error["rawOutput"].as_str().unwrap().contains("Compiling sample v0.1.0"), "{found}");
    drop(slow.scratch);
}
