//! Random inputs: valid texts, valid texts with mutations, and noise, up to 10 000 characters.

use rules::brand::TABLE;
use rules::letters::{DIGIT_ZEROS, LETTERS};
use rules::{Context, Field, Month, RuleExperiments, postal_code};

/// The longest text, in characters.
const CHARACTERS_MAX: u64 = 10_000;
/// One text out of this many is that long: most errors show in short texts, which are checked faster.
const LONG_ONE_IN: u64 = 500;
/// The most mutations of a text.
const MUTATIONS_MAX: u64 = 4;

/// Combining marks, direction marks, all kinds of spaces, joiners, characters similar to allowed ones, and lone
/// surrogates.
const ODD: [u16; 44] = [
    0x0000, 0x0009, 0x000a, 0x000d, 0x001c, 0x001f, 0x0020, 0x0027, 0x002c, 0x002d, 0x002e, 0x002f, 0x0040,
    0x005f, 0x007f, 0x0085, 0x00a0, 0x00ad, 0x0301, 0x0308, 0x061c, 0x1680, 0x180e, 0x200b, 0x200d, 0x200e,
    0x200f, 0x2019, 0x2028, 0x202e, 0x202f, 0x2066, 0x2069, 0x20e3, 0x3000, 0xd800, 0xdbff, 0xdc00, 0xdfff,
    0xfe0f, 0xfeff, 0xff0d, 0xff0f, 0xfffd,
];

/// A text with the context of its rule.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) field: Field,
    /// UTF-16, as in a browser's input.
    pub(crate) units: Vec<u16>,
    pub(crate) context: Context,
}

/// A pseudorandom number generator (`SplitMix64`): the same seed gives the same numbers.
pub(crate) struct InputRandom(u64);

impl InputRandom {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which must not be 0.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length.max(1) as u64)).unwrap_or(0)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }
}

impl Input {
    /// Any text for any field.
    pub(crate) fn any(chance: &mut InputRandom) -> Self {
        let field = chance.pick(&Field::ALL);
        let context = context(chance);
        let mut units = match chance.below(8) {
            0 => noise(chance),
            1 => valid(chance, chance_field(field)),
            _ => valid(chance, field),
        };
        // A third of the texts stays unchanged.
        if !chance.one_in(3) {
            for _ in 0..=chance.below(MUTATIONS_MAX) {
                mutate(chance, &mut units);
            }
        }
        if chance.one_in(LONG_ONE_IN) {
            lengthen(chance, &mut units);
        }
        Self {
            field,
            units,
            context,
        }
    }
}

/// The next field in the list: people sometimes type a text into the wrong field.
fn chance_field(field: Field) -> Field {
    Field::ALL[(field as usize + 1) % Field::ALL.len()]
}

fn context(chance: &mut InputRandom) -> Context {
    let brand = TABLE[chance.index(TABLE.len())].brand;
    let country = postal_code::TABLE[chance.index(postal_code::TABLE.len())].country;
    Context {
        experiments: RuleExperiments {
            luhn: chance.one_in(2),
            security_code_length: chance.one_in(2),
            expiry_limit: chance.one_in(2),
        },
        today: Month {
            year: 2000 + u16::try_from(chance.below(100)).unwrap_or(0),
            month: 1 + u8::try_from(chance.below(12)).unwrap_or(0),
        },
        brand: (!chance.one_in(3)).then_some(brand),
        postal_country: (!chance.one_in(4)).then_some(country),
    }
}

/// A text that is valid for the field, or nearly valid.
fn valid(chance: &mut InputRandom, field: Field) -> Vec<u16> {
    let text = match field {
        Field::CardNumber => number(chance),
        Field::Expiry => expiry(chance),
        Field::SecurityCode => {
            let length = 3 + chance.below(2);
            digits(chance, length)
        }
        Field::HolderName => name(chance),
        Field::PostalCode => postal_code(chance),
        Field::HolderEmail => email(chance),
    };
    text.encode_utf16().collect()
}

fn digits(chance: &mut InputRandom, count: u64) -> String {
    (0..count)
        .map(|_| char::from(b'0' + u8::try_from(chance.below(10)).unwrap_or(0)))
        .collect()
}

/// A number of a brand in one of its lengths, mostly with a correct check digit, often in groups of four.
fn number(chance: &mut InputRandom) -> String {
    let row = &TABLE[chance.index(TABLE.len())];
    let prefix = row.prefixes.first().map_or(9000, |_| {
        let (first, last) = chance.pick(row.prefixes);
        first + u16::try_from(chance.below(u64::from(last - first) + 1)).unwrap_or(0)
    });
    let length = chance.pick(row.lengths) as u64;
    let mut text = format!("{prefix:04}{}", digits(chance, length - 5));
    let check = (b'0'..=b'9')
        .map(char::from)
        .find(|digit| rules::number::luhn_holds(&format!("{text}{digit}")));
    text.push(check.unwrap_or('0'));
    if chance.one_in(2) {
        let groups: Vec<_> = text.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
        text = groups.join(" ");
    }
    text
}

fn expiry(chance: &mut InputRandom) -> String {
    let (month, year) = (1 + chance.below(12), chance.below(100));
    let separator = chance.pick(&["/", " / ", "", " "]);
    let century = chance.pick(&["", "", "20"]);
    format!("{month:02}{separator}{century}{year:02}")
}

fn name(chance: &mut InputRandom) -> String {
    let length = 2 + chance.below(27);
    let letter = |chance: &mut InputRandom| {
        if chance.one_in(6) {
            return chance.pick(&[' ', '\'', '.', ',', '-']);
        }
        // Mostly Latin letters.
        let (first, last) = if chance.one_in(3) {
            chance.pick(LETTERS)
        } else {
            ('a', 'z')
        };
        let span = u64::from(u32::from(last) - u32::from(first)) + 1;
        let code = u32::from(first) + u32::try_from(chance.below(span)).unwrap_or(0);
        char::from_u32(code).unwrap_or(first)
    };
    (0..length).map(|_| letter(chance)).collect()
}

/// A code of one of the countries, often in small letters or without separators.
fn postal_code(chance: &mut InputRandom) -> String {
    let row = &postal_code::TABLE[chance.index(postal_code::TABLE.len())];
    let place = |place: char| match place {
        '#' => digits(chance, 1),
        '@' => char::from(chance.pick(b"ABCXYZabcxyz")).to_string(),
        _ if chance.one_in(2) => String::new(),
        separator => separator.to_string(),
    };
    let pattern = row.patterns[0];
    pattern.chars().map(place).collect()
}

fn email(chance: &mut InputRandom) -> String {
    let local = chance.pick(&[
        "ana", "a.b+c", "o'hara", "josé", "用户", "x_y-z", "1", "a..b", ".a",
    ]);
    let domain = chance.pick(&[
        "example",
        "ex-ample",
        "a.b",
        "münchen",
        "-a",
        "a-",
        "127.0.0.1",
        "x1",
    ]);
    let top = chance.pick(&["com", "co", "museum", "中国", "c", "c0m", "рф"]);
    format!("{local}@{domain}.{top}")
}

/// Noise: any UTF-16 units, digits, and odd characters.
fn noise(chance: &mut InputRandom) -> Vec<u16> {
    let unit = |chance: &mut InputRandom| match chance.below(3) {
        0 => u16::try_from(chance.below(0x1_0000)).unwrap_or(0),
        1 => chance.pick(&ODD),
        _ => u16::from(b'0') + u16::try_from(chance.below(10)).unwrap_or(0),
    };
    (0..chance.below(30)).map(|_| unit(chance)).collect()
}

/// Changes the text once, as people, programs or attackers do.
fn mutate(chance: &mut InputRandom, units: &mut Vec<u16>) {
    let at = chance.index(units.len() + 1);
    let inside = chance.index(units.len());
    match chance.below(7) {
        0 => units.insert(at, chance.pick(&ODD)),
        1 if !units.is_empty() => drop(units.remove(inside)),
        2 if !units.is_empty() => units[inside] = chance.pick(&ODD),
        // Replaces digits with those of another script, also full-width ones.
        3 => other_digits(chance, units),
        4 if !units.is_empty() => units.insert(at, units[inside]),
        5 => units.truncate(at),
        _ => units.splice(at..at, noise(chance)).for_each(drop),
    }
}

fn other_digits(chance: &mut InputRandom, units: &mut [u16]) {
    let zero = u16::try_from(u32::from(chance.pick(DIGIT_ZEROS))).unwrap_or(0);
    for unit in units.iter_mut().filter(|unit| (0x30..0x3a).contains(*unit)) {
        if chance.one_in(2) {
            *unit = zero + (*unit - 0x30);
        }
    }
}

/// Repeats the text, or one character of it, up to 10 000.
fn lengthen(chance: &mut InputRandom, units: &mut Vec<u16>) {
    if units.is_empty() {
        units.push(chance.pick(&ODD));
    }
    let at = chance.index(units.len());
    let repeated: Vec<_> = if chance.one_in(2) {
        units.clone()
    } else {
        vec![units[at]]
    };
    let length = usize::try_from(1 + chance.below(CHARACTERS_MAX)).unwrap_or(1);
    units.extend(repeated.into_iter().cycle().take(length));
}
