//! Which option, command or policy was meant: for people who guess names.

mod words;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use dp_calibration::Query;
use dp_exact::shown;
use dp_task::POLICIES;

use self::words::{COMMANDS, OPTIONS, PARTS};

/// How the commands of a ledger begin.
const LEDGER: &str = "calibrate ledger ";

/// The options and commands of a table's lines that stand for a word.
fn meant<'a>(table: &'a str, word: &str) -> Vec<&'a str> {
    let lines = table.lines().filter_map(|line| line.split_once(" = "));
    lines
        .filter(|(words, _)| words.split(' ').any(|known| known == word))
        .flat_map(|(_, meant)| meant.split(", "))
        .collect()
}

/// What clap refused, with the name that was probably meant, if any.
pub(crate) fn hint(error: &clap::Error, program: &Command, typed: &[String]) -> Option<String> {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (path, command) = innermost(program, typed);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let unknown = said(ContextKind::InvalidArg)?;
            let similar = said(ContextKind::SuggestedArg);
            let value = typed.iter().skip_while(|word| *word != unknown).nth(1);
            let place = Place {
                program,
                command,
                path: &path,
            };
            place.option(unknown, value.map(String::as_str), similar)
        }
        ErrorKind::InvalidSubcommand => {
            let unknown = said(ContextKind::InvalidSubcommand)?;
            subcommand(unknown, &path, command, program)
        }
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(accepted)) if !accepted.is_empty() => {
                Some(format!("expected {}", listed(accepted)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The innermost command that the words name, and their names.
fn innermost<'a>(program: &'a Command, typed: &[String]) -> (Vec<&'a str>, &'a Command) {
    let mut path = Vec::new();
    let mut command = program;
    for word in typed {
        if let Some(below) = command.find_subcommand(word) {
            path.push(below.get_name());
            command = below;
        }
    }
    (path, command)
}

fn has(command: &Command, option: &str) -> bool {
    let mut arguments = command.get_arguments();
    option == "help" || arguments.any(|argument| argument.get_long() == Some(option))
}

/// Where an option was typed.
struct Place<'a> {
    program: &'a Command,
    command: &'a Command,
    path: &'a [&'a str],
}

impl Place<'_> {
    /// The option that was meant, or the commands that have it.
    fn option(&self, unknown: &str, value: Option<&str>, similar: Option<&str>) -> Option<String> {
        let Self {
            program,
            command,
            path,
        } = self;
        if path.is_empty() {
            return Some("expected a command before it, see --help".to_owned());
        }
        if !unknown.starts_with('-') {
            return Some(positional(unknown, command, path));
        }
        let name = unknown.trim_start_matches('-');
        let name = name.split('=').next().unwrap_or(name).to_lowercase();
        let name = name.replace('_', "-");
        if has(command, &name) {
            return Some(format!("did you mean --{name}?"));
        }
        let mut known = meant(OPTIONS, &name).into_iter();
        let exists = |meant: &&str| has(command, meant.split(' ').next().unwrap_or_default());
        if let Some(meant) = known.find(exists) {
            let named = value.and_then(|value| policies(value).into_iter().next());
            return Some(match named {
                Some(policy) if meant.starts_with("policy") => {
                    format!("did you mean --policy {policy}?")
                }
                _ => format!("did you mean --{meant}?"),
            });
        }
        let mut positionals = command.get_positionals();
        if positionals.any(|argument| argument.get_id().as_str() == name) {
            let value = value.map_or_else(|| name.to_uppercase(), |value| shown(value).to_string());
            let path = path.join(" ");
            return Some(format!("it goes without a name: {path} {value}"));
        }
        if let Some(similar) = similar.filter(|similar| is_near(similar, &name)) {
            return Some(format!("did you mean {similar}?"));
        }
        let mut owners = Vec::new();
        with_option(program, &name, &mut Vec::new(), &mut owners);
        owners.truncate(3);
        let all = format!("`{} --help` lists its options", path.join(" "));
        Some(if owners.is_empty() {
            all
        } else {
            format!("it is an option of {}; {all}", owners.join(", "))
        })
    }
}

/// Whether an option that looks alike is so near that it may have been meant.
fn is_near(similar: &str, name: &str) -> bool {
    let similar = similar.trim_start_matches('-');
    similar.starts_with(name)
        || name.starts_with(similar)
        || distance(similar, name) * 5 <= name.chars().count() * 2
}

/// The commands that have an option.
fn with_option(command: &Command, name: &str, path: &mut Vec<String>, owners: &mut Vec<String>) {
    if !path.is_empty() && has(command, name) {
        owners.push(path.join(" "));
    }
    for below in command.get_subcommands() {
        path.push(below.get_name().to_owned());
        with_option(below, name, path, owners);
        path.pop();
    }
}

/// A word that stands where an option is expected.
fn positional(word: &str, command: &Command, path: &[&str]) -> String {
    let is_query = word.parse::<Query>().is_ok();
    for option in ["type", "query"] {
        if is_query && has(command, option) {
            return format!("did you mean --{option} {word}?");
        }
    }
    if let Some(policy) = policies(word).first()
        && has(command, "policy")
    {
        return format!("did you mean --policy {policy}?");
    }
    let repeated = word.split_once('x');
    if repeated.is_some_and(|(_, query)| query.parse::<Query>().is_ok()) && has(command, "release")
    {
        return format!("did you mean --release {word}?");
    }
    let endings = [
        (".csv", "data"),
        (".toml", "task"),
        (".json", "json"),
        ("", "mechanism"),
    ];
    for (ending, option) in endings {
        let is_law = !ending.is_empty() || word.contains(':');
        if is_law && word.ends_with(ending) && has(command, option) {
            return format!("did you mean --{option} {word}?");
        }
    }
    let name = word.to_lowercase();
    if has(command, &name) {
        return format!("did you mean --{name}?");
    }
    format!(
        "options begin with --, `{} --help` lists them",
        path.join(" ")
    )
}

/// The command that was meant.
fn subcommand(
    unknown: &str,
    path: &[&str],
    command: &Command,
    program: &Command,
) -> Option<String> {
    let word = unknown.to_lowercase();
    let here = |name: &str| [path, &[name]].concat().join(" ");
    let begins = |command: &&Command| {
        let name = command.get_name();
        word.len() > 1 && (name.starts_with(&word) || word.starts_with(name))
    };
    let found = command.get_subcommands().find(begins);
    if let Some(found) = found {
        return Some(format!("did you mean {}?", here(found.get_name())));
    }
    let of_type = |option: &str, query: &str| format!("--{option} {query}");
    let types = [
        ("count", "count"),
        ("sum", "sum:MAX"),
        ("average", "average:MAX"),
        ("mean", "average:MAX"),
        ("sumvec", "sumvec:LENGTH:MAX"),
        ("vector", "sumvec:LENGTH:MAX"),
        ("histogram", "histogram:LENGTH"),
        ("multihot", "multihot:LENGTH:WEIGHT"),
        ("l1boundsum", "l1boundsum:LENGTH:MAX"),
    ];
    let asked = types.iter().find(|(name, _)| word.starts_with(name));
    if let Some((_, query)) = asked {
        if path == ["calibrate"] {
            let query = of_type("query", query);
            return Some(format!(
                "did you mean calibrate laplace {query} or calibrate gaussian {query}?"
            ));
        }
        let name = ["plan", "policies"].into_iter();
        let mut name = name.filter(|name| program.find_subcommand(name).is_some());
        return Some(format!(
            "did you mean {} {}?",
            name.next()?,
            of_type("type", query)
        ));
    }
    let is_known = |meant: &&str| {
        let mut words = meant.split(' ');
        meant.starts_with('-') || words.try_fold(program, Command::find_subcommand).is_some()
    };
    let mut known: Vec<&str> = meant(COMMANDS, &word)
        .into_iter()
        .filter(is_known)
        .collect();
    // Some words name a command here and another one elsewhere.
    let place = path.join(" ");
    let is_here = |meant: &&str| {
        meant
            .strip_prefix(&place)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    if known.iter().any(is_here) {
        known.retain(is_here);
    } else if known.len() > 1 {
        known.retain(|meant| !meant.starts_with(LEDGER));
    }
    if !known.is_empty() {
        return Some(format!("did you mean {}?", known.join(" or ")));
    }
    let nested = |above: &Command| {
        let found = above.get_subcommands().find(begins)?;
        Some(format!("{} {}", above.get_name(), found.get_name()))
    };
    if let Some(found) = program.get_subcommands().find_map(nested) {
        return Some(format!("did you mean {found}?"));
    }
    let names = command.get_subcommands().map(Command::get_name);
    let near = names.filter(|name| distance(name, &word) * 2 < word.len().max(3));
    let near = near.min_by_key(|name| distance(name, &word));
    Some(match near {
        Some(name) => format!("did you mean {}?", here(name)),
        None => format!("expected {}", names_of(command)),
    })
}

/// The commands below one, in a sentence.
pub(crate) fn names_of(command: &Command) -> String {
    let names = command.get_subcommands().map(Command::get_name);
    let names: Vec<String> = names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    listed(&names)
}

fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// The word that --json took for its file.
pub(crate) fn file_of_json(typed: &[String]) -> Option<&str> {
    let mut words = typed.iter().skip_while(|word| *word != "--json").skip(1);
    let file = words.next()?;
    (!file.starts_with('-')).then_some(file)
}

/// The policies whose names are nearest to a name that is none, at most six.
pub(crate) fn policies(typed: &str) -> Vec<&'static str> {
    let typed = typed.to_lowercase().replace(['_', ' '], "-");
    let typed = typed.trim_start_matches("prio3").trim_start_matches('-');
    let known = |word| meant(PARTS, word).into_iter().next().unwrap_or(word);
    let typed = typed.split('-').map(known).collect::<Vec<_>>().join("-");
    let typed = typed.as_str();
    let words: Vec<&str> = typed.split('-').filter(|word| word.len() > 1).collect();
    let score = |name: &str| {
        let stands = |word: &&&str| name.split('-').any(|own| own.starts_with(**word));
        let common = words.iter().filter(stands).count();
        let slips = distance(name, typed).min(3);
        (slips, std::cmp::Reverse(common), name.split('-').count())
    };
    let mut names: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    names.sort_by_key(|name| score(name));
    let is_near = |name: &&str| {
        let (slips, common, _) = score(name);
        let (least, most, _) = score(names.first().copied().unwrap_or_default());
        slips == least && common == most && (slips < 3 || common.0 > 0)
    };
    names.iter().copied().filter(is_near).take(6).collect()
}

/// How many characters are to be put in, left out or replaced (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, typed) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], place + 1);
        for (column, meant) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(typed != *meant);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_of_words_is_that_of_their_fewest_changes() {
        for (one, other, changes) in [("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ab", 0)] {
            assert_eq!(distance(one, other), changes);
            assert_eq!(distance(other, one), changes);
        }
    }

    #[test]
    fn a_policy_is_found_by_its_parts_and_by_slips() {
        for (typed, first) in [
            ("histogram", "histogram-laplace"),
            ("Histogram_Gaussian", "histogram-gaussian"),
            ("histgram-laplace", "histogram-laplace"),
            ("rappor", "multihot-rappor"),
            ("Prio3Sum", "sum-laplace"),
            ("one-hot-rappor", "multihot-one-hot-rappor"),
            ("krr", "histogram-response"),
            ("rr", "count-response"),
            ("geometric", "histogram-laplace"),
            ("count-normal", "count-gaussian"),
            ("oue", "multihot-basic-rappor"),
        ] {
            let found = policies(typed);
            assert!(
                found.contains(&first) && found.len() <= 6,
                "{typed}: {found:?}"
            );
        }
        assert!(policies("xyzzy").is_empty());
    }
}
