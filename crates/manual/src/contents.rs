//! The pages that are served, in the order of the table of contents. Pages for those who work on Cardform are not among
//! them.

use std::sync::LazyLock;

/// Chapters with their pages. A page has its name in addresses, its title, its source below the repository's root, and what
/// a reader finds there.
const CONTENTS: &str = "\
# Begin
quick-start | Quick start | docs/quick-start.md | From an empty folder to a paid order in ten minutes
embedding | Embed the form | docs/embedding.md | A frame in your page or a payment page, and what your policy must allow
testing | Test it | docs/testing.md | Test cards, webhooks on your machine, and cases to try
doctor | Doctor | docs/doctor.md | A program that finds mistakes, with the remedy for each
going-live | Go live | docs/going-live.md | The steps before the first real card
# Your server
merchant-api | The merchant API | docs/merchant-api.md | Create a charge, know its outcome, errors and declines
webhooks | Webhooks | docs/webhooks.md | An event for every change, with servers to copy
saving-cards | Saved cards | docs/saving-cards.md | Let shoppers save cards, and pay with them
three-d-secure | 3-D Secure | docs/three-d-secure.md | When the bank asks for a confirmation
# Your page
sdk | The SDK | sdk/js/README.md | Options, look, results, events and errors
react | React | sdk/react/README.md | The form as a component
browser-tests | Browser tests | sdk/testing/README.md | A package that pays in tests of your own page
options | Options | docs/options.md | Each option of a form, with its default
theming | Theming | docs/theming.md | Every key of the look, and a playground
form | The form's page | docs/form.md | Addresses, options, element ids, states
messages | Messages | docs/messages.md | For pages without the SDK
languages | Languages | docs/languages.md | Which of the 31 a shopper gets
# Reference
payload | The payload | docs/payload.md | The signed fields, and the pages that may embed the form
security | Card security | docs/security.md | Responsibilities for PCI DSS
glossary | Glossary | docs/glossary.md | The words of these pages";

static CHAPTERS: LazyLock<Vec<Chapter>> = LazyLock::new(read);

/// A page.
pub(crate) struct ListedPage {
    /// In its address.
    pub(crate) name: &'static str,
    /// In the table of contents.
    pub(crate) title: &'static str,
    /// Below the repository's root.
    pub(crate) source: &'static str,
    /// What a reader finds there, in one line.
    pub(crate) about: &'static str,
}

/// Pages that belong together.
pub(crate) struct Chapter {
    pub(crate) title: &'static str,
    pub(crate) pages: Vec<ListedPage>,
}

/// All chapters.
pub(crate) fn chapters() -> &'static [Chapter] {
    &CHAPTERS
}

fn read() -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    for line in CONTENTS.lines() {
        let cells: Vec<_> = line.split(" | ").collect();
        if let Some(title) = line.strip_prefix("# ") {
            let pages = Vec::new();
            chapters.push(Chapter { title, pages });
        } else if let (&[name, title, source, about], Some(chapter)) = (&*cells, chapters.last_mut()) {
            chapter.pages.push(ListedPage {
                name,
                title,
                source,
                about,
            });
        }
    }
    chapters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_chapter_or_a_page() {
        let pages = chapters().iter().map(|chapter| 1 + chapter.pages.len());
        assert_eq!(pages.sum::<usize>(), CONTENTS.lines().count());
    }
}
