//! The settings that a reload does not change.

use super::{Config, Journal, Limits, Listen};

/// The parts of a configuration that take effect when Manila starts, and not on a reload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartupSettings {
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
    /// let old = Config::from_toml("timeout = \"1s\"")?.startup_settings();
    /// let new = Config::from_toml("timeout = \"2s\"\n[listen]\nstdio = true")?.startup_settings();
    /// assert_eq!(old.changed_tables(&new), ["[listen]"]);
    /// # Ok::<(), manila_files::ConfigError>(())
    /// ```
    #[must_use]
    pub fn startup_settings(&self) -> StartupSettings {
        // No `..`: each new part is either a startup setting or listed with those that a reload
        // replaces.
        let Config { listen, limits, journal, redaction, contract, speaks, settings, servers } =
            self;
        let _ = (redaction, contract, speaks, settings, servers);
        StartupSettings { listen: listen.clone(), limits: limits.clone(), journal: journal.clone() }
    }
}

impl StartupSettings {
    /// Returns the tables in which `new` differs, as they are written in the file.
    #[must_use]
    pub fn changed_tables(&self, new: &StartupSettings) -> Vec<&'static str> {
        let StartupSettings { listen, limits, journal } = self;
        let tables = [
            ("[listen]", *listen != new.listen),
            ("[limits]", *limits != new.limits),
            ("[journal]", *journal != new.journal),
        ];
        tables.into_iter().filter(|(_, is_changed)| *is_changed).map(|(name, _)| name).collect()
    }
}
