-- Costs of bill lines by the same columns as receipt_part_sums, without filters and without dividing cluster costs: one row per
-- combination, with `whole`, the cost by {cost} in US dollars. The other parameters are those of cost_at. Read by receipt_parts and
-- receipt_parts_total.
CREATE OR REPLACE VIEW receipt_whole_sums AS
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account,
    sum(multiIf(
        {cost:String} = 'billed_cost', billed_cost,
        {cost:String} = 'effective_cost', effective_cost,
        {cost:String} = 'contracted_cost', contracted_cost,
        list_cost)) AS whole
FROM cost_at(/*without divided*/org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
WHERE lines > 0
GROUP BY ALL
