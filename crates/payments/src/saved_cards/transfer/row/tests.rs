//! Rows of a file: what is read, and which column is at fault.

use csv::StringRecord;

use super::{COLUMNS, CardRow, Header, HeaderError, RowError};

const HEADER: [&str; 6] = [
    "partner_id",
    "shopper_id",
    "card_number",
    "expiration_month",
    "expiration_year",
    "payment_method_id",
];

fn header(names: &[&str]) -> Result<Header, HeaderError> {
    Header::read(&StringRecord::from(names.to_vec()), true)
}

#[test]
fn the_first_line_must_name_the_columns() {
    assert!(header(&COLUMNS).is_ok());
    assert!(header(&HEADER).is_ok());
    for (names, error) in [
        (&[][..], HeaderError::Empty),
        (&HEADER[1..], HeaderError::Missing("partner_id")),
        (&HEADER[..4], HeaderError::Missing("expiration_year")),
        (&["partner_id", "4242424242424242"], HeaderError::Unknown(2)),
        (&["partner_id", "partner_id"], HeaderError::Unknown(2)),
    ] {
        assert_eq!(header(names).err(), Some(error));
    }
    let of_one_merchant = StringRecord::from(HEADER[1..].to_vec());
    assert!(Header::read(&of_one_merchant, false).is_ok());
}

#[test]
fn a_row_is_refused_by_the_column_at_fault() {
    let good = ["partner_1", "s1", "4242424242424242", "7", "2030", ""];
    let read = |place: usize, text: &str| {
        let mut cells = good;
        cells[place] = text;
        CardRow::read(&header(&HEADER).unwrap(), &StringRecord::from(cells.to_vec()))
    };
    let row = read(0, "partner_1").unwrap();
    assert_eq!((row.expiration_month, row.expiration_year), (7, 2030));
    assert_eq!((row.payment_method_id, row.agreement), (None, None));
    let long = "s".repeat(256);
    for (place, text) in [
        (0, long.as_str()),
        (1, ""),
        (1, long.as_str()),
        (1, "a\u{7}"),
        (2, ""),
        (2, "4242 4242 4242 4242"),
        (2, "424242424242424"),
        (2, "4242424242424242424242"),
        (3, "0"),
        (3, "13"),
        (3, "July"),
        (4, "30"),
        (4, "1999"),
        (5, "card_1"),
        (5, "pm_"),
        (5, "pm_a/b"),
    ] {
        assert_eq!(
            read(place, text).err(),
            Some(RowError::Cell(HEADER[place])),
            "{text}"
        );
    }
}

#[test]
fn an_agreement_is_read_whole_or_refused() {
    let names = [
        &HEADER[..],
        &[
            "agreement_usage",
            "agreement_accepted_at",
            "agreement_text_id",
            "agreement_locale",
        ],
    ]
    .concat();
    let read = |agreement: [&str; 4]| {
        let cells = [
            &["p", "s1", "4242424242424242", "07", "2030", "pm_1"][..],
            &agreement,
        ]
        .concat();
        CardRow::read(&header(&names).unwrap(), &StringRecord::from(cells)).map(|row| row.agreement)
    };
    let at = "2026-07-15T12:00:00Z";
    assert_eq!(read(["", "", "", ""]), Ok(None));
    let agreement = read(["off_session", at, "", ""]).unwrap().unwrap();
    assert_eq!(
        (agreement.accepted_at, agreement.locale),
        (1_784_116_800_000, None)
    );
    assert!(read(["on_session", at, "save_card", "de-DE"]).unwrap().is_some());
    for (agreement, column) in [
        (["always", at, "", ""], "agreement_usage"),
        (["", at, "", ""], "agreement_usage"),
        (["", "", "save_card", "de-DE"], "agreement_usage"),
        (["on_session", "", "", ""], "agreement_accepted_at"),
        (["on_session", "yesterday", "", ""], "agreement_accepted_at"),
        (
            ["on_session", at, "save_card", ""],
            "agreement_text_id or agreement_locale",
        ),
    ] {
        assert_eq!(read(agreement), Err(RowError::Cell(column)));
    }
}
