-- usage_daily of one organization from {from} to {to}, both included, with the part that each row has in commitments: `used` is covered by
-- a commitment, `unused` is paid for and not used, `on_demand` is used at pay-as-you-go prices, '' is anything else. The one place that
-- defines coverage and waste, for reports and for recommendations. Costs are US dollars.
-- `on_demand_equivalent` is what the usage would cost without commitments: the contracted cost; for covered usage only if the bill has one
-- that is neither 0 nor the billed cost, otherwise the list cost. Purchases have an effective cost only where a bill puts unused
-- commitment there. Read by commitment_slice.
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
