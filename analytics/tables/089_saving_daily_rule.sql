-- For savings of a recommendation: its rule and the category of the rule. `reason` is why the bills of the day do not verify the saving,
-- empty if they do or were not checked yet; its values are those of claims in docs/savings.md.
ALTER TABLE saving_daily
    ADD COLUMN IF NOT EXISTS rule_id LowCardinality(String),
    ADD COLUMN IF NOT EXISTS category LowCardinality(String),
    ADD COLUMN IF NOT EXISTS reason LowCardinality(String)
