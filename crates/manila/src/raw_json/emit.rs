//! Writing compact JSON: the trait for values, and objects whose members are declared as a type.

use super::{JsonObject, RawJson, string};

/// A value that writes itself as compact JSON.
pub trait Emit {
    /// Writes the value.
    fn emit(&self, out: &mut Vec<u8>);

    /// Returns whether a member with this value is left out of its object.
    fn is_absent(&self) -> bool {
        false
    }

    /// Estimates the number of bytes, where that is known before writing.
    fn n_bytes_known(&self) -> usize {
        0
    }
}

/// A member that is written as `null`, not left out, if it has no value.
pub(crate) struct OrNull<T>(pub(crate) Option<T>);

impl<T: Emit> Emit for OrNull<T> {
    fn emit(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Some(value) => value.emit(out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

/// Leaves out `None`.
impl<T: Emit> Emit for Option<T> {
    fn emit(&self, out: &mut Vec<u8>) {
        if let Some(value) = self {
            value.emit(out);
        }
    }

    fn is_absent(&self) -> bool {
        self.as_ref().is_none_or(Emit::is_absent)
    }
}

impl<T: Emit + ?Sized> Emit for &T {
    fn emit(&self, out: &mut Vec<u8>) {
        (**self).emit(out);
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: Emit> Emit for [T] {
    fn emit(&self, out: &mut Vec<u8>) {
        // The buffer of a long list is kept, so it gets the required capacity and no more.
        out.reserve(self.iter().map(|item| item.n_bytes_known() + 1).sum::<usize>() + 2);
        out.push(b'[');
        for (n, item) in self.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            item.emit(out);
        }
        out.push(b']');
    }
}

impl<T: Emit> Emit for Vec<T> {
    fn emit(&self, out: &mut Vec<u8>) {
        self.as_slice().emit(out);
    }
}

impl Emit for bool {
    fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

impl Emit for i64 {
    fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
    }
}

impl Emit for u64 {
    fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
    }
}

impl Emit for str {
    fn emit(&self, out: &mut Vec<u8>) {
        emit_string(self.as_bytes(), out);
    }
}

impl Emit for String {
    fn emit(&self, out: &mut Vec<u8>) {
        self.as_str().emit(out);
    }
}

impl Emit for std::borrow::Cow<'_, str> {
    fn emit(&self, out: &mut Vec<u8>) {
        self.as_ref().emit(out);
    }
}

impl Emit for RawJson {
    fn emit(&self, out: &mut Vec<u8>) {
        self.copy_into(out);
    }

    fn n_bytes_known(&self) -> usize {
        self.as_bytes().len()
    }
}

impl Emit for JsonObject {
    fn emit(&self, out: &mut Vec<u8>) {
        self.as_raw().emit(out);
    }
}

/// Writes UTF-8 bytes as a JSON string.
pub(crate) fn emit_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    string::encode(text, out);
    out.push(b'"');
}

/// Writes the concatenation of `texts` as one JSON string.
pub(crate) fn emit_joined(texts: &[&str], out: &mut Vec<u8>) {
    out.push(b'"');
    for text in texts {
        string::encode(text.as_bytes(), out);
    }
    out.push(b'"');
}

/// Writes an object member by member.
pub struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Begins an object. The caller must call `end`.
    pub fn begin(out: &'a mut Vec<u8>) -> ObjectWriter<'a> {
        out.push(b'{');
        ObjectWriter { out, is_empty: true }
    }

    /// Writes a member, unless its value is absent.
    pub fn member(&mut self, name: &str, value: &(impl Emit + ?Sized)) {
        if value.is_absent() {
            return;
        }
        self.separate();
        name.emit(self.out);
        self.out.push(b':');
        value.emit(self.out);
    }

    /// Writes a member whose key is a checked token, with its escapes.
    pub fn token_member(&mut self, key_token: &[u8], value: &(impl Emit + ?Sized)) {
        self.separate();
        self.out.extend_from_slice(key_token);
        self.out.push(b':');
        value.emit(self.out);
    }

    /// Writes a member whose key is a constant, in quotes and followed by its colon.
    pub(crate) fn quoted_member(&mut self, quoted: &'static str, value: &impl Emit) {
        if value.is_absent() {
            return;
        }
        self.separate();
        self.out.extend_from_slice(quoted.as_bytes());
        value.emit(self.out);
    }

    /// Ends the object.
    pub fn end(self) {
        self.out.push(b'}');
    }

    fn separate(&mut self) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
    }
}

/// Declares an object by its members, in the order in which they are written.
///
/// A member of type `Option` is left out if it is `None`; `OrNull` is written as `null`. `field as
/// "name"` gives a member a name that differs from its field's.
macro_rules! shape {
    ($(#[$meta:meta])* struct $shape:ident $(<$life:lifetime>)? {
        $($(#[$note:meta])* $field:ident $(as $name:literal)?: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[allow(clippy::struct_field_names, reason = "members are named by their contract")]
        struct $shape $(<$life>)? {
            $($(#[$note])* $field: $type,)*
        }

        #[allow(dead_code, reason = "not every shape uses its names")]
        impl $(<$life>)? $shape $(<$life>)? {
            /// The names of the members, in order.
            const MEMBERS: &'static [&'static str] =
                &[$($crate::raw_json::shape!(@name $field $($name)?)),*];

            /// Writes the members into an object to which more may be added.
            fn emit_members(&self, object: &mut $crate::raw_json::ObjectWriter<'_>) {
                $(object.quoted_member(
                    $crate::raw_json::shape!(@quoted $field $($name)?),
                    &self.$field,
                );)*
            }
        }

        impl $(<$life>)? $crate::raw_json::Emit for $shape $(<$life>)? {
            fn emit(&self, out: &mut Vec<u8>) {
                let mut object = $crate::raw_json::ObjectWriter::begin(out);
                self.emit_members(&mut object);
                object.end();
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    (@quoted $field:ident) => { concat!("\"", stringify!($field), "\":") };
    (@quoted $field:ident $name:literal) => { concat!("\"", $name, "\":") };
}

pub(crate) use shape;
