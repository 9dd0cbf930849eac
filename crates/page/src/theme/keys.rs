//! Every key of a theme (docs/form.md#theme): its part of the form, the kind of its value, and the variable of the
//! page's style sheet that it sets.

use super::value::ValueKind;

/// A part of the form that a theme can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FormPart {
    Page,
    CardForm,
    /// The payment page's pay button.
    PayButton,
    CardNumber,
    CardExpiry,
    CardSecurityCode,
    CardHolderName,
    CardHolderEmail,
    CardCheckbox,
    SavedCards,
    /// The security code of a saved card, which is shown on that card. It has no key of its own.
    SavedCardCode,
}

impl FormPart {
    /// The five fields.
    pub(super) const FIELDS: [Self; 5] = [
        Self::CardNumber,
        Self::CardExpiry,
        Self::CardSecurityCode,
        Self::CardHolderName,
        Self::CardHolderEmail,
    ];

    /// The path of its keys in the JSON.
    pub(super) fn path(self) -> &'static [&'static str] {
        match self {
            Self::Page => &[],
            Self::PayButton => &["children", "payButton"],
            Self::CardForm => &["children", "cardForm"],
            Self::CardNumber => &["children", "cardForm", "children", "cardNumber"],
            Self::CardExpiry => &["children", "cardForm", "children", "cardExpiry"],
            Self::CardSecurityCode | Self::SavedCardCode => {
                &["children", "cardForm", "children", "cardSecurityCode"]
            }
            Self::CardHolderName => &["children", "cardForm", "children", "cardHolderName"],
            Self::CardHolderEmail => &["children", "cardForm", "children", "cardHolderEmail"],
            Self::CardCheckbox => &["children", "cardForm", "children", "cardCheckbox"],
            Self::SavedCards => &["children", "cardForm", "children", "savedCards"],
        }
    }

    /// Its CSS selector. Page, form and pay button use the root, so that everything inside inherits their values.
    pub(super) fn selector(self) -> &'static str {
        match self {
            Self::Page | Self::CardForm | Self::PayButton => "",
            Self::CardNumber => ".field-card-number",
            Self::CardExpiry => ".field-card-expiry",
            Self::CardSecurityCode => ".field-card-security-code",
            Self::CardHolderName => ".field-card-holder-name",
            Self::CardHolderEmail => ".field-card-holder-email",
            Self::CardCheckbox => ".save-card",
            Self::SavedCards => ".saved-cards",
            Self::SavedCardCode => ".saved-cards .field-card-security-code",
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
pub(super) const KEYS: [(FormPart, &[ThemeKey]); 10] = [
    (FormPart::Page, PAGE),
    (FormPart::CardForm, CARD_FORM),
    (FormPart::PayButton, PAY_BUTTON),
    (FormPart::CardNumber, WITH_PLACEHOLDER),
    (FormPart::CardExpiry, WITH_PLACEHOLDER),
    (FormPart::CardSecurityCode, PLAIN),
    (FormPart::CardHolderName, PLAIN),
    (FormPart::CardHolderEmail, PLAIN),
    (FormPart::CardCheckbox, CHECKBOX),
    (FormPart::SavedCards, PLAIN),
];
