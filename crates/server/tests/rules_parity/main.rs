//! The rules of the fields are written twice, in Rust and in TypeScript: both judge the same texts, and no verdict differs.
//!
//! A text is made as UTF-16, as a browser's input holds it, and may have half a pair of surrogates in it. The TypeScript
//! gets it as it is. A Rust string cannot hold such a half: Rust gets U+FFFD in its place, as every encoder to UTF-8
//! puts there on the way from a browser to a server. Both must refuse, or ignore, the one as the other.
//!
//! `cargo xtask test rules-parity --inputs 1000000` is the long form.

mod engine;
mod inputs;

use rules::{Brand, Context, Field, Month, RuleExperiments, Verdict, judge};

use engine::Engine;
use inputs::{Chance, Input};

/// How many texts each run of the tests compares; the long form asks for more.
const INPUTS: u64 = 20_000;
/// What the texts are made from: the same number makes the same texts.
const SEED: u64 = 2_300;

/// A number that the long form hands over.
#[expect(
    clippy::disallowed_methods,
    reason = "a test binary has no command line of its own; xtask hands its numbers over in the environment"
)]
fn asked(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| {
        value.parse().unwrap_or_else(|_| panic!("{name} is no number"))
    })
}

/// A verdict in the words of the TypeScript.
fn words(verdict: Verdict) -> String {
    match verdict {
        Verdict::Valid => "valid".to_owned(),
        Verdict::Empty(id) => format!("empty:{}", id.as_str()),
        Verdict::Incomplete(id) => format!("incomplete:{}", id.as_str()),
        Verdict::Wrong(id) => format!("wrong:{}", id.as_str()),
    }
}

/// The verdicts on one input must agree, and so must the brand that a number tells.
fn compare(engine: &Engine, input: &Input) -> Verdict {
    let text = String::from_utf16_lossy(&input.units);
    let rust = judge(input.field, &text, input.context);
    let typescript = engine.verdict(input);
    assert_eq!(typescript, words(rust), "{input:?}");
    if input.field == Field::CardNumber {
        let brand = Brand::detect(&text).map(|brand| brand.name().to_owned());
        assert_eq!(engine.brand_of(&input.units), brand, "{input:?}");
    }
    rust
}

#[test]
fn both_languages_judge_every_text_alike() {
    let inputs = asked("CARDFORM_PARITY_INPUTS", INPUTS);
    let mut chance = Chance::new(asked("CARDFORM_PARITY_SEED", SEED));
    let engine = Engine::load();
    let mut valid = 0;
    for _ in 0..inputs {
        valid += u64::from(compare(&engine, &Input::any(&mut chance)) == Verdict::Valid);
    }
    // Texts of which none is valid would prove little, as would texts that are all valid.
    assert!(
        (inputs / 20..inputs * 3 / 4).contains(&valid),
        "{valid} of {inputs} were valid"
    );
    println!("{inputs} texts, {valid} of them valid, judged alike");
}

#[test]
fn half_a_pair_of_surrogates_is_judged_as_its_replacement() {
    let engine = Engine::load();
    let context = Context {
        experiments: RuleExperiments {
            luhn: true,
            security_code_length: true,
            expiry_limit: true,
        },
        today: Month { year: 2026, month: 7 },
        brand: None,
    };
    for half in [0xd800, 0xdbff, 0xdc00, 0xdfff] {
        for (field, before, after) in [
            (Field::CardNumber, "4242 4242 4242", "4242"),
            (Field::Expiry, "12 / ", "28"),
            (Field::SecurityCode, "12", ""),
            (Field::HolderName, "Ana", " Bell"),
            (Field::HolderEmail, "ana@example", ".com"),
        ] {
            let units = before
                .encode_utf16()
                .chain([half])
                .chain(after.encode_utf16())
                .collect();
            let verdict = compare(
                &engine,
                &Input {
                    field,
                    units,
                    context,
                },
            );
            assert!(matches!(verdict, Verdict::Wrong(_)), "{field:?}: {verdict:?}");
        }
    }
}
