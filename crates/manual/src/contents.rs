//! The pages that are served, in the order of the table of contents. Pages for those who work on Cardform are not among
//! them.

/// A page.
pub(crate) struct ListedPage {
    /// In its address.
    pub(crate) name: &'static str,
    /// In the table of contents.
    pub(crate) title: &'static str,
    /// What a reader finds there, in one line.
    pub(crate) about: &'static str,
    /// Below the repository's root.
    pub(crate) source: &'static str,
}

/// Pages that belong together.
pub(crate) struct Chapter {
    pub(crate) title: &'static str,
    pub(crate) pages: &'static [ListedPage],
}

const fn listed(
    name: &'static str,
    title: &'static str,
    source: &'static str,
    about: &'static str,
) -> ListedPage {
    ListedPage {
        name,
        title,
        about,
        source,
    }
}

pub(crate) const CHAPTERS: [Chapter; 4] = [
    Chapter {
        title: "Begin",
        pages: &[
            listed(
                "quick-start",
                "Quick start",
                "docs/quick-start.md",
                "From an empty folder to a paid order in ten minutes",
            ),
            listed(
                "embedding",
                "Embed the form",
                "docs/embedding.md",
                "A frame in your page or a payment page, and what your policy must allow",
            ),
            listed(
                "testing",
                "Test it",
                "docs/testing.md",
                "Test cards, webhooks on your machine, and cases to try",
            ),
            listed(
                "doctor",
                "Doctor",
                "docs/doctor.md",
                "A program that finds mistakes, with the remedy for each",
            ),
            listed(
                "going-live",
                "Go live",
                "docs/going-live.md",
                "The steps before the first real card",
            ),
        ],
    },
    Chapter {
        title: "Your server",
        pages: &[
            listed(
                "merchant-api",
                "The merchant API",
                "docs/merchant-api.md",
                "Create a charge, know its outcome, errors and declines",
            ),
            listed(
                "webhooks",
                "Webhooks",
                "docs/webhooks.md",
                "An event for every change, with servers to copy",
            ),
            listed(
                "saving-cards",
                "Saved cards",
                "docs/saving-cards.md",
                "Let shoppers save cards, and pay with them",
            ),
            listed(
                "three-d-secure",
                "3-D Secure",
                "docs/three-d-secure.md",
                "When the bank asks for a confirmation",
            ),
        ],
    },
    Chapter {
        title: "Your page",
        pages: &[
            listed(
                "sdk",
                "The SDK",
                "sdk/js/README.md",
                "Options, look, results, events and errors",
            ),
            listed("react", "React", "sdk/react/README.md", "The form as a component"),
            listed(
                "browser-tests",
                "Browser tests",
                "sdk/testing/README.md",
                "A package that pays in tests of your own page",
            ),
            listed(
                "options",
                "Options",
                "docs/options.md",
                "Each option of a form, with its default",
            ),
            listed(
                "theming",
                "Theming",
                "docs/theming.md",
                "Every key of the look, and a playground",
            ),
            listed(
                "form",
                "The form's page",
                "docs/form.md",
                "Addresses, options, element ids, states",
            ),
            listed(
                "messages",
                "Messages",
                "docs/messages.md",
                "For pages without the SDK",
            ),
            listed(
                "languages",
                "Languages",
                "docs/languages.md",
                "Which of the 31 a shopper gets",
            ),
        ],
    },
    Chapter {
        title: "Reference",
        pages: &[
            listed(
                "payload",
                "The payload",
                "docs/payload.md",
                "The signed fields, and the pages that may embed the form",
            ),
            listed(
                "security",
                "Card security",
                "docs/security.md",
                "Responsibilities for PCI DSS",
            ),
            listed(
                "glossary",
                "Glossary",
                "docs/glossary.md",
                "The words of these pages",
            ),
        ],
    },
];
