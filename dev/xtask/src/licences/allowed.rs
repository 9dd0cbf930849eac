//! Which licences may be shipped, and the packages for which there is an exception.

/// Where this list stands, named in every finding.
pub(super) const FILE: &str = "dev/xtask/src/licences/allowed.rs";

/// Licences that only ask to keep their text, by their SPDX name.
pub(super) const ALLOWED: [&str; 15] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "BlueOak-1.0.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registry {
    Cargo,
    Npm,
}

impl Registry {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Npm => "npm",
        }
    }
}

/// A package that may be used although its licence is not on the list.
pub(super) struct Exception {
    pub(super) registry: Registry,
    /// Its name; a final `*` stands for any ending.
    pub(super) package: &'static str,
    /// The licence as the package names it.
    pub(super) licence: &'static str,
    /// Why it is allowed.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "it is there for the one who reads the table")
    )]
    pub(super) reason: &'static str,
}

/// Every exception. MPL-2.0 asks that changes to its own files be published; we change none of them.
pub(super) const EXCEPTIONS: [Exception; 3] = [
    Exception {
        registry: Registry::Npm,
        package: "lightningcss*",
        licence: "MPL-2.0",
        reason: "a tool of Vite's that runs at build time; nothing of it is in what is served",
    },
    Exception {
        registry: Registry::Npm,
        package: "axe-core",
        licence: "MPL-2.0",
        reason: "runs in the browser tests only; nothing of it is in what is served",
    },
    Exception {
        registry: Registry::Npm,
        package: "payment-icons",
        licence: "MPL-2.0",
        reason: "brand logos, served unchanged as files of their own, which the licence allows without more",
    },
];
