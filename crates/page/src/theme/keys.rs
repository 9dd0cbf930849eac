//! Every key of a theme (docs/form.md#theme): its part of the form, what its value must be, and the variable of
//! the page's style sheet that it sets.

use super::value::Kind;

/// A part of the form that a theme gives values to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
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
    /// The security code of a saved card, which stands on that card. No key of its own.
    SavedCardCode,
}

impl Part {
    /// The five fields.
    pub(super) const FIELDS: [Self; 5] = [
        Self::CardNumber,
        Self::CardExpiry,
        Self::CardSecurityCode,
        Self::CardHolderName,
        Self::CardHolderEmail,
    ];

    /// Where its keys stand in the JSON.
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

    /// The element that it is; the page, the form and the pay button are the root, so that all inside takes their values.
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
    /// The danger card's, made of the error colour.
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

    /// What a theme calls it, for the report of repairs.
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
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) variable: Variable,
}

const fn key(name: &'static str, kind: Kind, variable: Variable) -> Key {
    Key { name, kind, variable }
}

const PAGE: &[Key] = &[
    key("padding", Kind::Lengths, Variable::PagePadding),
    key("backgroundColor", Kind::Colour, Variable::PageBackground),
];

const CARD_FORM: &[Key] = &[
    key("backgroundColor", Kind::Colour, Variable::FormBackground),
    key("verticalSpacing", Kind::Length, Variable::VerticalSpacing),
    key("horizontalSpacing", Kind::Length, Variable::HorizontalSpacing),
    key("fontFamily", Kind::FontFamily, Variable::FontFamily),
    key("fontWeight", Kind::Weight, Variable::FontWeight),
    key("fontSize", Kind::Length, Variable::FontSize),
    key("borderRadius", Kind::Length, Variable::Radius),
    key("titleColor", Kind::Colour, Variable::Title),
    key("errorColor", Kind::Colour, Variable::Error),
    key("inputHeight", Kind::Length, Variable::InputHeight),
];

const PAY_BUTTON: &[Key] = &[
    key("backgroundColor", Kind::Colour, Variable::Action),
    key("textColor", Kind::Colour, Variable::ActionInk),
];

const BACKGROUND: Key = key("backgroundColor", Kind::Colour, Variable::InputBackground);
const LABEL: Key = key("labelColor", Kind::Colour, Variable::Label);
const BORDER: Key = key("borderColor", Kind::Colour, Variable::Border);
const FOCUS_BORDER: Key = key("focusBorderColor", Kind::Colour, Variable::FocusBorder);
const TEXT: Key = key("textColor", Kind::Colour, Variable::Text);
const PLACEHOLDER: Key = key("placeholderColor", Kind::Colour, Variable::Placeholder);

const PLAIN: &[Key] = &[BACKGROUND, LABEL, BORDER, FOCUS_BORDER, TEXT];
const WITH_PLACEHOLDER: &[Key] = &[BACKGROUND, LABEL, BORDER, FOCUS_BORDER, TEXT, PLACEHOLDER];
const CHECKBOX: &[Key] = &[
    key("backgroundColor", Kind::Colour, Variable::CheckBackground),
    LABEL,
    BORDER,
    FOCUS_BORDER,
    key("textColor", Kind::Colour, Variable::CheckText),
    key("activeBackgroundColor", Kind::Colour, Variable::CheckActive),
    key("deActiveBackgroundColor", Kind::Colour, Variable::CheckInactive),
    key("checkMarkColor", Kind::Colour, Variable::CheckMark),
    key("checkBoxBorderWidth", Kind::Length, Variable::CheckBorderWidth),
];

/// Every key there is, by part.
pub(super) const KEYS: [(Part, &[Key]); 10] = [
    (Part::Page, PAGE),
    (Part::CardForm, CARD_FORM),
    (Part::PayButton, PAY_BUTTON),
    (Part::CardNumber, WITH_PLACEHOLDER),
    (Part::CardExpiry, WITH_PLACEHOLDER),
    (Part::CardSecurityCode, PLAIN),
    (Part::CardHolderName, PLAIN),
    (Part::CardHolderEmail, PLAIN),
    (Part::CardCheckbox, CHECKBOX),
    (Part::SavedCards, PLAIN),
];
