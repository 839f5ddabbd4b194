-- Days of other accounts whose bills have or had the same usage account as the days {days}, as they are now: accounts billed for one of
-- {days}, accounts that one of {days} was billed for, and accounts whose lines are left out because of either. One row per day, with the
-- exports its sums were computed from.
SELECT org_id, cloud_account_id, toString(day) AS day, bills
FROM cost_day FINAL
WHERE (org_id, cloud_account_id, day) IN
(
    SELECT org_id, toString(billing_account_id), day
    FROM cost_service_daily_slot
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))} AND billing_account_id != ''
    UNION DISTINCT
    SELECT org_id, toString(cloud_account_id), day
    FROM cost_service_daily_slot
    WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))})
        AND (org_id, billing_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
    UNION DISTINCT
    SELECT one_of.1, one_of.2, one_of.3
    FROM bill_shadow FINAL
    ARRAY JOIN [(toString(org_id), cloud_account_id, day), (toString(org_id), usage_account_id, day)] AS one_of
    WHERE lines > 0 AND (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))})
        AND ((org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
            OR (org_id, usage_account_id, day) IN {days:Array(Tuple(String, String, Date32))})
    UNION DISTINCT
    SELECT member.1, member.2, member.3 FROM (SELECT arrayJoin({members:Array(Tuple(String, String, Date32))}) AS member)
)
AND (org_id, cloud_account_id, day) NOT IN {days:Array(Tuple(String, String, Date32))}
