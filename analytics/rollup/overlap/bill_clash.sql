-- Whether the current sums of the days {days}, or of accounts that these are billed for, count the same charges twice: another run may
-- have published a day in the meantime without knowing of them. One row.
SELECT count() > 0 AS clashes
FROM cost_service_daily_slot
WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))}) AND billing_account_id = ''
    AND lines > estimated_lines
    AND (org_id, cloud_account_id, day) IN
    (
        SELECT org_id, cloud_account_id, day
        FROM cost_service_daily_slot
        WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))}) AND billing_account_id != ''
            AND ((org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
                OR (org_id, billing_account_id, day) IN {days:Array(Tuple(String, String, Date32))})
            AND lines > estimated_lines
            AND (org_id, edition) IN
            (
                SELECT org_id, edition FROM cost_day FINAL
                WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))})
            )
    )
    AND (org_id, edition) IN
    (
        SELECT org_id, edition FROM cost_day FINAL
        WHERE (org_id, day) IN arrayMap(d -> (d.1, d.3), {days:Array(Tuple(String, String, Date32))})
    )
