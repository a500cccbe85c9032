//! What a drawing lacks: a box that scales, words for those who do not see it, identifiers of its own.

use maud::html;

use super::Room;
use crate::model::Chart;

/// The drawing as an element of a page.
pub(super) fn framed(drawing: &str, chart: &Chart, room: Room) -> String {
    let own = format!("{}-{}", chart.id, room.name());
    let (head, rest) = drawing.split_once('>').unwrap_or(("", ""));
    let inside = rest.split_once("-->").map_or(rest, |(_, inside)| inside);
    let inside = own_identifiers(inside.trim_end().trim_end_matches("</svg>"), &own);
    let (width, height) = (attribute(head, "width"), attribute(head, "height"));
    let words = html! {
        title id=(format!("{own}-title")) { (chart.title) }
        desc id=(format!("{own}-desc")) { (chart.description) }
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{own}-title {own}-desc\" font-family=\"inherit\" fill=\"var(--ink)\">{}{inside}</svg>",
        room.name(),
        words.into_string()
    )
}

/// The value of an attribute of an opening tag.
fn attribute<'a>(head: &'a str, name: &str) -> &'a str {
    let begin = format!(" {name}=\"");
    let after = head.split_once(&begin).map_or("", |(_, after)| after);
    after.split_once('"').map_or("0", |(value, _)| value)
}

/// Clips are numbered by a counter of the process, so that the same chart would differ from run to run: here they are named
/// after the chart, in their order.
fn own_identifiers(inside: &str, own: &str) -> String {
    let mut text = inside.to_owned();
    let mut known = Vec::new();
    for (_, after) in inside
        .match_indices(" id=\"")
        .map(|(at, _)| inside.split_at(at + 5))
    {
        if let Some((name, _)) = after.split_once('"') {
            known.push(name);
        }
    }
    for (number, name) in known.iter().enumerate() {
        let new = format!("{own}-{number}");
        text = text.replace(&format!(" id=\"{name}\""), &format!(" id=\"{new}\""));
        text = text.replace(&format!("url(#{name})"), &format!("url(#{new})"));
    }
    text
}
