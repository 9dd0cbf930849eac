-- What the merchant asks of strong customer authentication: automatic or challenge, and an exemption, low_value or
-- transaction_risk_analysis.
ALTER TABLE charges ADD COLUMN three_ds TEXT NOT NULL DEFAULT 'automatic';
ALTER TABLE charges ADD COLUMN exemption TEXT;
