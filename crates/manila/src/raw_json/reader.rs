//! A pull reader that parses a JSON document in one pass and reports where it is invalid.
//!
//! Values that are not parsed further are checked and sliced once, in one piece. An error has an
//! RFC 6901 pointer, which is built while returning, so it costs nothing for valid input.

use std::borrow::Cow;

use bytes::Bytes;

use super::locate::position;
use super::read_error::{Problem, ReadError, describe, sanitize_name};
use super::scan::{Fault, Scanner, Visit};
use super::{ENVELOPE_DEPTH, KeySet, Kind, RawJson, Spacing, Syntax, string};

pub(crate) struct Reader<'a, V = ()> {
    source: &'a Bytes,
    scanner: Scanner<'a, V>,
    /// The offset of the last key.
    key_start: usize,
}

impl<'a> Reader<'a> {
    /// Reads `source` as one document; `read` consumes its value.
    pub(crate) fn document<T>(
        source: &'a Bytes,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        Reader::document_at_depth(0, source, read)
    }

    /// Reads a payload, which must leave enough depth for the envelope around it.
    pub(crate) fn payload_document<T>(
        source: &'a Bytes,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        Reader::document_at_depth(ENVELOPE_DEPTH, source, read)
    }

    /// Reads a document that is nested in `depth` arrays and objects.
    pub(crate) fn document_at_depth<T>(
        depth: usize,
        source: &'a Bytes,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        Reader::document_with_visitor(depth, source, (), read).map(|(value, ())| value)
    }
}

impl<'a, V: Visit> Reader<'a, V> {
    /// Reads a document, and passes the events of the scan to `visit`.
    pub(super) fn document_with_visitor<T>(
        depth: usize,
        source: &'a Bytes,
        visit: V,
        read: impl FnOnce(&mut Reader<'a, V>) -> Result<T, ReadError>,
    ) -> Result<(T, V), ReadError> {
        let scanner = Scanner::new(source, depth, visit);
        let mut reader = Reader { source, scanner, key_start: 0 };
        if source.starts_with(b"\xEF\xBB\xBF") {
            return Err(reader.syntax(reader.scanner.fault(Syntax::ByteOrderMark)));
        }
        if let Err(error) = std::str::from_utf8(source) {
            let offset = error.valid_up_to();
            return Err(reader.syntax(Fault { offset, syntax: Syntax::InvalidUtf8 }));
        }
        reader.scanner.skip_space();
        if reader.scanner.peek().is_none() {
            return Err(reader.syntax(reader.scanner.fault(Syntax::Empty)));
        }
        let value = read(&mut reader)?;
        reader.scanner.skip_space();
        if reader.scanner.peek().is_some() {
            return Err(reader.syntax(reader.scanner.fault(Syntax::Trailing)));
        }
        Ok((value, reader.scanner.into_visit()))
    }

    /// Returns the next value without parsing it.
    pub(crate) fn raw(&mut self) -> Result<RawJson, ReadError> {
        let ((), value) =
            self.with_raw(|reader| reader.scanner.value().map_err(|fault| reader.syntax(fault)))?;
        Ok(value)
    }

    /// Reads the next value with `read`, and returns its raw JSON as well.
    pub(crate) fn with_raw<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a, V>) -> Result<T, ReadError>,
    ) -> Result<(T, RawJson), ReadError> {
        let start = self.start();
        let skipped = self.scanner.n_space_bytes();
        let value = read(self)?;
        let is_spaced = self.scanner.n_space_bytes() > skipped;
        let spacing = if is_spaced { Spacing::Spaced } else { Spacing::Compact };
        Ok((value, RawJson::from_checked(self.source.slice(start..self.scanner.at()), spacing)))
    }

    /// Returns the kind of the next value, from its first byte.
    pub(crate) fn next_kind(&mut self) -> Kind {
        self.scanner.skip_space();
        Kind::of(self.scanner.peek())
    }

    /// Reads the next value, which must be an object. `read` is called for each key and must
    /// consume its value. A repeated key is an error.
    pub(crate) fn object(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a, V>, &str) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let mut seen = KeySet::default();
        self.each_member(|reader, key| {
            if seen.has(key) {
                let start = reader.key_start();
                let message = format!("member `{}` is given twice", sanitize_name(key));
                return Err(reader.refuse(start, message, "keep one of the two"));
            }
            read(reader, key)?;
            seen.add(key.clone());
            Ok(())
        })
    }

    /// Like [`object`](Reader::object), for foreign objects: keys may be repeated.
    pub(crate) fn members(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a, V>, &str) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.each_member(|reader, key| read(reader, key))
    }

    pub(super) fn each_member(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a, V>, &Cow<'a, str>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.enter(Kind::Object)?;
        self.scanner.skip_space();
        if self.scanner.peek() == Some(b'}') {
            self.scanner.close();
            return Ok(());
        }
        loop {
            let key = self.key()?;
            self.scanner.skip_space();
            read(self, &key).map_err(|error| error.within(&key))?;
            if self.leave(b'}', "`,` or `}`")? {
                return Ok(());
            }
            self.scanner.skip_space();
        }
    }

    /// Reads the next value, which must be an array, item by item.
    pub(crate) fn array(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a, V>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.enter(Kind::Array)?;
        self.scanner.skip_space();
        if self.scanner.peek() == Some(b']') {
            self.scanner.close();
            return Ok(());
        }
        for index in 0.. {
            self.scanner.skip_space();
            read(self).map_err(|error| error.within(&index.to_string()))?;
            if self.leave(b']', "`,` or `]`")? {
                break;
            }
        }
        Ok(())
    }

    /// Reads the next value, which must be a string.
    pub(crate) fn string(&mut self) -> Result<String, ReadError> {
        let value = self.raw_of(Kind::String)?;
        Ok(string::decode(value.as_bytes()).into_owned())
    }

    /// Returns the next value, which must be of this kind, without parsing it.
    pub(crate) fn raw_of(&mut self, kind: Kind) -> Result<RawJson, ReadError> {
        self.expect_kind(kind)?;
        self.raw()
    }

    /// Converts the next value, and rejects it if `convert` returns `None`.
    pub(crate) fn convert<T>(
        &mut self,
        must_be: &str,
        convert: impl FnOnce(&RawJson) -> Option<T>,
    ) -> Result<T, ReadError> {
        let start = self.start();
        let value = self.raw()?;
        convert(&value).ok_or_else(|| {
            let message = format!("must be {must_be}, but is {}", describe(&value));
            self.refuse(start, message, format!("give {must_be}"))
        })
    }

    /// Returns the offset of the next value, for an error that is found later.
    pub(crate) fn start(&mut self) -> usize {
        self.scanner.skip_space();
        self.scanner.at()
    }

    /// Returns the offset of the last key.
    pub(crate) fn key_start(&self) -> usize {
        self.key_start
    }

    /// Returns the error for the value that starts at `start`.
    pub(crate) fn refuse(
        &self,
        start: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> ReadError {
        let problem = Problem::Rule { message: message.into(), hint: hint.into() };
        self.error(start, problem)
    }

    /// Fails unless the next value is of this kind.
    fn expect_kind(&mut self, kind: Kind) -> Result<(), ReadError> {
        let start = self.start();
        let found = Kind::of(self.scanner.peek());
        if found == kind && self.scanner.peek().is_some() {
            return Ok(());
        }
        // The first byte is not enough to report a kind: the value may not be JSON at all.
        self.raw()?;
        let message = format!("must be {}, but is {}", kind.name(), found.name());
        Err(self.refuse(start, message, format!("give {}", kind.name())))
    }

    fn enter(&mut self, kind: Kind) -> Result<(), ReadError> {
        self.expect_kind(kind)?;
        self.scanner.open().map_err(|fault| self.syntax(fault))
    }

    /// Skips the comma or closing byte after a member or item. Returns whether it was the latter.
    fn leave(&mut self, close: u8, expected: &'static str) -> Result<bool, ReadError> {
        self.scanner.skip_space();
        if self.scanner.peek() == Some(close) {
            self.scanner.close();
            return Ok(true);
        }
        self.scanner.expect(b',', expected).map_err(|fault| self.syntax(fault))?;
        Ok(false)
    }

    fn key(&mut self) -> Result<Cow<'a, str>, ReadError> {
        self.key_start = self.scanner.at();
        self.scanner.key().map_err(|fault| self.syntax(fault))?;
        let token = self.source.get(self.key_start..self.scanner.at()).unwrap_or_default();
        // The token ends with its last quote; white space and the colon follow it.
        let len = memchr::memrchr(b'"', token).map_or(0, |last| last + 1);
        Ok(string::decode(token.get(..len).unwrap_or_default()))
    }

    fn syntax(&self, fault: Fault) -> ReadError {
        self.error(fault.offset, Problem::Syntax(fault.syntax))
    }

    fn error(&self, offset: usize, problem: Problem) -> ReadError {
        let (line, column) = position(self.source, offset);
        ReadError { pointer: String::new(), line, column, problem }
    }
}
