-- Why costs rose or fell from the days {prev_from} to {prev_to} to the days {from} to {to}: one row per dimension and value, for the {top}
-- values that rose most and the {top} that fell most in each dimension (service_name, cloud_account_id, sub_account, region,
-- resource_type, resource_uid; with {of_teams} 1 also team_id), and one row `total`. Amounts are US dollars: `usage_usd` is the part of the difference due to usage,
-- `price_usd` the part due to prices; `known` is 0 if neither is known. `rises` and `falls` are the numbers of values of the dimension
-- that rose and fell.
-- A price is the price of charges with the same account, resource, service, charge category, component and unit (usage_daily). More or
-- less of it at the earlier price is usage, rounded down at 8 decimals; the rest of the difference is price. Charges that had no price
-- before, or have none now, are usage only. Nothing is known of charges without a quantity or unit, of negative quantities, and of charges
-- that are neither usage nor purchases; nor if the filters include only some of the charges of an account, service, charge category and
-- resource. By sub-account, region, type and team, it is known if all these charges have the same one.
-- {services}, {purchases}, {categories} and {uids}: an empty list means all. {cost} is billed_cost, effective_cost, contracted_cost or
-- list_cost; the other parameters are those of the view cost_slice. Read by GET /reports/drivers.
-- Marks: accounts, billers, categories, of_teams, purchases, served, service_names, services, subs, uids.
WITH used AS
(
    SELECT cloud_account_id, service_name, charge_category, resource_uid,
        sum(now) AS cost, sum(then) AS previous, sum(usage) AS usage_usd,
        sum(if(is_known, now - then - usage, toDecimal128(0, 14))) AS price_usd, sum(is_known) AS known
    FROM
    (
        SELECT cloud_account_id, service_name, charge_category, resource_uid,
            sumIf({cost:Identifier}, is_now) AS now, sumIf({cost:Identifier}, is_then) AS then,
            reinterpret(sumIf(quantity, is_now), 'Int128') AS amount, reinterpret(sumIf(quantity, is_then), 'Int128') AS amount_then,
            charge_category IN ('Usage', 'Purchase') AND unit != ''
                AND (amount > 0 OR amount = 0 AND now = 0) AND (amount_then > 0 OR amount_then = 0 AND then = 0)
                AND (amount > 0 OR amount_then > 0) AS is_known,
            multiIf(
                NOT is_known, toDecimal128(0, 14),
                amount_then = 0, now,
                amount = 0, -then,
                reinterpret(toInt128(1000000 * intDivOrZero(
                    (toInt256(amount) - toInt256(amount_then)) * toInt256(reinterpret(then, 'Int128')),
                    toInt256(amount_then) * 1000000)), 'Decimal(38, 14)')) AS usage
        FROM
        (
            SELECT *, day BETWEEN {from:Date32} AND {to:Date32} AS is_now,
                day BETWEEN {prev_from:Date32} AND {prev_to:Date32} AS is_then
            FROM usage_daily_slot
            WHERE org_id = {org:String} AND day BETWEEN {prev_from:Date32} AND {to:Date32} AND (is_now OR is_then)
                /*if accounts*/AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})/*end*/
                /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
                /*if subs*/AND (empty({subs:Array(String)}) OR sub_account_id IN {subs:Array(String)})/*end*/
                /*if billers*/AND (empty({billers:Array(String)}) OR if(billing_account_id = '', cloud_account_id, billing_account_id) IN {billers:Array(String)})/*end*/
                /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
                /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
                /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
                AND edition IN
                (
                    SELECT edition FROM cost_day FINAL
                    WHERE org_id = {org:String} AND day BETWEEN {prev_from:Date32} AND {to:Date32}
                )
        )
        GROUP BY cloud_account_id, service_name, charge_category, resource_uid, component, unit
    )
    GROUP BY cloud_account_id, service_name, charge_category, resource_uid
),
charged AS
(
    SELECT cloud_account_id, service_name, charge_category, resource_uid,
        groupArray((region, resource_type, now, then, now_lines, then_lines, sub_account, team_id)) AS places, sum(now) AS cost, sum(then) AS previous,
        min(region) = max(region) AS is_one_region, min(resource_type) = max(resource_type) AS is_one_type,
        min(sub_account) = max(sub_account) AS is_one_sub, min(team_id) = max(team_id) AS is_one_team
    FROM
    (
        SELECT cloud_account_id, service_name, charge_category, resource_uid, region, resource_type, sub_account, team_id,
            sum(own) AS now, sum(own_then) AS then, sum(own_lines) AS now_lines, sum(own_lines_then) AS then_lines
        FROM
        (
            SELECT cloud_account_id, service_name, charge_category, purchase_type, resource_uid, region, resource_type, billing_account, sub_account,
                /*if of_teams*/team_id/*else '' AS team_id end*/,
                {cost:Identifier} AS own, toDecimal128(0, 14) AS own_then, lines AS own_lines, toUInt64(0) AS own_lines_then
            FROM cost_slice(
                org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
                providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
                types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
                scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
                tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
            WHERE lines > 0
            UNION ALL
            SELECT cloud_account_id, service_name, charge_category, purchase_type, resource_uid, region, resource_type, billing_account, sub_account,
                /*if of_teams*/team_id/*else '' AS team_id end*/,
                toDecimal128(0, 14) AS own, {cost:Identifier} AS own_then, toUInt64(0) AS own_lines, lines AS own_lines_then
            FROM cost_slice(
                org = {org:String}, from = {prev_from:Date32}, to = {prev_to:Date32}, as_of = {as_of:String},
                providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
                types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
                scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
                tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
            WHERE lines > 0
        )
        WHERE true
            /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
            /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
            /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
            /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
            /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
            /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
        GROUP BY cloud_account_id, service_name, charge_category, resource_uid, region, resource_type, sub_account, team_id
    )
    GROUP BY cloud_account_id, service_name, charge_category, resource_uid
)
SELECT dimension, value, cost_usd, previous_usd, usage_usd, price_usd, known, is_now, is_then, rises, falls
FROM
(
    SELECT *,
        toUInt32(countIf(delta > 0) OVER (PARTITION BY dimension)) AS rises,
        toUInt32(countIf(delta < 0) OVER (PARTITION BY dimension)) AS falls,
        row_number() OVER (PARTITION BY dimension ORDER BY delta DESC, value) AS rise,
        row_number() OVER (PARTITION BY dimension ORDER BY delta, value) AS fall
    FROM
    (
        SELECT dimension, value, sum(cost) AS cost_usd, sum(previous) AS previous_usd, sum(cost - previous) AS delta,
            sumIf(usage, is_known) AS usage_usd, sumIf(price, is_known) AS price_usd, max(is_known) AS known,
            toUInt8(max(lines) > 0) AS is_now, toUInt8(max(lines_then) > 0) AS is_then
        FROM
        (
            SELECT at.1 AS dimension, at.2 AS value, at.3 AS is_known, usage, price,
                place.3 AS cost, place.4 AS previous, place.5 AS lines, place.6 AS lines_then
            FROM
            (
                SELECT service_name, cloud_account_id, resource_uid, usage, price, is_one_region, is_one_type, is_one_sub, is_one_team, place,
                    is_whole AND n = 1 AS is_split
                FROM
                (
                    SELECT charged.service_name AS service_name, charged.cloud_account_id AS cloud_account_id,
                        charged.resource_uid AS resource_uid, used.usage_usd AS usage, used.price_usd AS price,
                        places, is_one_region, is_one_type, is_one_sub, is_one_team,
                        used.cost = charged.cost AND used.previous = charged.previous AND used.known > 0 AS is_whole
                    FROM charged
                    LEFT ANY JOIN used
                        ON used.cloud_account_id = charged.cloud_account_id AND used.service_name = charged.service_name
                        AND used.charge_category = charged.charge_category AND used.resource_uid = charged.resource_uid
                )
                ARRAY JOIN places AS place, arrayEnumerate(places) AS n
            )
            ARRAY JOIN
            [
                ('total', '', is_split),
                ('service_name', /*if served and service_names*/transform(toString(service_name), {service_names:Array(String)}, {service_titles:Array(String)}, toString(service_name))/*else toString(service_name) end*/, is_split),
                ('cloud_account_id', toString(cloud_account_id), is_split),
                ('sub_account', toString(place.7), is_split AND is_one_sub),
                ('region', toString(place.1), is_split AND is_one_region),
                ('resource_type', toString(place.2), is_split AND is_one_type),
                /*if of_teams*/('team_id', toString(place.8), is_split AND is_one_team AND {of_teams:UInt8} = 1),/*end*/
                ('resource_uid', resource_uid, is_split)
            ] AS at
        )
        GROUP BY dimension, value
    )
)
WHERE dimension = 'total' OR rise <= {top:UInt32} AND delta > 0 OR fall <= {top:UInt32} AND delta < 0
ORDER BY dimension, delta DESC, value
