//! What a reload does not change.

use super::{Config, Journal, Limits, Listen};

/// The parts of a configuration that take effect when Manila starts, and not on a reload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    listen: Listen,
    limits: Limits,
    journal: Journal,
}

impl Config {
    /// Returns the parts that take effect when Manila starts.
    ///
    /// ```
    /// use manila_gateway::Config;
    ///
    /// let old = Config::from_toml("timeout = \"1s\"")?.fixed();
    /// let new = Config::from_toml("timeout = \"2s\"\n[listen]\nstdio = true")?.fixed();
    /// assert_eq!(old.changed_in(&new), ["[listen]"]);
    /// # Ok::<(), manila_files::ConfigError>(())
    /// ```
    #[must_use]
    pub fn fixed(&self) -> Fixed {
        // No `..`: each new part is either fixed or listed with those that a reload replaces.
        let Config { listen, limits, journal, hiding, contract, speaks, settings, members } = self;
        let _ = (hiding, contract, speaks, settings, members);
        Fixed { listen: listen.clone(), limits: limits.clone(), journal: journal.clone() }
    }
}

impl Fixed {
    /// Returns the tables in which `new` differs, as they are written in the file.
    #[must_use]
    pub fn changed_in(&self, new: &Fixed) -> Vec<&'static str> {
        let Fixed { listen, limits, journal } = self;
        let tables = [
            ("[listen]", *listen != new.listen),
            ("[limits]", *limits != new.limits),
            ("[journal]", *journal != new.journal),
        ];
        tables.into_iter().filter(|(_, is_changed)| *is_changed).map(|(name, _)| name).collect()
    }
}
