//! The default theme's colors in light and dark, which a test holds to `form/src/page.css`.

use super::keys::Variable;
use super::value::Color;

/// The payment page's own colors in one mode, the same as in `form/src/page.css`.
pub(super) struct PageColors {
    pub(super) canvas: Color,
    pub(super) panel: Color,
    pub(super) ink: Color,
    pub(super) ink_soft: Color,
    pub(super) action: Color,
    pub(super) success: Color,
    pub(super) waiting: Color,
}

pub(super) const PAGE_LIGHT: PageColors = PageColors {
    canvas: Color::opaque(0xf3, 0xf4, 0xf6),
    panel: Color::WHITE,
    ink: Color::opaque(0x11, 0x18, 0x27),
    ink_soft: Color::opaque(0x4b, 0x55, 0x63),
    action: Color::opaque(0x15, 0x80, 0x3d),
    success: Color::opaque(0x12, 0x76, 0x3c),
    waiting: Color::opaque(0x8a, 0x5a, 0x00),
};

pub(super) const PAGE_DARK: PageColors = PageColors {
    canvas: Color::opaque(0x03, 0x07, 0x12),
    panel: Color::opaque(0x11, 0x18, 0x27),
    ink: Color::opaque(0xf9, 0xfa, 0xfb),
    ink_soft: Color::opaque(0x9c, 0xa3, 0xaf),
    action: Color::opaque(0x4a, 0xde, 0x80),
    success: Color::opaque(0x6f, 0xd5, 0x98),
    waiting: Color::opaque(0xe7, 0xb8, 0x60),
};

/// The default theme's colors in one mode, the same as in `form/src/page.css`.
pub(super) struct ModeColors {
    pub(super) name: &'static str,
    /// The background of the form: the merchant's page, which is not known, or the payment page's panel.
    pub(super) panel: Color,
    /// The colors around the form on the payment page.
    pub(super) page: PageColors,
    pub(super) defaults: &'static [(Variable, Color)],
}

pub(super) const LIGHT: ModeColors = ModeColors {
    name: "light",
    panel: Color::WHITE,
    page: PAGE_LIGHT,
    defaults: &[
        (Variable::Title, Color::opaque(0x3f, 0x3c, 0x4d)),
        (Variable::InputBackground, Color::WHITE),
        (Variable::Label, Color::opaque(0x8b, 0x8b, 0x8b)),
        (Variable::Border, Color::opaque(0x94, 0x92, 0x92)),
        (Variable::FocusBorder, Color::opaque(0x00, 0x2e, 0xff)),
        (Variable::Text, Color::opaque(0x3f, 0x3c, 0x4d)),
        (Variable::Placeholder, Color::opaque(0xdd, 0xdd, 0xdd)),
        (Variable::CheckActive, Color::opaque(0x00, 0x2e, 0xff)),
        (Variable::CheckInactive, Color::opaque(0x94, 0x92, 0x92)),
        (Variable::CheckMark, Color::WHITE),
        (Variable::Error, Color::opaque(0xc0, 0x1c, 0x28)),
    ],
};

pub(super) const DARK: ModeColors = ModeColors {
    name: "dark",
    panel: Color::opaque(0x11, 0x18, 0x27),
    page: PAGE_DARK,
    defaults: &[
        (Variable::Title, Color::opaque(0xf9, 0xfa, 0xfb)),
        (Variable::InputBackground, Color::opaque(0x1f, 0x29, 0x37)),
        (Variable::Label, Color::opaque(0x9c, 0xa3, 0xaf)),
        (Variable::Border, Color::opaque(0x7d, 0x86, 0x95)),
        (Variable::FocusBorder, Color::opaque(0x8e, 0xa2, 0xff)),
        (Variable::Text, Color::opaque(0xf9, 0xfa, 0xfb)),
        (Variable::Placeholder, Color::opaque(0x6b, 0x72, 0x80)),
        (Variable::CheckActive, Color::opaque(0x8e, 0xa2, 0xff)),
        (Variable::CheckInactive, Color::opaque(0x7d, 0x86, 0x95)),
        (Variable::CheckMark, Color::opaque(0x11, 0x18, 0x27)),
        (Variable::Error, Color::opaque(0xff, 0x8d, 0x8d)),
    ],
};
