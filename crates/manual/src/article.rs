//! Renders a page: headings get anchors, links become addresses, tables and code can be scrolled.

use std::path::Path;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Parser, Tag, TagEnd, html};

use crate::code::code_block;
use crate::contents::ListedPage;
use crate::drawing;
use crate::escape::escaped;
use crate::links::Links;
use crate::markdown::{anchor, headings, options};

/// A part of a page, for the search.
pub(crate) struct Section {
    pub(crate) anchor: String,
    pub(crate) title: String,
    pub(crate) text: String,
    /// The code in the first column of its tables: the names that it explains.
    pub(crate) terms: Vec<String>,
}

/// A rendered page.
pub(crate) struct Article {
    pub(crate) listed: &'static ListedPage,
    pub(crate) body: String,
    pub(crate) sections: Vec<Section>,
}

impl Article {
    /// Renders the page, and adds its mistakes to `mistakes`.
    pub(crate) fn render(
        listed: &'static ListedPage,
        text: &str,
        root: &Path,
        links: &Links,
        mistakes: &mut Vec<String>,
    ) -> Self {
        let mut titles = headings(text).into_iter();
        let mut rendering = Rendering::default();
        for event in Parser::new_ext(text, options()) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    rendering.heading(level, titles.next().unwrap_or_default());
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let address = links
                        .page(root, listed.source, &dest_url)
                        .unwrap_or_else(|mistake| {
                            mistakes.push(mistake);
                            None
                        });
                    rendering.link(address.as_deref());
                }
                Event::Html(_) | Event::InlineHtml(_) => {
                    mistakes.push(format!("{}: HTML is not rendered", listed.source));
                }
                event => rendering.take(event),
            }
        }
        let mut body = String::new();
        html::push_html(&mut body, rendering.events.into_iter());
        Self {
            listed,
            body,
            sections: rendering.sections,
        }
    }
}

/// The parts of a page that are rendered so far.
#[derive(Default)]
struct Rendering<'a> {
    events: Vec<Event<'a>>,
    sections: Vec<Section>,
    is_in_heading: bool,
    /// The marks and the text of the block of code that is being read.
    code: Option<(String, String)>,
    /// For each open link, whether it has an address. A link to a file that is not served becomes plain text.
    links: Vec<bool>,
    /// The number of the table's cell that is being read, counted from 1 in each row.
    cell: usize,
}

impl<'a> Rendering<'a> {
    fn raw(&mut self, html: String) {
        self.events.push(Event::InlineHtml(CowStr::from(html)));
    }

    /// Adds to the text of the section that is being read.
    fn note(&mut self, text: &str) {
        if let Some(section) = self.sections.last_mut()
            && !self.is_in_heading
        {
            section.text.push_str(text);
        }
    }

    fn heading(&mut self, level: HeadingLevel, title: String) {
        let anchor = anchor(&title);
        let id = if level == HeadingLevel::H1 {
            String::new()
        } else {
            format!(" id=\"{anchor}\"")
        };
        self.raw(format!("<{level}{id}>"));
        self.is_in_heading = true;
        self.sections.push(Section {
            anchor,
            title,
            text: String::new(),
            terms: Vec::new(),
        });
    }

    fn heading_end(&mut self, level: HeadingLevel) {
        self.is_in_heading = false;
        if level != HeadingLevel::H1
            && let Some(section) = self.sections.last()
        {
            let (anchor, title) = (&section.anchor, escaped(&section.title));
            let link =
                format!(" <a class=\"anchor\" href=\"#{anchor}\" aria-label=\"Link to “{title}”\">#</a>");
            self.raw(link);
        }
        self.raw(format!("</{level}>\n"));
    }

    fn link(&mut self, address: Option<&str>) {
        self.links.push(address.is_some());
        if let Some(address) = address {
            self.raw(format!("<a href=\"{}\">", escaped(address)));
        }
    }

    fn table_start(&mut self) {
        let title = self.sections.last().map(|section| escaped(&section.title));
        let title = title.unwrap_or_default();
        // A wide table scrolls in its own box, also by keyboard.
        self.raw(format!(
            "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table: {title}\">\n"
        ));
    }

    fn code_end(&mut self) {
        let (marks, code) = self.code.take().unwrap_or_default();
        self.note(&format!(" {code}"));
        if marks == "mermaid" {
            self.table_start();
            self.raw(drawing::table(&code) + "</div>\n");
        } else {
            self.raw(code_block(&marks, &code));
        }
    }

    /// Everything but headings, links and HTML.
    fn take(&mut self, event: Event<'a>) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(marks))) => {
                self.code = Some((marks.into_string(), String::new()));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => self.code = Some(Default::default()),
            Event::End(TagEnd::CodeBlock) => self.code_end(),
            Event::End(TagEnd::Heading(level)) => self.heading_end(level),
            Event::Start(Tag::Table(_)) => {
                self.table_start();
                self.events.push(event);
            }
            Event::End(TagEnd::Table) => {
                self.events.push(event);
                self.raw("</div>\n".to_owned());
            }
            Event::End(TagEnd::Link) => {
                if self.links.pop() == Some(true) {
                    self.raw("</a>".to_owned());
                }
            }
            Event::Text(text) if self.code.is_some() => {
                if let Some((_, code)) = &mut self.code {
                    code.push_str(&text);
                }
            }
            Event::Text(ref text) | Event::Code(ref text) => {
                if let (Event::Code(_), 1, Some(section)) = (&event, self.cell, self.sections.last_mut()) {
                    section.terms.push(text.to_string());
                }
                self.note(text);
                self.events.push(event);
            }
            event => {
                match event {
                    Event::Start(Tag::TableCell) => self.cell += 1,
                    Event::End(TagEnd::TableRow | TagEnd::TableHead) => self.cell = 0,
                    _ => {}
                }
                self.note(" ");
                self.events.push(event);
            }
        }
    }
}

#[cfg(test)]
mod tests;
