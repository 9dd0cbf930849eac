//! Every key of a theme (docs/form.md#theme): its part of the form, the kind of its value, and the variable of the
//! page's style sheet that it sets.

use rules::Field;

use super::value::ValueKind::{self, Color, FontFamily, Length, Lengths, Weight};

/// A part of the form that a theme can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FormPart {
    Page,
    CardForm,
    /// The payment page's pay button.
    PayButton,
    Field(Field),
    CardCheckbox,
    SavedCards,
    /// The security code of a saved card, which is shown on that card. It has no key of its own.
    SavedCardCode,
}

impl FormPart {
    /// The path of its keys in the JSON.
    pub(super) fn path(self) -> Vec<&'static str> {
        match self {
            Self::Page => Vec::new(),
            Self::PayButton => vec!["children", "payButton"],
            Self::CardForm => vec!["children", "cardForm"],
            Self::Field(field) => Self::of_form(field.names().theme_key),
            Self::CardCheckbox => Self::of_form("cardCheckbox"),
            Self::SavedCards => Self::of_form("savedCards"),
            Self::SavedCardCode => Self::Field(Field::SecurityCode).path(),
        }
    }

    fn of_form(key: &'static str) -> Vec<&'static str> {
        vec!["children", "cardForm", "children", key]
    }

    /// Its CSS selector. Page, form and pay button use the root, so that everything inside inherits their values.
    pub(super) fn selector(self) -> String {
        match self {
            Self::Page | Self::CardForm | Self::PayButton => String::new(),
            Self::Field(field) => format!(".field-{}", field.id()),
            Self::CardCheckbox => ".save-card".to_owned(),
            Self::SavedCards => ".saved-cards".to_owned(),
            Self::SavedCardCode => format!(".saved-cards .field-{}", Field::SecurityCode.id()),
        }
    }
}

/// A variable of the page's style sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(prefix = "--", serialize_all = "kebab-case")]
pub(super) enum Variable {
    PagePadding,
    PageBackground,
    FormBackground,
    VerticalSpacing,
    HorizontalSpacing,
    FontFamily,
    FontWeight,
    FontSize,
    Radius,
    Title,
    InputHeight,
    InputBackground,
    Label,
    Border,
    FocusBorder,
    Text,
    Placeholder,
    CheckBackground,
    CheckText,
    CheckActive,
    CheckInactive,
    CheckMark,
    CheckBorderWidth,
    Error,
    /// The color of the danger card, made from the error color.
    DangerGround,
    DangerInk,
    /// The pay button's.
    Action,
    ActionInk,
}

impl Variable {
    /// Its name in the style sheet: `--page-padding`.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// Its key in a theme, for the report of corrections.
    pub(super) fn key(self) -> &'static str {
        let mut keys = keys().flat_map(|(_, keys)| keys);
        keys.find(|key| key.variable == self)
            .map_or(self.name(), |key| key.name)
    }
}

/// A key of a theme.
pub(super) struct ThemeKey {
    pub(super) name: &'static str,
    pub(super) kind: ValueKind,
    pub(super) variable: Variable,
}

const fn key(name: &'static str, kind: ValueKind, variable: Variable) -> ThemeKey {
    ThemeKey { name, kind, variable }
}

const PAGE: &[ThemeKey] = &[
    key("padding", Lengths, Variable::PagePadding),
    key("backgroundColor", Color, Variable::PageBackground),
];

const CARD_FORM: &[ThemeKey] = &[
    key("backgroundColor", Color, Variable::FormBackground),
    key("verticalSpacing", Length, Variable::VerticalSpacing),
    key("horizontalSpacing", Length, Variable::HorizontalSpacing),
    key("fontFamily", FontFamily, Variable::FontFamily),
    key("fontWeight", Weight, Variable::FontWeight),
    key("fontSize", Length, Variable::FontSize),
    key("borderRadius", Length, Variable::Radius),
    key("titleColor", Color, Variable::Title),
    key("errorColor", Color, Variable::Error),
    key("inputHeight", Length, Variable::InputHeight),
];

const PAY_BUTTON: &[ThemeKey] = &[
    key("backgroundColor", Color, Variable::Action),
    key("textColor", Color, Variable::ActionInk),
];

const BACKGROUND: ThemeKey = key("backgroundColor", Color, Variable::InputBackground);
const LABEL: ThemeKey = key("labelColor", Color, Variable::Label);
const BORDER: ThemeKey = key("borderColor", Color, Variable::Border);
const FOCUS_BORDER: ThemeKey = key("focusBorderColor", Color, Variable::FocusBorder);
const TEXT: ThemeKey = key("textColor", Color, Variable::Text);
const PLACEHOLDER: ThemeKey = key("placeholderColor", Color, Variable::Placeholder);

const PLAIN: &[ThemeKey] = &[BACKGROUND, LABEL, BORDER, FOCUS_BORDER, TEXT];
const WITH_PLACEHOLDER: &[ThemeKey] = &[BACKGROUND, LABEL, BORDER, FOCUS_BORDER, TEXT, PLACEHOLDER];
const CHECKBOX: &[ThemeKey] = &[
    key("backgroundColor", Color, Variable::CheckBackground),
    LABEL,
    BORDER,
    FOCUS_BORDER,
    key("textColor", Color, Variable::CheckText),
    key("activeBackgroundColor", Color, Variable::CheckActive),
    key("deActiveBackgroundColor", Color, Variable::CheckInactive),
    key("checkMarkColor", Color, Variable::CheckMark),
    key("checkBoxBorderWidth", Length, Variable::CheckBorderWidth),
];

/// Every key there is, by part.
pub(super) fn keys() -> impl Iterator<Item = (FormPart, &'static [ThemeKey])> {
    let fields = Field::ALL.map(|field| {
        let keys = if field.names().has_placeholder {
            WITH_PLACEHOLDER
        } else {
            PLAIN
        };
        (FormPart::Field(field), keys)
    });
    let around = [
        (FormPart::Page, PAGE),
        (FormPart::CardForm, CARD_FORM),
        (FormPart::PayButton, PAY_BUTTON),
    ];
    let further = [(FormPart::CardCheckbox, CHECKBOX), (FormPart::SavedCards, PLAIN)];
    around.into_iter().chain(fields).chain(further)
}
