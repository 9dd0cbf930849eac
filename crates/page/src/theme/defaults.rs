//! The default theme's colors in light and dark, read from the page's style sheet.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::value::Color;

const STYLE_SHEET: &str = include_str!("../../../../form/src/page.css");

/// The colors of one mode.
pub(super) struct ModeColors {
    pub(super) name: &'static str,
    /// By the name of their variable, such as `--label`.
    colors: BTreeMap<&'static str, Color>,
}

pub(super) static LIGHT: LazyLock<ModeColors> = LazyLock::new(|| ModeColors::read("light", "\n:root {"));
pub(super) static DARK: LazyLock<ModeColors> =
    LazyLock::new(|| ModeColors::read("dark", "\n:root[data-color-mode=\"dark\"] {"));

impl ModeColors {
    /// The colors in the rule that begins with `start`.
    fn read(name: &'static str, start: &str) -> Self {
        let (_, rest) = STYLE_SHEET.split_once(start).expect(start);
        let (rule, _) = rest.split_once("\n}").expect(start);
        let colors = rule.lines().filter_map(|line| {
            let (variable, value) = line.trim().strip_suffix(';')?.split_once(": ")?;
            Some((variable, Color::read(value)?))
        });
        Self {
            name,
            colors: colors.collect(),
        }
    }

    /// The color of `variable`; transparent if the style sheet gives it none.
    pub(super) fn color(&self, variable: &str) -> Color {
        self.colors.get(variable).copied().unwrap_or(Color::TRANSPARENT)
    }
}
