-- A page of the lines of bills behind a figure of a report, by day, account and line. Empty lists {services}, {purchases},
-- {categories}, {invoice_ids} and {uids} mean all; {untagged} 1 leaves only what carries no tag of any key; {group} only the present
-- members of a group.
-- A line is behind a figure when the sums of its day count its (account, day, provider, region, service, type, purchase type,
-- category, resource): the lines of all of those that cost_slice_tagged leaves make up the figure to the last digit.
-- Of a line that a rule hands out, a figure of teams has their `share` of it: `line_cost_usd` times it, the first line of a sum with what
-- rounding leaves of that. Of all other lines share is empty.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost; the other parameters are those of the view cost_slice_tagged.
WITH inventory AS
(
    SELECT cloud_account_id, resource_uid, type FROM resource_state FINAL WHERE org_id = {org:String}
)/*if team and shared*/,
split AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account,
        sum(if(place = 0, toInt256(0), toInt256(weights[place]))) AS taken, any(toInt256(arraySum(weights))) AS whole
    FROM cost_slice_tagged(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))})
    WHERE lines > 0
    GROUP BY ALL
    HAVING taken > 0
),
handed AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, billing_account,
        sub_account,
        sum(multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost)) AS figure
    FROM cost_slice_tagged(/*without by_resource*/
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))})
    WHERE lines > 0 AND place > 0
    GROUP BY ALL
)/*end*/
SELECT
    x_LineId AS line_id,
    toString(x_Day) AS day,
    x_CloudAccountId AS cloud_account_id,
    x_Provider AS provider,
    ServiceName AS service_name,
    RegionId AS region,
    ResourceId AS resource_uid,
    if(ResourceType = '', inventory.type, ResourceType) AS resource_type,
    x_PurchaseType AS purchase_type,
    ChargeCategory AS charge_category,
    ChargeDescription AS description,
    ifNull(ConsumedQuantity, PricingQuantity) AS quantity,
    if(isNull(ConsumedQuantity), PricingUnit, ConsumedUnit) AS unit,
    InvoiceId AS invoice_id,
    x_Source AS source,
    concat(replaceOne(toString(x_ExportedAt), ' ', 'T'), 'Z') AS exported_at,
    x_ExportId AS export_id,
    /*if team and shared*/(if(split.taken = 0, line_cost_usd,
        reinterpret(toInt128(intDivOrZero(reinterpret(line_cost_usd, 'Int128') * split.taken, split.whole)), 'Decimal(38, 14)')) AS cut_usd)
        + if(split.taken > 0 AND row_number() OVER (of_sum ORDER BY line_id) = 1
            AND abs(toFloat64(handed.figure - sum(cut_usd) OVER of_sum)) <= 1e-14 * (1000 + count() OVER of_sum),
            handed.figure - sum(cut_usd) OVER of_sum, toDecimal128(0, 14))/*else line_cost_usd end*/ AS cost_usd,
    /*if team and shared*/if(split.taken = 0, '', toString(divideDecimal(toDecimal256(split.taken, 0), toDecimal256(split.whole, 0), 14)))/*else '' end*/ AS share,
    multiIf(
        {cost:String} = 'billed_cost', BilledCost,
        {cost:String} = 'effective_cost', EffectiveCost,
        {cost:String} = 'contracted_cost', ContractedCost,
        ListCost) AS line_cost_usd,
    x_OwnTags AS own_tags,
    x_BilledAccountId AS billing_account_id,
    SubAccountId AS sub_account_id,
    SubAccountName AS sub_account_name,
    BillingCurrency AS billing_currency,
    toString(x_UsdRate) AS usd_rate,
    x_UsdRateSource AS usd_rate_source,
    if(empty(x_OtherColumns), '', toJSONString(x_OtherColumns)) AS other_columns
FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS cost_lines
LEFT ANY JOIN inventory
    ON inventory.cloud_account_id = cost_lines.x_CloudAccountId AND inventory.resource_uid = cost_lines.ResourceId
/*if team and shared*/LEFT ANY JOIN split
    ON split.day = cost_lines.x_Day AND split.cloud_account_id = cost_lines.x_CloudAccountId AND split.provider = cost_lines.x_Provider
    AND split.region = cost_lines.RegionId AND split.service_name = cost_lines.ServiceName
    AND split.resource_type = if(cost_lines.ResourceType = '', inventory.type, cost_lines.ResourceType)
    AND split.purchase_type = cost_lines.x_PurchaseType AND split.charge_category = cost_lines.ChargeCategory
    AND split.resource_uid = cost_lines.ResourceId AND split.own_tags = cost_lines.x_OwnTags
        AND split.billing_account = cost_lines.x_BilledAccountId AND split.sub_account = cost_lines.x_SubAccount
LEFT ANY JOIN handed
    ON handed.day = cost_lines.x_Day AND handed.cloud_account_id = cost_lines.x_CloudAccountId AND handed.provider = cost_lines.x_Provider
    AND handed.region = cost_lines.RegionId AND handed.service_name = cost_lines.ServiceName
    AND handed.resource_type = if(cost_lines.ResourceType = '', inventory.type, cost_lines.ResourceType)
    AND handed.purchase_type = cost_lines.x_PurchaseType AND handed.charge_category = cost_lines.ChargeCategory
        AND handed.billing_account = cost_lines.x_BilledAccountId AND handed.sub_account = cost_lines.x_SubAccount/*end*/
WHERE (x_CloudAccountId, x_Day, x_Provider, RegionId, ServiceName, if(ResourceType = '', inventory.type, ResourceType),
        x_PurchaseType, ChargeCategory, ResourceId, x_OwnTags, x_BilledAccountId, x_SubAccount) IN
    (
        SELECT cloud_account_id, day, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account
        FROM cost_slice_tagged(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
            dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))})
        WHERE lines > 0
            /*if services*/AND (empty({services:Array(String)}) OR service_name IN {services:Array(String)})/*end*/
            /*if subs*/AND (empty({subs:Array(String)}) OR sub_account IN {subs:Array(String)})/*end*/
            /*if billers*/AND (empty({billers:Array(String)}) OR billing_account IN {billers:Array(String)})/*end*/
            /*if purchases*/AND (empty({purchases:Array(String)}) OR purchase_type IN {purchases:Array(String)})/*end*/
            /*if categories*/AND (empty({categories:Array(String)}) OR charge_category IN {categories:Array(String)})/*end*/
            /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
            /*if untagged*/AND ({untagged:UInt8} = 0 OR is_untagged)/*end*/
            /*if group*/AND ({group:String} = '' OR resource_uid IN
                (SELECT resource_uid FROM resource_group_member FINAL
                 WHERE org_id = {org:String} AND group_id = {group:String} AND removed = 0))/*end*/
    )
    AND (empty({invoice_ids:Array(String)}) OR InvoiceId IN {invoice_ids:Array(String)})
/*if team and shared*/WINDOW of_sum AS (PARTITION BY x_Day, x_CloudAccountId, x_Provider, RegionId, ServiceName, resource_type,
    x_PurchaseType, ChargeCategory, x_BilledAccountId, x_SubAccount, split.taken > 0)/*end*/
ORDER BY x_Day, cloud_account_id, line_id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
