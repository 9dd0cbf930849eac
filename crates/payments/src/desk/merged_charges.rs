//! Several lists of charges as one: those of each merchant, and of each meaning that a searched text can have. Each list is
//! read as its merchant reads it, by the same indexes.

use store::{Charge, ChargeFilter, ChargePage, ListPosition, Store, StoreError};

/// The lists.
pub(super) struct MergedCharges {
    /// The merchants.
    pub(super) partners: Vec<String>,
    /// A charge is found if it fits one of these.
    pub(super) filters: Vec<ChargeFilter>,
}

impl MergedCharges {
    /// Up to `limit` charges behind `after`, the newest first.
    pub(super) async fn page(
        &self,
        store: &Store,
        after: Option<&ListPosition>,
        limit: usize,
    ) -> Result<ChargePage, StoreError> {
        let mut pages = Vec::with_capacity(self.partners.len() * self.filters.len());
        for partner in &self.partners {
            for filter in &self.filters {
                pages.push(store.listed_charges(partner, filter, after, limit).await?);
            }
        }
        Ok(merged(pages, limit))
    }
}

fn merged(pages: Vec<ChargePage>, limit: usize) -> ChargePage {
    // Every list is read up to here; behind it some may have charges that are not read yet.
    let ends = pages.iter().filter_map(|page| page.next.clone());
    let read_to = ends.max_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
    let mut charges: Vec<Charge> = pages.into_iter().flat_map(|page| page.charges).collect();
    charges.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
    charges.dedup_by(|one, other| one.id == other.id);
    if let Some(end) = &read_to {
        charges.retain(|charge| (charge.created_at, &charge.id) >= (end.created_at, &end.id));
    }
    if charges.len() <= limit {
        return ChargePage {
            charges,
            next: read_to,
        };
    }
    charges.truncate(limit);
    let next = charges.last().map(|charge| ListPosition {
        created_at: charge.created_at,
        id: charge.id.clone(),
    });
    ChargePage { charges, next }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(times: &[i64], next: Option<i64>) -> ChargePage {
        let id = |at: i64| format!("ch_{at:03}");
        ChargePage {
            charges: times
                .iter()
                .map(|at| Charge::unknown(id(*at), "partner-1".into(), *at))
                .collect(),
            next: next.map(|at| ListPosition {
                created_at: at,
                id: id(at),
            }),
        }
    }

    fn times(page: &ChargePage) -> Vec<i64> {
        page.charges.iter().map(|charge| charge.created_at).collect()
    }

    #[test]
    fn lists_are_merged_up_to_where_all_are_read() {
        let found = merged(vec![page(&[90, 70], Some(70)), page(&[80, 60, 10], None)], 3);
        assert_eq!(times(&found), [90, 80, 70]);
        assert_eq!(found.next.unwrap().created_at, 70);
        // A list that found nothing in all that it looked at.
        let found = merged(vec![page(&[], Some(85)), page(&[90, 80], None)], 3);
        assert_eq!((times(&found), found.next.unwrap().created_at), (vec![90], 85));
    }

    #[test]
    fn a_charge_of_two_lists_is_found_once() {
        let found = merged(vec![page(&[90, 80], None), page(&[90, 70], None)], 3);
        assert_eq!((times(&found), found.next), (vec![90, 80, 70], None));
    }

    #[test]
    fn a_full_page_goes_on_behind_its_last_charge() {
        let found = merged(vec![page(&[90, 80], None), page(&[85, 70], None)], 3);
        assert_eq!(
            (times(&found), found.next.unwrap().created_at),
            (vec![90, 85, 80], 80)
        );
    }
}
