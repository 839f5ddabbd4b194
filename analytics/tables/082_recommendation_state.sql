-- Recommendations and decisions about them: one row per recommendation. `status` is open, applied, dismissed, optimised or rule_retired.
-- Amounts are US dollars for 30 days; `savings_usd` is net of what other recommendations for the resource save, so it adds up;
-- `held_back_by` is the rule that is shown in its place. `evidence` is JSON. `confidence` is 0.5, 0.75 or 1, `priority` 0 to 100. Read it
-- with FINAL or through the view recommendations. Written by the recommendation actor.
CREATE TABLE IF NOT EXISTS recommendation_state
(
    org_id            LowCardinality(String),
    id                String,
    cloud_account_id  LowCardinality(String),
    resource_uid      String,
    resource_name     String,
    resource_type     LowCardinality(String),
    provider          LowCardinality(String),
    region            LowCardinality(String),
    rule_id           LowCardinality(String),
    category          LowCardinality(String),
    status            LowCardinality(String),
    severity          LowCardinality(String),
    title             String,
    action_type       LowCardinality(String),
    destructive       UInt8,
    current_cost_usd  Decimal(38, 14),
    savings_usd       Decimal(38, 14),
    gross_savings_usd Decimal(38, 14),
    confidence        Float64,
    priority          UInt8,
    held_back_by      LowCardinality(String),
    evidence          String CODEC(ZSTD),
    generated_at      DateTime64(3, 'UTC'),
    updated_at        DateTime64(3, 'UTC'),
    decided_at        Nullable(DateTime64(3, 'UTC')),
    snoozed_until     Nullable(DateTime64(3, 'UTC')),
    stale_since       Nullable(DateTime64(3, 'UTC')),
    x_Version         UInt128
)
ENGINE = ReplacingMergeTree(x_Version)
ORDER BY (org_id, cloud_account_id, id)
SETTINGS non_replicated_deduplication_window = 0
