//! No pack file, arguments or program output cause a panic, and no argument becomes an option.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::{JsonObject, RawJson};
use manila_pack::{LoadedPack, Pack, Roots};

fuzz_target!(|text: &str| {
    let _ = Pack::from_toml(text);
    let cargo = LoadedPack::from_name("cargo").expect("the pack is built in").pack;
    let _ = cargo.diagnose_output(text, text);
    let roots = Roots::new([std::env::temp_dir()]).expect("the folder exists");
    let query = RawJson::of(text).expect("a text is JSON");
    let action = RawJson::of("Search").expect("a text is JSON");
    let arguments = JsonObject::from_members([("action", action), ("query", query)]);
    if let Ok(prepared) = cargo.prepare("package", &arguments, &roots) {
        assert_eq!(prepared.arguments, ["search", text]);
        assert!(!text.starts_with('-'));
    }
    if let Some(arguments) = RawJson::parse(text.to_owned()).ok().and_then(JsonObject::new) {
        let _ = cargo.prepare("project", &arguments, &roots);
    }
});
