-- The sites of the fraud prevention that a merchant's forms may name, a JSON list.
ALTER TABLE partners ADD COLUMN site_ids TEXT NOT NULL DEFAULT '[]';

-- What a file of the page held when its build was installed: it is served as long as it holds that. Files from before have
-- none and are written anew by the next start of their build.
ALTER TABLE page_assets ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
