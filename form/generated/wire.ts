// Written by `cargo xtask generate` from the Rust crates. Do not edit.

import type { BrandName, ErrorId } from "./rules.ts";

/**
 * Which charge is to be paid, as the merchant's server described it. The fields stand in the order of
 * `proto/charge_intent.proto` (docs/payload.md#fields).
 */
export type ChargeIntent = {
/**
 * The merchant's code of what is bought.
 */
itemCode: string,
/**
 * The name of what is bought, shown on the standalone page.
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
 * ISO 3166-1 alpha-2; "US" when the payload leaves it empty.
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
 * The shopper's email as the merchant knows it, or empty.
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
 * Whether the shopper started this charge (sent when paying with a saved card).
 */
userInitiated: boolean,
/**
 * Whether saved cards are offered.
 */
displaySavedPaymentMethodList: boolean,
/**
 * Whether cards of this charge are eligible for saving.
 */
eligibleSavePaymentMethods: boolean,
/**
 * The merchant.
 */
partnerId: string, };

/**
 * Where a charge stands.
 */
export type ChargeStatus = "created" | "processing" | "waiting_for_shopper_action" | "succeeded" | "failed" | "outcome_unknown" | "canceled" | "expired";

/**
 * What the shopper must do before the charge goes on.
 */
export type ShopperAction = { "type": "redirect",
/**
 * Where to.
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
 * A charge as the shopper's page sees it: `GET /v1/pub/charges/{charge_id}`.
 */
export type ShopperCharge = {
/**
 * The charge's id.
 */
id: string,
/**
 * Where it stands.
 */
status: ChargeStatus,
/**
 * Why the last card was declined, while `failed`, as far as the shopper may know it.
 */
decline_code: string | null,
/**
 * The way back to the merchant.
 */
return_url: string | null,
/**
 * The way back for a shopper who does not want to pay.
 */
cancel_url?: string | null,
/**
 * The card that paid, while `succeeded`; absent for charges that were paid before cards were noted.
 */
paid_with?: PaidCard | null,
/**
 * What the shopper must do, while `waiting_for_shopper_action`.
 */
shopper_action: ShopperAction | null, };

/**
 * As much of a card as a receipt shows.
 */
export type PaidCard = {
/**
 * Its brand's name: "visa"; empty for a brand that is not known.
 */
brand: string,
/**
 * The number's last four digits.
 */
last_four: string, };

/**
 * `POST /v1/charges`: what the merchant wants to be paid. Item, amount, currency and reference are required.
 */
export type CreateCharge = {
/**
 * The merchant's code of what is bought.
 */
item_code: string,
/**
 * The name of what is bought, as the shopper reads it.
 */
item_name: string,
/**
 * A decimal string in the currency's major unit: "12.50".
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
 * ISO 3166-1 alpha-2, "US" when left out.
 */
payment_method_country_code: string | null,
/**
 * A JSON object as text, of at most 4096 bytes.
 */
partner_custom_data: string | null,
/**
 * The shopper's id in the vault; with it cards can be saved and offered.
 */
shopper_id: string | null,
/**
 * The shopper's email, when the merchant knows it.
 */
shopper_email: string | null,
/**
 * The shopper's zip code.
 */
zip_code: string | null,
/**
 * Whether the shopper started this charge; true when left out.
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
 * Where the standalone page leads back to; `https:` or, for tests on one machine, `http:`.
 */
return_url: string | null,
/**
 * Where the standalone page leads a shopper who does not want to pay; like `return_url`.
 */
cancel_url?: string | null, };

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
 * The bearer token for the page; hand it to the shopper's page and to nobody else.
 */
client_secret: string,
/**
 * The standalone payment page of this charge, client secret included.
 */
url: string,
/**
 * When the client secret expires, RFC 3339.
 */
expires_at: string, };

/**
 * A charge as the merchant sees it: `GET /v1/charges/{id}`.
 */
export type ChargeView = {
/**
 * The charge's id.
 */
id: string,
/**
 * Where it stands.
 */
status: ChargeStatus,
/**
 * The merchant's code of what is bought.
 */
item_code: string,
/**
 * Its name.
 */
item_name: string,
/**
 * A decimal string.
 */
amount_value: string,
/**
 * ISO 4217.
 */
amount_currency: string,
/**
 * The merchant's own reference.
 */
partner_reference: string,
/**
 * Why the last card was declined, while `failed`.
 */
decline_code: string | null,
/**
 * Created at, RFC 3339.
 */
created_at: string,
/**
 * Changed at, RFC 3339.
 */
updated_at: string, };

/**
 * A secret text that was received. It cannot be serialized or displayed, its `Debug` says nothing of its
 * contents, and its memory is overwritten when it is dropped (SECURITY.md#what-must-always-hold).
 */
export type Sensitive = string;

/**
 * The direct charge request. Every field is required unless its type says otherwise.
 */
export type DirectCharge = {
/**
 * The charge to pay; must be the client secret's.
 */
charge_id: string,
/**
 * The merchant's code of what is bought.
 */
item_code: string,
/**
 * Its name.
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
 * How the charge is to be made.
 */
setting: Setting,
/**
 * How it is taxed.
 */
tax: Tax,
/**
 * The card, new or saved.
 */
payment_method: PaymentMethod,
/**
 * Who sells.
 */
partner_custom_data: PartnerCustomData,
/**
 * Whether the shopper started the charge; sent with a saved card only.
 */
user_initiated?: boolean, };

/**
 * The browser that pays, as 3-D Secure and fraud prevention ask for it.
 */
export type ShopperAgent = {
/**
 * The client's address as the page looked it up, or empty.
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
 * What the fraud-prevention script found.
 */
export type FraudMetadata = {
/**
 * Its token, or empty without one.
 */
fraud_token: string, };

/**
 * What device data collection found.
 */
export type DeviceMetadata = {
/**
 * The session's id; null when the collection failed, which never stops a charge.
 */
session_id: string | null, };

/**
 * How the charge is to be made.
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
 * How the charge is taxed.
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
 * Whose saved card it is.
 */
shopper_id?: string,
/**
 * What the shopper typed.
 */
card: Card,
/**
 * Who pays, with a new card.
 */
shopper?: Shopper,
/**
 * Whether to save a new card once it has paid.
 */
save_payment_method?: boolean, };

/**
 * The kinds of payment method there are.
 */
export type PaymentMethodType = "card";

/**
 * What was typed into the form. With a saved card just the security code.
 */
export type Card = {
/**
 * ISO 3166-1 alpha-2.
 */
country_code?: string,
/**
 * Digits without spaces; left out when it is sealed.
 */
number?: Sensitive,
/**
 * As typed, empty when the form does not ask for it.
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
 * Digits; left out when it is sealed.
 */
security_code?: Sensitive,
/**
 * Number and security code as the page sealed them, in their stead (docs/sealed-cards.md): a compact JWE with ECDH-ES
 * over P-256 and A256GCM for the key of `GET /v1/pub/card-key`.
 */
sealed?: string, };

/**
 * `GET /v1/pub/card-key`: the key that pages seal card fields for, as a JSON Web Key. Pages have it from the start.
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
 * Who pays: by `id` alone when the intent has a shopper id, otherwise by the other three.
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
 * Empty when not known.
 */
zip_code?: string,
/**
 * The merchant's own id of the shopper.
 */
partner_shopper_id?: string, };

/**
 * Who sells, from the intent's custom data; each is null when absent there.
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
 * 201: the charge was taken.
 */
export type DirectChargeAnswer = {
/**
 * `succeeded`, `waiting_for_shopper_action`, `processing`, or `outcome_unknown` while the provider is being asked.
 */
status_code: ChargeStatus,
/**
 * What the shopper must do, with `waiting_for_shopper_action`.
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
 * Why, in the provider's terms: `insufficient_funds`.
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
 * `GET /v1/pub/shoppers/{shopper_id}/payment-methods`: a page of the shopper's cards, the newest first.
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
 * What of a saved card may be shown.
 */
export type SavedCard = {
/**
 * The card's own id: `card_…`.
 */
id: string,
/**
 * What a charge and a removal name: `pm_…`.
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
 * What its number tells; null where four digits tell none (docs/rules.md#brand-detection).
 */
brand: BrandName | null,
/**
 * Two digits.
 */
expiration_month: string,
/**
 * Four digits. The card may have expired.
 */
expiration_year: string, };

/**
 * `DELETE /v1/pub/payment-methods/{payment_method_id}`: who wants it gone.
 */
export type RemoveSavedCard = {
/**
 * Must be the client secret's shopper.
 */
shopper_id: string, };

/**
 * The answer: both or, when there is no device data to be had, neither.
 */
export type DeviceDataSession = {
/**
 * The provider's token for this collection; goes into the form field `JWT`.
 */
jwt?: string,
/**
 * The address that the hidden frame posts to. The page accepts only messages from exactly this origin.
 */
url?: string, };

/**
 * What a client secret, a JWT signed with `EdDSA`, claims. The server believes these and nothing the page says.
 */
export type ClientSecretClaims = {
/**
 * Who signed it: the service.
 */
iss: string,
/**
 * The partner (merchant) the charge belongs to.
 */
sub: string,
/**
 * The charge it opens.
 */
charge_id: string,
/**
 * The shopper whose saved cards it opens; empty for a guest.
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
 * Refused from then on, in seconds since 1970.
 */
exp: number,
/**
 * The token's own id.
 */
jti: string, };

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
export type ErrorCode = "invalid_request" | "secret_key_invalid" | "client_secret_missing" | "client_secret_invalid" | "client_secret_expired" | "partner_mismatch" | "charge_mismatch" | "merchant_inactive" | "saved_cards_not_offered" | "charge_not_found" | "payment_method_not_found" | "not_found" | "method_not_allowed" | "charge_not_payable" | "charge_not_cancelable" | "charge_not_changeable" | "idempotency_conflict" | "payload_too_large" | "unsupported_media_type" | "invalid_card" | "sealed_card_unusable" | "plain_card_refused" | "invalid_amount" | "too_many_requests" | "internal" | "unavailable";

/**
 * What the form tells the parent.
 */
export type FromForm = { "type": "form-ready-state",
/**
 * All fields complete and valid.
 */
ready: boolean, } | { "type": "processing-result",
/**
 * Paid.
 */
success: boolean,
/**
 * In the shopper's language, to be shown; empty on success.
 */
message: string,
/**
 * Why the card was declined.
 */
decline_code?: string,
/**
 * Set if nothing was sent, because the form was not ready when `submit-ready` arrived; the form shows what is
 * missing.
 */
not_ready?: boolean,
/**
 * The status of a charge that was not paid, if the server has said it. A charge whose outcome is not known has
 * no result yet: `charge-changed` is sent, and the result follows.
 */
status?: ChargeStatus,
/**
 * Why no card was tried, if the shopper cannot correct it; for programs.
 */
error_code?: FormErrorCode, } | { "type": "load-error",
/**
 * Which of them.
 */
code: LoadErrorCode, } | { "type": "user-loaded" } | { "type": "charge-changed",
/**
 * Where it stands.
 */
status: ChargeStatus,
/**
 * What the shopper must do.
 */
shopper_action: ShopperAction | null,
/**
 * Texts for the dialog that the parent shows a challenge in, in the shopper's language.
 */
labels?: ChallengeLabels, } | { "type": "resize",
/**
 * The height.
 */
height: number, } | { "type": "request-client-secret" } | { "type": "submit-requested" } | { "type": "change",
/**
 * The card's brand: "visa". Empty while it is not known.
 */
brand: string,
/**
 * Whether every field is complete and valid.
 */
complete: boolean,
/**
 * Whether nothing is filled in.
 */
empty: boolean,
/**
 * The errors that are shown: field identifiers and error ids.
 */
errors: { [key in string]: string },
/**
 * The fields that the form asks for, by their identifiers.
 */
fields: { [key in string]: FieldSummary }, } | { "type": "page-changed",
/**
 * Whether the form shows the change. If not, it is as it was before.
 */
success: boolean, } | { "type": "field-action",
/**
 * What happened, with the fields of its kind.
 */
action: FieldAction,
/**
 * The field's identifier: `card-number`.
 */
field: string, };

/**
 * What the parent tells the form.
 */
export type FromParent = { "type": "submit-ready",
/**
 * The bearer token to pay with; without one the form asks for it.
 */
client_secret: string | null, } | { "type": "submit-not-ready" } | { "type": "language-change",
/**
 * One of the locales: `fr-FR`.
 */
locale: string, } | { "type": "device-data-initiate",
/**
 * The bearer token to do it with.
 */
client_secret: string, } | { "type": "client-secret-response",
/**
 * The bearer token.
 */
client_secret: string, } | { "type": "page-change",
/**
 * A new payload of the same charge, instead of the address's.
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
 * Why a submission ended without a card being tried; stable, for programs. What to do about each stands with the SDK's
 * `CardformErrorCode`.
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
 * What the browser does with the frame.
 */
result: Embeds, };

/**
 * What a browser does with the form's frame in the caller's page.
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
new_window?: string, };

/**
 * What can happen at a field (docs/messages.md#field-actions).
 */
export type FieldAction = "cardFormInputVisible" | "cardFormInputFocused" | "cardFormInputBlurred" | "cardFormInputChanged" | "cardFormInputError";

/**
 * A field without its text.
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
 * The visit, so that its events keep their order.
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
 * `pageView`, `click`, `ExperimentViewed`, `identify`, `sessionStart`, `sessionClose`, or a custom event's own name.
 */
name: string,
/**
 * A UUID, so that a receiver recognizes an event that arrives twice.
 */
id: string,
/**
 * When it happened by the browser's clock, in milliseconds since 1970.
 */
at: number,
/**
 * A UUID of this page load.
 */
visit: string,
/**
 * Where and in which session it happened.
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
 * The origin of the page that links to the form or embeds it; empty if the browser does not say.
 */
referrerUrl: string,
/**
 * The page's locale.
 */
locale: string,
/**
 * What kind of form it is, in fixed words.
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
 * The same for all visits of this browser.
 */
deviceId: string,
/**
 * The same until the shopper is somebody else.
 */
anonymousId: string,
/**
 * The shopper's cookie id for experiments.
 */
cookieId: string, } | { "type": "session" });

/**
 * The kinds of events, and what each has of its own.
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
 * The origin of the page that links to the form or embeds it; empty if the browser does not say.
 */
referrerUrl: string,
/**
 * The page's locale.
 */
locale: string,
/**
 * What kind of form it is, in fixed words.
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
 * The same for all visits of this browser.
 */
deviceId: string,
/**
 * The same until the shopper is somebody else.
 */
anonymousId: string,
/**
 * The shopper's cookie id for experiments.
 */
cookieId: string, } | { "type": "session" };

/**
 * What stands in an [`EventData`].
 */
export type EventValue = string | number | boolean;

/**
 * Whose events they are.
 */
export type EventNamespace = "pay";

/**
 * What stands in every event (docs/tracking.md#metadata). What is not known is empty.
 */
export type EventMetadata = {
/**
 * Whose event it is.
 */
namespace: EventNamespace,
/**
 * The shopper's cookie id for experiments.
 */
codaCookieId: string,
/**
 * The page's origin, path and campaign parameters, nothing else of its address.
 */
fullUrl: string,
/**
 * The client's address as it was looked up.
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
 * The browser's own description.
 */
userAgent: string,
/**
 * What it runs on: "Android", "iOS", "Windows", "macOS", "Linux", "Chrome OS"; empty where unknown.
 */
os: string,
/**
 * A phone or a tablet.
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
 * How the page's tracking is set up.
 */
export type Tracking = {
/**
 * The topic that events are posted to: "cardform-events".
 */
topic: string,
/**
 * What becomes of the events.
 */
mode: ExperimentationMode,
/**
 * After how much idle time a session is over, in milliseconds (docs/tracking.md#sessions-and-identities).
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
 * What every page needs.
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
 * The texts by key, compiled from `locales/*.json`. A form has only those that may be shown before it pays.
 */
messages: Record<string, unknown>,
/**
 * The application's version, shown on `window.cardformVersion`.
 */
version: string,
/**
 * The page build's id.
 */
build_id: string,
/**
 * Which languages have an address of their own; a page that changes its language needs it.
 */
locale_strategy: LocaleStrategy,
/**
 * The attributes of the cookie that keeps a chosen language: "Path=/; Max-Age=31536000; SameSite=Lax".
 */
locale_cookie: string, };

/**
 * Which languages have an address of their own, the locale in front of the path (docs/languages.md#addresses).
 */
export type LocaleStrategy = "no_prefix" | "prefix" | "prefix_except_default" | "prefix_and_default";

/**
 * Where the page's calls go: our own origin, or a dynamic environment (docs/calls.md#dynamic-environments).
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
 * What every page needs.
 */
context: PageContext,
/**
 * The charge to pay.
 */
intent: ChargeIntent,
/**
 * Whether the page has no parent frame; it then shows what is paid, the pay button and the outcome.
 */
standalone: boolean,
/**
 * Whether the options name a locale without texts; the page logs this for the merchant's developer.
 */
locale_is_unknown: boolean,
/**
 * The merchant that the shopper pays; only on the payment page, because a merchant's own page shows its name
 * itself.
 */
payee: Payee | null,
/**
 * The amount in the locale's format, for display only.
 */
amount_text: string,
/**
 * Options of the integration.
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
 * The brands that are shown before one is detected, the value of `card-form-card-brand-icon-config`.
 */
available_brands: Array<string>,
/**
 * The script of the fraud prevention; null without a site id or without a configured script.
 */
fraud_script: FraudScript | null,
/**
 * The look-up of the client's address (docs/calls.md#client-address).
 */
ip_lookup_url: string,
/**
 * The origins that may drive the form; empty for any.
 */
allowed_origins: Array<string>,
/**
 * How many saved cards the list will show, so that their place has the right size before they are loaded. Null if
 * the form does not offer saved cards, or if the payload is not signed.
 */
saved_cards_count: number | null,
/**
 * The result of reading the merchant's theme.
 */
theme: ThemeReport,
/**
 * Whether the theme has labels inside the inputs, above the typed text.
 */
floating_labels: boolean,
/**
 * How long collecting device data may take, in milliseconds; null if none is collected.
 */
device_data_timeout_ms: number | null,
/**
 * Where the page sends its events; null if tracking is off.
 */
tracking: Tracking | null,
/**
 * Where the page sends its calls.
 */
service: ServiceAddress,
/**
 * The key for sealing card fields; null if the page calls another service, whose key is not known here.
 */
card_key: CardKey | null,
/**
 * Whether a card that cannot be sealed may be sent as it was typed.
 */
accepts_plain_cards: boolean,
/**
 * When the shopper's way to the page began, in milliseconds since 1970, as the link says it; null where it does not.
 */
init_time_ms: number | null, };

/**
 * The answer to such a request.
 */
export type PageUpdate = {
/**
 * The page, with the charge as the books have it now.
 */
page: FormPage,
/**
 * The theme's style sheet.
 */
theme: string,
/**
 * Light or dark.
 */
color_mode: ColorMode, };

/**
 * Whom the shopper pays, from the server's books and never from the page's address.
 */
export type Payee = {
/**
 * The merchant's name.
 */
name: string,
/**
 * The path of its logo on our own origin.
 */
logo: string | null,
/**
 * Its website.
 */
website: string | null, };

/**
 * An error page (docs/form.md#error-pages).
 */
export type ErrorPage = {
/**
 * What every page needs.
 */
context: PageContext,
/**
 * The HTTP status.
 */
status: number,
/**
 * What happened, shown before the description: "Page not found: /nowhere".
 */
message: string | null,
/**
 * The text for the reader; the default text of the status if absent.
 */
description: string | null, };

/**
 * Options of an integration, from the `options` query parameter (docs/form.md#options).
 * Unknown keys are ignored.
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
 * Whether a form in a frame shows no title. Screen readers still read it.
 */
hide_title?: boolean,
/**
 * The merchant's own words for texts of a form in a frame, by locale; those under the empty name are for every
 * language.
 */
texts?: { [key in string]: { [key in string]: string } },
/**
 * The locale to speak.
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
 * "AA" corrects colors with too little contrast.
 */
contrast: string | null,
/**
 * Forces the light or the dark colors. `system` forces nothing: the shopper's preference decides, which is the
 * operating system's until the shopper chooses one.
 */
color_mode: ColorMode | null,
/**
 * The background behind the form on the embedding page: a color, `rgb(24, 26, 32)`, or the page's `color-scheme`.
 * It decides whether the form is light or dark, and its labels must contrast with it.
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
 * Which list of messages the form speaks.
 */
export type Variant = "hosted";

/**
 * Which of the page's two sets of colors is shown.
 */
export type ColorMode = "system" | "light" | "dark";

/**
 * What the browser's console says about the merchant's theme.
 */
export type ThemeReport = {
/**
 * `customStyle` was no JSON object; the default theme is shown.
 */
unusable: boolean,
/**
 * The keys that were left out, because their values are not valid: "children.cardForm.fontSize".
 */
dropped: Array<string>,
/**
 * Colors that had too little contrast, and their corrected values; with `contrast: "AA"`.
 */
repaired: Array<RepairedColor>, };

/**
 * A color that contrasted too little.
 */
export type RepairedColor = {
/**
 * The part of the form and the color: "children.cardForm.labelColor".
 */
key: string,
/**
 * As the theme has it: "#8b8b8b".
 */
from: string,
/**
 * As it is shown.
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
 * Say that a card was removed.
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
 * How far a visit came; each step is behind the ones before it.
 */
export type VisitStep = "viewed" | "started" | "ready" | "submitted" | "paid";

/**
 * Everything that is told of a range of time.
 */
export type Report = {
/**
 * When the range begins, in milliseconds since 1970.
 */
from: number,
/**
 * When it ends; not a part of it.
 */
to: number,
/**
 * Visits that first came in the range.
 */
visits: VisitReport,
/**
 * Each experiment that visits of the range saw.
 */
experiments: Array<ExperimentReport>,
/**
 * Charges that were made in the range, by where they stand now. They have no locale.
 */
charges: ChargeReport,
/**
 * The period of the same length that ended where the range begins.
 */
before: PeriodBefore,
/**
 * How things stand now, whatever the range.
 */
now: QueueLengths,
/**
 * Where the figures of the range were read; those of now are always the database's own.
 */
source: ReportSource, };

/**
 * How far visits came, and where those that did not pay stopped.
 */
export type VisitReport = {
/**
 * How many came as far as each step or further.
 */
funnel: Funnel,
/**
 * Visits that started and did not submit, by the last field they were in; the name is empty if no field is known.
 */
left_at_field: Array<NamedCount>,
/**
 * The same visits, by the last error they saw; those that saw one.
 */
left_after_error: Array<NamedCount>,
/**
 * Visits that submitted and did not pay, by the last decline; the name is empty if no decline is known.
 */
left_after_decline: Array<NamedCount>,
/**
 * By the page's locale.
 */
locales: Array<NamedFunnel>,
/**
 * By the last brand that was detected; without those where none was.
 */
brands: Array<NamedFunnel>,
/**
 * By new card or saved card, of those that chose.
 */
methods: Array<NamedFunnel>, };

/**
 * How many visits came as far as each step or further.
 */
export type Funnel = {
/**
 * All of them.
 */
viewed: number,
/**
 * Of these, how many came into a field or chose a card.
 */
started: number,
/**
 * Of these, how many filled everything in.
 */
ready: number,
/**
 * Of these, how many paid or tried to.
 */
submitted: number,
/**
 * Of these, how many paid.
 */
paid: number, };

/**
 * So many visits with this word.
 */
export type NamedCount = {
/**
 * A field, an error id or a decline code.
 */
name: string,
/**
 * How many.
 */
visits: number, };

/**
 * The funnel of the visits with this word.
 */
export type NamedFunnel = {
/**
 * A locale, a brand or a method.
 */
name: string,
/**
 * How far they came.
 */
funnel: Funnel, };

/**
 * An experiment's variations beside each other.
 */
export type ExperimentReport = {
/**
 * The experiment's key.
 */
experiment_id: string,
/**
 * In the order of their index.
 */
variations: Array<VariationReport>, };

/**
 * What became of the visits that saw a variation.
 */
export type VariationReport = {
/**
 * Its index; 0 is the control.
 */
variation_id: number,
/**
 * How far the visits came.
 */
funnel: Funnel,
/**
 * Paid of viewed.
 */
conversion: Conversion, };

/**
 * A share with the interval that it is known to: Wilson's, at 95 %.
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
 * How long each bucket is, in milliseconds.
 */
bucket_ms: number,
/**
 * Every bucket of the range, the empty ones too. The first may begin before the range, with none before it counted.
 */
buckets: Array<ChargeBucket>,
/**
 * All of them together.
 */
total: ChargeOutcomes,
/**
 * What the paid ones come to, the currency with the most charges first.
 */
money: Array<Money>,
/**
 * The declined ones by why.
 */
declines: Array<NamedCharges>, };

/**
 * Where a report was read.
 */
export type ReportSource = {
/**
 * The database.
 */
database: ReportDatabase,
/**
 * How far a replica was behind, in milliseconds, if it knows.
 */
lag_ms: number | null, };

/**
 * A database that a report can be read from.
 */
export type ReportDatabase = "primary" | "fallback" | "replica";

/**
 * The period before, in as few figures as one compares with.
 */
export type PeriodBefore = {
/**
 * When it begins, in milliseconds since 1970.
 */
from: number,
/**
 * How far its visits came.
 */
funnel: Funnel,
/**
 * Where its charges stand now.
 */
total: ChargeOutcomes,
/**
 * What its paid charges come to.
 */
money: Array<Money>, };

/**
 * What was paid in one currency.
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
 * How many charges paid it.
 */
charges: number, };

/**
 * The charges that were made in a bucket.
 */
export type ChargeBucket = {
/**
 * When it begins, in milliseconds since 1970.
 */
at: number,
/**
 * What became of them.
 */
outcomes: ChargeOutcomes, };

/**
 * How many charges stand where.
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
 * With the provider or with the shopper's bank.
 */
under_way: number,
/**
 * The provider's answer was lost and is being asked for.
 */
unknown: number,
/**
 * No card was tried, or the charge was canceled or has expired.
 */
unpaid: number, };

/**
 * So many charges with this word.
 */
export type NamedCharges = {
/**
 * A decline code.
 */
name: string,
/**
 * How many.
 */
charges: number, };

/**
 * What waits or was lost.
 */
export type QueueLengths = {
/**
 * Webhook events that merchants have not accepted yet.
 */
webhooks_waiting: number,
/**
 * Since when the oldest of them waits, in milliseconds since 1970.
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
 * The variation that a shopper has in an experiment. Features that are on or off by a rule are none.
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
 * The fraud prevention's script for a merchant's site, and the cookie that keeps its token.
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

/** `Content-Type` of a batch of events. */
export const EVENTS_CONTENT_TYPE = "application/vnd.kafka.json.v2+json";

/** The most events in one batch. */
export const EVENTS_PER_BATCH_MAX = 50;

/** The longest batch, in bytes: the direct charge must find room beside it. */
export const EVENT_BATCH_BYTES_MAX = 30000;

/** The longest text of an event, in characters. */
export const EVENT_TEXT_CHARACTERS_MAX = 512;

/** The longest address in an event, in characters. */
export const EVENT_URL_CHARACTERS_MAX = 2048;

/** The longest name of a custom event, in characters. */
export const EVENT_NAME_CHARACTERS_MAX = 64;

/** The most entries in an event's `data`. */
export const EVENT_DATA_ENTRIES_MAX = 16;
