//! `form/generated/rules.ts` and `locales.ts`: the tables of the `rules` crate.

use std::fmt::{Display, Write};

use rules::{
    ErrorId, Field, brand, error_id, field, holder_email, holder_name, letters, limits, locale, postal_code,
};
use serde_json::{Value, json};

/// The rules. The locales are in a file of their own, because the page needs their table only for its language menu.
pub(super) fn typescript() -> String {
    [
        fields(),
        error_ids(),
        limits(),
        brands(),
        characters(),
        postal_codes(),
        default_locale(),
    ]
    .join("\n")
}

fn fields() -> String {
    let union =
        |text: fn(Field) -> &'static str| Field::ALL.map(|field| format!("\"{}\"", text(field))).join(" | ");
    let mut out = format!(
        "/** A field of the card form (docs/rules.md). */\nexport type FieldName = {};\n\n\
         /** The id of a field (docs/form.md#element-ids). */\nexport type FieldId = {};\n",
        union(Field::name),
        union(Field::id)
    );
    out += &by_field(
        "Each field's id: of its input, and in messages and events (docs/form.md#element-ids).",
        "FIELD_IDS",
        "string",
        |row| Some(json!(row.id)),
    );
    out += &by_field(
        "Each field's label, its autofill name for the browser, and its keyboard on a phone.",
        "FIELD_INPUTS",
        "object",
        |row| Some(json!({"label": row.label, "autoComplete": row.autofill, "inputMode": row.keyboard})),
    );
    out += &by_field(
        "Each field's key in `customStyle`.",
        "FIELD_THEME_KEYS",
        "string",
        |row| Some(json!(row.theme_key)),
    );
    out += &by_field(
        "The options of each field that is not always shown: the one that shows it, and the one with its first text.",
        "FIELD_OPTIONS",
        "object",
        |row| {
            Some(json!([
                row.options.as_ref()?.shows,
                row.options.as_ref()?.prefill
            ]))
        },
    );
    out
}

/// The fields of the direct charge, in a file of their own, because only the script with the steps after an answer uses them.
pub(super) fn request_fields() -> String {
    let mut out = String::from(
        "import type { FieldName } from \"./rules.ts\";\n\n\
         /** The field whose value is in a field of the direct charge. */\n\
         export const FIELD_OF_REQUEST: Readonly<Record<string, FieldName>> = {\n",
    );
    for row in &field::TABLE {
        for path in row.request {
            line(&mut out, format_args!("  {}: {},", json!(path), json!(row.name)));
        }
    }
    out + "};\n"
}

/// A table with a value for each field that has one.
fn by_field(
    doc: &str,
    name: &str,
    values: &str,
    value: impl Fn(&field::FieldNames) -> Option<Value>,
) -> String {
    let mut out = format!("\n/** {doc} */\nexport const {name} = {{\n");
    let mut is_partial = false;
    for row in &field::TABLE {
        match value(row) {
            Some(value) => line(&mut out, format_args!("  {}: {value},", row.name)),
            None => is_partial = true,
        }
    }
    let names = if is_partial {
        "Partial<Record<FieldName, V>>"
    } else {
        "Record<FieldName, V>"
    };
    out + &format!("}} as const satisfies {};\n", names.replace('V', values))
}

fn error_ids() -> String {
    list(
        "Why a field's value is refused (docs/rules.md#error-ids).",
        "ERROR_IDS",
        ErrorId::ALL.iter().map(|id| json!(id.as_str())),
        "",
    ) + "\nexport type ErrorId = (typeof ERROR_IDS)[number];\n\n"
        + &aliases()
}

fn aliases() -> String {
    let mut out = String::from(
        "/** Other spellings under which catalogues of texts may have an error id (docs/rules.md#error-ids). */\n\
         export const ERROR_ID_ALIASES: Readonly<Record<string, ErrorId>> = {\n",
    );
    for (alias, id) in error_id::ALIASES {
        line(&mut out, format_args!("  {alias}: {},", json!(id)));
    }
    out + "};\n"
}

fn limits() -> String {
    let rows: [(&str, &str, usize); 15] = [
        (
            "How many digits a number of an unknown brand has.",
            "defaultCardNumberLength",
            limits::DEFAULT_CARD_NUMBER_LENGTH,
        ),
        (
            "How many of a number's first digits tell its brand.",
            "brandPrefixLength",
            limits::BRAND_PREFIX_LENGTH,
        ),
        (
            "How many digits of a number stand together.",
            "cardNumberGroupLength",
            limits::CARD_NUMBER_GROUP_LENGTH,
        ),
        (
            "MM/YY: a shorter expiry, spaces apart, is still being typed.",
            "expiryLength",
            limits::EXPIRY_LENGTH,
        ),
        (
            "MM / YY.",
            "expiryDisplayLengthMax",
            limits::EXPIRY_DISPLAY_LENGTH_MAX,
        ),
        (
            "How far ahead a card may expire, in years, under its experiment.",
            "expiryYearsAheadMax",
            limits::EXPIRY_YEARS_AHEAD_MAX.into(),
        ),
        (
            "The shortest security code, under its experiment.",
            "securityCodeLengthMin",
            limits::SECURITY_CODE_LENGTH_MIN,
        ),
        (
            "The longest security code, under its experiment.",
            "securityCodeLengthMax",
            limits::SECURITY_CODE_LENGTH_MAX,
        ),
        (
            "The longest security code without the experiment.",
            "securityCodeDigitsMax",
            limits::SECURITY_CODE_DIGITS_MAX,
        ),
        (
            "The shortest cardholder name, trimmed.",
            "holderNameLengthMin",
            limits::HOLDER_NAME_LENGTH_MIN,
        ),
        (
            "The longest cardholder name, trimmed.",
            "holderNameLengthMax",
            limits::HOLDER_NAME_LENGTH_MAX,
        ),
        (
            "The longest postal code, trimmed.",
            "postalCodeLengthMax",
            limits::POSTAL_CODE_LENGTH_MAX,
        ),
        (
            "The longest email that is valid.",
            "holderEmailLengthMax",
            limits::HOLDER_EMAIL_LENGTH_MAX,
        ),
        (
            "The longest email that the input takes.",
            "holderEmailInputLengthMax",
            limits::HOLDER_EMAIL_INPUT_LENGTH_MAX,
        ),
        (
            "The fewest letters of an email's top-level part.",
            "holderEmailTopLevelLengthMin",
            limits::HOLDER_EMAIL_TOP_LEVEL_LENGTH_MIN,
        ),
    ];
    let mut out = String::from(
        "/** The constants of the fields (docs/rules.md). Lengths count characters. */\n\
         export const LIMITS = {\n",
    );
    for (doc, name, value) in rows {
        line(&mut out, format_args!("  /** {doc} */\n  {name}: {value},"));
    }
    out + "} as const;\n"
}

fn brands() -> String {
    let names = list(
        "The brands of cards (docs/rules.md#brands).",
        "BRAND_NAMES",
        brand::TABLE.iter().map(|row| json!(row.name)),
        "",
    );
    let shape = "\nexport type BrandName = (typeof BRAND_NAMES)[number];\n\
        \n/** What is known of a brand (docs/rules.md#brands). */\n\
        export interface Brand {\n\
        \x20 readonly name: BrandName;\n\
        \x20 /** How many digits its numbers may have, ascending. */\n\
        \x20 readonly lengths: readonly number[];\n\
        \x20 /** How many digits its numbers usually have, where that is not 16: there the focus moves on. */\n\
        \x20 readonly usualLength?: number;\n\
        \x20 /** The four-digit prefixes in which another length is usual: first and last of each range, and the length. */\n\
        \x20 readonly otherUsualLengths?: readonly (readonly [first: number, last: number, length: number])[];\n\
        \x20 /** How many digits its security code has. */\n\
        \x20 readonly securityCodeLength: number;\n\
        \x20 /** The four-digit prefixes that tell it, as first and last of each range. */\n\
        \x20 readonly prefixes: readonly (readonly [first: number, last: number])[];\n\
        }\n\n";
    let rows = list(
        "Every brand. No prefix is claimed twice.",
        "BRANDS",
        brand::TABLE.iter().map(|row| {
            let mut members = vec![("name", json!(row.name)), ("lengths", json!(row.lengths))];
            // Values that most brands have are left out, because every shopper downloads this table.
            if row.usual_length != limits::DEFAULT_CARD_NUMBER_LENGTH {
                members.push(("usualLength", json!(row.usual_length)));
            }
            if !row.other_usual_lengths.is_empty() {
                members.push(("otherUsualLengths", json!(row.other_usual_lengths)));
            }
            members.push(("securityCodeLength", json!(row.security_code_length)));
            members.push(("prefixes", json!(row.prefixes)));
            object(&members)
        }),
        "readonly Brand[]",
    );
    let by_brand = |doc, name, value: fn(&brand::BrandRow) -> &'static str| {
        let mut out =
            format!("/** {doc} */\nexport const {name}: Readonly<Record<BrandName, string>> = {{\n");
        for row in brand::TABLE {
            line(
                &mut out,
                format_args!("  {}: {},", json!(row.name), json!(value(row))),
            );
        }
        out + "};\n"
    };
    let labels = by_brand(
        "Each brand's name as shoppers read it, the same in every language.",
        "BRAND_LABELS",
        |row| row.label,
    );
    let available = list(
        "The brands shown before a number tells its own, unless others are configured.",
        "DEFAULT_AVAILABLE_BRANDS",
        brand::DEFAULT_AVAILABLE.iter().map(|brand| json!(brand.name())),
        "readonly BrandName[]",
    );
    [names + shape + &rows, labels, available].join("\n")
}

fn characters() -> String {
    // Every shopper downloads this, so it has short gaps instead of long code points.
    let points = letters::LETTERS
        .iter()
        .flat_map(|&(first, last)| [u32::from(first), u32::from(last)]);
    let gaps = points.scan(0, |before, point| {
        let gap = point - *before;
        *before = point;
        Some(base36(gap))
    });
    let letters = gaps.collect::<Vec<_>>().join(" ");
    let zeros: Vec<_> = letters::DIGIT_ZEROS.iter().map(|&zero| u32::from(zero)).collect();
    [
        constant(
            "The letters of names: first and last code point of each range, in turn, each as its distance from the one \
             before, in base 36.",
            "LETTERS",
            &json!(letters),
        ),
        constant(
            "The code points of the zeros of each script's digits; nine more follow each.",
            "DIGIT_ZEROS",
            &json!(zeros),
        ),
        constant(
            "What a name may hold besides letters.",
            "HOLDER_NAME_PUNCTUATION",
            &json!(holder_name::PUNCTUATION),
        ),
        constant(
            "What may stand before an email's at sign besides letters, digits and single dots.",
            "HOLDER_EMAIL_LOCAL_PUNCTUATION",
            &json!(holder_email::LOCAL_PUNCTUATION),
        ),
    ]
    .join("\n")
}

fn postal_codes() -> String {
    let mut out = String::from(
        "/** The patterns of postal codes by country, with a digit for `#` and a letter for `@` (docs/rules.md#postal-code). */\n\
         export const POSTAL_CODES: Readonly<Record<string, readonly string[]>> = {\n",
    );
    for row in &postal_code::TABLE {
        line(&mut out, format_args!("  {}: {},", row.code, json!(row.patterns)));
    }
    out + "};\n"
}

/// Not in the file of locales, because scripts that need the default do not need that table.
fn default_locale() -> String {
    constant(
        "The locale that is used where nothing names another (docs/languages.md#the-locales).",
        "DEFAULT_LOCALE",
        &json!(locale::TABLE[0].code),
    )
}

/// The locales.
pub(super) fn locales() -> String {
    let shape = "/** A locale in which the page can speak (docs/languages.md#the-locales). */\n\
        export interface Locale {\n\
        \x20 readonly code: string;\n\
        \x20 /** What its texts are written in, for the page's `lang` attribute. */\n\
        \x20 readonly iso: string;\n\
        \x20 readonly dir: \"ltr\" | \"rtl\";\n\
        \x20 /** The language part of its code. */\n\
        \x20 readonly language: string;\n\
        \x20 /** The file with its texts. */\n\
        \x20 readonly file: string;\n\
        }\n\n";
    let rows = locale::TABLE.iter().map(|locale| {
        object(&[
            ("code", json!(locale.code)),
            ("iso", json!(locale.iso)),
            ("dir", json!(locale.dir.as_str())),
            ("language", json!(locale.language())),
            ("file", json!(locale.file)),
        ])
    });
    let doc = "Every locale; the first is the default (docs/languages.md#the-locales).";
    shape.to_owned() + &list(doc, "LOCALES", rows, "readonly Locale[]")
}

/// An exported array, a row to a line. Without a type it is `as const`.
fn list(doc: &str, name: &str, rows: impl Iterator<Item = impl Display>, ty: &str) -> String {
    let (annotation, suffix) = if ty.is_empty() {
        (String::new(), " as const")
    } else {
        (format!(": {ty}"), "")
    };
    let mut out = format!("/** {doc} */\nexport const {name}{annotation} = [\n");
    for row in rows {
        line(&mut out, format_args!("  {row},"));
    }
    out + "]" + suffix + ";\n"
}

/// An object with its keys in this order.
fn object(entries: &[(&str, Value)]) -> String {
    let entries: Vec<_> = entries
        .iter()
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    format!("{{ {} }}", entries.join(", "))
}

fn constant(doc: &str, name: &str, value: &Value) -> String {
    format!("/** {doc} */\nexport const {name} = {value};\n")
}

fn line(out: &mut String, text: impl Display) {
    writeln!(out, "{text}").expect("writing to a string");
}

/// `number` in base 36, as JavaScript's `parseInt` reads it.
fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).expect("a remainder is a digit"));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
