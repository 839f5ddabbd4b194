-- usage_daily of one organization from {from} to {to}, both included, with the part each row plays for commitments: `used` is what a
-- commitment covered, `unused` what was paid for and nothing used, `on_demand` what was used at pay-as-you-go prices, '' all else.
-- `on_demand_equivalent` is what use would cost without commitments: the contracted cost; of what is covered only where the bill says
-- one, which is neither 0 nor what is billed, else the list cost. Purchases have effective cost only where a bill puts there what was
-- not used. The one place that says what is covered and what is wasted, for reports and for what is recommended.
CREATE OR REPLACE VIEW commitment_use AS
SELECT day, cloud_account_id, resource_uid, service_name, component, purchase_type, charge_category, commitment_id, hours,
    billed_cost, effective_cost, contracted_cost, list_cost,
    multiIf(
        charge_category = 'Purchase' AND commitment_id != '', 'unused',
        charge_category != 'Usage', '',
        commitment_status = 'Unused', 'unused',
        commitment_id != '' OR pricing_category = 'Committed', 'used',
        pricing_category = 'Standard', 'on_demand',
        '') AS part,
    multiIf(
        part = 'on_demand', contracted_cost,
        part != 'used', toDecimal128(0, 14),
        contracted_cost != 0 AND contracted_cost != billed_cost, contracted_cost,
        list_cost) AS on_demand_equivalent
FROM usage_daily_slot
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    AND edition IN
    (
        SELECT edition FROM cost_day FINAL
        WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
    )
