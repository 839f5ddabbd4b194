-- receipt_lines where costs of clusters are divided among workloads, which have teams and tags of their own: of each line the `share` that
-- the figure has of the costs of its (day, account, provider, region, service, type, purchase type, category, resource), empty where that
-- is all of it; the first line of these takes what cutting at the 14th place leaves. The parameters are those of receipt_lines.
WITH inventory AS
(
    SELECT cloud_account_id, resource_uid, type FROM resource_state FINAL WHERE org_id = {org:String}
),
part AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account,
        sum(multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost)) AS figure
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
        /*if clusters*/AND (empty({clusters:Array(String)}) OR cluster IN {clusters:Array(String)})/*end*/
        /*if namespaces*/AND (empty({namespaces:Array(String)}) OR namespace IN {namespaces:Array(String)})/*end*/
        /*if uids*/AND (empty({uids:Array(String)}) OR resource_uid IN {uids:Array(String)})/*end*/
        /*if untagged*/AND ({untagged:UInt8} = 0 OR is_untagged)/*end*/
        /*if group*/AND ({group:String} = '' OR resource_uid IN
            (SELECT resource_uid FROM resource_group_member FINAL
             WHERE org_id = {org:String} AND group_id = {group:String} AND removed = 0))/*end*/
    GROUP BY ALL
),
spent AS
(
    SELECT day, cloud_account_id, provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid, own_tags, billing_account, sub_account,
        sum(multiIf(
            {cost:String} = 'billed_cost', billed_cost,
            {cost:String} = 'effective_cost', effective_cost,
            {cost:String} = 'contracted_cost', contracted_cost,
            list_cost)) AS whole
    FROM cost_at(/*without divided*/org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
    WHERE lines > 0
    GROUP BY ALL
)
SELECT
    x_LineId AS line_id,
    toString(x_Day) AS day,
    x_CloudAccountId AS cloud_account_id,
    x_Provider AS provider,
    ServiceName AS service_name,
    RegionId AS region,
    ResourceId AS resource_uid,
    l.type AS resource_type,
    x_PurchaseType AS purchase_type,
    ChargeCategory AS charge_category,
    ChargeDescription AS description,
    ifNull(ConsumedQuantity, PricingQuantity) AS quantity,
    if(isNull(ConsumedQuantity), PricingUnit, ConsumedUnit) AS unit,
    InvoiceId AS invoice_id,
    x_Source AS source,
    concat(replaceOne(toString(x_ExportedAt), ' ', 'T'), 'Z') AS exported_at,
    x_ExportId AS export_id,
    (if(part.figure = spent.whole, l.own, reinterpret(toInt128(intDivOrZero(toInt256(reinterpret(l.own, 'Int128')) * toInt256(reinterpret(part.figure, 'Int128')), toInt256(reinterpret(spent.whole, 'Int128')))), 'Decimal(38, 14)')) AS cut_usd)
        + if(empty({invoice_ids:Array(String)}) AND row_number() OVER (of_sum ORDER BY x_LineId) = 1, part.figure - sum(cut_usd) OVER of_sum, toDecimal128(0, 14)) AS cost_usd,
    if(part.figure = spent.whole OR spent.whole = 0, '', toString(divideDecimal(toDecimal256(part.figure, 14), toDecimal256(spent.whole, 14), 14))) AS share,
    l.own AS line_cost_usd,
    l.x_OwnTags AS own_tags,
    l.x_BilledAccountId AS billing_account_id,
    SubAccountId AS sub_account_id,
    SubAccountName AS sub_account_name,
    BillingCurrency AS billing_currency,
    toString(x_UsdRate) AS usd_rate,
    x_UsdRateSource AS usd_rate_source,
    if(empty(x_OtherColumns), '', toJSONString(x_OtherColumns)) AS other_columns
FROM
(
    SELECT cost_lines.*, if(ResourceType = '', inventory.type, ResourceType) AS type,
        multiIf(
            {cost:String} = 'billed_cost', BilledCost,
            {cost:String} = 'effective_cost', EffectiveCost,
            {cost:String} = 'contracted_cost', ContractedCost,
            ListCost) AS own
    FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS cost_lines
    LEFT ANY JOIN inventory
        ON inventory.cloud_account_id = cost_lines.x_CloudAccountId AND inventory.resource_uid = cost_lines.ResourceId
    WHERE empty({invoice_ids:Array(String)}) OR InvoiceId IN {invoice_ids:Array(String)}
) AS l
INNER JOIN part ON part.day = l.x_Day AND part.cloud_account_id = l.x_CloudAccountId AND part.provider = l.x_Provider
    AND part.region = l.RegionId AND part.service_name = l.ServiceName AND part.resource_type = l.type
    AND part.purchase_type = l.x_PurchaseType AND part.charge_category = l.ChargeCategory AND part.resource_uid = l.ResourceId AND part.own_tags = l.x_OwnTags
        AND part.billing_account = l.x_BilledAccountId AND part.sub_account = l.x_SubAccount
INNER JOIN spent ON spent.day = l.x_Day AND spent.cloud_account_id = l.x_CloudAccountId AND spent.provider = l.x_Provider
    AND spent.region = l.RegionId AND spent.service_name = l.ServiceName AND spent.resource_type = l.type
    AND spent.purchase_type = l.x_PurchaseType AND spent.charge_category = l.ChargeCategory AND spent.resource_uid = l.ResourceId AND spent.own_tags = l.x_OwnTags
        AND spent.billing_account = l.x_BilledAccountId AND spent.sub_account = l.x_SubAccount
WINDOW of_sum AS (PARTITION BY x_Day, x_CloudAccountId, x_Provider, RegionId, ServiceName, l.type, x_PurchaseType, ChargeCategory, ResourceId, l.x_OwnTags, x_BilledAccountId, x_SubAccount)
ORDER BY x_Day, cloud_account_id, line_id
LIMIT {limit:UInt32} OFFSET {offset:UInt64}
