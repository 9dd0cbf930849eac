//! `GET /demo/products`: what the shop sells.

use axum::Json;
use serde::Serialize;

use page::amount_text;

/// The language that the shop speaks.
pub(super) const SHOP_LOCALE: &str = "en-US";

/// Something the shop sells.
#[derive(Debug)]
pub(super) struct Product {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) amount_value: &'static str,
    pub(super) amount_currency: &'static str,
}

/// All products of the shop.
const PRODUCTS: &[Product] = &[
    Product {
        id: "gems-100",
        name: "100 gems",
        description: "A pouch of a hundred cut gems for your garden in the sky. They arrive the moment you pay.",
        amount_value: "12.50",
        amount_currency: "USD",
    },
    Product {
        id: "season-pass",
        name: "Season pass",
        description: "Every quest of the coming season, and the lantern that only pass holders carry.",
        amount_value: "24.00",
        amount_currency: "USD",
    },
    Product {
        id: "aurora-lantern",
        name: "Aurora lantern",
        description: "A lantern for the nightstand, filled with the northern lights of a long winter.",
        amount_value: "39.90",
        amount_currency: "EUR",
    },
];

impl Product {
    /// The product with this id.
    pub(super) fn find(id: &str) -> Option<&'static Self> {
        PRODUCTS.iter().find(|product| product.id == id)
    }

    /// Its price to show: "$12.50".
    pub(super) fn price_text(&self) -> String {
        amount_text(self.amount_value, self.amount_currency, SHOP_LOCALE)
    }
}

#[derive(Serialize)]
pub(super) struct ListedProduct {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    amount_value: &'static str,
    amount_currency: &'static str,
    amount_text: String,
}

/// Everything that is for sale.
pub(super) async fn list_products() -> Json<Vec<ListedProduct>> {
    let list = PRODUCTS.iter().map(|product| ListedProduct {
        id: product.id,
        name: product.name,
        description: product.description,
        amount_value: product.amount_value,
        amount_currency: product.amount_currency,
        amount_text: product.price_text(),
    });
    Json(list.collect())
}
