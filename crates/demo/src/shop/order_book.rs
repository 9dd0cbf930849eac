//! The shop's orders. They are kept only in memory, until the demo ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::products::Product;

/// How many orders are kept; beyond that the oldest is removed first.
const ORDERS_MAX: usize = 10_000;

/// An order: what is bought, and the charge that pays it.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) product: &'static Product,
    pub(super) charge_id: String,
}

/// The orders by their ids.
#[derive(Debug, Default)]
pub(super) struct OrderBook {
    // A mutex of `std`, because it is only held for a look-up and never across an `await`.
    orders: Mutex<Orders>,
}

#[derive(Debug, Default)]
struct Orders {
    by_id: HashMap<String, Order>,
    oldest_first: VecDeque<String>,
}

impl OrderBook {
    pub(super) fn add(&self, id: String, order: Order) {
        let mut orders = self.locked();
        if orders.oldest_first.len() == ORDERS_MAX
            && let Some(oldest) = orders.oldest_first.pop_front()
        {
            orders.by_id.remove(&oldest);
        }
        orders.oldest_first.push_back(id.clone());
        orders.by_id.insert(id, order);
    }

    pub(super) fn find(&self, id: &str) -> Option<Order> {
        self.locked().by_id.get(id).cloned()
    }

    fn locked(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_order_is_forgotten_first() {
        let book = OrderBook::default();
        let product = Product::find("gems-100").unwrap();
        for number in 0..=ORDERS_MAX {
            book.add(
                number.to_string(),
                Order {
                    product,
                    charge_id: format!("ch_{number}"),
                },
            );
        }
        assert!(book.find("0").is_none());
        assert_eq!(book.find("1").unwrap().charge_id, "ch_1");
        assert_eq!(
            book.find(&ORDERS_MAX.to_string()).unwrap().charge_id,
            format!("ch_{ORDERS_MAX}")
        );
    }
}
