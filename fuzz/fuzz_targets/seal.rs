//! Every valid observation results in an envelope that is valid JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::{Context, Contract, Observation, RawJson};

fuzz_target!(|bytes: &[u8]| {
    let Ok(observation) = Observation::from_json(bytes.to_vec()) else { return };
    for contract in Contract::ALL {
        let reply = observation.clone().seal(contract, &Context::new([7; 16]));
        let envelope = RawJson::parse(reply.envelope.as_str().to_owned());
        assert!(envelope.is_ok(), "{contract}: {}", reply.envelope);
    }
});
