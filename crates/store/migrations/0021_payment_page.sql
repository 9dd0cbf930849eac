-- What the payment page and its receipt show: the merchant's website and logo, the way back for a shopper who does not
-- want to pay, and the card that paid.

CREATE TABLE merchant_pages (
    partner_id TEXT PRIMARY KEY REFERENCES partners (id),
    website TEXT,
    -- The logo's name holds the SHA-256 of the file, so that what is behind a name never changes.
    logo_name TEXT,
    -- The file in base64.
    logo TEXT
);

CREATE INDEX merchant_pages_by_logo ON merchant_pages (logo_name);

ALTER TABLE charges ADD COLUMN cancel_url TEXT;

-- As much of the card as a receipt shows: the brand's name, and the last four digits.
ALTER TABLE attempts ADD COLUMN card_brand TEXT;
ALTER TABLE attempts ADD COLUMN card_last_four TEXT;
