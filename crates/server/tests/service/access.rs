//! Access control: one shopper's client secret is tried on all data of another shopper and of another partner. Nothing
//! is shown, charged or removed.

use protocol::CreatedCharge;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use store::Partner;

use crate::cards::{SHOPPER, card_to_save, id, saved};
use crate::world::{Answer, PARTNER_ID, World, send};

const OTHER_SHOPPER: &str = "shopper-8";
const OTHER_PARTNER: &str = "partner_other";
const OTHER_KEY: &str = "sk_other000000000000000000000000000";

/// A shopper with an open charge and a saved card.
struct ChargeWithCard {
    partner_id: &'static str,
    shopper_id: &'static str,
    charge: CreatedCharge,
    card: Value,
}

async fn charge_with_card(
    world: &World,
    partner_id: &'static str,
    key: &str,
    shopper_id: &'static str,
) -> ChargeWithCard {
    let paid = world.saving_charge_of(key, shopper_id).await;
    let press = world
        .request(Method::POST, "/v1/pub/direct/charges")
        .bearer_auth(&paid.client_secret)
        .header("partner-id", partner_id)
        .json(&card_to_save(&paid, shopper_id, "4242424242424242"));
    assert_eq!(send(press).await.status, 201);
    let charge = world.saving_charge_of(key, shopper_id).await;
    let card = world.cards(&charge, shopper_id).await[0].clone();
    ChargeWithCard {
        partner_id,
        shopper_id,
        charge,
        card,
    }
}

/// Every request that names something of `theirs`, with the client secret of `mine`.
fn forbidden_requests(
    world: &World,
    mine: &ChargeWithCard,
    theirs: &ChargeWithCard,
) -> Vec<(&'static str, RequestBuilder)> {
    let mut all = Vec::new();
    // The header is right, wrong, or left out where that is allowed.
    for header in [Some(mine.partner_id), Some(theirs.partner_id), None] {
        let request = |method, path: &str| {
            let request = world
                .request(method, path)
                .bearer_auth(&mine.charge.client_secret);
            match header {
                Some(partner) => request.header("partner-id", partner),
                None => request,
            }
        };
        let list = format!("/v1/pub/shoppers/{}/payment-methods", theirs.shopper_id);
        let remove = format!("/v1/pub/payment-methods/{}", id(&theirs.card));
        let look = format!("/v1/pub/charges/{}", theirs.charge.id);
        let pay = |body: &Value| request(Method::POST, "/v1/pub/direct/charges").json(body);
        // Another partner's shopper may have the same id: then it is the caller's own list.
        if mine.shopper_id != theirs.shopper_id {
            all.push(("list", request(Method::GET, &list)));
            all.push((
                "pay one's own charge as them",
                pay(&card_to_save(&mine.charge, theirs.shopper_id, "5555555555554444")),
            ));
            all.push((
                "pay one's own charge with their card as them",
                pay(&saved(&mine.charge, theirs.shopper_id, id(&theirs.card), "123")),
            ));
        }
        for shopper_id in [mine.shopper_id, theirs.shopper_id, ""] {
            let body = json!({ "shopper_id": shopper_id });
            all.push(("remove their card", request(Method::DELETE, &remove).json(&body)));
        }
        all.push(("see their charge", request(Method::GET, &look)));
        all.push((
            "pay one's own charge with their card",
            pay(&saved(&mine.charge, mine.shopper_id, id(&theirs.card), "123")),
        ));
        all.push((
            "pay one's own charge with their card's other id",
            pay(&saved(
                &mine.charge,
                mine.shopper_id,
                theirs.card["id"].as_str().unwrap(),
                "123",
            )),
        ));
        for shopper_id in [mine.shopper_id, theirs.shopper_id] {
            all.push((
                "pay their charge with a new card",
                pay(&card_to_save(&theirs.charge, shopper_id, "5555555555554444")),
            ));
            all.push((
                "pay their charge with one's own card",
                pay(&saved(&theirs.charge, shopper_id, id(&mine.card), "123")),
            ));
            all.push((
                "pay their charge with their card",
                pay(&saved(&theirs.charge, shopper_id, id(&theirs.card), "123")),
            ));
        }
        // Endpoints of merchants.
        let merchants = [
            (Method::POST, "/v1/charges".to_owned()),
            (Method::GET, format!("/v1/charges/{}", theirs.charge.id)),
            (
                Method::POST,
                format!("/v1/charges/{}/client-secret", theirs.charge.id),
            ),
        ];
        for (method, path) in merchants {
            all.push(("use the merchant's API", request(method, &path)));
        }
    }
    all
}

fn is_refused(answer: &Answer) -> bool {
    // 401 is for a client secret where a merchant's key belongs.
    let refused = match answer.status {
        403 => ["charge_mismatch", "partner_mismatch"].contains(&answer.code()),
        404 => ["charge_not_found", "payment_method_not_found"].contains(&answer.code()),
        401 => answer.code() == "secret_key_invalid",
        _ => false,
    };
    refused && answer.body.as_object().is_some_and(|body| body.len() == 1)
}

#[tokio::test]
async fn a_client_secret_reaches_only_its_own_charge_and_cards() {
    let world = World::with_vault().await;
    let other = Partner {
        id: OTHER_PARTNER.into(),
        name: "Other shop".into(),
        allowed_origins: vec![],
        site_ids: Vec::new(),
        active: true,
        created_at: world.clock.now_ms(),
    };
    world
        .service
        .app
        .store
        .put_partner(&other, OTHER_KEY)
        .await
        .unwrap();
    let mine = charge_with_card(&world, PARTNER_ID, crate::world::SECRET_KEY, SHOPPER).await;
    let others = [
        charge_with_card(&world, PARTNER_ID, crate::world::SECRET_KEY, OTHER_SHOPPER).await,
        charge_with_card(&world, OTHER_PARTNER, OTHER_KEY, SHOPPER).await,
        charge_with_card(&world, OTHER_PARTNER, OTHER_KEY, OTHER_SHOPPER).await,
    ];
    let asked = world.provider.asked();

    for theirs in &others {
        for (one, another) in [(&mine, theirs), (theirs, &mine)] {
            for (what, request) in forbidden_requests(&world, one, another) {
                let answer = send(request).await;
                assert!(is_refused(&answer), "{what}: {answer:?}");
                let told = answer.body.to_string();
                assert!(
                    !told.contains(id(&another.card)) && !told.contains("4242"),
                    "{what}: {told}"
                );
            }
        }
    }

    assert_eq!(world.provider.asked(), asked, "nothing was charged");
    for party in others.iter().chain([&mine]) {
        let cards = world.cards(&party.charge, party.shopper_id).await;
        assert_eq!(
            cards,
            std::slice::from_ref(&party.card),
            "nothing was removed or added"
        );
        // Each shopper can still pay.
        let pay = world
            .request(Method::POST, "/v1/pub/direct/charges")
            .bearer_auth(&party.charge.client_secret)
            .header("partner-id", party.partner_id)
            .json(&saved(&party.charge, party.shopper_id, id(&party.card), "123"));
        assert_eq!(send(pay).await.status, 201);
    }
}
