// Written by `cargo xtask generate` from the Rust crates. Do not edit.

import type { BrandName, ErrorId } from "./rules.ts";

/**
 * The charge to pay, as the merchant's server described it. The fields have the order of `proto/charge_intent.proto`
 * (docs/payload.md#fields).
 */
export type ChargeIntent = {
/**
 * The merchant's code of the item.
 */
itemCode: string,
/**
 * The item's name, which the payment page shows.
 */
itemName: string,
/**
 * A decimal number in the currency's major unit: "12.50".
 */
amountValue: string,
/**
 * ISO 4217: "USD".
 */
amountCurrency: string,
/**
 * The merchant's own reference of the order.
 */
partnerReference: string,
/**
 * The merchant's own id of the shopper.
 */
partnerShopperId: string,
/**
 * ISO 3166-1 alpha-2; "US" if the payload has none.
 */
paymentMethodCountryCode: string,
/**
 * The id of the charge.
 */
chargeId: string,
/**
 * A JSON object as text.
 */
partnerCustomData: string,
/**
 * The shopper's email, if the merchant knows it; otherwise empty.
 */
shopperEmail: string,
/**
 * The shopper's zip code.
 */
zipCode: string | null,
/**
 * Whether the shopper may save the card.
 */
enableSavePaymentMethod: boolean | null,
/**
 * The shopper's id in the vault, or empty for a guest.
 */
shopperId: string,
/**
 * Whether the shopper started this charge. The page sends it with a saved card.
 */
userInitiated: boolean,
/**
 * Whether saved cards are offered.
 */
displaySavedPaymentMethodList: boolean,
/**
 * Whether this charge's cards are eligible for saving.
 */
eligibleSavePaymentMethods: boolean,
/**
 * The merchant.
 */
partnerId: string,
/**
 * `off_session` if the card that is saved may also be charged without the shopper; otherwise empty.
 */
saveCardUsage: string,
/**
 * The id of the card session whose card page is shown; absent for a charge.
 */
cardSession?: string,
/**
 * Where the card page leads back to; absent for a charge.
 */
returnUrl?: string, };

/**
 * The status of a charge.
 */
export type ChargeStatus = "created" | "processing" | "waiting_for_shopper_action" | "authorized" | "succeeded" | "failed" | "outcome_unknown" | "canceled" | "expired";

/**
 * The action of the shopper that the charge waits for.
 */
export type ShopperAction = { "type": "redirect",
/**
 * The page to visit.
 */
url: string, } | { "type": "challenge",
/**
 * The challenge's page.
 */
url: string,
/**
 * CSS pixels.
 */
width: number,
/**
 * CSS pixels.
 */
height: number, };

/**
 * The charge for the shopper's page: `GET /v1/pub/charges/{charge_id}`.
 */
export type ShopperCharge = {
/**
 * The charge's id.
 */
id: string,
/**
 * The charge's status.
 */
status: ChargeStatus,
/**
 * Why the last card was declined, while `failed`; a reason that the shopper must not learn is `generic_decline`.
 */
decline_code: string | null,
/**
 * The merchant's page after the payment.
 */
return_url: string | null,
/**
 * The merchant's page for a shopper who does not want to pay.
 */
cancel_url?: string | null,
/**
 * The card that paid, while `succeeded`; absent if an earlier version, which did not record the card, took the
 * payment.
 */
paid_with?: PaidCard | null,
/**
 * The action that the charge waits for, while `waiting_for_shopper_action`.
 */
shopper_action: ShopperAction | null, };

/**
 * The parts of a card that a receipt shows.
 */
export type PaidCard = {
/**
 * The brand's name: "visa"; empty if the brand is unknown.
 */
brand: string,
/**
 * The number's last four digits.
 */
last_four: string, };

/**
 * `POST /v1/charges`: the charge that the merchant creates. Item, amount, currency and reference are required.
 */
export type CreateCharge = {
/**
 * The merchant's code of the item.
 */
item_code: string,
/**
 * The item's name, which the shopper reads.
 */
item_name: string,
/**
 * A decimal string in the currency's major unit: "12.50"; "0" for a setup.
 */
amount_value: string,
/**
 * ISO 4217: "USD".
 */
amount_currency: string,
/**
 * The merchant's own reference of the order.
 */
partner_reference: string,
/**
 * The merchant's own id of the shopper.
 */
partner_shopper_id: string | null,
/**
 * ISO 3166-1 alpha-2; "US" if absent.
 */
payment_method_country_code: string | null,
/**
 * A JSON object as text, of at most 4096 bytes.
 */
partner_custom_data: string | null,
/**
 * The shopper's id in the vault. Only with an id can cards be saved and offered.
 */
shopper_id: string | null,
/**
 * The shopper's email, if the merchant knows it.
 */
shopper_email: string | null,
/**
 * The shopper's zip code.
 */
zip_code: string | null,
/**
 * Whether the shopper started this charge; true if absent.
 */
user_initiated: boolean | null,
/**
 * Whether the shopper may save the card.
 */
enable_save_payment_method: boolean | null,
/**
 * Whether saved cards are offered.
 */
display_saved_payment_method_list: boolean | null,
/**
 * Whether this charge's cards are eligible for saving.
 */
eligible_save_payment_methods: boolean | null,
/**
 * What the shopper agrees to when the card is saved: `on_session`, by default, or `off_session`.
 */
save_card_usage?: SaveCardUsage | null,
/**
 * `payment`, by default, or `setup`, which saves the card of a shopper without a payment. A setup has the
 * `amount_value` "0" and needs a `shopper_id`.
 */
mode?: ChargeMode | null,
/**
 * Where the standalone page leads back to; `https:` or, for tests on one machine, `http:`.
 */
return_url: string | null,
/**
 * Where the standalone page leads a shopper who does not want to pay; like `return_url`.
 */
cancel_url?: string | null,
/**
 * `automatic`, by default, takes the money when the shopper pays; `manual` only holds it.
 */
capture_method?: CaptureMethod | null,
/**
 * Only with `manual`: the service captures the hold by itself after so many hours.
 */
capture_after_hours?: number | null,
/**
 * Names and texts of the merchant's own, which every answer and event has again.
 */
metadata?: { [key in string]: string } | null,
/**
 * What the shopper's statement shows besides the merchant's name: 5 to 22 Latin letters, digits and signs, at least one
 * of them a letter.
 */
statement_descriptor?: string | null,
/**
 * `automatic`, by default, leaves 3-D Secure to bank and provider; `challenge` asks for the bank's challenge.
 */
three_ds?: ThreeDsRequest | null,
/**
 * Asks the bank to leave the challenge out. Not with `three_ds` `challenge`.
 */
exemption?: ScaExemption | null, };

/**
 * The answer to `POST /v1/charges`.
 */
export type CreatedCharge = {
/**
 * The charge's id.
 */
id: string,
/**
 * `created`.
 */
status: ChargeStatus,
/**
 * The charge intent for `?payload=`.
 */
payload: string,
/**
 * The bearer token for the page. Give it only to the shopper's page.
 */
client_secret: string,
/**
 * The address of this charge's payment page. It can be sent by e-mail: it lives as long as the charge.
 */
url: string,
/**
 * When the client secret expires, RFC 3339.
 */
expires_at: string, };

/**
 * What a charge is for (docs/saving-cards.md#save-a-card-without-a-payment).
 */
export type ChargeMode = "payment" | "setup";

/**
 * When the money of a charge is taken.
 */
export type CaptureMethod = "automatic" | "manual";

/**
 * Whether the bank shall ask the shopper.
 */
export type ThreeDsRequest = "automatic" | "challenge";

/**
 * Why the bank shall not ask the shopper. The bank may ask all the same.
 */
export type ScaExemption = "low_value" | "transaction_risk_analysis";

/**
 * For which payments a shopper lets the merchant keep the card (docs/saving-cards.md#what-the-shopper-agrees-to).
 */
export type SaveCardUsage = "on_session" | "off_session";

/**
 * The request. The rest of the number never leaves the page for this.
 */
export type NetworkLookup = {
/**
 * The first eight digits of a card number.
 */
prefix: string, };

/**
 * The networks of numbers that begin with the prefix.
 */
export type NumberNetworks = {
/**
 * Empty if no number with the prefix has a network of its own.
 */
ranges: Array<NetworkRange>, };

/**
 * The networks of numbers of one length.
 */
export type NetworkRange = {
/**
 * How many digits the number has.
 */
length: number,
/**
 * One network, or the two between which the shopper chooses.
 */
networks: BrandName[], };

/**
 * Which text of the checkbox the shopper agreed to (docs/calls.md#direct-charge).
 */
export type ShownAgreement = {
/**
 * The key of the text; with `own_` before it if the merchant's page replaced the words.
 */
text_id: string,
/**
 * The locale of the text: "de-DE".
 */
locale: string, };

/**
 * What an operation does.
 */
export type OperationKind = "refund" | "capture" | "release";

/**
 * The status of an operation.
 */
export type OperationStatus = "processing" | "pending" | "succeeded" | "failed" | "outcome_unknown";

/**
 * The status of a dispute.
 */
export type DisputeStatus = "open" | "won" | "lost";

/**
 * What the issuer checked: `pass`, `fail`, `unavailable` or `unchecked`.
 */
export type CardChecks = {
/**
 * The security code.
 */
security_code: string | null,
/**
 * The postal code.
 */
postal_code: string | null, };

/**
 * The result of 3-D Secure.
 */
export type ThreeDsResult = {
/**
 * `authenticated`, `attempt_acknowledged` and others of the provider's words.
 */
outcome: string,
/**
 * `challenge` or `frictionless`.
 */
flow: string | null, };

/**
 * The card that paid a charge, for its merchant.
 */
export type PaidWith = {
/**
 * The brand's name: "visa"; empty if the brand is unknown.
 */
brand: string,
/**
 * The number's last four digits.
 */
last_four: string,
/**
 * The number's first six digits.
 */
first_six: string | null,
/**
 * "01" to "12".
 */
expiration_month: string | null,
/**
 * Four digits.
 */
expiration_year: string | null,
/**
 * `credit`, `debit` or `prepaid`.
 */
funding: string | null,
/**
 * The issuer's country, ISO 3166-1 alpha-2.
 */
country: string | null,
/**
 * The card network that carried the payment: "cb". It can differ from `brand` if the card has two networks; null if the
 * provider does not tell it.
 */
network: string | null,
/**
 * The saved card that paid.
 */
payment_method_id: string | null,
/**
 * What the issuer checked.
 */
checks: CardChecks,
/**
 * The result of 3-D Secure; null without it.
 */
three_ds: ThreeDsResult | null, };

/**
 * The payment at the provider.
 */
export type ProviderView = {
/**
 * `stripe` or `simulator`.
 */
name: string,
/**
 * The provider's reference of the payment.
 */
reference: string | null,
/**
 * The card network's id of the payment.
 */
network_transaction_id: string | null, };

/**
 * Why a card was declined.
 */
export type DeclineView = {
/**
 * The code (docs/merchant-api.md#declines).
 */
code: string,
/**
 * `try_again_later`, `confirm_card_data` or `do_not_try_again`.
 */
advice: string,
/**
 * The card network's own code.
 */
network_code: string | null,
/**
 * When the merchant may try this card again without the shopper, RFC 3339; null unless the merchant paid and the advice is
 * `try_again_later`.
 */
retry_not_before: string | null, };

/**
 * A refund in its charge.
 */
export type RefundSummary = {
/**
 * The refund's id.
 */
id: string,
/**
 * The refund's status.
 */
status: OperationStatus,
/**
 * A decimal string.
 */
amount_value: string, };

/**
 * A dispute: the shopper's bank asks the payment back.
 */
export type DisputeView = {
/**
 * `open`, `won` or `lost`.
 */
status: DisputeStatus,
/**
 * A decimal string.
 */
amount_value: string,
/**
 * The network's reason, in the provider's words.
 */
reason: string | null,
/**
 * Until when the merchant can answer, RFC 3339.
 */
respond_before: string | null, };

/**
 * The charge for the merchant: `GET /v1/charges/{id}` and the data of every event. What a provider does not tell is null.
 */
export type ChargeView = {
/**
 * The charge's id.
 */
id: string,
/**
 * The charge's status.
 */
status: ChargeStatus,
/**
 * The merchant's code of the item.
 */
item_code: string,
/**
 * The item's name.
 */
item_name: string,
/**
 * Whether it takes money, or saves a card without a payment.
 */
mode: ChargeMode,
/**
 * A decimal string.
 */
amount_value: string,
/**
 * ISO 4217.
 */
amount_currency: string,
/**
 * When the money is taken.
 */
capture_method: CaptureMethod,
/**
 * What the issuer holds and the merchant can capture, a decimal string.
 */
amount_capturable: string,
/**
 * What was taken, refunded parts included, a decimal string.
 */
amount_captured: string,
/**
 * What was given back, a decimal string. Refunds under way do not count yet.
 */
amount_refunded: string,
/**
 * When the hold ends by itself, RFC 3339; null if the provider does not tell it, or if nothing is held.
 */
capture_before: string | null,
/**
 * When the card was accepted, RFC 3339; null before, and for payments of earlier versions.
 */
paid_at: string | null,
/**
 * The merchant's own reference.
 */
partner_reference: string,
/**
 * The shopper's id in the vault; null for a guest.
 */
shopper_id: string | null,
/**
 * The merchant's own names and texts.
 */
metadata: { [key in string]: string },
/**
 * The card that paid.
 */
paid_with: PaidWith | null,
/**
 * The payment at the provider.
 */
provider: ProviderView | null,
/**
 * Why the last card was declined, while `failed`.
 */
decline_code: string | null,
/**
 * The same with what to do about it.
 */
decline: DeclineView | null,
/**
 * The charge's refunds, the oldest first.
 */
refunds: Array<RefundSummary>,
/**
 * The dispute of the payment, if the shopper's bank has opened one.
 */
dispute: DisputeView | null,
/**
 * Created at, RFC 3339.
 */
created_at: string,
/**
 * Changed at, RFC 3339.
 */
updated_at: string, };

/**
 * A secret text from a request. It cannot be serialized or displayed, its `Debug` does not show it, and its memory is
 * overwritten when it is dropped (SECURITY.md#what-must-always-hold).
 */
export type Sensitive = string;

/**
 * The direct charge request. A field is required unless its type is an `Option`.
 */
export type DirectCharge = {
/**
 * The charge to pay; must be the client secret's.
 */
charge_id: string,
/**
 * The merchant's code of the item.
 */
item_code: string,
/**
 * The item's name.
 */
item_name: string,
/**
 * A decimal string; must be the client secret's.
 */
amount_value: string,
/**
 * ISO 4217; must be the client secret's.
 */
amount_currency: string,
/**
 * The merchant's own reference.
 */
partner_reference: string,
/**
 * The browser that pays.
 */
shopper_agent: ShopperAgent,
/**
 * The settings of the charge.
 */
setting: Setting,
/**
 * The tax of the charge.
 */
tax: Tax,
/**
 * The card, new or saved.
 */
payment_method: PaymentMethod,
/**
 * The seller.
 */
partner_custom_data: PartnerCustomData,
/**
 * Whether the shopper started the charge; sent with a saved card only.
 */
user_initiated?: boolean, };

/**
 * The browser that pays, for 3-D Secure and fraud prevention.
 */
export type ShopperAgent = {
/**
 * The client's address, which the page looked up, or empty.
 */
ip_address: string,
/**
 * `navigator.userAgent`.
 */
user_agent: string,
/**
 * Minutes to add to the browser's time to reach UTC: −480 in Singapore.
 */
timezone: number,
/**
 * CSS pixels.
 */
screen_height: number,
/**
 * CSS pixels.
 */
screen_width: number,
/**
 * Bits per pixel.
 */
color_depth: number,
/**
 * `text/html` (docs/calls.md#fixed-values).
 */
accept_header: string,
/**
 * From the fraud-prevention script.
 */
fraud_metadata: FraudMetadata,
/**
 * From device data collection; with a new card only.
 */
device_metadata?: DeviceMetadata, };

/**
 * The result of the fraud-prevention script.
 */
export type FraudMetadata = {
/**
 * The script's token, or empty.
 */
fraud_token: string, };

/**
 * The result of device data collection.
 */
export type DeviceMetadata = {
/**
 * The session's id; null if the collection failed, which never stops a charge.
 */
session_id: string | null, };

/**
 * The settings of the charge.
 */
export type Setting = {
/**
 * The page's language: "en".
 */
default_language: string,
/**
 * Card settings.
 */
card: CardSettings, };

/**
 * Card settings (docs/calls.md#fixed-values).
 */
export type CardSettings = {
/**
 * 0: captured at once.
 */
capture_grace_period: number,
/**
 * Width and height in CSS pixels: "390x400".
 */
three_ds_challenge_window_size: string, };

/**
 * The tax of the charge.
 */
export type Tax = {
/**
 * "CD010001" (docs/calls.md#fixed-values).
 */
tax_code: string, };

/**
 * The card: a new one has no `id`, a saved one is `{id, type, shopper_id, card: {security_code}}`.
 */
export type PaymentMethod = {
/**
 * A saved card's id.
 */
id?: string,
/**
 * `card`.
 */
type: PaymentMethodType,
/**
 * The shopper of the saved card.
 */
shopper_id?: string,
/**
 * The typed card data.
 */
card: Card,
/**
 * The shopper, with a new card.
 */
shopper?: Shopper,
/**
 * Whether to save a new card after it has paid.
 */
save_payment_method?: boolean,
/**
 * With a card to save: which text the shopper agreed to.
 */
agreement?: ShownAgreement, };

/**
 * The kind of a payment method.
 */
export type PaymentMethodType = "card";

/**
 * The typed card data. With a saved card only the security code.
 */
export type Card = {
/**
 * ISO 3166-1 alpha-2.
 */
country_code?: string,
/**
 * Digits without spaces; absent if the number is sealed.
 */
number?: Sensitive,
/**
 * As typed; empty if the form does not ask for the name.
 */
holder_name?: string,
/**
 * Two digits.
 */
expiration_month?: string,
/**
 * Four digits.
 */
expiration_year?: string,
/**
 * Digits; absent if the security code is sealed.
 */
security_code?: Sensitive,
/**
 * The sealed number and security code, instead of the two fields (docs/sealed-cards.md): a compact JWE with
 * ECDH-ES over P-256 and A256GCM for the key of `GET /v1/pub/card-key`.
 */
sealed?: string,
/**
 * The network that the shopper chose, if the number has two (docs/rules.md#card-networks).
 */
network?: BrandName, };

/**
 * `GET /v1/pub/card-key`: the key that pages seal card fields with, as a JSON Web Key. A page of this service already
 * contains the key.
 */
export type CardKey = {
/**
 * The key's id. The key is rotated together with the service's signing keys.
 */
kid: string,
/**
 * `EC`.
 */
kty: string,
/**
 * `P-256`.
 */
crv: string,
/**
 * The first coordinate, base64url.
 */
x: string,
/**
 * The second coordinate, base64url.
 */
y: string, };

/**
 * The shopper: only `id` and a typed `zip_code` if the intent has a shopper id, otherwise the other three fields.
 */
export type Shopper = {
/**
 * The shopper's id in the vault.
 */
id?: string,
/**
 * The typed email, otherwise the intent's.
 */
email?: string,
/**
 * The typed postal code, which must pass its rule (docs/rules.md#postal-code); otherwise the intent's, empty if
 * unknown.
 */
zip_code?: string,
/**
 * The merchant's own id of the shopper.
 */
partner_shopper_id?: string, };

/**
 * The seller, from the intent's custom data; a field that is absent there is null.
 */
export type PartnerCustomData = {
/**
 * The merchant's id.
 */
merchant_id: string | null,
/**
 * The merchant's name.
 */
merchant_name: string | null,
/**
 * The merchant's email.
 */
merchant_email: string | null,
/**
 * The merchant's own id of the user.
 */
merchant_user_id: string | null,
/**
 * The mobile network operator's id.
 */
mno_id: string | null, };

/**
 * 201: the charge was accepted.
 */
export type DirectChargeAnswer = {
/**
 * `succeeded`, `waiting_for_shopper_action`, `processing`, or `outcome_unknown` while the provider is being asked.
 */
status_code: ChargeStatus,
/**
 * The action that the charge waits for, with `waiting_for_shopper_action`.
 */
shopper_action: ShopperAction | null, };

/**
 * 402: the card was declined.
 */
export type DeclineBody = {
/**
 * `failed`.
 */
status_code: ChargeStatus,
/**
 * The provider's reason: `insufficient_funds`.
 */
decline_code: string,
/**
 * In English, for the developer; the page shows its own text.
 */
message: string,
/**
 * Whether the same card may be tried again.
 */
retryable: boolean, };

/**
 * `GET /v1/pub/shoppers/{shopper_id}/payment-methods`: a page of the shopper's cards: the default one, then the newest.
 */
export type SavedCardList = {
/**
 * Empty when there are no more.
 */
items: Array<SavedCardItem>, };

/**
 * One entry of the list.
 */
export type SavedCardItem = {
/**
 * The card.
 */
card: SavedCard, };

/**
 * The parts of a saved card that may be shown.
 */
export type SavedCard = {
/**
 * The card's own id: `card_…`.
 */
id: string,
/**
 * The id that a charge or a removal names: `pm_…`.
 */
payment_method_id: string,
/**
 * The first six digits.
 */
first_six: string,
/**
 * The last four digits.
 */
last_four: string,
/**
 * The brand of its number; null if the first four digits show none (docs/rules.md#brand-detection).
 */
brand: BrandName | null,
/**
 * The networks of its number: two if the shopper can choose; empty if they are unknown (docs/rules.md#card-networks).
 */
networks: BrandName[],
/**
 * The network that the shopper chose last.
 */
network: BrandName | null,
/**
 * Two digits.
 */
expiration_month: string,
/**
 * Four digits. The card may have expired.
 */
expiration_year: string,
/**
 * The shopper's name for it.
 */
nickname: string | null,
/**
 * Whether the form selects it first.
 */
default: boolean, };

/**
 * `DELETE /v1/pub/payment-methods/{payment_method_id}`: the shopper who removes the card.
 */
export type RemoveSavedCard = {
/**
 * Must be the client secret's shopper.
 */
shopper_id: string, };

/**
 * The answer. It has both fields, or neither if device data is unavailable.
 */
export type DeviceDataSession = {
/**
 * The provider's token for this collection, for the form field `JWT`.
 */
jwt?: string,
/**
 * The address that the hidden frame posts to. The page accepts only messages from exactly this origin.
 */
url?: string, };

/**
 * The claims of a client secret, a JWT signed with `EdDSA`. The server trusts these claims and never the page.
 */
export type ClientSecretClaims = {
/**
 * Who signed it: the service.
 */
iss: string,
/**
 * The partner (merchant) of the charge.
 */
sub: string,
/**
 * The charge that the secret opens.
 */
charge_id: string,
/**
 * The shopper whose saved cards the secret opens; empty for a guest.
 */
shopper_id: string,
/**
 * The charge's amount, a decimal string.
 */
amount_value: string,
/**
 * The charge's currency, ISO 4217.
 */
amount_currency: string,
/**
 * The origins that may embed the form; empty for any.
 */
allowed_origins: Array<string>,
/**
 * Signed at, in seconds since 1970.
 */
iat: number,
/**
 * Expires at, in seconds since 1970.
 */
exp: number,
/**
 * The token's own id.
 */
jti: string, };

/**
 * What an operator may do.
 */
export type OperatorRole = "reader" | "support" | "admin";

/**
 * `GET /v1/operator/me`: the person whose key it is.
 */
export type OperatorView = {
/**
 * The person's name.
 */
name: string,
/**
 * What the person may do.
 */
role: OperatorRole,
/**
 * The merchants that the person sees; null for all.
 */
merchants: Array<string> | null, };

/**
 * A charge at the operator's page.
 */
export type OperatorCharge = {
/**
 * The merchant's id.
 */
partner_id: string,
/**
 * The charge as its merchant sees it.
 */
charge: ChargeView, };

/**
 * `GET /v1/operator/charges`: some charges, the newest first.
 */
export type OperatorChargeList = {
/**
 * They can be fewer than `limit`, even none, although more charges follow.
 */
items: Array<OperatorCharge>,
/**
 * The `after` of the next page; null after the last charge.
 */
next: string | null, };

/**
 * What an operator can do with a charge now.
 */
export type OperatorAct = "refund" | "capture" | "release" | "cancel" | "resend";

/**
 * `GET /v1/operator/charges/{id}`: a charge and all that happened to it.
 */
export type OperatorStory = {
/**
 * The merchant's id.
 */
partner_id: string,
/**
 * The merchant's name.
 */
partner_name: string,
/**
 * The charge as its merchant sees it.
 */
charge: ChargeView,
/**
 * What can still be given back, a decimal string. Refunds under way count as given back.
 */
amount_refundable: string,
/**
 * What the person who asks can do now.
 */
acts: Array<OperatorAct>,
/**
 * Sentences about the present state.
 */
now: Array<string>,
/**
 * The attempts, the oldest first.
 */
attempts: Array<AttemptInStory>,
/**
 * Refunds, captures and releases, the oldest first.
 */
operations: Array<OperationInStory>,
/**
 * Webhook events, in their order.
 */
webhooks: Array<WebhookInStory>,
/**
 * All that happened, in the order of time.
 */
timeline: Array<StoryMoment>, };

/**
 * An attempt to pay.
 */
export type AttemptInStory = {
/**
 * `att_…`.
 */
id: string,
/**
 * `processing`, `succeeded` and so on.
 */
state: string,
/**
 * The card's brand, if it is stored.
 */
brand: string | null,
/**
 * The card's last four digits.
 */
last_four: string | null,
/**
 * Why it was declined.
 */
decline_code: string | null,
/**
 * The idempotency key that the provider got.
 */
provider_key: string,
/**
 * The provider's reference.
 */
provider_reference: string | null,
/**
 * RFC 3339.
 */
created_at: string,
/**
 * RFC 3339.
 */
finished_at: string | null, };

/**
 * A refund, a capture or a release.
 */
export type OperationInStory = {
/**
 * `re_…` or `op_…`.
 */
id: string,
/**
 * What it does.
 */
kind: OperationKind,
/**
 * Its status.
 */
status: OperationStatus,
/**
 * A decimal string.
 */
amount_value: string,
/**
 * Why.
 */
reason: string | null,
/**
 * Why it failed.
 */
failure_code: string | null,
/**
 * The provider's reference.
 */
provider_reference: string | null,
/**
 * The merchant's own names and texts.
 */
metadata: { [key in string]: string },
/**
 * RFC 3339.
 */
created_at: string,
/**
 * RFC 3339.
 */
updated_at: string, };

/**
 * A webhook event.
 */
export type WebhookInStory = {
/**
 * `evt_…`.
 */
id: string,
/**
 * `charge.succeeded` and so on.
 */
kind: string,
/**
 * `due`, `queued`, `delivered` or `given_up`.
 */
state: string,
/**
 * How often it was sent.
 */
tries: number,
/**
 * The status of the last answer, or why there was none.
 */
last_result: string | null,
/**
 * RFC 3339.
 */
created_at: string, };

/**
 * Something that happened to a charge.
 */
export type StoryMoment = {
/**
 * RFC 3339.
 */
at: string,
/**
 * `state`, `change`, `attempt`, `provider`, `shopper`, `operation`, `dispute`, `webhook` or `audit`.
 */
topic: string,
/**
 * For a person.
 */
text: string,
/**
 * The same for a program: fields that depend on the topic.
 */
fields: Readonly<Record<string, unknown>>, };

/**
 * The body of an operator's act.
 */
export type OperatorActRequest = {
/**
 * A decimal string in the charge's currency. Without it, all that is left.
 */
amount_value?: string,
/**
 * Why, for the audit log.
 */
reason: string, };

/**
 * `GET /v1/operator/audit`: some lines of the audit log, the newest first.
 */
export type AuditPage = {
/**
 * The lines.
 */
items: Array<AuditEntry>,
/**
 * The `before` of the next page; null after the last line.
 */
next: string | null, };

/**
 * A line of the audit log.
 */
export type AuditEntry = {
/**
 * `aud_…`.
 */
id: string,
/**
 * RFC 3339.
 */
at: string,
/**
 * Who did it.
 */
actor: string,
/**
 * What was done.
 */
action: string,
/**
 * The id of the action's subject.
 */
subject: string,
/**
 * More, depending on the action.
 */
detail: Readonly<Record<string, unknown>>, };

/**
 * `{"error": {…}}`, the body of every answer of 400 and above except a declined card's.
 */
export type ErrorBody = {
/**
 * What is wrong.
 */
error: ErrorDetail, };

/**
 * What is wrong with a request.
 */
export type ErrorDetail = {
/**
 * For programs; never changes its meaning.
 */
code: ErrorCode,
/**
 * For the developer who reads it; may change.
 */
message: string,
/**
 * The path of the field at fault: `payment_method.card.number`.
 */
field?: string,
/**
 * For `invalid_card`: the rule that the field breaks (docs/rules.md#error-ids).
 */
reason?: ErrorId, };

/**
 * The stable codes of error answers. Each variant's text names its HTTP status.
 */
export type ErrorCode = "invalid_request" | "secret_key_invalid" | "client_secret_missing" | "client_secret_invalid" | "client_secret_expired" | "partner_mismatch" | "charge_mismatch" | "merchant_inactive" | "saved_cards_not_offered" | "operator_forbidden" | "charge_not_found" | "payment_method_not_found" | "refund_not_found" | "event_not_found" | "webhook_endpoint_not_found" | "not_found" | "method_not_allowed" | "charge_not_payable" | "charge_not_cancelable" | "charge_not_changeable" | "charge_not_capturable" | "capture_expired" | "charge_not_refundable" | "payment_method_not_reusable" | "payment_method_expired" | "operation_in_progress" | "idempotency_conflict" | "payload_too_large" | "unsupported_media_type" | "invalid_card" | "network_unavailable" | "sealed_card_unusable" | "plain_card_refused" | "invalid_amount" | "amount_too_large" | "not_supported_by_provider" | "too_many_requests" | "retry_limit" | "internal" | "unavailable";

/**
 * A message from the form to the parent.
 */
export type FromForm = { "type": "form-ready-state",
/**
 * Whether all fields are complete and valid.
 */
ready: boolean, } | { "type": "processing-result",
/**
 * Whether the charge is paid.
 */
success: boolean,
/**
 * The text for the shopper, in the shopper's language; empty on success.
 */
message: string,
/**
 * Why the card was declined.
 */
decline_code?: string,
/**
 * Set if nothing was sent, because the form was not ready when `submit-ready` arrived. The form shows the
 * missing fields.
 */
not_ready?: boolean,
/**
 * The status of a charge that was not paid, if the server named it. While the outcome is unknown, the form
 * sends `charge-changed`, and the result later.
 */
status?: ChargeStatus,
/**
 * Why no card was tried, if the shopper cannot correct the cause; for programs.
 */
error_code?: FormErrorCode, } | { "type": "load-error",
/**
 * The reason.
 */
code: LoadErrorCode, } | { "type": "user-loaded",
/**
 * The name of the form's frame for screen readers, in the shopper's language.
 */
title?: string, } | { "type": "charge-changed",
/**
 * The charge's status.
 */
status: ChargeStatus,
/**
 * The action that the charge waits for.
 */
shopper_action: ShopperAction | null,
/**
 * Texts for the parent's dialog around a challenge, in the shopper's language.
 */
labels?: ChallengeLabels, } | { "type": "resize",
/**
 * The height.
 */
height: number, } | { "type": "request-client-secret" } | { "type": "submit-requested" } | { "type": "change",
/**
 * The card's brand: "visa". Empty while the brand is unknown.
 */
brand: string,
/**
 * Whether every field is complete and valid.
 */
complete: boolean,
/**
 * Whether every field is empty.
 */
empty: boolean,
/**
 * The errors that are shown: each field's identifier and error id.
 */
errors: { [key in string]: string },
/**
 * The fields of the form, by their identifiers.
 */
fields: { [key in string]: FieldSummary }, } | { "type": "page-changed",
/**
 * Whether the form shows the change. If not, the form is unchanged.
 */
success: boolean, } | { "type": "cards-changed" } | { "type": "card-session-expired" } | { "type": "field-action",
/**
 * The kind of use.
 */
action: FieldAction,
/**
 * The field's identifier: `card-number`.
 */
field: string, };

/**
 * A message from the parent to the form.
 */
export type FromParent = { "type": "submit-ready",
/**
 * The bearer token to pay with. If it is null, the form asks for one.
 */
client_secret: string | null, } | { "type": "submit-not-ready" } | { "type": "language-change",
/**
 * One of the locales: `fr-FR`.
 */
locale: string, } | { "type": "device-data-initiate",
/**
 * The bearer token of the call.
 */
client_secret: string, } | { "type": "client-secret-response",
/**
 * The bearer token.
 */
client_secret: string, } | { "type": "page-change",
/**
 * A new payload of the same charge, instead of the one in the address.
 */
payload?: string,
/**
 * JSON of all options, as in the page's address.
 */
options?: string,
/**
 * JSON of the theme, as in the page's address.
 */
custom_style?: string, } | { "type": "field-focus",
/**
 * The field's identifier: `card-number`.
 */
field: string, } | { "type": "fields-clear" } | { "type": "form-disable",
/**
 * Whether it is disabled.
 */
disabled: boolean, } | { "type": "shopper-action-returned" } | { "type": "shopper-action-closed" };

/**
 * Why a submission ended before a card was tried; stable, for programs. The SDK's `CardformErrorCode` says what to do
 * about each code.
 */
export type FormErrorCode = "client-secret-unavailable" | "client-secret-expired" | "client-secret-invalid" | "client-secret-foreign" | "charge-canceled" | "charge-expired" | "payment-method-not-found" | "too-many-tries" | "offline" | "connection-lost" | "request-refused";

/**
 * Why the page inside the frame cannot be used.
 */
export type LoadErrorCode = "payload-refused" | "page-unavailable" | "script-failed";

/**
 * Whether the caller's page may show the form of a payload.
 */
export type Embedding = {
/**
 * Whether the browser shows the form, or why it does not.
 */
result: Embeds, };

/**
 * Whether a browser shows the form in the caller's page, or why it does not.
 */
export type Embeds = "allowed" | "origin-not-allowed" | "payload-refused";

/**
 * Texts for the dialog of a 3-D Secure challenge.
 */
export type ChallengeLabels = {
/**
 * The dialog's title.
 */
title: string,
/**
 * Its close button.
 */
close: string,
/**
 * The button that opens the challenge in a window of its own.
 */
new_window?: string,
/**
 * The language of these texts, for the dialog's `lang` attribute: "fr-FR".
 */
lang?: string, };

/**
 * How the shopper used a field (docs/messages.md#field-actions).
 */
export type FieldAction = "cardFormInputVisible" | "cardFormInputFocused" | "cardFormInputBlurred" | "cardFormInputChanged" | "cardFormInputError";

/**
 * The state of a field, without its text.
 */
export type FieldSummary = {
/**
 * Whether it is complete and valid.
 */
complete: boolean,
/**
 * Whether it is empty.
 */
empty: boolean, };

/**
 * The body of `POST /topics/{topic}`.
 */
export type EventBatch = {
/**
 * At least one.
 */
records: Array<EventRecord>, };

/**
 * One event of a batch.
 */
export type EventRecord = {
/**
 * The visit. Kafka keeps the order of records with the same key.
 */
key: string,
/**
 * The event.
 */
value: Event, };

/**
 * Something that happened in a visit.
 */
export type Event = {
/**
 * `pageView`, `click`, `ExperimentViewed`, `identify`, `sessionStart`, `sessionClose`, or a custom event's own
 * name.
 */
name: string,
/**
 * A UUID, so that a receiver recognizes an event that arrives twice.
 */
id: string,
/**
 * The time of the event by the browser's clock, in milliseconds since 1970.
 */
at: number,
/**
 * A UUID of this page load.
 */
visit: string,
/**
 * The page, the browser and the session of the event.
 */
metadata: EventMetadata, } & ({ "type": "page-view",
/**
 * The document's title.
 */
title: string,
/**
 * The path: `/th-TH`.
 */
path: string,
/**
 * The origin of the page that links to the form or embeds it; empty if the browser does not name it.
 */
referrerUrl: string,
/**
 * The page's locale.
 */
locale: string,
/**
 * The kind of form, in fixed words.
 */
additionalInfo: { [key in string]: EventValue }, } | { "type": "click",
/**
 * Our own id of the element, `pay`; never its text.
 */
element: string, } | { "type": "experiment-viewed",
/**
 * The experiment's key.
 */
experimentId: string,
/**
 * The variation's index.
 */
variationId: number,
/**
 * The variation's key.
 */
variationKey: string, } | { "type": "custom",
/**
 * Fixed words and numbers: `elapsed_ms`, `field`, `error_id`.
 */
data: { [key in string]: EventValue }, } | { "type": "identify",
/**
 * The browser's id, which all its visits share.
 */
deviceId: string,
/**
 * The shopper's random id. It changes if another shopper uses the browser.
 */
anonymousId: string,
/**
 * The shopper's cookie id for experiments.
 */
cookieId: string, } | { "type": "session" });

/**
 * The kinds of events, and the fields of each kind.
 */
export type EventKind = { "type": "page-view",
/**
 * The document's title.
 */
title: string,
/**
 * The path: `/th-TH`.
 */
path: string,
/**
 * The origin of the page that links to the form or embeds it; empty if the browser does not name it.
 */
referrerUrl: string,
/**
 * The page's locale.
 */
locale: string,
/**
 * The kind of form, in fixed words.
 */
additionalInfo: { [key in string]: EventValue }, } | { "type": "click",
/**
 * Our own id of the element, `pay`; never its text.
 */
element: string, } | { "type": "experiment-viewed",
/**
 * The experiment's key.
 */
experimentId: string,
/**
 * The variation's index.
 */
variationId: number,
/**
 * The variation's key.
 */
variationKey: string, } | { "type": "custom",
/**
 * Fixed words and numbers: `elapsed_ms`, `field`, `error_id`.
 */
data: { [key in string]: EventValue }, } | { "type": "identify",
/**
 * The browser's id, which all its visits share.
 */
deviceId: string,
/**
 * The shopper's random id. It changes if another shopper uses the browser.
 */
anonymousId: string,
/**
 * The shopper's cookie id for experiments.
 */
cookieId: string, } | { "type": "session" };

/**
 * A value of an [`EventData`].
 */
export type EventValue = string | number | boolean;

/**
 * The product that events belong to.
 */
export type EventNamespace = "pay";

/**
 * The fields of every event (docs/tracking.md#metadata). Unknown values are empty.
 */
export type EventMetadata = {
/**
 * The product that the event belongs to.
 */
namespace: EventNamespace,
/**
 * The shopper's cookie id for experiments.
 */
codaCookieId: string,
/**
 * The page's origin, path and campaign parameters, and no other part of its address.
 */
fullUrl: string,
/**
 * The client's IP address, which the page looked up.
 */
ip: string,
/**
 * The application's version.
 */
libraryVersion: string,
/**
 * The page's host.
 */
domainName: string,
/**
 * The browser's `User-Agent`.
 */
userAgent: string,
/**
 * The operating system: "Android", "iOS", "Windows", "macOS", "Linux" or "Chrome OS".
 */
os: string,
/**
 * Whether the device is a phone or a tablet.
 */
mobile: boolean,
/**
 * "Chrome", "Safari", "Firefox", "Edge", "Opera" or "Samsung Internet".
 */
browser: string,
/**
 * The id of the click on the campaign.
 */
cid: string,
/**
 * The campaign.
 */
campaignId: string,
/**
 * `utm_campaign`.
 */
utmCampaign: string,
/**
 * `utm_source`.
 */
utmSource: string,
/**
 * `utm_medium`.
 */
utmMedium: string,
/**
 * `utm_content`.
 */
utmContent: string,
/**
 * `utm_term`.
 */
utmTerm: string,
/**
 * A UUID of the session.
 */
sessionId: string,
/**
 * The session's number in this browser, from 1.
 */
sessionNum: number,
/**
 * How long the page has been visible so far, in milliseconds.
 */
engagementMs: number,
/**
 * More fields, in fixed words.
 */
attributes?: { [key in string]: EventValue }, };

/**
 * The settings of the page's tracking.
 */
export type Tracking = {
/**
 * The topic that events are posted to: "cardform-events".
 */
topic: string,
/**
 * Whether the events are posted.
 */
mode: ExperimentationMode,
/**
 * The idle time after which a session ends, in milliseconds (docs/tracking.md#sessions-and-identities).
 */
session_timeout_ms: number, };

/**
 * The environment of experiments and events (docs/tracking.md#switching-it-off).
 */
export type ExperimentationMode = "production" | "staging" | "dev";

/**
 * A page to render.
 */
export type Page = { "page": "form" } & FormPage | { "page": "error" } & ErrorPage;

/**
 * The data that every page needs.
 */
export type PageContext = {
/**
 * The page's locale: "en-US".
 */
locale: string,
/**
 * The language of its texts, for the document's `lang` and for number formats: "id-ID" for the locale "in-ID".
 */
iso: string,
/**
 * "ltr" or "rtl".
 */
dir: string,
/**
 * The texts by key, compiled from `locales/*.json`. A form has only the texts that it may show before the payment.
 */
messages: Record<string, unknown>,
/**
 * The application's version, the value of `window.cardformVersion`.
 */
version: string,
/**
 * The id of the page's build.
 */
build_id: string,
/**
 * Which languages have their own address. A page needs it to change its language.
 */
locale_strategy: LocaleStrategy,
/**
 * The attributes of the cookie with the chosen language: "Path=/; Max-Age=31536000; SameSite=Lax".
 */
locale_cookie: string, };

/**
 * Which languages have their own address, with the locale before the path (docs/languages.md#addresses).
 */
export type LocaleStrategy = "no_prefix" | "prefix" | "prefix_except_default" | "prefix_and_default";

/**
 * The address of the page's calls: our own origin, or a dynamic environment (docs/calls.md#dynamic-environments).
 */
export type ServiceAddress = {
/**
 * The text before the path of a call: empty for our own origin, otherwise the other origin with its port.
 */
base: string,
/**
 * The full address of the direct charge; its path differs in a dynamic environment.
 */
direct_charges: string, };

/**
 * The card form page.
 */
export type FormPage = {
/**
 * The data that every page needs.
 */
context: PageContext,
/**
 * The charge to pay.
 */
intent: ChargeIntent,
/**
 * Whether the page has no parent frame. A standalone page also shows the item, the pay button and the outcome.
 */
standalone: boolean,
/**
 * What has no effect or was changed in the options and the theme. The page writes it to the console, for the merchant's
 * developer.
 */
notes: Array<string>,
/**
 * The merchant that the shopper pays. Only on the payment page, because a merchant's own page shows its name
 * itself.
 */
payee: Payee | null,
/**
 * The amount in the locale's format, for display only.
 */
amount_text: string,
/**
 * The options of the integration.
 */
options: FormOptions,
/**
 * Which experiments are on.
 */
features: Features,
/**
 * The experiments that the shopper takes part in.
 */
experiments: Array<Assignment>,
/**
 * The shopper's id for experiments: `cookie_id` of the options, the cookie `coda-cookie-id`, or a new id that was
 * written to that cookie.
 */
cookie_id: string,
/**
 * The brands that are shown before the number shows its own, the value of `card-form-card-brand-icon-config`.
 */
available_brands: Array<string>,
/**
 * The fraud prevention's script; null without a site id or without a configured script.
 */
fraud_script: FraudScript | null,
/**
 * The URL that answers with the client's IP address (docs/calls.md#client-address).
 */
ip_lookup_url: string,
/**
 * The origins whose messages the form accepts; empty for any.
 */
allowed_origins: Array<string>,
/**
 * How many saved cards the list will show, so that the page reserves space for them before they are loaded. Null
 * if the form does not offer saved cards, or if the payload is not signed.
 */
saved_cards_count: number | null,
/**
 * Whether the theme has labels inside the inputs, above the typed text.
 */
floating_labels: boolean,
/**
 * How long the collection of device data may take, in milliseconds; null if none is collected.
 */
device_data_timeout_ms: number | null,
/**
 * The settings of the page's events; null if tracking is off.
 */
tracking: Tracking | null,
/**
 * The address of the page's calls.
 */
service: ServiceAddress,
/**
 * The key that seals card fields; null if the page calls another service, whose key is unknown here.
 */
card_key: CardKey | null,
/**
 * Whether a card that cannot be sealed may be sent as it was typed.
 */
accepts_plain_cards: boolean,
/**
 * The time at which the shopper's way to the page began, in milliseconds since 1970; null if the link does not
 * name it.
 */
init_time_ms: number | null, };

/**
 * The answer to a request with [`PAGE_UPDATE_HEADER`].
 */
export type PageUpdate = {
/**
 * The page, with the charge's current data from the database.
 */
page: FormPage,
/**
 * The theme's style sheet.
 */
theme: string,
/**
 * The light or the dark colors.
 */
color_mode: ColorMode, };

/**
 * The merchant that the shopper pays, from the database and never from the page's address.
 */
export type Payee = {
/**
 * The merchant's name.
 */
name: string,
/**
 * The path of the merchant's logo on our own origin.
 */
logo: string | null,
/**
 * The merchant's website.
 */
website: string | null, };

/**
 * An error page (docs/form.md#error-pages).
 */
export type ErrorPage = {
/**
 * The data that every page needs.
 */
context: PageContext,
/**
 * The HTTP status.
 */
status: number,
/**
 * The error, which is shown before the description: "Page not found: /nowhere".
 */
message: string | null,
/**
 * The text for the reader; the default text of the status if absent.
 */
description: string | null, };

/**
 * The word for [`ShowPostalCode::ByCountry`].
 */
export type ByCountry = "auto";

/**
 * Whether the form asks for the postal code.
 */
export type ShowPostalCode = boolean | ByCountry;

/**
 * The options of an integration, from the `options` query parameter (docs/form.md#options). Unknown keys are ignored.
 */
export type FormOptions = {
/**
 * The shopper's cookie id for experiments.
 */
cookie_id: string | null,
/**
 * Whether to ask for the cardholder's name.
 */
show_cardholder_name: boolean,
/**
 * Whether to ask for the cardholder's email.
 */
show_cardholder_email: boolean,
/**
 * The first value of the email field.
 */
cardholder_email: string | null,
/**
 * The first value of the name field.
 */
cardholder_name?: string,
/**
 * Whether the shopper cannot change a prefilled email.
 */
cardholder_email_read_only?: boolean,
/**
 * Whether to ask for the postal code.
 */
show_postal_code?: ShowPostalCode,
/**
 * The first value of the postal code's field.
 */
postal_code?: string,
/**
 * The networks that the merchant prefers, the first one most: the preselected choice of a card with two networks.
 */
preferred_networks?: Array<string>,
/**
 * Whether a form in a frame shows no title. Screen readers still read it.
 */
hide_title?: boolean,
/**
 * The merchant's own texts for a form in a frame, by locale. Texts under the empty name are for every language.
 */
texts?: { [key in string]: { [key in string]: string } },
/**
 * The form's locale.
 */
locale: string | null,
/**
 * The fraud-prevention site.
 */
site_id: string | null,
/**
 * Which set of messages the form sends and accepts.
 */
variant: Variant | null,
/**
 * Corrects colors with too little contrast.
 */
contrast: Contrast | null,
/**
 * `light` and `dark` force these colors. With `system` the shopper's preference decides, which is the operating
 * system's until the shopper chooses one.
 */
color_mode: ColorMode | null,
/**
 * The background behind the form on the embedding page: a color, `rgb(24, 26, 32)`, or `text rgb(255, 255, 255)`, the
 * color of the text on a background that is no single color, or the page's `color-scheme`.
 * The background decides whether the form is light or dark, and the form's labels contrast with it.
 */
host_background: string | null,
/**
 * False switches the page's events off.
 */
tracking: boolean | null,
/**
 * The merchant's own attributes, which are added to every event (docs/tracking.md#metadata). Values other than
 * texts, numbers and flags are left out.
 */
event_attributes: { [key in string]: EventValue } | null,
/**
 * Forces experiments; used in demo mode only.
 */
features: { [key in string]: boolean } | null, };

/**
 * Which list of messages the form uses.
 */
export type Variant = "hosted";

/**
 * The contrast that a merchant's colors must have.
 */
export type Contrast = "AA";

/**
 * Which of the page's two sets of colors is shown.
 */
export type ColorMode = "system" | "light" | "dark";

/**
 * The report about the merchant's theme.
 */
export type ThemeReport = {
/**
 * `customStyle` was not a JSON object, so the default theme is shown.
 */
unusable: boolean,
/**
 * The keys that were left out because their values are not valid: "children.cardForm.fontSize".
 */
dropped: Array<string>,
/**
 * Sentences about unknown keys, and about lengths that a frame cannot have.
 */
notes: Array<string>,
/**
 * The colors that `contrast: "AA"` corrected, because they had too little contrast, as far as the merchant set them.
 */
repaired: Array<RepairedColor>, };

/**
 * A color that had too little contrast.
 */
export type RepairedColor = {
/**
 * The part of the form and the color: "children.cardForm.labelColor".
 */
key: string,
/**
 * The theme's color: "#8b8b8b".
 */
from: string,
/**
 * The color that is shown.
 */
to: string, };

/**
 * The eight experiments, each on or off for this shopper (docs/experiments.md#the-eight).
 */
export type Features = {
/**
 * Check the card number's Luhn digit.
 */
"card-form-card-number-luhn-alg-validation": boolean,
/**
 * Check the length of the security code.
 */
"card-form-card-security-length-limit-validation": boolean,
/**
 * Refuse expiry dates over 20 years ahead.
 */
"card-form-card-expiry-date-limit-validation": boolean,
/**
 * Collect device data.
 */
"enable-ddc": boolean,
/**
 * Show a message after a card was removed.
 */
"enable-save-card-snackbar": boolean,
/**
 * Offer to save cards and to pay with saved ones.
 */
"enable-save-payment-methods": boolean,
/**
 * Show the configured brands before one is detected.
 */
"card-form-card-brand-icon-config": boolean,
/**
 * The redesigned layout.
 */
"pop-646-card-form-ui-redesign": boolean, };

/**
 * The last step that a visit reached. Later steps compare greater.
 */
export type VisitStep = "viewed" | "started" | "ready" | "submitted" | "paid";

/**
 * The report of a range of time.
 */
export type Report = {
/**
 * The start of the range, in milliseconds since 1970.
 */
from: number,
/**
 * The end of the range, which is not in it.
 */
to: number,
/**
 * Visits that began in the range.
 */
visits: VisitReport,
/**
 * Each experiment that these visits saw.
 */
experiments: Array<ExperimentReport>,
/**
 * Charges that were created in the range, by their present outcome. They have no locale.
 */
charges: ChargeReport,
/**
 * The period of the same length that ends at the start of the range.
 */
before: PeriodBefore,
/**
 * The lengths of the queues now, independent of the range.
 */
now: QueueLengths,
/**
 * The source of the range's figures. The lengths of the queues are always read from the primary database.
 */
source: ReportSource, };

/**
 * The steps that visits reached, and where visits without a payment ended.
 */
export type VisitReport = {
/**
 * How many visits reached each step.
 */
funnel: Funnel,
/**
 * Visits that started and did not submit, by the last focused field; the name is empty if no field is known.
 */
left_at_field: Array<NamedCount>,
/**
 * Visits that started and did not submit, by the last error; without visits that saw no error.
 */
left_after_error: Array<NamedCount>,
/**
 * Visits that submitted and did not pay, by the last decline; the name is empty if no decline is known.
 */
left_after_decline: Array<NamedCount>,
/**
 * Visits by the page's locale.
 */
locales: Array<NamedFunnel>,
/**
 * Visits by the last detected brand; without visits in which no brand was detected.
 */
brands: Array<NamedFunnel>,
/**
 * Visits by new card or saved card; without visits in which neither was chosen.
 */
methods: Array<NamedFunnel>, };

/**
 * How many visits reached each step.
 */
export type Funnel = {
/**
 * All visits.
 */
viewed: number,
/**
 * Visits that focused a field or chose a card.
 */
started: number,
/**
 * Visits that filled in all fields.
 */
ready: number,
/**
 * Visits that pressed the pay button.
 */
submitted: number,
/**
 * Visits that paid.
 */
paid: number, };

/**
 * The number of visits with a name.
 */
export type NamedCount = {
/**
 * A field, an error id or a decline code.
 */
name: string,
/**
 * The number of visits.
 */
visits: number, };

/**
 * The funnel of the visits with a name.
 */
export type NamedFunnel = {
/**
 * A locale, a brand or a method.
 */
name: string,
/**
 * How many of the visits reached each step.
 */
funnel: Funnel, };

/**
 * The variations of an experiment.
 */
export type ExperimentReport = {
/**
 * The experiment's key.
 */
experiment_id: string,
/**
 * The variations, in the order of their indexes.
 */
variations: Array<VariationReport>, };

/**
 * The visits that saw a variation.
 */
export type VariationReport = {
/**
 * The variation's index; 0 is the control.
 */
variation_id: number,
/**
 * How many of the visits reached each step.
 */
funnel: Funnel,
/**
 * The share of the visits that paid.
 */
conversion: Conversion, };

/**
 * A share with its confidence interval: Wilson's, at 95 %.
 */
export type Conversion = {
/**
 * 0 to 1.
 */
rate: number,
/**
 * The interval's lower end.
 */
low: number,
/**
 * The interval's upper end.
 */
high: number, };

/**
 * Charges over time.
 */
export type ChargeReport = {
/**
 * The length of each bucket, in milliseconds.
 */
bucket_ms: number,
/**
 * Every bucket of the range, also the empty ones. The first bucket may begin before the range, but does not count
 * charges from before it.
 */
buckets: Array<ChargeBucket>,
/**
 * The sum of all buckets.
 */
total: ChargeOutcomes,
/**
 * The paid amounts, the currency with the most charges first.
 */
money: Array<Money>,
/**
 * The declined charges by decline code.
 */
declines: Array<NamedCharges>, };

/**
 * The source of a report.
 */
export type ReportSource = {
/**
 * The database.
 */
database: ReportDatabase,
/**
 * How far the replica was behind, in milliseconds, if the replica knows it.
 */
lag_ms: number | null, };

/**
 * A database that a report can be read from.
 */
export type ReportDatabase = "primary" | "fallback" | "replica";

/**
 * The figures of the period before, for comparison.
 */
export type PeriodBefore = {
/**
 * The start of the period, in milliseconds since 1970.
 */
from: number,
/**
 * How many visits of the period reached each step.
 */
funnel: Funnel,
/**
 * The present outcomes of the period's charges.
 */
total: ChargeOutcomes,
/**
 * The paid amounts of the period.
 */
money: Array<Money>, };

/**
 * The amount that was paid in one currency.
 */
export type Money = {
/**
 * ISO 4217: "USD".
 */
currency: string,
/**
 * A decimal string in the currency's major unit: "1234.50".
 */
amount: string,
/**
 * The number of paid charges.
 */
charges: number, };

/**
 * The charges that were created in a bucket.
 */
export type ChargeBucket = {
/**
 * The start of the bucket, in milliseconds since 1970.
 */
at: number,
/**
 * The present outcomes of its charges.
 */
outcomes: ChargeOutcomes, };

/**
 * The number of charges with each outcome.
 */
export type ChargeOutcomes = {
/**
 * Paid.
 */
succeeded: number,
/**
 * The last card was declined.
 */
declined: number,
/**
 * The payment is at the provider or at the shopper's bank.
 */
under_way: number,
/**
 * The provider's answer was lost, and the outcome is not known yet.
 */
unknown: number,
/**
 * No card was tried, or the charge was canceled or has expired.
 */
unpaid: number, };

/**
 * The number of charges with a name.
 */
export type NamedCharges = {
/**
 * A decline code.
 */
name: string,
/**
 * The number of charges.
 */
charges: number, };

/**
 * The lengths of the queues, and the number of lost events.
 */
export type QueueLengths = {
/**
 * Webhook events that merchants have not accepted yet.
 */
webhooks_waiting: number,
/**
 * The time since which the oldest of these events waits, in milliseconds since 1970.
 */
webhooks_waiting_since: number | null,
/**
 * Attempts to pay whose outcome is not known yet.
 */
attempts_open: number,
/**
 * Events that this node lost since it started.
 */
events_dropped: number, };

/**
 * The variation that a shopper has in an experiment. A feature that a rule switches has no variation.
 */
export type Assignment = {
/**
 * The experiment's key; the feature's name if it has no key.
 */
experiment_id: string,
/**
 * The feature that the experiment decides: "enable-save-payment-methods".
 */
feature: string,
/**
 * Which variation, from 0.
 */
variation_id: number,
/**
 * The variation's key; its number if it has no key.
 */
variation_key: string, };

/**
 * The fraud prevention's script for a merchant's site, and the cookie with the script's token.
 */
export type FraudScript = {
/**
 * The script's address.
 */
url: string,
/**
 * The token's cookie.
 */
cookie: string,
/**
 * The attributes of the cookie: "Path=/; Max-Age=34560000; SameSite=Lax", 400 days.
 */
cookie_attributes: string, };

/** `source` of every message. */
export const MESSAGE_SOURCE = "cardform";

/** `version` of every message. */
export const MESSAGE_VERSION = 1;

/** The amount of a charge that saves a card without a payment. */
export const SETUP_AMOUNT = "0";

/** The longest nickname of a saved card, in characters. */
export const NICKNAME_CHARACTERS_MAX = 40;
