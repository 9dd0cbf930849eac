//! Biome: the format of TypeScript, its lints, and the house's own rules for it: who imports whom, what is not named
//! where (`biome.json`), and what a test does not do (`dev/xtask/lints`). Biome has a parser for all of it;
//! dependency-cruiser would need a second compiler, for it cannot read TypeScript 7.

use std::path::Path;

use crate::failure::Failure;
use crate::process;

/// Every finding of Biome's, one line each.
pub(super) fn findings(root: &Path) -> Result<Vec<String>, Failure> {
    let mut command = process::installed(root, "biome");
    command.args([
        "check",
        "--error-on-warnings",
        "--max-diagnostics=none",
        "--reporter=github",
        ".",
    ]);
    let output = process::capture(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.lines().filter_map(|line| annotation(root, line)).collect();
    super::explained(&command, output.status.success(), found, &output.stderr)
}

/// A line of Biome's report (`::error title=…,file=…,line=…::message`) as a finding. Notices do not count.
fn annotation(root: &Path, line: &str) -> Option<String> {
    let line = line
        .strip_prefix("::error ")
        .or_else(|| line.strip_prefix("::warning "))?;
    let (properties, message) = line.split_once("::")?;
    let property = |name: &str| {
        properties
            .split(',')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    };
    let path = Path::new(property("file")?);
    let path = path.strip_prefix(root).unwrap_or(path).display();
    let rule = property("title").unwrap_or("biome");
    if rule == "format" {
        return Some(format!("{path}: not formatted; run `npx biome check --write`"));
    }
    Some(format!(
        "{path}:{}: {message} ({rule})",
        property("line").unwrap_or("1")
    ))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn biome_findings_are_one_line_each() {
        let root = Path::new("/house");
        let line = "::error title=lint/suspicious/noConsole,file=/house/form/src/a.ts,line=2,endLine=2,col=1::Don't use console.";
        assert_eq!(
            annotation(root, line).unwrap(),
            "form/src/a.ts:2: Don't use console. (lint/suspicious/noConsole)"
        );
        let line = "::error title=format,file=/house/a.ts,line=1,endLine=1::Formatter would have printed";
        assert_eq!(
            annotation(root, line).unwrap(),
            "a.ts: not formatted; run `npx biome check --write`"
        );
        assert_eq!(
            annotation(root, "::notice title=x,file=/house/biome.json,line=6::Old."),
            None
        );
    }

    /// The lines of `text`, as the file at `path`, that break a rule of the house, each once.
    fn broken(path: &str, text: &str) -> Vec<usize> {
        broken_among(&[(path, text)])
    }

    /// The same for the first of these files.
    fn broken_among(files: &[(&str, &str)]) -> Vec<usize> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let house = tempfile::tempdir().unwrap();
        let put = |path: &str, content: Vec<u8>| {
            let path = house.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        };
        for path in ["biome.json", LINTS[0], LINTS[1]] {
            put(path, std::fs::read(root.join(path)).unwrap());
        }
        for (path, text) in files {
            put(path, text.as_bytes().to_vec());
        }
        let mut command = Command::new(root.join("node_modules/.bin/biome"));
        command
            .current_dir(house.path())
            .args(["lint", "--vcs-enabled=false"]);
        command.args(["--max-diagnostics=none", "--reporter=github", files[0].0]);
        let output = process::capture(&mut command).unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let found = text.lines().filter_map(|line| annotation(house.path(), line));
        let mut lines: Vec<usize> = found
            .filter(|line| RULES.iter().any(|rule| line.ends_with(rule)))
            .map(|line| line.split(':').nth(1).unwrap().parse().unwrap())
            .collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    const LINTS: [&str; 2] = [
        "dev/xtask/lints/no-sleep.grit",
        "dev/xtask/lints/no-test-left-out.grit",
    ];
    /// The rules that say something of this house; Biome's own are not repeated here.
    const RULES: [&str; 5] = [
        "(lint/style/noRestrictedImports)",
        "(lint/style/noRestrictedGlobals)",
        "(lint/nursery/noJsRestrictedProperties)",
        "(lint/suspicious/noImportCycles)",
        "(plugin)",
    ];

    #[test]
    fn the_card_room_imports_only_what_is_pure() {
        let text = "import { BRANDS } from \"../../generated/rules.ts\";\nimport { b } from \"./brand.ts\";\n\
                    import { useState } from \"react\";\nimport { send } from \"../payments/charges.ts\";\n\
                    import type { T } from \"../view/app.tsx\";\nexport { x } from \"../effects.ts\";\n\
                    export const l = () => import(\"../payments/charges.ts\");\nimport \"../page.css\";\n";
        assert_eq!(broken("form/src/card/form.ts", text), [3, 4, 5, 6, 7, 8]);
        assert!(broken("form/src/card/form.test.ts", text).is_empty());
    }

    #[test]
    fn the_card_room_uses_no_name_of_the_browser() {
        let text = "f(window);\nf(document);\nf(fetch);\nf(new Date());\nf(globalThis);\nf(navigator);\n\
                    // window\nf(\"window\", toDate());\n";
        assert_eq!(broken("form/src/card/expiry.ts", text), [1, 2, 3, 4, 5, 6]);
        assert!(broken("form/src/card/expiry.test.ts", text).is_empty());
        assert!(broken("form/src/charging.ts", text).is_empty());
    }

    #[test]
    fn views_draw_and_send_nothing() {
        let text = "fetch(x);\nwindow.fetch(x);\nparent.postMessage(x);\nimport \"../payments/charges.ts\";\n\
                    import \"../effects.ts\";\nimport \"../card/form.ts\";\nimport \"../form-store.ts\";\n\
                    import \"./icons.tsx\";\nimport \"react\";\n";
        assert_eq!(broken("form/src/view/app.tsx", text), [1, 2, 3, 4, 5]);
        assert!(broken("form/src/effects.ts", text).is_empty());
    }

    #[test]
    fn the_sdk_takes_only_messages_of_the_form() {
        let text = "import type { FromForm } from \"../../../form/generated/wire.ts\";\n\
                    import { MESSAGE_SOURCE, type FromParent } from \"../../../form/generated/wire.ts\";\n\
                    import { parse } from \"../../../form/generated/wire.ts\";\n\
                    import { channel } from \"../../../form/src/parent/channel.ts\";\n\
                    import { mount } from \"./mount.ts\";\nimport { x } from \"../../react/src/index.tsx\";\n\
                    import * as all from \"../../../form/generated/wire.ts\";\n\
                    import type { Rule } from \"../../../form/generated/rules.ts\";\n";
        assert_eq!(broken("sdk/js/src/index.ts", text), [3, 4, 6, 7, 8]);
    }

    #[test]
    fn the_demo_shop_imports_only_the_public_sdk() {
        let text = "import { mount } from \"@cardform/js\";\nimport { x } from \"./cart.ts\";\n\
                    import { y } from \"../../sdk/js/src/mount.ts\";\nimport { z } from \"@cardform/form\";\n\
                    import { createRoot } from \"react-dom/client\";\nimport { w } from \"@cardform/js/src/mount.ts\";\n";
        assert_eq!(broken("demo/src/shop.tsx", text), [3, 4, 6]);
    }

    #[test]
    fn no_file_imports_itself_by_way_of_others() {
        let other = (
            "form/src/b.ts",
            "import type { A } from \"./a.ts\";\nexport type B = A;\n",
        );
        let text = "export type C = 1;\nimport type { B } from \"./b.ts\";\nexport type A = B;\n";
        assert_eq!(broken_among(&[("form/src/a.ts", text), other]), [2]);
        assert!(broken_among(&[("form/src/a.ts", "export type A = 1;\n"), other]).is_empty());
    }

    #[test]
    fn tests_that_are_left_out_are_named() {
        let text = "it.only(\"pays\", f);\ndescribe.skip(\"x\", f);\nit.skipIf(a)(\"x\", f);\ntest.todo(\"x\");\n\
                    it.each([1]).only(\"x\", f);\n// it.only(\nit(\"pays\", f);\n";
        assert_eq!(broken("form/src/a.test.ts", text), [1, 2, 3, 4, 5]);
        assert!(broken("form/src/a.ts", "list.skip(2);\n").is_empty());
    }

    #[test]
    fn tests_that_sleep_are_named() {
        let text = "await page.waitForTimeout(5);\nawait new Promise((r) => setTimeout(r, 5));\n\
                    await new Promise<void>((r) => { setTimeout(() => r(), 5); });\nawait sleep(5);\n\
                    import { setTimeout as wait } from \"node:timers/promises\";\nsetTimeout(render, 5);\n\
                    new Promise((_, reject) => setTimeout(() => reject(late), 5));\n";
        assert_eq!(broken("e2e/src/pay.ts", text), [1, 2, 3, 4, 5]);
        assert!(broken("form/src/effects.ts", text).is_empty());
        let excused =
            "// biome-ignore lint/plugin/no-sleep: the simulated network is slow\nawait sleep(5);\n";
        assert!(broken("e2e/src/pay.ts", excused).is_empty());
    }
}
