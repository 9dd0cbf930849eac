//! The formula for Homebrew on Linux.

use std::fmt::Write as _;
use std::path::Path;

use super::target::TargetBinary;
use super::{VERSION, sums, tarball_name};
use crate::failure::Failure;

/// The formula for the tarballs in `out`, which users find below this address.
pub(super) fn text(binaries: &[TargetBinary], address: &str, out: &Path) -> Result<String, Failure> {
    let mut tarballs = String::new();
    for binary in binaries {
        let name = format!("{}.tar.gz", tarball_name(binary.target));
        let sum = sums::of_file(&out.join(&name))?;
        // Writing to a `String` cannot fail.
        let _ = write!(
            tarballs,
            "    on_{} do\n      url \"{}/{VERSION}/{name}\"\n      sha256 \"{sum}\"\n    end\n",
            binary.target.homebrew,
            address.trim_end_matches('/'),
        );
    }
    Ok(format!(
        r##"class Cardform < Formula
  desc "Card payment form that you host yourself"
  homepage "{address}"
  version "{VERSION}"
  license any_of: ["MIT", "Apache-2.0"]
  depends_on :linux

  on_linux do
{tarballs}  end

  def install
    bin.install "cardform"
    pkgshare.install "ops"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/cardform --version")
  end
end
"##
    ))
}
