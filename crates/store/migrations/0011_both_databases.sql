-- Yes and no as bigint 1 and 0, which both databases' drivers read alike; and the charges that expire are found.

ALTER TABLE charges ADD COLUMN user_initiated_flag BIGINT NOT NULL DEFAULT 0;
ALTER TABLE charges ADD COLUMN enable_save_payment_method_flag BIGINT;
ALTER TABLE charges ADD COLUMN display_saved_payment_method_list_flag BIGINT NOT NULL DEFAULT 0;
ALTER TABLE charges ADD COLUMN eligible_save_payment_methods_flag BIGINT NOT NULL DEFAULT 0;

UPDATE charges SET
    user_initiated_flag = CASE WHEN user_initiated THEN 1 ELSE 0 END,
    enable_save_payment_method_flag =
        CASE WHEN enable_save_payment_method THEN 1 WHEN NOT enable_save_payment_method THEN 0 END,
    display_saved_payment_method_list_flag = CASE WHEN display_saved_payment_method_list THEN 1 ELSE 0 END,
    eligible_save_payment_methods_flag = CASE WHEN eligible_save_payment_methods THEN 1 ELSE 0 END;

ALTER TABLE charges DROP COLUMN user_initiated;
ALTER TABLE charges DROP COLUMN enable_save_payment_method;
ALTER TABLE charges DROP COLUMN display_saved_payment_method_list;
ALTER TABLE charges DROP COLUMN eligible_save_payment_methods;
ALTER TABLE charges RENAME COLUMN user_initiated_flag TO user_initiated;
ALTER TABLE charges RENAME COLUMN enable_save_payment_method_flag TO enable_save_payment_method;
ALTER TABLE charges RENAME COLUMN display_saved_payment_method_list_flag TO display_saved_payment_method_list;
ALTER TABLE charges RENAME COLUMN eligible_save_payment_methods_flag TO eligible_save_payment_methods;

CREATE INDEX charges_to_expire ON charges (created_at) WHERE status IN ('created', 'failed');
