//! A pull reader: takes a JSON document apart in one pass and says where it is wrong.
//!
//! Values that nobody looks into are checked and sliced once, however large they are.
//! Errors carry an RFC 6901 pointer, which is put together on the way out, so that
//! good input pays nothing for it.

use std::borrow::Cow;

use bytes::Bytes;

use super::locate::position;
use super::read_error::{Problem, ReadError, describe, shown};
use super::scan::{Fault, Scanner, Visit};
use super::{ENVELOPE_DEPTH, Kind, RawJson, Seen, Spacing, Syntax, string};

pub(crate) struct Reader<'a, V = ()> {
    source: &'a Bytes,
    scanner: Scanner<'a, V>,
    /// Where the last key starts.
    key_start: usize,
}

impl<'a> Reader<'a> {
    /// Reads `source` as one document; `read` takes its value apart.
    pub(crate) fn document<T>(
        source: &'a Bytes,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        Reader::document_at_depth(0, source, read)
    }

    /// Reads a payload, which must leave room for the envelope around it.
    pub(crate) fn payload_document<T>(
        source: &'a Bytes,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        Reader::document_at_depth(ENVELOPE_DEPTH, source, read)
    }

    /// Reads a document that lies inside `depth` arrays and objects.
    pub(crate) fn document_at_depth<T>(
        depth: usize,
        source: &'a Bytes,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        Reader::visited(depth, source, (), read).map(|(value, ())| value)
    }
}

impl<'a, V: Visit> Reader<'a, V> {
    /// Reads a document, and tells `visit` what the scan comes by.
    pub(super) fn visited<T>(
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

    /// Takes the next value as it is.
    pub(crate) fn raw(&mut self) -> Result<RawJson, ReadError> {
        let ((), value) =
            self.with_raw(|reader| reader.scanner.value().map_err(|fault| reader.syntax(fault)))?;
        Ok(value)
    }

    /// Takes the next value apart, and as it is too.
    pub(crate) fn with_raw<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a, V>) -> Result<T, ReadError>,
    ) -> Result<(T, RawJson), ReadError> {
        let start = self.start();
        let skipped = self.scanner.skipped();
        let taken = read(self)?;
        let is_spaced = self.scanner.skipped() > skipped;
        let spacing = if is_spaced { Spacing::Spaced } else { Spacing::Compact };
        Ok((taken, RawJson::checked(self.source.slice(start..self.scanner.at()), spacing)))
    }

    /// The kind of the next value, by its first byte.
    pub(crate) fn next_kind(&mut self) -> Kind {
        self.scanner.skip_space();
        Kind::of(self.scanner.peek())
    }

    /// Takes the next value, which must be an object, apart: `read` is called for each key
    /// and must take its value. A key that stands twice is refused.
    pub(crate) fn object(
        &mut self,
        mut read: impl FnMut(&mut Reader<'a, V>, &str) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let mut seen = Seen::default();
        self.each_member(|reader, key| {
            if seen.has(key) {
                let start = reader.key_start();
                let message = format!("member `{}` is given twice", shown(key));
                return Err(reader.refuse(start, message, "keep one of the two"));
            }
            read(reader, key)?;
            seen.add(key.clone());
            Ok(())
        })
    }

    /// As [`object`](Reader::object), for foreign objects: a key may stand twice.
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

    /// Takes the next value, which must be an array, apart item by item.
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

    /// Takes the next value, which must be a string.
    pub(crate) fn string(&mut self) -> Result<String, ReadError> {
        let value = self.raw_of(Kind::String)?;
        Ok(string::decode(value.as_bytes()).into_owned())
    }

    /// Takes the next value if it is of this kind.
    pub(crate) fn raw_of(&mut self, kind: Kind) -> Result<RawJson, ReadError> {
        self.need(kind)?;
        self.raw()
    }

    /// Takes the next value, and refuses it unless `convert` can use it.
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

    /// Where the next value starts, for a refusal that is found later.
    pub(crate) fn start(&mut self) -> usize {
        self.scanner.skip_space();
        self.scanner.at()
    }

    /// Where the key whose value comes next starts.
    pub(crate) fn key_start(&self) -> usize {
        self.key_start
    }

    /// The error that refuses what starts at `start`.
    pub(crate) fn refuse(
        &self,
        start: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> ReadError {
        let problem = Problem::Rule { message: message.into(), hint: hint.into() };
        self.error(start, problem)
    }

    /// Refuses the next value unless it is of this kind.
    fn need(&mut self, kind: Kind) -> Result<(), ReadError> {
        let start = self.start();
        let found = Kind::of(self.scanner.peek());
        if found == kind && self.scanner.peek().is_some() {
            return Ok(());
        }
        // The first byte says little about what may not be JSON at all.
        self.raw()?;
        let message = format!("must be {}, but is {}", kind.name(), found.name());
        Err(self.refuse(start, message, format!("give {} here", kind.name())))
    }

    fn enter(&mut self, kind: Kind) -> Result<(), ReadError> {
        self.need(kind)?;
        self.scanner.open().map_err(|fault| self.syntax(fault))
    }

    /// After a member or item: moves over a comma, or over the end.
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
        // The token ends with its last quote; the colon and the space before it follow.
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
