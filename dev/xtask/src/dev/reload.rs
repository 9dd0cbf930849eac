//! Reloads open pages in the browser after a build. The scripts of a development build get a few lines that watch a
//! file beside them. The server is not involved, and other builds do not have these lines.

use std::path::Path;

use crate::failure::Failure;
use crate::{files, page};

/// The file that changes with every build, beside the scripts.
const BUILD_FILE: &str = "dev-build.txt";

/// Checks every second, while the page is visible, whether the build has changed. A failed request is ignored, because the server
/// may be restarting.
const WATCH: &str = r#"
globalThis.cardformDevReload ??= (() => {
  let seen;
  const look = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(new URL("./dev-build.txt", import.meta.url), { cache: "no-store" });
      const build = answer.ok ? await answer.text() : seen;
      seen ??= build;
      if (build !== seen) location.reload();
    } catch {}
  };
  look();
  return setInterval(look, 1000);
})();
"#;

/// The folders whose scripts run in a page.
const PAGES: [&str; 3] = ["page", "demo", "operator"];

/// Adds the watch code to every built script of a page, and writes this build's name for it. `build` counts within
/// this run.
pub(super) fn announce(root: &Path, build: u32) -> Result<(), Failure> {
    // The process id makes a page that stays open over two runs see a new build, too.
    let name = format!("{}-{build}", std::process::id());
    let dist = root.join(page::DIST);
    for path in files::list(&dist, &PAGES)? {
        let script = dist.join(path);
        if script.extension().is_none_or(|kind| kind != "js") {
            continue;
        }
        let text = std::fs::read_to_string(&script).map_err(Failure::file(&script))?;
        if !text.ends_with(WATCH) {
            std::fs::write(&script, text + WATCH).map_err(Failure::file(&script))?;
        }
        let build_file = script.with_file_name(BUILD_FILE);
        std::fs::write(&build_file, &name).map_err(Failure::file(&build_file))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
