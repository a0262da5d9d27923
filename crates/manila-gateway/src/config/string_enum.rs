//! Keys whose value is one of a few names: the parser and the schema share one list.

/// Defines an enum whose variants have names in the file, and the list of these names.
macro_rules! string_enum {
    ($(#[$about:meta])* $name:ident { $($(#[$mark:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(serde::Deserialize, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name {
            $($(#[$mark])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every name.
            pub(super) const NAMES: &[&str] = &[$($text),+];
        }
    };
}

pub(super) use string_enum;
