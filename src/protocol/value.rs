//! The types of attributes: which values they take, and how those are written canonically.

use super::list::Names;
use super::spec::{AttrSpec, AttrType};

/// Why a value is not of its attribute's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum InvalidValue {
    /// It is not of the type.
    Type,
    /// It is a number below `min` or above `max`.
    Range,
    /// It is none of the values of an enum.
    Enum,
}

/// The canonical form of a value, by reference to the value and the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Canonical {
    /// The value as written.
    AsWritten,
    /// The value as written, without the white space around it.
    Trimmed,
    /// The value of the enum at this position.
    Declared(u16),
    True,
    False,
}

impl Canonical {
    /// Whether the text is a part of the value as it is written.
    pub(crate) const fn keeps_text(self) -> bool {
        matches!(self, Canonical::AsWritten | Canonical::Trimmed)
    }
}

impl<'p> AttrSpec<'p> {
    /// The canonical form of `value`. Linear in its length, and in the number of an enum's values.
    #[cfg(test)]
    pub(crate) fn canonical<'a>(&self, value: &'a str) -> Result<&'a str, InvalidValue>
    where
        'p: 'a,
    {
        self.check(value).map(|canonical| self.canonical_text(canonical, value))
    }

    /// What the canonical form of `value` is made of. Linear in the length of the value, and in the number of an enum's values.
    pub(crate) fn check(&self, value: &str) -> Result<Canonical, InvalidValue> {
        let AttrType::Number { min, max } = self.kind else { return check(self.kind, value) };
        let trimmed = trim(value);
        // The standard library's numbers are exact, and those of a `const` need not be.
        match trimmed.parse::<f64>() {
            Ok(number) if is_number(trimmed.as_bytes()) && number.is_finite() => {
                if number < min || number > max {
                    Err(InvalidValue::Range)
                } else {
                    Ok(Canonical::Trimmed)
                }
            }
            _ => Err(InvalidValue::Type),
        }
    }

    /// The text of a canonical form of `value`.
    pub(crate) fn canonical_text<'a>(&self, canonical: Canonical, value: &'a str) -> &'a str
    where
        'p: 'a,
    {
        match (canonical, self.kind) {
            (Canonical::Declared(i), AttrType::Enum(values)) => values.0.at(i.into()),
            (Canonical::True, _) => "true",
            (Canonical::False, _) => "false",
            (Canonical::Trimmed, _) => trim(value),
            (Canonical::AsWritten | Canonical::Declared(_), _) => value,
        }
    }
}

/// Checks `value` against a type, in a `const` too. Numbers of more than 15 digits are approximate.
pub(super) const fn check(kind: AttrType<'_>, value: &str) -> Result<Canonical, InvalidValue> {
    let trimmed = trim(value);
    match kind {
        AttrType::String => Ok(Canonical::AsWritten),
        AttrType::Integer { min, max } => match integer(trimmed.as_bytes()) {
            None => Err(InvalidValue::Type),
            Some(number) if number < min || number > max => Err(InvalidValue::Range),
            Some(_) => Ok(Canonical::Trimmed),
        },
        AttrType::Number { min, max } => match number(trimmed.as_bytes()) {
            None => Err(InvalidValue::Type),
            Some(number) if number < min || number > max => Err(InvalidValue::Range),
            Some(_) => Ok(Canonical::Trimmed),
        },
        AttrType::Boolean if trimmed.eq_ignore_ascii_case("true") => Ok(Canonical::True),
        AttrType::Boolean if trimmed.eq_ignore_ascii_case("false") => Ok(Canonical::False),
        AttrType::Boolean => Err(InvalidValue::Type),
        AttrType::Enum(values) => match position(values.0, trimmed) {
            Some(i) => Ok(Canonical::Declared(i as u16)),
            None => Err(InvalidValue::Enum),
        },
        AttrType::Path if is_path(trimmed.as_bytes()) => Ok(Canonical::Trimmed),
        AttrType::Path => Err(InvalidValue::Type),
    }
}

/// `value` without the white space around it: space, tab, LF and CR.
pub(crate) const fn trim(value: &str) -> &str {
    let bytes = value.as_bytes();
    let (mut start, mut end) = (0, bytes.len());
    while start < end && is_space(bytes[start]) {
        start += 1;
    }
    while start < end && is_space(bytes[end - 1]) {
        end -= 1;
    }
    value.split_at(end).0.split_at(start).1
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

const fn position(values: Names<'_>, value: &str) -> Option<usize> {
    let mut i = 0;
    while i < values.len() {
        if values.at(i).eq_ignore_ascii_case(value) {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// `[+-]?[0-9]+` in 64 bits.
const fn integer(text: &[u8]) -> Option<i64> {
    let (is_negative, mut i) = sign(text);
    if i == text.len() {
        return None;
    }
    // Counts down, since there is one more negative number than there are positive ones.
    let mut number: i64 = 0;
    while i < text.len() {
        if !text[i].is_ascii_digit() {
            return None;
        }
        number = match number.checked_mul(10) {
            Some(tens) => match tens.checked_sub((text[i] - b'0') as i64) {
                Some(number) => number,
                None => return None,
            },
            None => return None,
        };
        i += 1;
    }
    if is_negative { Some(number) } else { number.checked_neg() }
}

/// Whether `text` is `[+-]?` and digits, digits with a point, or a point and digits, then optionally `[eE][+-]?[0-9]+`.
const fn is_number(text: &[u8]) -> bool {
    decimal(text).is_some()
}

/// The value of `text`, if [`is_number`] and finite.
const fn number(text: &[u8]) -> Option<f64> {
    match decimal(text) {
        Some(decimal) => {
            let number = decimal.value();
            if number.is_finite() { Some(number) } else { None }
        }
        None => None,
    }
}

/// A decimal number: `mantissa` times ten to the `exponent`.
#[derive(Clone, Copy)]
struct Decimal {
    is_negative: bool,
    mantissa: u64,
    exponent: i64,
}

impl Decimal {
    /// Appends a digit before the point. Of those that no longer fit only the number is kept.
    const fn push(self, digit: u8) -> Self {
        match self.mantissa.checked_mul(10) {
            Some(tens) if tens <= u64::MAX - 9 => Decimal { mantissa: tens + (digit - b'0') as u64, ..self },
            _ => Decimal { exponent: self.exponent.saturating_add(1), ..self },
        }
    }

    /// Exact up to 15 digits and exponents of 22.
    const fn value(self) -> f64 {
        let mut value = self.mantissa as f64;
        let mut exponent = self.exponent;
        // Past these the value is infinite or zero.
        exponent = if exponent > 400 {
            400
        } else if exponent < -400 {
            -400
        } else {
            exponent
        };
        while exponent != 0 && value != 0.0 {
            let step = if exponent.unsigned_abs() > 22 { 22 } else { exponent.unsigned_abs() };
            let mut power = 1.0;
            let mut i = 0;
            while i < step {
                power *= 10.0;
                i += 1;
            }
            if exponent < 0 {
                value /= power;
                exponent += step as i64;
            } else {
                value *= power;
                exponent -= step as i64;
            }
        }
        if self.is_negative { -value } else { value }
    }
}

const fn decimal(text: &[u8]) -> Option<Decimal> {
    let (is_negative, mut i) = sign(text);
    let mut decimal = Decimal { is_negative, mantissa: 0, exponent: 0 };
    let mut digits = 0;
    while i < text.len() && text[i].is_ascii_digit() {
        decimal = decimal.push(text[i]);
        digits += 1;
        i += 1;
    }
    if i < text.len() && text[i] == b'.' {
        i += 1;
        while i < text.len() && text[i].is_ascii_digit() {
            decimal = decimal.push(text[i]);
            decimal.exponent -= 1;
            digits += 1;
            i += 1;
        }
    }
    if digits == 0 {
        return None;
    }
    if i < text.len() && matches!(text[i], b'e' | b'E') {
        let (is_negative, skipped) = sign(text.split_at(i + 1).1);
        i += 1 + skipped;
        if i == text.len() {
            return None;
        }
        let mut exponent: i64 = 0;
        while i < text.len() && text[i].is_ascii_digit() {
            exponent = exponent.saturating_mul(10).saturating_add((text[i] - b'0') as i64);
            i += 1;
        }
        decimal.exponent = decimal.exponent.saturating_add(if is_negative { -exponent } else { exponent });
    }
    if i < text.len() { None } else { Some(decimal) }
}

/// Whether a minus stands at the start, and the length of the sign.
const fn sign(text: &[u8]) -> (bool, usize) {
    match text.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    }
}

/// Whether `text` is a relative path with `/` that stays below its root, links aside.
const fn is_path(text: &[u8]) -> bool {
    if text.is_empty() || matches!(text[0], b'/' | b'~') {
        return false;
    }
    if text.len() > 1 && text[0].is_ascii_alphabetic() && text[1] == b':' {
        return false;
    }
    let (mut i, mut part) = (0, 0);
    while i <= text.len() {
        if i == text.len() || text[i] == b'/' {
            if i - part == 2 && text[part] == b'.' && text[part + 1] == b'.' {
                return false;
            }
            part = i + 1;
        } else if text[i] < b' ' || matches!(text[i], b'\\' | 0x7F) {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{AttrSpec, InvalidValue};

    const K: AttrSpec<'_> = AttrSpec::new("k");

    #[test]
    fn a_string_is_kept_as_written() {
        assert_eq!(K.canonical(" a\n"), Ok(" a\n"));
        assert_eq!(K.canonical(""), Ok(""));
    }

    #[test]
    fn an_integer_has_64_bits() {
        let k = K.integer(i64::MIN, i64::MAX);
        for good in ["0", "-0", "+7", "007", "9223372036854775807", "-9223372036854775808", "0000000000000000000000001"]
        {
            assert_eq!(k.canonical(good), Ok(good));
            assert_eq!(k.canonical(&std::format!("\t{good} \r\n")), Ok(good));
        }
        for bad in [
            "",
            " ",
            "+",
            "-",
            "1.0",
            "1e3",
            "1 2",
            "0x1",
            "--1",
            "9223372036854775808",
            "-9223372036854775809",
            "\u{661}",
        ] {
            assert_eq!(k.canonical(bad), Err(InvalidValue::Type), "{bad}");
        }
    }

    #[test]
    fn an_integer_has_a_range() {
        let k = K.integer(-1, 10);
        assert_eq!((k.canonical("-1"), k.canonical("10")), (Ok("-1"), Ok("10")));
        assert_eq!((k.canonical("-2"), k.canonical("11")), (Err(InvalidValue::Range), Err(InvalidValue::Range)));
    }

    #[test]
    fn a_number_is_decimal_and_finite() {
        let k = K.number(f64::NEG_INFINITY, f64::INFINITY);
        let good = [
            "0",
            "-1",
            "+1",
            "1.",
            ".5",
            "1.5",
            "-.5e3",
            "1e5",
            "1E+5",
            "1e-5",
            "00.10",
            "1e308",
            "1e-999",
            "0e99999999999999999999",
            "1.7976931348623157e308",
            "123456789012345678901234567890",
        ];
        for good in good {
            assert_eq!(k.canonical(good), Ok(good), "{good}");
            assert!(super::number(good.as_bytes()).is_some(), "{good} in a const");
        }
        let bad = [
            "", ".", "+", "e5", "1e", "1e+", "1.5.5", "inf", "nan", "infinity", "1_000", "0x1", "1 ,5", "1e5.5",
            "1e309", "-1e999",
        ];
        for bad in bad {
            assert_eq!(k.canonical(bad), Err(InvalidValue::Type), "{bad}");
            assert_eq!(super::number(bad.as_bytes()), None, "{bad} in a const");
        }
    }

    #[test]
    fn a_number_of_15_digits_is_the_same_in_a_const() {
        for text in ["0.1", "1.5", "-123.456", "999999999999999e-7", "5e22", "1e-22", "0.000001", "100"] {
            assert_eq!(super::number(text.as_bytes()), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn a_number_has_a_range() {
        let k = K.number(0.0, 1.5);
        assert_eq!((k.canonical("1.50"), k.canonical("-0")), (Ok("1.50"), Ok("-0")));
        assert_eq!(k.canonical("1.5000000000000002"), Err(InvalidValue::Range));
        assert_eq!(k.canonical("-1e-300"), Err(InvalidValue::Range));
    }

    #[test]
    fn a_boolean_is_written_in_lower_case() {
        let k = K.boolean();
        assert_eq!((k.canonical(" True"), k.canonical("FALSE\n")), (Ok("true"), Ok("false")));
        for bad in ["", "yes", "1", "true false"] {
            assert_eq!(k.canonical(bad), Err(InvalidValue::Type), "{bad}");
        }
    }

    #[test]
    fn an_enum_is_written_as_declared() {
        let k = K.one_of(&["low", "HIGH", "Gr\u{f6}\u{df}e"]);
        assert_eq!((k.canonical("LOW"), k.canonical(" high ")), (Ok("low"), Ok("HIGH")));
        assert_eq!(k.canonical("GR\u{f6}\u{df}E"), Ok("Gr\u{f6}\u{df}e"));
        assert_eq!(k.canonical("gr\u{d6}\u{df}e"), Err(InvalidValue::Enum), "letters in any case are ASCII letters");
        assert_eq!(k.canonical(""), Err(InvalidValue::Enum));
    }

    #[test]
    fn a_path_is_relative_and_stays_below_its_root() {
        let k = K.path();
        for good in [".", "a", "a/b.py", "...", "a..b", "a/...", "./a", "a//b", "\u{e9}:b", "ab:c", "1:x", "a~"] {
            assert_eq!(k.canonical(good), Ok(good), "{good}");
        }
        assert_eq!(k.canonical(" a b.txt\n"), Ok("a b.txt"));
        for bad in
            ["", " ", "/a", "~", "~/a", "C:", "c:/a", "..", "../a", "a/..", "a/../b", "a\\b", "a\tb", "a\u{7f}b", "a\0"]
        {
            assert_eq!(k.canonical(bad), Err(InvalidValue::Type), "{bad:?}");
        }
    }
}
