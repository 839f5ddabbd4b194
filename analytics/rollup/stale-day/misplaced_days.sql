-- Days whose sums count lines for another usage account than they would now, for lines that name one of the accounts {accounts}, and days
-- with lines left out because of one. Accounts that are no longer connected are included. One row per day, with the exports its sums were
-- computed from.
SELECT cloud_account_id, toString(day) AS day, bills
FROM cost_day FINAL
WHERE org_id = {org:String} AND (edition IN
(
    SELECT edition
    FROM
    (
        SELECT edition, s.cloud_account_id AS counted, if(billing_account_id = '', s.cloud_account_id, billing_account_id) AS biller, provider,
            sub_account_id
        FROM cost_service_daily_slot AS s
        WHERE org_id = {org:String} AND (provider, sub_account_id) IN
        (
            SELECT provider, external_id
            FROM account_state FINAL
            WHERE org_id = {org:String} AND cloud_account_id IN {accounts:Array(String)}
        )
    ) AS s
    LEFT ANY JOIN
    (
        SELECT provider, external_id, arraySort(groupArray(cloud_account_id)) AS ids
        FROM account_state FINAL
        WHERE org_id = {org:String} AND removed = 0
        GROUP BY provider, external_id
    ) AS member ON member.provider = s.provider AND member.external_id = s.sub_account_id
    WHERE counted != multiIf(empty(member.ids) OR has(member.ids, toString(biller)), toString(biller), member.ids[1])
)
OR (cloud_account_id, day) IN
(
    SELECT cloud_account_id, day FROM bill_shadow FINAL
    WHERE org_id = {org:String} AND lines > 0 AND usage_account_id IN {accounts:Array(String)}
))
