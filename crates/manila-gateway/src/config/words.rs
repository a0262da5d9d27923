//! Values that are one of a few words: what is read, and what editors offer, from one list.

/// A type whose values are words, and the list of these.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$mark:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(serde::Deserialize, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name {
            $($(#[$mark])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every word.
            pub(super) const WORDS: &[&str] = &[$($word),+];
        }
    };
}

pub(super) use words;
