"""A merchant's server in Python: it creates a charge and reads it after a declined card and after a good one."""

import os

from client import AuthenticatedClient
from client.api.merchant import create_charge, get_charge
from client.models import ChargeStatus, CreateCharge, CreatedCharge

url = os.environ["CARDFORM_URL"]
merchant = AuthenticatedClient(base_url=url, token=os.environ["CARDFORM_SECRET_KEY"])
order = CreateCharge(
    item_code="gems-100",
    item_name="100 gems",
    amount_value="12.50",
    amount_currency="USD",
    partner_reference="order-17",
)
charge = create_charge.sync(client=merchant, body=order, idempotency_key="python-client-17")
assert isinstance(charge, CreatedCharge), charge
assert charge.status is ChargeStatus.CREATED, charge

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


def press(number):
    """Pays as the shopper's page does; returns the answer's status."""
    card = {"number": number, "expiration_month": "12", "expiration_year": "2045", "security_code": "123"}
    shopper = {"partner_shopper_id": "17", "zip_code": "", "email": "sam@example.com"}
    body = order.to_dict() | {
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


for number, answer, status, decline in [
    ("4000000000000002", 402, ChargeStatus.FAILED, "generic_decline"),
    ("4242424242424242", 201, ChargeStatus.SUCCEEDED, None),
]:
    assert press(number) == answer
    read = get_charge.sync(id=charge.id, client=merchant)
    assert (read.status, read.decline_code) == (status, decline), read
