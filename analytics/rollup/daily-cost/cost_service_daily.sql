-- Adds up the rows of cost_daily_slot just written for the days {days} over resources, in US dollars.
INSERT INTO cost_service_daily_slot
    (org_id, day, cloud_account_id, slot, generation, provider, region, service_name, resource_type, purchase_type, charge_category,
    billing_account_id, sub_account_id, billed_cost, effective_cost, contracted_cost, list_cost, lines, estimated_lines)
SELECT
    org_id, day, cloud_account_id, slot, generation,
    provider, region, service_name, resource_type, purchase_type, charge_category, billing_account_id, sub_account_id,
    sum(s.billed_cost) AS billed_cost,
    sum(s.effective_cost) AS effective_cost,
    sum(s.contracted_cost) AS contracted_cost,
    sum(s.list_cost) AS list_cost,
    sum(s.lines) AS lines,
    sum(s.estimated_lines) AS estimated_lines
FROM cost_daily_slot AS s
WHERE (s.org_id, s.day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))})
    AND (s.org_id, if(s.billing_account_id = '', s.cloud_account_id, s.billing_account_id), s.day)
        IN {days:Array(Tuple(String, String, Date32))}
    AND s.slot IN ({slot:UInt8}, {slot:UInt8} + 1) AND s.generation = {generation:UInt64}
GROUP BY
    org_id, day, cloud_account_id, slot, generation,
    provider, region, service_name, resource_type, purchase_type, charge_category, billing_account_id, sub_account_id
