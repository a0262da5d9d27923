//! Admission: who is calling, and may they call now?
//!
//! Every transport calls [`dispatch`](crate::gateway::dispatch), which admits, answers and records;
//! nothing else counts or limits requests.

pub(crate) mod in_flight;
