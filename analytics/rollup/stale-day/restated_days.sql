-- Days of {days} whose sums were published before {before}, and whether they are being restated: later lines replaced some of theirs
-- (replaced rows stay until a merge removes them), or the day changed and has no lines left. One row per day. Only lines sent alone are
-- considered. `bills` are the exports the sums were computed from.
SELECT
    d.org_id AS org_id,
    d.cloud_account_id AS cloud_account_id,
    toString(d.day) AS day,
    f.written > f.lines OR f.lines = s.lines AS is_restated,
    d.bills AS bills
FROM
(
    SELECT org_id, cloud_account_id, day, edition, bills
    FROM cost_day FINAL
    WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
        AND published_at <= {before:DateTime64(3, 'UTC')}
) AS d
INNER JOIN
(
    SELECT x_OrgId, x_CloudAccountId, x_Day, count() AS written, uniqExact(x_LineId) AS lines
    FROM cost_fact
    WHERE (x_OrgId, x_CloudAccountId, x_Day) IN {days:Array(Tuple(String, String, Date32))}
        AND (x_OrgId, x_CloudAccountId, x_Day) IN
        (
            SELECT org_id, cloud_account_id, day
            FROM cost_day FINAL
            WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
                AND published_at <= {before:DateTime64(3, 'UTC')}
        )
    GROUP BY x_OrgId, x_CloudAccountId, x_Day
) AS f ON f.x_OrgId = d.org_id AND f.x_CloudAccountId = d.cloud_account_id AND f.x_Day = d.day
INNER JOIN
(
    SELECT org_id, edition, sum(lines) AS lines
    FROM cost_service_daily_slot
    WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))})
    GROUP BY org_id, edition
) AS s ON s.org_id = d.org_id AND s.edition = d.edition
