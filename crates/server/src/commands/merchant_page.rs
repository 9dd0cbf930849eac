//! The merchant's website and logo on its payment page, as the command line sets them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use store::{Logo, MerchantPageChange};

use crate::pages::{LOGO_BYTES_MAX, read_logo};

/// The merchant's website and logo on its payment page.
#[derive(Debug, Args)]
pub struct MerchantPageArgs {
    /// The merchant's website, which the payment page links to.
    #[arg(long, value_name = "URL", group = "changes")]
    pub website: Option<String>,
    /// The merchant's logo for the payment page: a PNG, JPEG or WebP file of at most 64 KiB, best 80 pixels high. It is
    /// kept in the database and served from Cardform's own origin.
    #[arg(long, value_name = "FILE", group = "changes")]
    pub logo: Option<PathBuf>,
}

/// The longest website, in bytes.
const WEBSITE_BYTES_MAX: usize = 2_048;

/// Checks the arguments and reads the logo's file, before anything is written.
pub(super) fn checked_change(args: MerchantPageArgs) -> Result<MerchantPageChange, String> {
    Ok(MerchantPageChange {
        website: args.website.map(checked_website).transpose()?.map(Some),
        logo: match args.logo {
            None => None,
            Some(path) => {
                let logo = logo_of(&path).map_err(|cause| format!("--logo {}: {cause}", path.display()))?;
                Some(Some(logo))
            }
        },
    })
}

/// Whether it changes nothing.
pub(super) fn is_empty(change: &MerchantPageChange) -> bool {
    change.website.is_none() && change.logo.is_none()
}

fn logo_of(path: &Path) -> Result<Logo, String> {
    let mut file = Vec::new();
    // One byte more than allowed is enough to refuse a file that is too large.
    File::open(path)
        .and_then(|open| open.take(LOGO_BYTES_MAX as u64 + 1).read_to_end(&mut file))
        .map_err(|cause| cause.to_string())?;
    read_logo(&file).map_err(|cause| cause.to_string())
}

fn checked_website(text: String) -> Result<String, String> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    let is_short = text.len() <= WEBSITE_BYTES_MAX;
    match url::Url::parse(&text) {
        Ok(url) if is_web && is_short && url.username().is_empty() && url.password().is_none() => Ok(text),
        _ => Err(format!(
            "--website {text} is not a web address; write it as https://shop.example"
        )),
    }
}
