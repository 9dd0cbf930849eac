//! Every key of a theme (docs/form.md#theme): its part of the form, the kind of its value, and the variable of the
//! page's style sheet that it sets.

use rules::Field;

use super::value::ValueKind;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PagePadding => "--page-padding",
            Self::PageBackground => "--page-background",
            Self::FormBackground => "--form-background",
            Self::VerticalSpacing => "--vertical-spacing",
            Self::HorizontalSpacing => "--horizontal-spacing",
            Self::FontFamily => "--font-family",
            Self::FontWeight => "--font-weight",
            Self::FontSize => "--font-size",
            Self::Radius => "--radius",
            Self::Title => "--title",
            Self::InputHeight => "--input-height",
            Self::InputBackground => "--input-background",
            Self::Label => "--label",
            Self::Border => "--border",
            Self::FocusBorder => "--focus-border",
            Self::Text => "--text",
            Self::Placeholder => "--placeholder",
            Self::CheckBackground => "--check-background",
            Self::CheckText => "--check-text",
            Self::CheckActive => "--check-active",
            Self::CheckInactive => "--check-inactive",
            Self::CheckMark => "--check-mark",
            Self::CheckBorderWidth => "--check-border-width",
            Self::Error => "--error",
            Self::DangerGround => "--danger-ground",
            Self::DangerInk => "--danger-ink",
            Self::Action => "--action",
            Self::ActionInk => "--action-ink",
        }
    }

    /// Its key in a theme, for the report of corrections.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Title => "titleColor",
            Self::Label => "labelColor",
            Self::Border => "borderColor",
            Self::FocusBorder => "focusBorderColor",
            Self::Text | Self::CheckText | Self::ActionInk => "textColor",
            Self::Action => "backgroundColor",
            Self::Placeholder => "placeholderColor",
            Self::CheckActive => "activeBackgroundColor",
            Self::CheckInactive => "deActiveBackgroundColor",
            Self::CheckMark => "checkMarkColor",
            Self::Error | Self::DangerInk => "errorColor",
            other => other.name(),
        }
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
    key("padding", ValueKind::Lengths, Variable::PagePadding),
    key("backgroundColor", ValueKind::Color, Variable::PageBackground),
];

const CARD_FORM: &[ThemeKey] = &[
    key("backgroundColor", ValueKind::Color, Variable::FormBackground),
    key("verticalSpacing", ValueKind::Length, Variable::VerticalSpacing),
    key(
        "horizontalSpacing",
        ValueKind::Length,
        Variable::HorizontalSpacing,
    ),
    key("fontFamily", ValueKind::FontFamily, Variable::FontFamily),
    key("fontWeight", ValueKind::Weight, Variable::FontWeight),
    key("fontSize", ValueKind::Length, Variable::FontSize),
    key("borderRadius", ValueKind::Length, Variable::Radius),
    key("titleColor", ValueKind::Color, Variable::Title),
    key("errorColor", ValueKind::Color, Variable::Error),
    key("inputHeight", ValueKind::Length, Variable::InputHeight),
];

const PAY_BUTTON: &[ThemeKey] = &[
    key("backgroundColor", ValueKind::Color, Variable::Action),
    key("textColor", ValueKind::Color, Variable::ActionInk),
];

const BACKGROUND: ThemeKey = key("backgroundColor", ValueKind::Color, Variable::InputBackground);
const LABEL: ThemeKey = key("labelColor", ValueKind::Color, Variable::Label);
const BORDER: ThemeKey = key("borderColor", ValueKind::Color, Variable::Border);
const FOCUS_BORDER: ThemeKey = key("focusBorderColor", ValueKind::Color, Variable::FocusBorder);
const TEXT: ThemeKey = key("textColor", ValueKind::Color, Variable::Text);
const PLACEHOLDER: ThemeKey = key("placeholderColor", ValueKind::Color, Variable::Placeholder);

const PLAIN: &[ThemeKey] = &[BACKGROUND, LABEL, BORDER, FOCUS_BORDER, TEXT];
const WITH_PLACEHOLDER: &[ThemeKey] = &[BACKGROUND, LABEL, BORDER, FOCUS_BORDER, TEXT, PLACEHOLDER];
const CHECKBOX: &[ThemeKey] = &[
    key("backgroundColor", ValueKind::Color, Variable::CheckBackground),
    LABEL,
    BORDER,
    FOCUS_BORDER,
    key("textColor", ValueKind::Color, Variable::CheckText),
    key("activeBackgroundColor", ValueKind::Color, Variable::CheckActive),
    key(
        "deActiveBackgroundColor",
        ValueKind::Color,
        Variable::CheckInactive,
    ),
    key("checkMarkColor", ValueKind::Color, Variable::CheckMark),
    key(
        "checkBoxBorderWidth",
        ValueKind::Length,
        Variable::CheckBorderWidth,
    ),
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
