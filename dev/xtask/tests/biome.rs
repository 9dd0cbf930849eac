//! The rules for TypeScript of this repository in `biome.json` and `dev/xtask/lints`, each tried on code that breaks it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The lines of `text`, as the file at `path`, that break a rule, each once.
fn broken(path: &str, text: &str) -> Vec<usize> {
    broken_among(&[(path, text)])
}

/// The same for the first of these files.
fn broken_among(files: &[(&str, &str)]) -> Vec<usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let copy = tempfile::tempdir().unwrap();
    let put = |path: &str, content: &[u8]| {
        let path = copy.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    };
    for path in ["biome.json", LINTS[0], LINTS[1]] {
        put(path, &std::fs::read(root.join(path)).unwrap());
    }
    for (path, text) in files {
        put(path, text.as_bytes());
    }
    let mut command = Command::new(root.join("node_modules/.bin/biome"));
    command
        .current_dir(copy.path())
        .args(["lint", "--vcs-enabled=false"]);
    command.args(["--max-diagnostics=none", "--reporter=github", files[0].0]);
    let output = command.output().unwrap();
    // `::error title=lint/style/noRestrictedImports,file=…,line=3,endLine=3,col=1::message`
    let output = String::from_utf8(output.stdout).unwrap();
    let is_of_ours = |line: &&str| RULES.iter().any(|rule| line.contains(&format!("title={rule},")));
    let found = output.lines().filter(is_of_ours);
    let line_of = |line: &str| line.split(",line=").nth(1)?.split(',').next()?.parse().ok();
    let lines: BTreeSet<usize> = found.map(|line| line_of(line).unwrap()).collect();
    lines.into_iter().collect()
}

const LINTS: [&str; 2] = [
    "dev/xtask/lints/no-sleep.grit",
    "dev/xtask/lints/no-test-left-out.grit",
];
/// The rules that this repository configures. Rules that Biome recommends to everyone need no test here.
const RULES: [&str; 5] = [
    "lint/style/noRestrictedImports",
    "lint/style/noRestrictedGlobals",
    "lint/nursery/noJsRestrictedProperties",
    "lint/suspicious/noImportCycles",
    "plugin",
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
fn the_sdk_imports_only_types_and_constants_of_rules_and_messages() {
    let text = "import type { FromForm } from \"../../../form/generated/wire.ts\";\n\
                import { MESSAGE_SOURCE, type FromParent } from \"../../../form/generated/wire.ts\";\n\
                import { parse } from \"../../../form/generated/wire.ts\";\n\
                import { channel } from \"../../../form/src/parent/channel.ts\";\n\
                import { mount } from \"./mount.ts\";\nimport { x } from \"../../react/src/index.tsx\";\n\
                import * as all from \"../../../form/generated/wire.ts\";\n\
                import type { FieldName } from \"../../../form/generated/rules.ts\";\n\
                import { check } from \"../../../form/generated/rules.ts\";\n";
    assert_eq!(broken("sdk/js/src/index.ts", text), [3, 4, 6, 7, 9]);
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
fn tests_that_are_left_out_are_found() {
    let text = "it.only(\"pays\", f);\ndescribe.skip(\"x\", f);\nit.skipIf(a)(\"x\", f);\ntest.todo(\"x\");\n\
                it.each([1]).only(\"x\", f);\n// it.only(\nit(\"pays\", f);\n";
    assert_eq!(broken("form/src/a.test.ts", text), [1, 2, 3, 4, 5]);
    assert!(broken("form/src/a.ts", "list.skip(2);\n").is_empty());
}

#[test]
fn tests_that_sleep_are_found() {
    let text = "await page.waitForTimeout(5);\nawait new Promise((r) => setTimeout(r, 5));\n\
                await new Promise<void>((r) => { setTimeout(() => r(), 5); });\nawait sleep(5);\n\
                import { setTimeout as wait } from \"node:timers/promises\";\nsetTimeout(render, 5);\n\
                new Promise((_, reject) => setTimeout(() => reject(late), 5));\n";
    assert_eq!(broken("e2e/src/pay.ts", text), [1, 2, 3, 4, 5]);
    assert!(broken("form/src/effects.ts", text).is_empty());
    let excused = "// biome-ignore lint/plugin/no-sleep: the simulated network is slow\nawait sleep(5);\n";
    assert!(broken("e2e/src/pay.ts", excused).is_empty());
}
