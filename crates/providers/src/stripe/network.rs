//! Stripe's names of the card networks.

use rules::Brand;

/// Our brands and Stripe's names of their networks. Stripe cannot carry a payment over another network.
const NAMES: [(Brand, &str); 8] = [
    (Brand::Visa, "visa"),
    (Brand::Mastercard, "mastercard"),
    (Brand::AmericanExpress, "amex"),
    (Brand::DinersClub, "diners"),
    (Brand::Discover, "discover"),
    (Brand::Jcb, "jcb"),
    (Brand::Cb, "cartes_bancaires"),
    (Brand::Eftpos, "eftpos_au"),
];

/// Stripe's name of this network, if Stripe can carry a payment over it.
pub(super) fn stripe_name(network: Brand) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(brand, _)| *brand == network)
        .map(|(_, name)| *name)
}

/// Our name of the network that Stripe names. A network that we do not know keeps Stripe's name; Stripe's "unknown" tells
/// nothing.
pub(super) fn our_name(stripes: &str) -> Option<&str> {
    match NAMES.iter().find(|(_, name)| *name == stripes) {
        Some((brand, _)) => Some(brand.name()),
        None => Some(stripes).filter(|name| *name != "unknown"),
    }
}

#[cfg(test)]
mod tests;
