//! Drawings of state machines: the pages have no script that draws Mermaid, so each arrow is a row of a table.

use crate::escape::escaped;

/// The rows of a state diagram in Mermaid.
pub(crate) fn table(drawing: &str) -> String {
    let mut html =
        "<table><thead><tr><th>from</th><th>event</th><th>to</th></tr></thead><tbody>\n".to_owned();
    for (from, rest) in drawing.lines().filter_map(|line| line.split_once(" --> ")) {
        let (to, event) = rest.split_once(": ").unwrap_or((rest, ""));
        let from = escaped(from.trim()).replace("[*]", "the beginning");
        let to = escaped(to.trim()).replace("[*]", "the end");
        let event = escaped(event);
        html.push_str(&format!(
            "<tr><td>{from}</td><td>{event}</td><td>{to}</td></tr>\n"
        ));
    }
    html + "</tbody></table>\n"
}

#[cfg(test)]
mod tests;
