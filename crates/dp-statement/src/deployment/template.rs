//! A deployment to fill in.

use super::FIELDS;

/// A deployment in TOML in which every field is empty, below a comment that says what it is, with so many aggregators.
///
/// It is refused until every field is filled in.
///
/// ```
/// use dp_statement::{Deployment, template};
///
/// let refused = Deployment::from_toml(template(2)).unwrap_err().to_string();
/// assert!(refused.starts_with("the deployment leaves out product.name (what the statistics are called)"));
/// ```
#[must_use]
pub fn template(aggregators: usize) -> String {
    let mut text = String::from(
        "# A deployment to fill in: write between the quotes. It is refused until no field is empty.\n",
    );
    let mut above = "";
    for field in FIELDS {
        match field.path.split_once('.') {
            None => text += &format!("{} = {}\n", field.path, field.what),
            Some(("aggregators", _)) if above == "aggregators" => {}
            Some((section @ "aggregators", _)) => {
                above = section;
                text += &of_aggregator().repeat(aggregators);
            }
            Some((section, name)) => {
                if section != above {
                    above = section;
                    text += &format!("\n[{section}]\n");
                }
                text += &line(name, field.what);
            }
        }
    }
    text
}

/// The table of one aggregator.
fn of_aggregator() -> String {
    let fields = FIELDS.iter();
    let own =
        fields.filter_map(|field| Some((field.path.strip_prefix("aggregators.")?, field.what)));
    let lines = own.map(|(name, what)| line(name, what.trim_end_matches(", of each")));
    format!("\n[[aggregators]]\n{}", lines.collect::<String>())
}

fn line(name: &str, what: &str) -> String {
    format!("# {what}\n{name} = \"\"\n")
}
