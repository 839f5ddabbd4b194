-- What a recomputation of the days {days} needs to know, with the exports {bills}: one row per day, with the current sums and those
-- before, the number of older ones that are kept, the number of lines, whether there are estimates, lines with a resource but no type,
-- tags, pods of split cost allocation data, names of sub-accounts and sub-accounts that are connected as other accounts, how much is known
-- of pods and nodes of clusters, and whether other bills have or had the same usage account.
-- Marks: clusters, shared.
SELECT
    org_id,
    cloud_account_id,
    day,
    max(published) AS published,
    max(generation) AS generation,
    max(published_at) AS published_at,
    max(before_generation) AS before_generation,
    max(before_at) AS before_at,
    argMax(f.bills, f.published) AS bills,
    max(kept) AS kept,
    max(kept_until) AS kept_until,
    sum(lines) AS lines,
    max(estimates) AS estimates,
    max(untyped) AS untyped,
    max(tagged) AS tagged,
    max(named) AS named,
    max(linked) AS linked,
    max(actuals) AS actuals,
    max(split) AS split,
    max(elsewhere) AS elsewhere,
    max(pods) AS pods
FROM
(
    SELECT org_id, cloud_account_id, day, slot AS published, generation,
        toUnixTimestamp64Milli(published_at) AS published_at, before_generation, toUnixTimestamp64Milli(before_at) AS before_at,
        bills, 0 AS kept, 0 AS kept_until, 0 AS lines, 0 AS estimates, 0 AS untyped, 0 AS tagged, 0 AS named, 0 AS linked, 0 AS actuals, 0 AS split, 0 AS elsewhere, 0 AS pods
    FROM cost_day FINAL
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    UNION ALL
    SELECT org_id, cloud_account_id, day, -1 AS published, 0 AS generation, 0 AS published_at, 0 AS before_generation,
        0 AS before_at, [] AS bills, uniqExact(edition) AS kept, max(toUnixTimestamp64Milli(until)) AS kept_until, 0 AS lines,
        0 AS estimates, 0 AS untyped, 0 AS tagged, 0 AS named, 0 AS linked, 0 AS actuals, 0 AS split, 0 AS elsewhere, 0 AS pods
    FROM cost_day_kept
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    GROUP BY org_id, cloud_account_id, day
    UNION ALL
    SELECT
        x_OrgId AS org_id,
        x_CloudAccountId AS cloud_account_id,
        x_Day AS day,
        -1 AS published,
        0 AS generation,
        0 AS published_at,
        0 AS before_generation,
        0 AS before_at,
        [] AS bills,
        0 AS kept,
        0 AS kept_until,
        count() AS lines,
        max(x_Source = 'estimate') AS estimates,
        max(ResourceType = '' AND notEmpty(ResourceId)) AS untyped,
        max(notEmpty(ResourceId) AND Tags.size0 > 0) AS tagged,
        max(notEmpty(SubAccountName)) AS named,
        max(notEmpty(x_SubAccount) AND (x_OrgId, x_Provider, x_SubAccount) IN
        (
            SELECT org_id, provider, external_id
            FROM account_state FINAL
            WHERE removed = 0 AND org_id IN arrayMap(d -> d.1, {days:Array(Tuple(String, String, Date32))})
        ) AND (x_OrgId, x_Provider, x_SubAccount, x_CloudAccountId) NOT IN
        (
            SELECT org_id, provider, external_id, cloud_account_id
            FROM account_state FINAL
            WHERE removed = 0 AND org_id IN arrayMap(d -> d.1, {days:Array(Tuple(String, String, Date32))})
        )) AS linked,
        max(x_Source = 'actual') AS actuals,
        max(x_IsPod) AS split,
        0 AS elsewhere,
        0 AS pods
    FROM bill_row(days = {days:Array(Tuple(String, String, Date32))}, bills = {bills:Array(Tuple(String, String, String, String))})
    GROUP BY org_id, cloud_account_id, day
    /*if clusters*/
    UNION ALL
    SELECT org_id, cloud_account_id, day, -1 AS published, 0 AS generation, 0 AS published_at, 0 AS before_generation,
        0 AS before_at, [] AS bills, 0 AS kept, 0 AS kept_until, 0 AS lines, 0 AS estimates, 0 AS untyped, 0 AS tagged,
        0 AS named, 0 AS linked, 0 AS actuals, 0 AS split, 0 AS elsewhere, count() AS pods
    FROM
    (
        SELECT org_id, cloud_account_id, day FROM kubernetes_node
        UNION ALL
        SELECT org_id, cloud_account_id, day FROM kubernetes_pod
        UNION ALL
        SELECT org_id, cloud_account_id, day FROM kubernetes_object
        UNION ALL
        SELECT org_id, cloud_account_id, day FROM kubernetes_node_day ARRAY JOIN `hours.moment`
        UNION ALL
        SELECT org_id, cloud_account_id, day FROM kubernetes_pod_day ARRAY JOIN `hours.hour`
    )
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    GROUP BY org_id, cloud_account_id, day
    /*end*/
    /*if shared*/
    UNION ALL
    SELECT DISTINCT org_id, arrayJoin([toString(s.cloud_account_id), toString(billing_account_id)]) AS account, day, -1 AS published, 0 AS generation, 0 AS published_at,
        0 AS before_generation, 0 AS before_at, [] AS bills, 0 AS kept, 0 AS kept_until, 0 AS lines, 0 AS estimates, 0 AS untyped, 0 AS tagged,
        0 AS named, 0 AS linked, 0 AS actuals, 0 AS split, 1 AS elsewhere, 0 AS pods
    FROM cost_service_daily_slot AS s
    WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))}) AND billing_account_id != ''
    UNION ALL
    SELECT DISTINCT org_id, of.1 AS cloud_account_id, of.2 AS day, -1 AS published, 0 AS generation, 0 AS published_at,
        0 AS before_generation, 0 AS before_at, [] AS bills, 0 AS kept, 0 AS kept_until, 0 AS lines, 0 AS estimates, 0 AS untyped, 0 AS tagged,
        0 AS named, 0 AS linked, 0 AS actuals, 0 AS split, 1 AS elsewhere, 0 AS pods
    FROM bill_shadow FINAL
    ARRAY JOIN [(bill_shadow.cloud_account_id, bill_shadow.day), (bill_shadow.usage_account_id, bill_shadow.day)] AS of
    WHERE (org_id, bill_shadow.day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))}) AND bill_shadow.lines > 0
    /*end*/
) AS f
GROUP BY org_id, cloud_account_id, day
