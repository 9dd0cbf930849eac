//! A card as a row of CSV (RFC 4180), with the columns of docs/moving-cards.md#the-file.

use csv::StringRecord;
use jiff::Timestamp;
use protocol::clock::rfc3339;
use protocol::limits::TEXT_CHARACTERS_MAX;
use protocol::{SaveCardUsage, ShownAgreement};
use store::{CardAgreement, ExportedCard};
use thiserror::Error;
use vault::Pan;

use crate::charges::charge_rules::{check_length, not_too_long};
use crate::saved_cards::agreement::check_shown;

/// The columns. An export writes all of them, in this order.
pub(super) const COLUMNS: [&str; 16] = [
    "payment_method_id",
    "partner_id",
    "shopper_id",
    "card_number",
    "expiration_month",
    "expiration_year",
    "holder_name",
    "brand",
    "network_transaction_id",
    "agreement_usage",
    "agreement_accepted_at",
    "agreement_text_id",
    "agreement_locale",
    "created_at",
    "saved_at",
    "card_id",
];
/// The columns that a file must have.
const REQUIRED: [&str; 4] = ["shopper_id", "card_number", "expiration_month", "expiration_year"];

/// An id has at most this many characters after its prefix.
const ID_CHARACTERS_MAX: usize = 60;
/// The years in which a card can expire.
const YEARS: std::ops::RangeInclusive<i64> = 2000..=2199;

/// Why the first line does not name the columns. It never has a text of the file, which may be a card number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// The file is empty.
    #[error("it is empty")]
    Empty,
    /// A column that every file has.
    #[error("its first line does not name the column {0}")]
    Missing(&'static str),
    /// The column at this place, from 1, has another name, or one that a column before it has.
    #[error("its first line has an unknown or repeated name for column {0}")]
    Unknown(usize),
}

/// Why a row is refused: the column at fault. It never has the cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RowError {
    /// The row is no CSV with the header's number of cells, or no UTF-8, or too long.
    #[error("it has another number of cells than the first line, is too long, or is not UTF-8")]
    Shape,
    /// The cell of this column cannot be used.
    #[error("{0} cannot be used")]
    Cell(&'static str),
    /// The merchant does not exist here.
    #[error("partner_id is no merchant of this installation")]
    UnknownMerchant,
    /// With --partner-id all cards get one merchant, so they must be of one merchant.
    #[error(
        "partner_id is another one than in the first row: export and import the cards of one merchant at a time"
    )]
    OtherMerchant,
    /// Two rows name one id.
    #[error("payment_method_id is in the file twice")]
    RepeatedId,
    /// The id belongs to another card.
    #[error("payment_method_id belongs to another card here")]
    IdTaken,
}

/// The places of the columns in a file.
#[derive(Debug)]
pub(super) struct Header {
    places: [Option<usize>; COLUMNS.len()],
}

impl Header {
    /// Reads the first line.
    pub(super) fn read(line: &StringRecord, needs_partner: bool) -> Result<Self, HeaderError> {
        if line.is_empty() {
            return Err(HeaderError::Empty);
        }
        let mut header = Self {
            places: [None; COLUMNS.len()],
        };
        for (place, name) in line.iter().enumerate() {
            let known = COLUMNS.iter().position(|column| *column == name);
            match known {
                Some(column) if header.places[column].is_none() => header.places[column] = Some(place),
                _ => return Err(HeaderError::Unknown(place + 1)),
            }
        }
        let required = REQUIRED.into_iter().chain(needs_partner.then_some("partner_id"));
        for name in required {
            if header.place(name).is_none() {
                return Err(HeaderError::Missing(name));
            }
        }
        Ok(header)
    }

    fn place(&self, column: &str) -> Option<usize> {
        let index = COLUMNS.iter().position(|known| *known == column)?;
        self.places[index]
    }

    /// The cell, or an empty text if the file does not have the column.
    fn cell<'a>(&self, row: &'a StringRecord, column: &str) -> &'a str {
        self.place(column)
            .and_then(|place| row.get(place))
            .unwrap_or_default()
    }
}

/// A card that was read from a row.
#[derive(Debug)]
pub(super) struct CardRow {
    pub(super) payment_method_id: Option<String>,
    pub(super) card_id: Option<String>,
    pub(super) partner_id: Option<String>,
    pub(super) shopper_id: String,
    pub(super) number: Pan,
    pub(super) expiration_month: i64,
    pub(super) expiration_year: i64,
    pub(super) holder_name: String,
    pub(super) network_transaction_id: Option<String>,
    pub(super) agreement: Option<CardAgreement>,
    pub(super) created_at: Option<i64>,
    pub(super) saved_at: Option<i64>,
}

impl CardRow {
    /// Reads a row. The brand is not read, because the number tells it.
    pub(super) fn read(header: &Header, row: &StringRecord) -> Result<Self, RowError> {
        let cell = |column| header.cell(row, column);
        let optional = |column| Some(cell(column)).filter(|text| !text.is_empty());
        let text = |column: &'static str| -> Result<Option<String>, RowError> {
            check_length(column, cell(column), TEXT_CHARACTERS_MAX).map_err(|_| RowError::Cell(column))?;
            Ok(optional(column).map(str::to_owned))
        };
        let holder_name = cell("holder_name").to_owned();
        not_too_long("holder_name", &holder_name, TEXT_CHARACTERS_MAX)
            .map_err(|_| RowError::Cell("holder_name"))?;
        let number = Some(cell("card_number"))
            .filter(|text| rules::number::verdict(text, false).into_result().is_ok())
            .and_then(|text| Pan::parse(text).ok());
        Ok(Self {
            payment_method_id: id("payment_method_id", "pm_", optional("payment_method_id"))?,
            card_id: id("card_id", "card_", optional("card_id"))?,
            partner_id: text("partner_id")?,
            shopper_id: text("shopper_id")?.ok_or(RowError::Cell("shopper_id"))?,
            number: number.ok_or(RowError::Cell("card_number"))?,
            expiration_month: whole("expiration_month", cell("expiration_month"), &(1..=12))?,
            expiration_year: whole("expiration_year", cell("expiration_year"), &YEARS)?,
            holder_name,
            network_transaction_id: text("network_transaction_id")?,
            agreement: agreement(&optional)?,
            created_at: time("created_at", optional("created_at"))?,
            saved_at: time("saved_at", optional("saved_at"))?,
        })
    }
}

/// The agreement, if the row has one.
fn agreement<'a>(cell: &impl Fn(&'static str) -> Option<&'a str>) -> Result<Option<CardAgreement>, RowError> {
    let accepted_at = time("agreement_accepted_at", cell("agreement_accepted_at"))?;
    let shown = match (cell("agreement_text_id"), cell("agreement_locale")) {
        (None, None) => None,
        (text_id, locale) => Some(ShownAgreement {
            text_id: text_id.unwrap_or_default().to_owned(),
            locale: locale.unwrap_or_default().to_owned(),
        }),
    };
    if let Some(shown) = &shown {
        check_shown(shown).map_err(|_| RowError::Cell("agreement_text_id or agreement_locale"))?;
    }
    let usage = match cell("agreement_usage") {
        Some("on_session") => SaveCardUsage::OnSession,
        Some("off_session") => SaveCardUsage::OffSession,
        None if accepted_at.is_none() && shown.is_none() => return Ok(None),
        _ => return Err(RowError::Cell("agreement_usage")),
    };
    let (text_id, locale) = shown.map(|shown| (shown.text_id, shown.locale)).unzip();
    Ok(Some(CardAgreement {
        usage,
        accepted_at: accepted_at.ok_or(RowError::Cell("agreement_accepted_at"))?,
        text_id,
        locale,
    }))
}

fn id(column: &'static str, prefix: &str, text: Option<&str>) -> Result<Option<String>, RowError> {
    let is_id = |text: &str| {
        let rest = text.strip_prefix(prefix).unwrap_or_default();
        (1..=ID_CHARACTERS_MAX).contains(&rest.len())
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match text {
        Some(text) if !is_id(text) => Err(RowError::Cell(column)),
        text => Ok(text.map(str::to_owned)),
    }
}

fn whole(column: &'static str, text: &str, allowed: &std::ops::RangeInclusive<i64>) -> Result<i64, RowError> {
    let number = text.parse().ok().filter(|number| allowed.contains(number));
    number.ok_or(RowError::Cell(column))
}

fn time(column: &'static str, text: Option<&str>) -> Result<Option<i64>, RowError> {
    let read = |text: &str| text.parse::<Timestamp>().map(Timestamp::as_millisecond);
    text.map(read).transpose().map_err(|_| RowError::Cell(column))
}

/// Writes a card as a row.
pub(super) fn write(
    out: &mut csv::Writer<Vec<u8>>,
    card: &ExportedCard,
    number: &Pan,
) -> Result<(), csv::Error> {
    let ExportedCard {
        card: shown,
        owner,
        agreement,
        ..
    } = card;
    let agreement = agreement.as_ref();
    let month = format!("{:02}", shown.expiration_month);
    let year = shown.expiration_year.to_string();
    let accepted_at = agreement.map(|agreement| rfc3339(agreement.accepted_at));
    let (created_at, saved_at) = (rfc3339(card.created_at), rfc3339(card.saved_at));
    let cells: [&str; COLUMNS.len()] = [
        &shown.id,
        &owner.partner_id,
        &owner.shopper_id,
        number.expose(),
        &month,
        &year,
        &shown.holder_name,
        &shown.brand,
        card.network_transaction_id.as_deref().unwrap_or_default(),
        agreement.map_or("", |agreement| agreement.usage.as_str()),
        accepted_at.as_deref().unwrap_or_default(),
        agreement
            .and_then(|agreement| agreement.text_id.as_deref())
            .unwrap_or_default(),
        agreement
            .and_then(|agreement| agreement.locale.as_deref())
            .unwrap_or_default(),
        &created_at,
        &saved_at,
        &shown.card_id,
    ];
    out.write_record(cells)
}

#[cfg(test)]
mod tests;
