-- Finds the customers of a shopper who is erased.
CREATE INDEX IF NOT EXISTS provider_customers_of_shopper ON provider_customers (partner_id, shopper_id);
