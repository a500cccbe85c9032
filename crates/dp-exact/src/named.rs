//! Reading structs by the names of their fields alone, with the feature `serde`.
//!
//! What `serde` derives for a struct accepts a sequence of the values of its fields as well, so that in
//! JSON `[1, 2]` passes for `{"min": 1, "max": 2}`: a document whose fields are in another order, or
//! are fewer, says something else without an error. [`Named`] takes that away from whatever is read
//! through it, at every depth. [`named_fields!`](crate::named_fields) puts it around a type.
//!
//! Formats that are not for people, which have no names, are left as they are.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Formatter};

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

/// A deserializer, or a part of one, in which structs and struct variants have named fields.
///
/// ```
/// use dp_exact::Named;
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Batch { min: u64, max: u64 }
///
/// fn read(json: &str) -> serde_json::Result<Vec<Batch>> {
///     Vec::deserialize(Named::new(&mut serde_json::Deserializer::from_str(json)))
/// }
/// let batches = read(r#"[{"max": 2, "min": 1}]"#)?;
/// assert_eq!((batches[0].min, batches[0].max), (1, 2));
/// assert!(read("[[1, 2]]").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Named<T> {
    inner: T,
    /// Whether the format has names.
    has_names: bool,
}

impl<'de, D: Deserializer<'de>> Named<D> {
    /// What this deserializer reads, by names.
    pub fn new(deserializer: D) -> Self {
        let has_names = deserializer.is_human_readable();
        Self {
            inner: deserializer,
            has_names,
        }
    }
}

impl<T> Named<T> {
    const fn of<U>(&self, inner: U) -> Named<U> {
        let has_names = self.has_names;
        Named { inner, has_names }
    }

    const fn visitor<V>(&self, visitor: V) -> NamedVisitor<V> {
        NamedVisitor {
            visitor: self.of(visitor),
            is_struct: false,
        }
    }

    const fn visitor_of_struct<V>(&self, visitor: V) -> NamedVisitor<V> {
        NamedVisitor {
            visitor: self.of(visitor),
            is_struct: self.has_names,
        }
    }
}

/// A visitor of a deserializer: what it is given is read by names.
#[derive(Clone, Copy, Debug)]
struct NamedVisitor<V> {
    visitor: Named<V>,
    /// Whether it is of a struct, and has no use for a sequence.
    is_struct: bool,
}

macro_rules! forward {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.visitor(visitor);
            self.inner.$method($($argument,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Named<D> {
    type Error = D::Error;

    forward! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32()
        deserialize_i64() deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32()
        deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf()
        deserialize_option() deserialize_unit() deserialize_seq() deserialize_map()
        deserialize_identifier() deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.visitor_of_struct(visitor);
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visit {
    ($($method:ident: $type:ty;)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.visitor.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for NamedVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.visitor.inner.expecting(formatter)?;
        if self.is_struct {
            formatter.write_str(" with named fields")?;
        }
        Ok(())
    }

    visit! {
        visit_bool: bool; visit_i8: i8; visit_i16: i16; visit_i32: i32; visit_i64: i64;
        visit_i128: i128; visit_u8: u8; visit_u16: u16; visit_u32: u32; visit_u64: u64;
        visit_u128: u128; visit_f32: f32; visit_f64: f64; visit_char: char; visit_str: &str;
        visit_borrowed_str: &'de str; visit_string: String; visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8]; visit_byte_buf: Vec<u8>;
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.visitor.of(value);
        self.visitor.inner.visit_some(value)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = self.visitor.of(value);
        self.visitor.inner.visit_newtype_struct(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<V::Value, A::Error> {
        if self.is_struct {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        let values = self.visitor.of(values);
        self.visitor.inner.visit_seq(values)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        let fields = self.visitor.of(fields);
        self.visitor.inner.visit_map(fields)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
        let variant = self.visitor.of(variant);
        self.visitor.inner.visit_enum(variant)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Named<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.of(deserializer);
        self.inner.deserialize(deserializer)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Named<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.of(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Named<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = self.of(seed);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.of(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Named<A> {
    type Error = A::Error;
    type Variant = Named<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let has_names = self.has_names;
        let seed = self.of(seed);
        let (value, inner) = self.inner.variant_seed(seed)?;
        Ok((value, Named { inner, has_names }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Named<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.of(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.visitor(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.visitor_of_struct(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}

/// Makes a type be read by the names of its fields alone, see [`Named`]: it derives `Deserialize`, or
/// that and `Serialize`, with `#[serde(remote = "Self")]`, and this macro implements the traits by what
/// was derived.
///
/// ```
/// use dp_exact::named_fields;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, Deserialize, Serialize)]
/// #[serde(remote = "Self", deny_unknown_fields)]
/// struct Batch { min: u64, max: u64 }
/// named_fields!(Batch: Serialize, Deserialize);
///
/// assert!(serde_json::from_str::<Batch>(r#"{"min": 1, "max": 2}"#).is_ok());
/// let error = serde_json::from_str::<Batch>("[1, 2]").unwrap_err();
/// let refused = "invalid type: sequence, expected struct Batch with named fields";
/// assert!(error.to_string().starts_with(refused));
/// ```
#[macro_export]
macro_rules! named_fields {
    ($type:ty: Serialize, Deserialize) => {
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$type>::serialize(self, serializer)
            }
        }
        $crate::named_fields!($type: Deserialize);
    };
    ($type:ty: Deserialize) => {
        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$type>::deserialize($crate::Named::new(deserializer))
            }
        }
    };
}
