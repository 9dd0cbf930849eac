//! The context of a language's pages, made once: a service's settings do not change.

use std::sync::OnceLock;

use wire::{LocaleStrategy, PageContext, SharedJson};

/// The settings that a context depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextSettings {
    pub(crate) locale_strategy: LocaleStrategy,
    pub(crate) locale_cookie_cross_origin: bool,
    pub(crate) is_https: bool,
}

/// A context with the settings that it was made for; empty at first.
#[derive(Debug, Default)]
pub(crate) struct SharedContext(OnceLock<(ContextSettings, SharedJson<PageContext>)>);

impl SharedContext {
    /// The context for these settings, which `new` makes.
    pub(crate) fn of(
        &self,
        settings: ContextSettings,
        new: impl Fn() -> PageContext,
    ) -> SharedJson<PageContext> {
        let (made_for, context) = self.0.get_or_init(|| (settings, new().into()));
        if *made_for == settings {
            context.clone()
        } else {
            new().into()
        }
    }
}
