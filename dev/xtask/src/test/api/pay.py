"""A merchant's server in Python. It creates charges, reads them, and refunds and captures money after the payment.

It prints the ids of two more charges, one paid and one held, with which the API's description is tested."""

import json
import os

from client import AuthenticatedClient
from client.api.merchant import capture_charge, create_charge, create_refund, get_charge, get_refund, list_charges
from client.models import CaptureCharge, CaptureMethod, ChargeStatus, CreateCharge, CreatedCharge, CreateRefund

url = os.environ["CARDFORM_URL"]
merchant = AuthenticatedClient(base_url=url, token=os.environ["CARDFORM_SECRET_KEY"])

BROWSER = {
    "ip_address": "203.0.113.7",
    "user_agent": "test",
    "timezone": 0,
    "screen_height": 800,
    "screen_width": 400,
    "color_depth": 24,
    "accept_header": "text/html",
    "fraud_metadata": {"fraud_token": ""},
}


def order(reference, **fields):
    """A new charge, and what it was created with."""
    wanted = {"item_code": "gems-100", "item_name": "100 gems", "amount_value": "12.50", "amount_currency": "USD"}
    body = CreateCharge(**(wanted | fields), partner_reference=reference)
    charge = create_charge.sync(client=merchant, body=body, idempotency_key=f"python-client-{reference}")
    assert isinstance(charge, CreatedCharge), charge
    assert charge.status is ChargeStatus.CREATED, charge
    return charge, body


def press(ordered, number):
    """Pays as the shopper's page does; returns the answer's status."""
    charge, order = ordered
    card = {"number": number, "expiration_month": "12", "expiration_year": "2045", "security_code": "123"}
    shopper = {"partner_shopper_id": "17", "zip_code": "", "email": "sam@example.com"}
    names = ["item_code", "item_name", "amount_value", "amount_currency", "partner_reference"]
    body = {name: getattr(order, name) for name in names} | {
        "charge_id": charge.id,
        "shopper_agent": BROWSER,
        "setting": {
            "default_language": "en",
            "card": {"capture_grace_period": 0, "three_ds_challenge_window_size": "390x400"},
        },
        "tax": {"tax_code": "CD010001"},
        "partner_custom_data": {},
        "payment_method": {"type": "card", "card": card, "shopper": shopper},
    }
    shoppers = {"authorization": f"Bearer {charge.client_secret}", "partner-id": os.environ["CARDFORM_PARTNER_ID"]}
    http = merchant.get_httpx_client()
    return http.post("/v1/pub/direct/charges", headers=shoppers, json=body).status_code


GOOD = "4242424242424242"
HELD = {"capture_method": CaptureMethod.MANUAL}

paid = order("order-17")
for number, answer, status, decline in [
    ("4000000000000002", 402, ChargeStatus.FAILED, "generic_decline"),
    (GOOD, 201, ChargeStatus.SUCCEEDED, None),
]:
    assert press(paid, number) == answer
    read = get_charge.sync(id=paid[0].id, client=merchant)
    assert (read.status, read.decline_code) == (status, decline), read

held = order("order-18", **HELD)
assert press(held, GOOD) == 201
assert get_charge.sync(id=held[0].id, client=merchant).status is ChargeStatus.AUTHORIZED
captured = capture_charge.sync(id=held[0].id, client=merchant, body=CaptureCharge(amount_value="10.00"))
assert (captured.status, captured.amount_captured) == (ChargeStatus.SUCCEEDED, "10.00"), captured
refund = create_refund.sync(
    id=held[0].id, client=merchant, body=CreateRefund(amount_value="2.50"), idempotency_key="refund-18"
)
assert get_refund.sync(id=refund.id, client=merchant).amount_value == "2.50", refund
found = list_charges.sync(client=merchant, partner_reference="order-18")
assert [(each.id, each.amount_refunded) for each in found.items] == [(held[0].id, "2.50")], found

left = {"paid": order("order-19", amount_value="9000.00"), "held": order("order-20", **HELD)}
for each in left.values():
    assert press(each, GOOD) == 201
print(json.dumps({name: each[0].id for name, each in left.items()}))
