//! `GET /demo/products`: the products of the shop.

use axum::Json;
use serde::Serialize;

use page::amount_text;

/// The language of the shop.
const SHOP_LOCALE: &str = "en-US";

/// A product of the shop.
#[derive(Debug, Serialize)]
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

    /// The price as a text: "$12.50".
    pub(super) fn price_text(&self) -> String {
        amount_text(self.amount_value, self.amount_currency, SHOP_LOCALE)
    }
}

#[derive(Serialize)]
pub(super) struct ListedProduct {
    #[serde(flatten)]
    product: &'static Product,
    amount_text: String,
}

/// All products, with their prices as texts.
pub(super) async fn list_products() -> Json<Vec<ListedProduct>> {
    let list = PRODUCTS.iter().map(|product| ListedProduct {
        product,
        amount_text: product.price_text(),
    });
    Json(list.collect())
}
