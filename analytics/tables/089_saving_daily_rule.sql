-- Of what a recommendation saves: its rule and the category of that. `reason` is why the bills of the day do not prove the saving, empty
-- where they do or where nothing was asked of them yet; its words are those of the claims in docs/savings.md.
ALTER TABLE saving_daily
    ADD COLUMN IF NOT EXISTS rule_id LowCardinality(String),
    ADD COLUMN IF NOT EXISTS category LowCardinality(String),
    ADD COLUMN IF NOT EXISTS reason LowCardinality(String)
