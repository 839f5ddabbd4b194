-- The basis of `saved`: `observed` (hours in which the resource was off, at its rate before), `estimated` or `verified` (by later bills),
-- each null while unknown; and the claim that it belongs to. US dollars.
ALTER TABLE saving_daily
    ADD COLUMN IF NOT EXISTS basis LowCardinality(String),
    ADD COLUMN IF NOT EXISTS estimated Nullable(Decimal(38, 14)),
    ADD COLUMN IF NOT EXISTS observed Nullable(Decimal(38, 14)),
    ADD COLUMN IF NOT EXISTS verified Nullable(Decimal(38, 14)),
    ADD COLUMN IF NOT EXISTS claim_id String
