-- Commitment usage from {from} to {to}, both included: one row per commitment ('' if a bill names none), account, service, component and
-- part: `used` (covered), `unused` (paid for and not used) or `on_demand` (at pay-as-you-go prices). Effective cost and cost without
-- commitments are US dollars; hours are 0 for lines without hours. shown_service is the service, with {service_names} replaced by
-- {service_titles} by position. The other parameters are those of the view commitment_slice. Read by GET /reports/commitments.
-- Marks: served, service_names.
SELECT
    commitment_id, cloud_account_id, provider, service_name,
    /*if served and service_names*/transform(toString(service_name), {service_names:Array(String)}, {service_titles:Array(String)}, toString(service_name))/*else service_name end*/ AS shown_service,
    component, part,
    toString(min(day)) AS first_day,
    toString(max(day)) AS last_day,
    sum(c.effective_cost) AS effective_usd,
    sum(on_demand_equivalent) AS on_demand_usd,
    sum(c.hours) AS hours
FROM commitment_slice(
    org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
    providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
    types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
    scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
    tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS c
GROUP BY commitment_id, cloud_account_id, provider, service_name, component, part
ORDER BY commitment_id, cloud_account_id, service_name, component, part, provider
