//! The macro that declares an option: one line gives field, default, text form and mutability.
#![forbid(unsafe_code)]

use crate::base::{Error, Result};

/// A value that has a text form in option strings and OPTIONS files.
pub trait OptionValue: Sized {
    /// From text; the error is the message without the option's name.
    fn parse(text: &str) -> Result<Self>;
    /// To text.
    fn text(&self) -> String;
}

/// A set of options that can be read and written as text.
pub trait OptionText {
    /// Names, in order.
    const NAMES: &'static [&'static str];
    /// Every option, those without a text form included, with what it is.
    const DOCS: &'static [(&'static str, &'static str)];
    /// Sets the option `name`; `Ok(false)` if there is none of the name.
    fn set_text(&mut self, name: &str, value: &str) -> Result<bool>;
    /// The option `name` as text.
    fn get_text(&self, name: &str) -> Option<String>;
    /// May it change while the store is open?
    fn is_mutable(name: &str) -> bool;
}

macro_rules! number {
    ($($t:ty, $parser:literal;)*) => {$(
        impl OptionValue for $t {
            fn parse(text: &str) -> Result<Self> {
                let text = text.trim();
                let (digits, unit) = match text.as_bytes().last() {
                    Some(b'k' | b'K') => (&text[..text.len() - 1], 1u64 << 10),
                    Some(b'm' | b'M') => (&text[..text.len() - 1], 1 << 20),
                    Some(b'g' | b'G') => (&text[..text.len() - 1], 1 << 30),
                    Some(b't' | b'T') => (&text[..text.len() - 1], 1 << 40),
                    _ => (text, 1),
                };
                let number: $t = digits.parse().map_err(|_| Error::invalid_argument($parser))?;
                <$t>::try_from(unit)
                    .ok()
                    .and_then(|unit| number.checked_mul(unit))
                    .ok_or_else(|| Error::invalid_argument($parser))
            }
            fn text(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

number! {
    i32, "stoi"; u32, "stoul"; u64, "stoull"; usize, "stoull"; i64, "stoll"; u8, "stoul";
}

impl OptionValue for f64 {
    fn parse(text: &str) -> Result<Self> {
        text.trim().parse().map_err(|_| Error::invalid_argument("stod"))
    }
    fn text(&self) -> String {
        format!("{self:.6}")
    }
}

impl OptionValue for bool {
    fn parse(text: &str) -> Result<Self> {
        match text.trim() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => Err(Error::invalid_argument(other)),
        }
    }
    fn text(&self) -> String {
        self.to_string()
    }
}

impl OptionValue for String {
    fn parse(text: &str) -> Result<Self> {
        Ok(text.to_owned())
    }
    fn text(&self) -> String {
        self.clone()
    }
}

/// Declares a set of options. `text` options have a text form, `plain` ones only a field.
macro_rules! options {
    (
        $(#[$doc:meta])*
        pub struct $set:ident {
            text { $($(#[doc = $tdoc:literal])+ $tname:ident : $tty:ty = $tdefault:expr, $mutability:ident;)* }
            plain { $($(#[doc = $pdoc:literal])+ $pname:ident : $pty:ty = $pdefault:expr;)* }
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        #[allow(non_snake_case, reason = "the names are RocksDB's")]
        pub struct $set {
            $($(#[doc = $tdoc])+ pub $tname: $tty,)*
            $($(#[doc = $pdoc])+ pub $pname: $pty,)*
        }

        impl Default for $set {
            fn default() -> Self {
                Self { $($tname: $tdefault,)* $($pname: $pdefault,)* }
            }
        }

        impl $crate::options::OptionText for $set {
            const NAMES: &'static [&'static str] = &[$(stringify!($tname),)*];
            const DOCS: &'static [(&'static str, &'static str)] = &[
                $((stringify!($tname), concat!($($tdoc,)+)),)*
                $((stringify!($pname), concat!($($pdoc,)+)),)*
            ];
            #[allow(unused_variables, reason = "a set may have no text option")]
            fn set_text(&mut self, name: &str, value: &str) -> $crate::base::Result<bool> {
                $(if name == stringify!($tname) {
                    self.$tname = $crate::options::OptionValue::parse(value).map_err(
                        |e| $crate::base::Error::invalid_argument(
                            format!("Error parsing {name}:{}", e.message())))?;
                    return Ok(true);
                })*
                Ok(false)
            }
            #[allow(unused_variables, reason = "a set may have no text option")]
            fn get_text(&self, name: &str) -> Option<String> {
                $(if name == stringify!($tname) {
                    return Some($crate::options::OptionValue::text(&self.$tname));
                })*
                None
            }
            #[allow(unused_variables, reason = "a set may have no text option")]
            fn is_mutable(name: &str) -> bool {
                $(if name == stringify!($tname) {
                    return stringify!($mutability) == "mutable";
                })*
                false
            }
        }

        impl std::fmt::Debug for $set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut out = f.debug_struct(stringify!($set));
                $(out.field(stringify!($tname), &self.$tname);)*
                out.finish_non_exhaustive()
            }
        }
    };
}
