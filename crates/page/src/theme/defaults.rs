//! The default theme's colors in light and dark, which a test holds to `form/src/page.css`.

use super::keys::Variable;
use super::value::Colour;

/// The payment page's own colours in one mode, as `form/src/page.css` has them.
pub(super) struct PageColours {
    pub(super) canvas: Colour,
    pub(super) panel: Colour,
    pub(super) ink: Colour,
    pub(super) ink_soft: Colour,
    pub(super) action: Colour,
    pub(super) success: Colour,
    pub(super) waiting: Colour,
}

pub(super) const PAGE_LIGHT: PageColours = PageColours {
    canvas: Colour::opaque(0xf3, 0xf4, 0xf6),
    panel: Colour::WHITE,
    ink: Colour::opaque(0x11, 0x18, 0x27),
    ink_soft: Colour::opaque(0x4b, 0x55, 0x63),
    action: Colour::opaque(0x15, 0x80, 0x3d),
    success: Colour::opaque(0x12, 0x76, 0x3c),
    waiting: Colour::opaque(0x8a, 0x5a, 0x00),
};

pub(super) const PAGE_DARK: PageColours = PageColours {
    canvas: Colour::opaque(0x03, 0x07, 0x12),
    panel: Colour::opaque(0x11, 0x18, 0x27),
    ink: Colour::opaque(0xf9, 0xfa, 0xfb),
    ink_soft: Colour::opaque(0x9c, 0xa3, 0xaf),
    action: Colour::opaque(0x4a, 0xde, 0x80),
    success: Colour::opaque(0x6f, 0xd5, 0x98),
    waiting: Colour::opaque(0xe7, 0xb8, 0x60),
};

/// The default theme's colours in one mode, as `form/src/page.css` has them.
pub(super) struct Mode {
    pub(super) name: &'static str,
    /// What the form stands on: the merchant's page, of which the form knows nothing, or the payment page's panel.
    pub(super) panel: Colour,
    /// What stands around the form on the payment page.
    pub(super) page: PageColours,
    pub(super) defaults: &'static [(Variable, Colour)],
}

pub(super) const LIGHT: Mode = Mode {
    name: "light",
    panel: Colour::WHITE,
    page: PAGE_LIGHT,
    defaults: &[
        (Variable::Title, Colour::opaque(0x3f, 0x3c, 0x4d)),
        (Variable::InputBackground, Colour::WHITE),
        (Variable::Label, Colour::opaque(0x8b, 0x8b, 0x8b)),
        (Variable::Border, Colour::opaque(0x94, 0x92, 0x92)),
        (Variable::FocusBorder, Colour::opaque(0x00, 0x2e, 0xff)),
        (Variable::Text, Colour::opaque(0x3f, 0x3c, 0x4d)),
        (Variable::Placeholder, Colour::opaque(0xdd, 0xdd, 0xdd)),
        (Variable::CheckActive, Colour::opaque(0x00, 0x2e, 0xff)),
        (Variable::CheckInactive, Colour::opaque(0x94, 0x92, 0x92)),
        (Variable::CheckMark, Colour::WHITE),
        (Variable::Error, Colour::opaque(0xc0, 0x1c, 0x28)),
    ],
};

pub(super) const DARK: Mode = Mode {
    name: "dark",
    panel: Colour::opaque(0x11, 0x18, 0x27),
    page: PAGE_DARK,
    defaults: &[
        (Variable::Title, Colour::opaque(0xf9, 0xfa, 0xfb)),
        (Variable::InputBackground, Colour::opaque(0x1f, 0x29, 0x37)),
        (Variable::Label, Colour::opaque(0x9c, 0xa3, 0xaf)),
        (Variable::Border, Colour::opaque(0x7d, 0x86, 0x95)),
        (Variable::FocusBorder, Colour::opaque(0x8e, 0xa2, 0xff)),
        (Variable::Text, Colour::opaque(0xf9, 0xfa, 0xfb)),
        (Variable::Placeholder, Colour::opaque(0x6b, 0x72, 0x80)),
        (Variable::CheckActive, Colour::opaque(0x8e, 0xa2, 0xff)),
        (Variable::CheckInactive, Colour::opaque(0x7d, 0x86, 0x95)),
        (Variable::CheckMark, Colour::opaque(0x11, 0x18, 0x27)),
        (Variable::Error, Colour::opaque(0xff, 0x8d, 0x8d)),
    ],
};
