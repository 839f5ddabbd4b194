-- cost_slice with the values that its resources have of some tags: tag1 to tag6 are those of the keys {dim_tags}, in their order, and
-- empty for what has none. {dim_values} narrows by them, by place: what has one of these values, whatever it has where they are none.
CREATE OR REPLACE VIEW cost_slice_tagged AS
SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, team_id, place, weights, '' AS invoice_id, labels[1] AS tag1, labels[2] AS tag2, labels[3] AS tag3, labels[4] AS tag4,
    labels[5] AS tag5, labels[6] AS tag6,
    billed_cost, effective_cost, contracted_cost, list_cost, saved, estimated_saved, observed_saved, verified_saved, lines,
    estimated_lines
FROM
(
    SELECT c.*, /*if labels*/arrayMap(k -> tag.of[k], {dim_tags:Array(String)})/*else emptyArrayString() end*/ AS labels
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS c
    /*if labels*/
    LEFT ANY JOIN
    (
        SELECT cloud_account_id, resource_uid,
            CAST((groupArray(toString(tag_key)), groupArray(tag_value)), 'Map(String, String)') AS of
        FROM resource_tags(org = {org:String})
        WHERE tag_key IN {dim_tags:Array(String)}
        GROUP BY cloud_account_id, resource_uid
    ) AS tag ON tag.cloud_account_id = c.cloud_account_id AND tag.resource_uid = c.resource_uid
    /*end*/
)
/*if labels*/WHERE arrayAll((value, wanted) -> empty(wanted) OR has(wanted, value), labels, {dim_values:Array(Array(String))})/*end*/
