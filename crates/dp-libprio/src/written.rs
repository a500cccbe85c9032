//! The written form of a strategy: one text for each, so that two servers can compare texts.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_calibration::{Budget, accepted};
use dp_exact::{Delta, Epsilon, ParameterError, Rho};
use serde::de::{self, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;
use crate::strategy::{ACCEPT, MATRIX, NoiseKind, Purpose, Strategy, VERSION};

impl Serialize for Strategy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = WrittenStrategy {
            version: VERSION,
            law: self.kind().name(),
            matrix: self.purpose().map(Purpose::name),
            budget: WrittenBudget(self.budget()),
            accept_weak_guarantee: self.accepts_weak_guarantee(),
        };
        written.serialize(serializer)
    }
}

#[derive(Serialize)]
struct WrittenStrategy<'a> {
    version: u32,
    law: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<&'static str>,
    budget: WrittenBudget<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accept_weak_guarantee: bool,
}

impl<'de> Deserialize<'de> for Strategy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(Node::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// A budget as a map with one key, the kind, in every format. YAML would write an enum with a tag
/// of its own, which cannot be read inside an enum with a tag.
struct WrittenBudget<'a>(&'a Budget);

/// The parameters of a budget by name, such as `epsilon`, each written as a text.
struct Numbers<'a>(Vec<(&'static str, &'a dyn Display)>);

impl Serialize for WrittenBudget<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, numbers): (_, Vec<(_, &dyn Display)>) = match self.0 {
            Budget::Pure { epsilon } => ("pure", vec![("epsilon", epsilon)]),
            Budget::Approximate { epsilon, delta } => {
                ("approximate", vec![("epsilon", epsilon), ("delta", delta)])
            }
            Budget::ZeroConcentrated { rho } => ("zero_concentrated", vec![("rho", rho)]),
            Budget::Renyi { .. } => {
                let reason = "no noise is calibrated to a Rényi budget";
                return Err(serde::ser::Error::custom(reason));
            }
        };
        serializer.collect_map([(kind, Numbers(numbers))])
    }
}

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let texts = self.0.iter();
        serializer.collect_map(texts.map(|(name, number)| (name, number.to_string())))
    }
}

fn read(node: Node) -> Result<Strategy, Error> {
    let names = ["version", "law", MATRIX, "budget", ACCEPT];
    let mut fields = Fields::of("strategy", node, &names)?;
    // First: all other errors are about this version.
    version(&fields.take("version", VERSION)?)?;
    let kind = law(&fields.take("law", NoiseKind::NAMES)?)?;
    let purpose = fields.optional(MATRIX).map(|node| purpose(kind, &node)).transpose()?;
    let budget = budget(kind, fields.take("budget", kind.kinds())?)?;
    let accepts_weak = match fields.optional(ACCEPT) {
        None => false,
        Some(Node::Flag(true)) => true,
        Some(other) => return Err(refused(ACCEPT, &other, "true, or no such field").into()),
    };
    let strategy = Strategy::new(kind, budget, accepts_weak)?;
    match purpose {
        Some(purpose) => strategy.with_purpose(purpose),
        None => Ok(strategy),
    }
}

fn purpose(kind: NoiseKind, node: &Node) -> Result<Purpose, ParameterError> {
    let is_it = |purpose: &Purpose| *node == Node::Text(purpose.name().to_owned());
    [Purpose::Percentiles, Purpose::Ranges].into_iter().find(is_it).ok_or_else(|| {
        let accepted = format!("{}, with {} noise, or no such field", kind.purposes(), kind.name());
        refused(MATRIX, node, accepted)
    })
}

fn version(node: &Node) -> Result<(), ParameterError> {
    if *node == Node::Number(VERSION.to_string()) {
        return Ok(());
    }
    let accepted = format!("{VERSION}, without quotes, the version that this release knows");
    Err(refused("version", node, accepted))
}

fn law(node: &Node) -> Result<NoiseKind, ParameterError> {
    let is_it = |kind: &NoiseKind| *node == Node::Text(kind.name().to_owned());
    let kind = [NoiseKind::DiscreteLaplace, NoiseKind::DiscreteGaussian].into_iter().find(is_it);
    kind.ok_or_else(|| refused("law", node, NoiseKind::NAMES))
}

/// Reads a budget; `Err` unless noise of this `kind` can be calibrated to the budget.
fn budget(kind: NoiseKind, node: Node) -> Result<Budget, ParameterError> {
    let accepted = || format!("{}, as {} takes them", kind.kinds(), kind.name());
    let (name, numbers) = match node {
        Node::Map(fields) => match <[_; 1]>::try_from(fields) {
            Ok([field]) => field,
            Err(fields) => return Err(refused("budget", &Node::Map(fields), accepted())),
        },
        other => return Err(refused("budget", &other, accepted())),
    };
    match (kind, name.as_str()) {
        (NoiseKind::DiscreteLaplace, "pure") => {
            let mut numbers = Fields::of("pure", numbers, &["epsilon"])?;
            let epsilon = numbers.number::<Epsilon>("epsilon", EPSILON)?;
            Ok(Budget::Pure { epsilon })
        }
        (_, "approximate") => {
            let mut numbers = Fields::of("approximate", numbers, &["epsilon", "delta"])?;
            let epsilon = numbers.number::<Epsilon>("epsilon", EPSILON)?;
            let delta = numbers.number::<Delta>("delta", DELTA)?;
            Ok(Budget::Approximate { epsilon, delta })
        }
        (NoiseKind::DiscreteGaussian, "zero_concentrated") => {
            let mut numbers = Fields::of("zero_concentrated", numbers, &["rho"])?;
            let rho = numbers.number::<Rho>("rho", RHO)?;
            Ok(Budget::ZeroConcentrated { rho })
        }
        _ => Err(ParameterError::new("budget", name, accepted())),
    }
}

/// The accepted range of a number in words, and an example, for errors.
type Range = (&'static str, &'static str);

const EPSILON: Range = (accepted::EPSILON, "0.5");
const DELTA: Range = (accepted::DELTA, "1e-9");
const RHO: Range = (accepted::RHO, "0.02");

/// The fields of a map that have not been read yet, with their names.
struct Fields(Vec<(String, Node)>);

impl Fields {
    /// The fields of `node`, which the error calls `what`. `Err` unless `node` is a map with fields
    /// of these `names`, each at most once.
    fn of(what: &'static str, node: Node, names: &[&'static str]) -> Result<Self, ParameterError> {
        let Node::Map(fields) = node else {
            let accepted = format!("a map with {}", names.join(", "));
            return Err(refused(what, &node, accepted));
        };
        for (place, (name, _)) in fields.iter().enumerate() {
            if !names.contains(&name.as_str()) {
                let accepted = format!("only {} in {what}", names.join(", "));
                return Err(ParameterError::new(name.clone(), "unknown", accepted));
            }
            if fields.iter().take(place).any(|(other, _)| other == name) {
                let value = "given twice";
                return Err(ParameterError::new(name.clone(), value, "one value"));
            }
        }
        Ok(Self(fields))
    }

    fn optional(&mut self, name: &str) -> Option<Node> {
        let place = self.0.iter().position(|(other, _)| other == name)?;
        Some(self.0.swap_remove(place).1)
    }

    fn take(&mut self, name: &'static str, accepted: impl Display) -> Result<Node, ParameterError> {
        let missing = || ParameterError::new(name, "missing", accepted.to_string());
        self.optional(name).ok_or_else(missing)
    }

    /// Removes the field `name` and reads its number in quotes. `Err`, with the accepted range and
    /// an example, if the field is missing or has another value.
    fn number<T: FromStr>(
        &mut self,
        name: &'static str,
        (range, example): Range,
    ) -> Result<T, ParameterError> {
        let accepted = || format!("{range}, in quotes, such as \"{example}\"");
        match self.take(name, accepted())? {
            Node::Text(text) => {
                let refused = |_| ParameterError::new(name, &text, accepted());
                text.parse().map_err(refused)
            }
            other => Err(refused(name, &other, accepted())),
        }
    }
}

fn refused(name: &'static str, node: &Node, accepted: impl Into<String>) -> ParameterError {
    ParameterError::new(name, node.shown(), accepted.into())
}

/// A value of JSON, YAML or another self-describing format.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Text(String),
    Flag(bool),
    /// A number without quotes, as the format's text had it.
    Number(String),
    /// The entries in their order, repeated names included.
    Map(Vec<(String, Node)>),
    List,
    Nothing,
}

impl Node {
    /// The value in an error: a text or number as read, a map by the names of its fields.
    fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Number(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
            Self::Map(fields) => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                format!("{{{}}}", names.join(", "))
            }
            Self::List => "a list".to_owned(),
            Self::Nothing => "nothing".to_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

macro_rules! numbers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method<E: de::Error>(self, number: $type) -> Result<Node, E> {
            Ok(Node::Number(format!("{number:?}")))
        })*
    };
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map, a text or a number")
    }

    numbers!(visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128, visit_f64: f64);

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }

    fn visit_none<E: de::Error>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Node::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Map(fields))
    }
}
