-- What `saved` rests on: `observed` (hours in which the resource was seen to be off, at its rate before), `estimated` or
-- `verified` (by the bills after), each of them null while it is not known; and the claim that it belongs to.
ALTER TABLE saving_daily
    ADD COLUMN IF NOT EXISTS basis LowCardinality(String),
    ADD COLUMN IF NOT EXISTS estimated Nullable(Decimal(38, 14)),
    ADD COLUMN IF NOT EXISTS observed Nullable(Decimal(38, 14)),
    ADD COLUMN IF NOT EXISTS verified Nullable(Decimal(38, 14)),
    ADD COLUMN IF NOT EXISTS claim_id String
