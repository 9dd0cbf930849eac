//! The rules of the fields exist twice, in Rust and in TypeScript. Both check the same texts and must give the same
//! verdicts.
//!
//! A text is UTF-16, as in a browser's input, and may have a lone surrogate. TypeScript gets it unchanged. A Rust
//! string cannot have a lone surrogate: Rust gets U+FFFD instead, as from every UTF-8 encoder between browser and
//! server. Both must give the same verdict.
//!
//! `cargo xtask test rules-parity --inputs 1000000` is the long form.

mod engine;
mod inputs;

use rules::{Brand, Context, Field, Month, RuleExperiments, Verdict, judge};

use engine::Engine;
use inputs::{Input, InputRandom};

/// How many texts each run of the tests compares; the long form asks for more.
const INPUTS: u64 = 20_000;
/// The seed of the texts: the same seed gives the same texts.
const SEED: u64 = 2_300;

/// A number from the long form.
#[expect(
    clippy::disallowed_methods,
    reason = "a test binary has no command line of its own; xtask hands its numbers over in the environment"
)]
fn asked(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| {
        value.parse().unwrap_or_else(|_| panic!("{name} is no number"))
    })
}

/// A verdict in the words of the TypeScript rules.
fn words(verdict: Verdict) -> String {
    match verdict {
        Verdict::Valid => "valid".to_owned(),
        Verdict::Empty(id) => format!("empty:{}", id.as_str()),
        Verdict::Incomplete(id) => format!("incomplete:{}", id.as_str()),
        Verdict::Wrong(id) => format!("wrong:{}", id.as_str()),
    }
}

/// The verdicts for one input must agree, and so must the brands of a card number.
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
fn rust_and_typescript_give_the_same_verdict_for_every_text() {
    let inputs = asked("CARDFORM_PARITY_INPUTS", INPUTS);
    let mut chance = InputRandom::new(asked("CARDFORM_PARITY_SEED", SEED));
    let engine = Engine::load();
    let mut valid = 0;
    for _ in 0..inputs {
        valid += u64::from(compare(&engine, &Input::any(&mut chance)) == Verdict::Valid);
    }
    // The test would prove little if all or no texts were valid.
    assert!(
        (inputs / 20..inputs * 3 / 4).contains(&valid),
        "{valid} of {inputs} were valid"
    );
    println!("{inputs} texts, {valid} of them valid, judged alike");
}

#[test]
fn a_lone_surrogate_gets_the_same_verdict_as_its_replacement() {
    let engine = Engine::load();
    let context = Context {
        experiments: RuleExperiments {
            luhn: true,
            security_code_length: true,
            expiry_limit: true,
        },
        today: Month { year: 2026, month: 7 },
        brand: None,
        postal_country: None,
    };
    for half in [0xd800, 0xdbff, 0xdc00, 0xdfff] {
        for (field, before, after) in [
            (Field::CardNumber, "4242 4242 4242", "4242"),
            (Field::Expiry, "12 / ", "28"),
            (Field::SecurityCode, "12", ""),
            (Field::HolderName, "Ana", " Bell"),
            (Field::PostalCode, "941", "07"),
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
