//! What is read through `Named` is what the format says, at every depth, but for structs without names.

use std::collections::BTreeMap;
use std::fmt;

use dp_exact::Named;
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Batch {
    min: u64,
    max: u64,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
enum Choice {
    None,
    One(Batch),
    Two(u8, Batch),
    Named { batch: Batch },
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Document {
    batches: Vec<Batch>,
    by_name: BTreeMap<String, Batch>,
    choices: Vec<Choice>,
    pair: (u8, Option<Batch>),
    letter: char,
    flag: bool,
    nothing: (),
}

fn read<'a, T: Deserialize<'a>>(json: &'a str) -> serde_json::Result<T> {
    T::deserialize(Named::new(&mut serde_json::Deserializer::from_str(json)))
}

const BATCH: &str = r#"{"max": 2, "min": 1}"#;

fn document(batch: &str) -> String {
    format!(
        r#"{{"batches": [{BATCH}, {batch}], "by_name": {{"a": {BATCH}, "b": {batch}}},
            "choices": ["None", {{"One": {batch}}}, {{"Two": [7, {batch}]}}, {{"Named": {{"batch": {batch}}}}}],
            "pair": [3, {batch}], "letter": "x", "flag": true, "nothing": null}}"#
    )
}

#[test]
fn a_document_with_names_is_read_as_it_is_without_named() {
    let text = document(BATCH);
    let plain: Document = serde_json::from_str(&text).unwrap();
    assert_eq!(plain.batches.len(), 2);
    assert_eq!(read::<Document>(&text).unwrap(), plain);
}

#[test]
fn a_struct_without_names_is_refused_wherever_it_stands() {
    assert!(serde_json::from_str::<Document>(&document("[1, 2]")).is_ok());
    let json = document(BATCH);
    // Each of the places in turn.
    for (place, _) in json.match_indices(BATCH) {
        let changed = format!("{}[1, 2]{}", &json[..place], &json[place + BATCH.len()..]);
        let error = read::<Document>(&changed).unwrap_err().to_string();
        assert!(
            error.contains("expected struct Batch with named fields"),
            "{error}"
        );
    }
    let choice = read::<Choice>(r#"{"Named": [{"min": 1, "max": 2}]}"#);
    assert!(choice.is_err());
    let unit = read::<Choice>(r#"{"None": 3}"#);
    assert!(unit.is_err());
}

/// The lengths that a sequence and a map announce.
#[derive(Debug, PartialEq, Eq)]
struct Announced(Option<usize>);

impl<'de> Deserialize<'de> for Announced {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Length;
        impl<'de> Visitor<'de> for Length {
            type Value = Announced;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("anything with a length")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Announced, A::Error> {
                let length = values.size_hint();
                while values.next_element::<u8>()?.is_some() {}
                Ok(Announced(length))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Announced, A::Error> {
                let length = fields.size_hint();
                while let Some(key) = fields.next_key::<u8>()? {
                    assert_eq!(fields.next_value::<u8>()?, key + 1);
                }
                Ok(Announced(length))
            }
        }
        deserializer.deserialize_any(Length)
    }
}

#[test]
fn lengths_that_are_announced_pass_through() {
    let values = SeqDeserializer::<_, Error>::new([4u8, 5, 6].into_iter());
    assert_eq!(
        Announced::deserialize(Named::new(values)),
        Ok(Announced(Some(3)))
    );
    let fields = MapDeserializer::<_, Error>::new([(4u8, 5u8), (6, 7)].into_iter());
    assert_eq!(
        Announced::deserialize(Named::new(fields)),
        Ok(Announced(Some(2)))
    );
    assert_eq!(
        read::<Announced>("[1, 2]").map_err(|error| error.to_string()),
        Ok(Announced(None))
    );
}

/// Three numbers as a format for machines has them, without names.
struct Binary;

impl<'de> Deserializer<'de> for Binary {
    type Error = Error;
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(SeqDeserializer::new([1u64, 2].into_iter()))
    }
    fn is_human_readable(&self) -> bool {
        false
    }
    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[test]
fn a_format_without_names_is_left_as_it_is() {
    let batch = Batch { min: 1, max: 2 };
    assert_eq!(Batch::deserialize(Named::new(Binary)), Ok(batch));
    assert!(!Named::new(Binary).is_human_readable());
    let mut json = serde_json::Deserializer::from_str("1");
    assert!(Named::new(&mut json).is_human_readable());
}
