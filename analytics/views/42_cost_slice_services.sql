-- cost_slice where neither resources nor teams nor tags nor an earlier time are asked for: resource_uid and team_id are empty.
CREATE OR REPLACE VIEW cost_slice_services AS
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid,
    '' AS team_id, billed_cost, effective_cost, contracted_cost, list_cost, saved, lines, estimated_lines
FROM
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
        '' AS resource_uid, billed_cost, effective_cost, contracted_cost, list_cost, toDecimal128(0, 14) AS saved, lines, estimated_lines
    FROM cost_service_daily_slot
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        AND edition IN
        (
            SELECT edition FROM cost_day FINAL
            WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
        )
    UNION ALL
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, 'Usage' AS charge_category,
        '' AS resource_uid, toDecimal128(0, 14) AS billed_cost, toDecimal128(0, 14) AS effective_cost, toDecimal128(0, 14) AS contracted_cost, toDecimal128(0, 14) AS list_cost,
        saved, 0 AS lines, 0 AS estimated_lines
    FROM saving_daily FINAL
    WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
)
WHERE (empty({providers:Array(String)}) OR provider IN {providers:Array(String)})
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
    AND (empty({regions:Array(String)}) OR region IN {regions:Array(String)})
    AND (empty({types:Array(String)}) OR resource_type IN {types:Array(String)})
    AND ({scoped:UInt8} = 0 OR cloud_account_id IN {scope_accounts:Array(String)})
    AND empty({teams:Array(String)}) AND empty({scope_teams:Array(String)})
    AND empty({tag_keys:Array(String)}) AND empty({tag_values:Array(String)}) AND {as_of:String} = ''
