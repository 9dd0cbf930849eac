//! Several lists of charges as one: those of each merchant, and of each meaning that a searched text can have. Each list is
//! read as its merchant reads it, by the same indexes.

use store::{Charge, ChargeFilter, ChargePage, ListPosition, Store, StoreError, cut_page};

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
    let next = cut_page(&mut charges, limit, |charge| (charge.created_at, &charge.id)).or(read_to);
    ChargePage { charges, next }
}

#[cfg(test)]
mod tests;
