//! The HTML document around the rendered page. It has no inline script, and no inline style except the theme's: the
//! page's data is in a block that browsers do not run.

use protocol::{ColorMode, Page, Payee};

use super::Pages;
use super::assets::LinkedFile;
use super::escape::{ScriptJson, escape};
use super::language::Language;
use super::pieces::{CompressedPart, DocumentWriter, Gzip};
use super::templates::RootContent;

/// The place in the page's data for the texts of its language, which are much longer than the rest. No text can contain
/// it, because JSON escapes quotes.
const TEXTS_PLACE: &str = "\"messages\":0";

/// The page's appearance.
pub struct Appearance<'a> {
    /// The forced color mode, or the shopper's preference.
    pub color_mode: ColorMode,
    /// A style sheet, or nothing.
    pub theme: &'a str,
}

/// The content of the document.
pub struct HtmlDocument<'a> {
    lang: &'a str,
    dir: &'a str,
    title: &'a str,
    /// `system`, `light` or `dark`.
    color_mode: &'a str,
    style: &'a LinkedFile,
    /// The theme's style sheet, made of checked values only; the policy allows it by its hash.
    theme: &'a str,
    script: &'a LinkedFile,
    /// Says that no real money moves; `None` where it does.
    test_mode: Option<&'a str>,
    /// The merchant that the payment page pays. It is in the document itself, so that it is shown even if scripts fail.
    payee: Option<&'a Payee>,
    /// The text for readers without scripts; `None` on a page that needs no script.
    no_script: Option<&'a str>,
    /// The text that the style sheet shows if the payment page's script does not start. The script removes it
    /// (form/src/browser.tsx). `None` in a frame, whose parent says it.
    stalled_script: Option<&'a str>,
    /// The page's data, with [`TEXTS_PLACE`] for its texts.
    data: &'a ScriptJson,
    /// The texts of its language, plain and compressed.
    texts: &'a CompressedPart,
    /// The HTML from React; empty if rendering failed and the browser renders the page.
    body: RootContent<'a>,
}

impl<'a> HtmlDocument<'a> {
    /// The document of `page` with the data `data`. If rendering fails, its root is empty.
    pub async fn render(
        pages: &'a Pages,
        language: &'a Language,
        page: &'a Page,
        data: &'a ScriptJson,
        look: &Appearance<'a>,
    ) -> Self {
        let title = match page {
            // The page's script sets the same title when the language changes.
            Page::Form(form) if form.intent.is_card_session() => "your_cards",
            Page::Form(_) => "pay_with_card",
            Page::Error(error) if error.status == 404 => "page_not_found_title",
            Page::Error(error) if error.status < 500 => "page_unusable_title",
            Page::Error(_) => "page_unavailable_title",
        };
        let rendered = pages.templates.body(page, language).await;
        let body = rendered.unwrap_or_else(|error| {
            tracing::error!(%error, "a page was not rendered on the server; the browser renders it");
            RootContent::Rendered(String::new())
        });
        let (payee, no_script, stalled_script) = match page {
            Page::Form(form) => {
                let stalled = form.standalone.then(|| language.plain_text("page_unavailable"));
                let no_script = language.plain_text("needs_javascript");
                (form.payee.as_deref(), no_script, stalled.flatten())
            }
            Page::Error(_) => (None, None, None),
        };
        Self {
            lang: language.locale.iso,
            dir: language.locale.dir.as_str(),
            title: language.plain_text(title).unwrap_or("Cardform"),
            color_mode: look.color_mode.as_str(),
            style: &pages.assets.style,
            theme: look.theme,
            script: &pages.assets.script,
            test_mode: (pages.settings.is_test_mode)
                .then(|| language.plain_text("test_mode"))
                .flatten(),
            payee,
            no_script,
            stalled_script,
            data,
            texts: &language.texts_of(page).in_document,
            body,
        }
    }

    /// The whole HTML.
    pub fn to_html(&self) -> String {
        let mut html = String::with_capacity(self.bytes());
        self.write_to(&mut html);
        html
    }

    /// The document without React's HTML.
    #[must_use]
    pub fn without_body(self) -> Self {
        Self {
            body: RootContent::Rendered(String::new()),
            ..self
        }
    }

    /// The whole document in gzip.
    pub fn to_gzip(&self) -> Vec<u8> {
        let mut gzip = Gzip::with_capacity(self.bytes());
        self.write_to(&mut gzip);
        gzip.finish()
    }

    fn write_to(&self, html: &mut impl DocumentWriter) {
        for text in [
            "<!doctype html>\n<html lang=\"",
            &escape(self.lang),
            "\" dir=\"",
            &escape(self.dir),
            "\" data-color-mode=\"",
            &escape(self.color_mode),
            "\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"robots\" content=\"noindex\">\n<title>",
            &escape(self.title),
            "</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"",
            &self.style.path,
            "\" integrity=\"",
            &self.style.integrity,
            "\">\n",
        ] {
            html.text(text);
        }
        if !self.theme.is_empty() {
            html.text("<style>");
            html.text(self.theme);
            html.text("</style>\n");
        }
        html.text("<script type=\"module\" src=\"");
        html.text(&self.script.path);
        html.text("\" integrity=\"");
        html.text(&self.script.integrity);
        html.text("\"></script>\n</head>\n<body>\n");
        if let Some(told) = self.no_script {
            html.text("<noscript><p class=\"no-script\" role=\"alert\">");
            html.text(&escape(told));
            html.text("</p></noscript>\n");
        }
        if let Some(told) = self.test_mode {
            // With its language, because the shopper may change the language of the rest.
            let opening = format!(
                "<p class=\"test-mode\" lang=\"{}\" dir=\"{}\">",
                escape(self.lang),
                escape(self.dir)
            );
            html.text(&opening);
            html.text(&escape(told));
            html.text("</p>\n");
        }
        if let Some(payee) = self.payee {
            write_payee(payee, html);
        }
        html.text("<div id=\"root\">");
        self.body.write_to(html);
        html.text("</div>\n");
        if let Some(told) = self.stalled_script {
            html.text("<p class=\"stalled-script\" role=\"alert\">");
            html.text(&escape(told));
            html.text("</p>\n");
        }
        html.text("<script type=\"application/json\" id=\"page\">");
        let data = self.data.as_str();
        let (before, after) = data.split_once(TEXTS_PLACE).unwrap_or((data, ""));
        html.text(before);
        html.text("\"messages\":");
        html.part(self.texts);
        html.text(after);
        html.text("</script>\n</body>\n</html>\n");
    }

    /// The approximate size of the document. If it is large enough, the string never has to grow.
    fn bytes(&self) -> usize {
        const AROUND: usize = 1_024;
        let inner = self.theme.len() + self.body.bytes();
        AROUND + inner + self.data.as_str().len() + self.texts.bytes()
    }
}

/// Writes the merchant's logo and name, with the link to its website.
fn write_payee(payee: &Payee, html: &mut impl DocumentWriter) {
    html.text("<header class=\"payee\">");
    if let Some(website) = &payee.website {
        html.text("<a class=\"payee-link\" href=\"");
        html.text(&escape(website));
        html.text("\">");
    }
    if let Some(logo) = &payee.logo {
        html.text("<img class=\"payee-logo\" src=\"");
        html.text(&escape(logo));
        html.text("\" alt=\"\" height=\"40\" fetchpriority=\"low\">");
    }
    html.text("<bdi class=\"payee-name\">");
    html.text(&escape(&payee.name));
    html.text("</bdi>");
    if payee.website.is_some() {
        html.text("</a>");
    }
    html.text("</header>\n");
}

#[cfg(test)]
mod tests;
