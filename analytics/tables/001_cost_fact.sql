-- Bill lines that were sent alone: one row per line, with the 65 columns of FOCUS 1.4 Cost and Usage under their own names and our columns
-- as x_. Costs are exact US dollars (Decimal); times are UTC, ends exclusive; an empty text means null.
-- The same (organization, account, line) replaces the row: the highest x_Version counts, which orders by the time of the export first. A
-- line that moved to another day leaves a deleted row on its old day. Read it with FINAL or through the view cost_lines. Written by the
-- account actor.
CREATE TABLE IF NOT EXISTS cost_fact
(
    x_OrgId                              LowCardinality(String),
    x_CloudAccountId                     LowCardinality(String),
    x_Day                                Date32,            -- UTC day of ChargePeriodStart
    x_LineId                             String,
    x_Provider                           LowCardinality(String),   -- aws, gcp, azure
    x_PurchaseType                       LowCardinality(String),   -- on_demand, reserved, spot, savings_plan
    x_Source                             LowCardinality(String),   -- estimate, actual
    x_ExportedAt                         DateTime64(3, 'UTC'),
    x_UsageHours                         Nullable(Float64),
    x_HourlyRateUSD                      Nullable(Float64),
    x_UsdRate                            Decimal(38, 12) DEFAULT 1, -- US dollars for one unit of BillingCurrency
    AllocatedMethodDetails               String,
    AllocatedMethodId                    LowCardinality(String),
    AllocatedResourceId                  String,
    AllocatedResourceName                String,
    AllocatedTags                        Map(LowCardinality(String), String),
    AvailabilityZone                     LowCardinality(String),
    BilledCost                           Decimal(38, 14),
    BillingAccountId                     LowCardinality(String),
    BillingAccountName                   LowCardinality(String),
    BillingAccountType                   LowCardinality(String),
    BillingCurrency                      LowCardinality(String) DEFAULT 'USD',
    BillingPeriodEnd                     Nullable(DateTime('UTC')),
    BillingPeriodStart                   Nullable(DateTime('UTC')),
    CapacityReservationId                String,
    CapacityReservationStatus            LowCardinality(String),
    ChargeCategory                       LowCardinality(String),
    ChargeClass                          LowCardinality(String),
    ChargeDescription                    String,
    ChargeFrequency                      LowCardinality(String),
    ChargePeriodEnd                      DateTime('UTC'),
    ChargePeriodStart                    DateTime('UTC'),
    CommitmentDiscountCategory           LowCardinality(String),
    CommitmentDiscountId                 String,
    CommitmentDiscountName               String,
    CommitmentDiscountQuantity           Nullable(Decimal(38, 14)),
    CommitmentDiscountStatus             LowCardinality(String),
    CommitmentDiscountType               LowCardinality(String),
    CommitmentDiscountUnit               LowCardinality(String),
    CommitmentProgramEligibilityDetails  String,
    ConsumedQuantity                     Nullable(Decimal(38, 14)),
    ConsumedUnit                         LowCardinality(String),
    ContractApplied                      String,
    ContractedCost                       Decimal(38, 14),
    ContractedUnitPrice                  Nullable(Decimal(38, 16)),
    EffectiveCost                        Decimal(38, 14),
    HostProviderName                     LowCardinality(String),
    InvoiceDetailId                      String,
    InvoiceId                            String,
    InvoiceIssuerName                    LowCardinality(String),
    ListCost                             Decimal(38, 14),
    ListUnitPrice                        Nullable(Decimal(38, 16)),
    PricingCategory                      LowCardinality(String),
    PricingCurrency                      LowCardinality(String),
    PricingCurrencyContractedUnitPrice   Nullable(Decimal(38, 16)),
    PricingCurrencyEffectiveCost         Nullable(Decimal(38, 14)),
    PricingCurrencyListUnitPrice         Nullable(Decimal(38, 16)),
    PricingQuantity                      Nullable(Decimal(38, 14)),
    PricingUnit                          LowCardinality(String),
    RegionId                             LowCardinality(String),
    RegionName                           LowCardinality(String),
    ResourceId                           String,
    ResourceName                         String,
    ResourceType                         LowCardinality(String),
    ServiceCategory                      LowCardinality(String),
    ServiceName                          LowCardinality(String),
    ServiceProviderName                  LowCardinality(String),
    ServiceSubcategory                   LowCardinality(String),
    SkuId                                String,
    SkuMeter                             LowCardinality(String),
    SkuPriceDetails                      String,
    SkuPriceId                           String,
    SubAccountId                         LowCardinality(String),
    SubAccountName                       LowCardinality(String),
    SubAccountType                       LowCardinality(String),
    Tags                                 Map(LowCardinality(String), String),
    x_Deleted                            UInt8 DEFAULT 0,
    x_Version                            UInt128
)
ENGINE = ReplacingMergeTree(x_Version, x_Deleted)
PARTITION BY toYYYYMM(x_Day)
ORDER BY (x_OrgId, x_CloudAccountId, x_Day, x_LineId)
SETTINGS non_replicated_deduplication_window = 0
