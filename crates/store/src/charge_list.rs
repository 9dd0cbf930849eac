//! A merchant's charges, the newest first, page by page. Indexes lead to a time, to a reference and to a shopper. For the
//! other filters a page looks at a limited number of charges, because an index of what changes while a charge is paid
//! would make every payment slower.

use protocol::ChargeStatus;

use super::charge::COLUMNS;
use super::list_position::{LOOKED_AT_MAX, ListPosition, PAGE_MAX, cut_page, rows_read};
use super::sql::{Query, query};
use super::{Charge, Store, StoreError};

/// Which charges of a merchant are listed: all, or those with these values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChargeFilter {
    /// Made at this time or later, in unix milliseconds.
    pub created_from: Option<i64>,
    /// Made before this time, in unix milliseconds.
    pub created_to: Option<i64>,
    /// With this status now.
    pub status: Option<ChargeStatus>,
    /// With this reference of the merchant; not empty.
    pub partner_reference: Option<String>,
    /// Of this shopper; not empty.
    pub shopper_id: Option<String>,
    /// With an attempt by a card that ends with these digits.
    pub last_four: Option<String>,
    /// Failed for this reason.
    pub decline_code: Option<String>,
    /// With an attempt of this reference at the provider.
    pub provider_reference: Option<String>,
    /// Of this amount in its currency, without zeros at the end of a fraction.
    pub amount: Option<String>,
}

/// Some charges of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChargePage {
    /// The newest first. They can be fewer than asked for, even none, although more charges follow.
    pub charges: Vec<Charge>,
    /// Where the next page begins; `None` after the last charge.
    pub next: Option<ListPosition>,
}

/// The amount without zeros at the end of its fraction, because merchants write `12.5` and `12.50`.
const SHORT_AMOUNT: &str =
    "CASE WHEN amount_value LIKE '%.%' THEN RTRIM(RTRIM(amount_value, '0'), '.') ELSE amount_value END";

/// A condition with its value.
type Condition<'a> = (String, &'a str);

impl ChargeFilter {
    /// The column that an index leads to, and its value, which is `$6`.
    fn indexed(&self) -> Option<(&'static str, &str)> {
        if let Some(reference) = &self.partner_reference {
            return Some(("partner_reference", reference));
        }
        Some(("shopper_id", self.shopper_id.as_ref()?))
    }

    /// The other conditions, whose values are `$first` and the following ones.
    fn others(&self, first: usize) -> Vec<Condition<'_>> {
        let shopper = self
            .shopper_id
            .as_ref()
            .filter(|_| self.partner_reference.is_some());
        // Counted, because PostgreSQL could turn `EXISTS` into a join with all attempts.
        let attempt = |column: &str| {
            format!("(SELECT COUNT(*) FROM attempts a WHERE a.charge_id = c.id AND a.{column} = $) > 0")
        };
        let conditions = [
            (shopper.map(String::as_str), "shopper_id = $".to_owned()),
            (self.status.map(ChargeStatus::as_str), "status = $".to_owned()),
            (self.decline_code.as_deref(), "decline_code = $".to_owned()),
            (self.amount.as_deref(), format!("{SHORT_AMOUNT} = $")),
            (self.last_four.as_deref(), attempt("card_last_four")),
            (self.provider_reference.as_deref(), attempt("provider_reference")),
        ];
        let given = conditions
            .into_iter()
            .filter_map(|(value, condition)| Some((condition, value?)));
        given
            .enumerate()
            .map(|(at, (condition, value))| (condition.replace('$', &format!("${}", first + at)), value))
            .collect()
    }
}

impl Store {
    /// Up to `limit` of this merchant's charges behind `after`, at most 100. A charge that is made meanwhile is on no later
    /// page, and every other one is on exactly one.
    pub async fn listed_charges(
        &self,
        partner_id: &str,
        filter: &ChargeFilter,
        after: Option<&ListPosition>,
        limit: usize,
    ) -> Result<ChargePage, StoreError> {
        let limit = limit.clamp(1, PAGE_MAX);
        let end = ListPosition::before(filter.created_to.unwrap_or(i64::MAX));
        let from = after
            .filter(|after| after.created_at < end.created_at)
            .unwrap_or(&end);
        let begin = ListPosition::before(filter.created_from.unwrap_or(0));
        let selection = Selection {
            partner_id,
            indexed: filter.indexed(),
        };
        let others = filter.others(6 + selection.indexed.iter().len());
        // The last charge that is looked at.
        let last = if others.is_empty() {
            None
        } else {
            let tail = format!("LIMIT 1 OFFSET {}", LOOKED_AT_MAX - 1);
            let columns = format!("{}, created_at, id", selection.first_column());
            let statement = selection.read(&columns, from, &begin, &[], LOOKED_AT_MAX, &tail);
            statement
                .fetch_optional::<(String, i64, String)>(&self.readers)
                .await?
                .map(|(_, created_at, id)| ListPosition { created_at, id })
        };
        let until = last.as_ref().unwrap_or(&begin);
        let wanted = rows_read(limit);
        let read_max = if others.is_empty() { wanted } else { READ_MAX };
        let tail = format!("LIMIT {wanted}");
        let statement = selection.read(COLUMNS, from, until, &others, read_max, &tail);
        let mut charges: Vec<Charge> = statement.fetch_all(&self.readers).await?;
        let next = cut_page(&mut charges, limit, |charge| (charge.created_at, &charge.id)).or(last);
        Ok(ChargePage { charges, next })
    }
}

/// A merchant's charges behind `$2`, `$3`. No column of time stands alone, because PostgreSQL would then prefer the smaller
/// index of all merchants' charges by their time, where one merchant's charges can be rare. The row comparison comes first,
/// because both databases begin to read at the first of several upper limits.
const OF_MERCHANT: &str =
    "(partner_id, created_at, id) < ($1, $2, $3) AND partner_id >= $1 AND partner_id <= $1";

/// PostgreSQL does not stop at the lower limit of a row comparison, but at a number of rows. It is a bit larger than the
/// number of charges between two positions, because a charge can appear there after the second position was read.
const READ_MAX: usize = LOOKED_AT_MAX + 100;

/// The charges of a merchant to which an index leads.
struct Selection<'a> {
    partner_id: &'a str,
    indexed: Option<(&'static str, &'a str)>,
}

impl<'a> Selection<'a> {
    /// The column by which the list is ordered first. It has one value in the whole list.
    fn first_column(&self) -> &'static str {
        self.indexed.map_or("partner_id", |(column, _)| column)
    }

    /// Reads these columns of the charges behind `from` up to `until` that have these other values, among the first
    /// `read_max`.
    fn read(
        &self,
        columns: &str,
        from: &'a ListPosition,
        until: &'a ListPosition,
        others: &[Condition<'a>],
        read_max: usize,
        tail: &str,
    ) -> Query<'a> {
        let more: Vec<String> = others
            .iter()
            .map(|(condition, _)| format!(" AND {condition}"))
            .collect();
        let more = more.concat();
        let first = self.first_column();
        let behind = self.indexed.map_or_else(
            || OF_MERCHANT.to_owned(),
            // Without the row comparison, SQLite prefers the index of all charges by their time.
            |(column, _)| {
                format!(
                    "partner_id = $1 AND ({column}, created_at, id) < ($6, $2, $3) AND {column} >= $6 \
                     AND {column} <> ''"
                )
            },
        );
        let order = format!("ORDER BY {first} DESC, created_at DESC, id DESC");
        let sql = format!(
            "SELECT {columns} FROM (SELECT {columns} FROM charges WHERE {behind} {order} LIMIT {read_max}) c \
             WHERE created_at >= $4 AND (created_at > $4 OR id >= $5){more} {order} {tail}"
        );
        let statement = query(sql)
            .bind(self.partner_id)
            .bind(from.created_at)
            .bind(&from.id)
            .bind(until.created_at)
            .bind(&until.id);
        let indexed = self.indexed.iter().map(|(_, value)| *value);
        indexed
            .chain(others.iter().map(|(_, value)| *value))
            .fold(statement, Query::bind)
    }
}

#[cfg(test)]
mod tests;
