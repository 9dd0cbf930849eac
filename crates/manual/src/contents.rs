//! The pages that are served, in the order of the table of contents. Pages for those who work on Cardform are not among
//! them.

use std::sync::LazyLock;

/// Chapters with their pages. A page has its name in addresses, its title, its source below the repository's root, and what
/// a reader finds there.
const CONTENTS: &str = "\
# Begin
install | Install | docs/install.md | Installer, package, image, chart or source, and how a release is verified
quick-start | Quick start | docs/quick-start.md | From an empty folder to a paid order in ten minutes
embedding | Embed the form | docs/embedding.md | A frame in your page or a payment page, and what your policy must allow
testing | Test it | docs/testing.md | Test cards, webhooks on your machine, and cases to try
doctor | Doctor | docs/doctor.md | A program that finds mistakes, with the remedy for each
going-live | Go live | docs/going-live.md | The steps before the first real card
providers | Providers | docs/providers.md | Go live with Stripe, and what happens there
merchants | Several merchants | docs/merchants.md | Many shops on one service
# Your server
merchant-api | The merchant API | docs/merchant-api.md | Create a charge, know its outcome, errors and declines
charge-fields | Fields of a charge | docs/charge-fields.md | Each field with its limits and its default
charge-states | States of a charge | docs/charge-states.md | Which status can follow which
webhooks | Webhooks | docs/webhooks.md | An event for every change, with servers to copy
saving-cards | Saved cards | docs/saving-cards.md | Let shoppers save cards, and pay with them
card-page | The card page | docs/card-page.md | Where a shopper lists, names, removes and adds cards
three-d-secure | 3-D Secure | docs/three-d-secure.md | When the bank asks for a confirmation
express | Express | docs/express.md | Charges and webhooks with Express
# Your page
sdk | The SDK | sdk/js/README.md | Options, look, results, events and errors
react | React | sdk/react/README.md | The form as a component
next-js | Next.js | docs/next-js.md | Server and page with the app router
vue | Vue | docs/vue.md | The form as a component
svelte | Svelte | docs/svelte.md | The form as a component
browser-tests | Browser tests | sdk/testing/README.md | A package that pays in tests of your own page
options | Options | docs/options.md | Each option of a form, with its default
theming | Theming | docs/theming.md | Every key of the look, and a playground
texts | Texts | docs/texts.md | Your own words, and the key of each text
languages | Languages | docs/languages.md | Which of the 31 a shopper gets
form | The form's page | docs/form.md | Addresses, options, element ids, states
messages | Messages | docs/messages.md | For pages without the SDK
# Reference
limits | Limits and browsers | docs/limits.md | Sizes, times, browsers, and what is not there yet
currencies | Currencies | docs/currencies.md | Every currency, and its decimal places
payload | The payload | docs/payload.md | The signed fields, and the pages that may embed the form
rules | Rules of the fields | docs/rules.md | What is valid, brands and error ids
field-states | States of a field | docs/field-states.md | When a field shows its error
saved-card-states | States of saved cards | docs/saved-cards.md | The list, and the removal of a card
calls | Calls of the page | docs/calls.md | What the form sends to the service
sealed-cards | Sealed cards | docs/sealed-cards.md | How the page encrypts a card
tracking | Tracking | docs/tracking.md | The events that the form reports
experiments | Experiments | docs/experiments.md | Features that are on for some shoppers
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
    /// Its subject, in one line.
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
mod tests;
