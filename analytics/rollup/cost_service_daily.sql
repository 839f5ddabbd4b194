-- Sums the rows of cost_daily_slot that were just written for the days {days} over their resources.
INSERT INTO cost_service_daily_slot
SELECT
    org_id, day, cloud_account_id, slot, generation,
    provider, region, service_name, resource_type, purchase_type, charge_category,
    sum(s.billed_cost) AS billed_cost,
    sum(s.effective_cost) AS effective_cost,
    sum(s.contracted_cost) AS contracted_cost,
    sum(s.list_cost) AS list_cost,
    sum(s.lines) AS lines,
    sum(s.estimated_lines) AS estimated_lines
FROM cost_daily_slot AS s
WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    AND slot IN ({slot:UInt8}, {slot:UInt8} + 1) AND generation = {generation:UInt64}
GROUP BY
    org_id, day, cloud_account_id, slot, generation,
    provider, region, service_name, resource_type, purchase_type, charge_category
