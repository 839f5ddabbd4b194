-- Utilization samples from {since} until before {until} of resources that match the filters of resource_slice: one row per sample (those
-- of an hour all have its mean), with the columns of metric_samples; `max` is null if the sample has no highest value of its own. An empty list means
-- all; without filters, samples of unknown resources are included. Read by the queries about metrics.
CREATE OR REPLACE VIEW metric_slice AS
SELECT resource_uid, metric, ts, value, max
FROM metric_sample FINAL
ARRAY JOIN (range(greatest(samples, 1))) AS nth
WHERE org_id = {org:String} AND ts >= {since:DateTime64(3, 'UTC')} AND ts < {until:DateTime64(3, 'UTC')}
    AND
    (
        empty({providers:Array(String)}) AND empty({regions:Array(String)}) AND empty({types:Array(String)})
        AND empty({teams:Array(String)}) AND {scoped:UInt8} = 0
        OR (cloud_account_id, resource_uid) IN
        (
            SELECT cloud_account_id, resource_uid
            FROM resource_slice(
                org = {org:String}, providers = {providers:Array(String)}, accounts = {accounts:Array(String)},
                regions = {regions:Array(String)}, types = {types:Array(String)}, teams = {teams:Array(String)},
                scoped = {scoped:UInt8}, scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)})
        )
    )
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
