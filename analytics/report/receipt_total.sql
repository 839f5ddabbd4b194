-- How many lines of bills are behind a figure of a report, and their exact sum: those of receipt_lines, with its parameters.
-- {cost} is one of billed_cost, effective_cost, contracted_cost, list_cost.
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
SELECT sum(n) AS all_lines,
    sum(/*if team and shared*/if(taken > 0 AND abs(toFloat64(figure - spent)) <= 1e-14 * (1000 + n), figure, spent)/*else spent end*/) AS cost_usd
FROM
(
    SELECT
        count() AS n,
        /*if team and shared*/any(split.taken) AS taken, any(handed.figure) AS figure,/*end*/
        sum(/*if team and shared*/if(split.taken = 0, line.own, reinterpret(toInt128(intDivOrZero(reinterpret(line.own, 'Int128') * split.taken, split.whole)), 'Decimal(38, 14)'))/*else line.own end*/) AS spent
    FROM
    (
        SELECT
            x_CloudAccountId, x_Day, x_Provider, RegionId, ServiceName, if(ResourceType = '', inventory.type, ResourceType) AS type,
            x_PurchaseType, ChargeCategory, ResourceId, x_OwnTags, x_BilledAccountId, x_SubAccount, multiIf(
                {cost:String} = 'billed_cost', BilledCost,
                {cost:String} = 'effective_cost', EffectiveCost,
                {cost:String} = 'contracted_cost', ContractedCost,
                ListCost) AS own
        FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS cost_lines
        LEFT ANY JOIN inventory
            ON inventory.cloud_account_id = cost_lines.x_CloudAccountId AND inventory.resource_uid = cost_lines.ResourceId
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
    ) AS line
    /*if team and shared*/LEFT ANY JOIN split
        ON split.day = line.x_Day AND split.cloud_account_id = line.x_CloudAccountId AND split.provider = line.x_Provider
        AND split.region = line.RegionId AND split.service_name = line.ServiceName AND split.resource_type = line.type
        AND split.purchase_type = line.x_PurchaseType AND split.charge_category = line.ChargeCategory
        AND split.resource_uid = line.ResourceId AND split.own_tags = line.x_OwnTags
        AND split.billing_account = line.x_BilledAccountId AND split.sub_account = line.x_SubAccount
    LEFT ANY JOIN handed
        ON handed.day = line.x_Day AND handed.cloud_account_id = line.x_CloudAccountId AND handed.provider = line.x_Provider
        AND handed.region = line.RegionId AND handed.service_name = line.ServiceName AND handed.resource_type = line.type
        AND handed.purchase_type = line.x_PurchaseType AND handed.charge_category = line.ChargeCategory
        AND handed.billing_account = line.x_BilledAccountId AND handed.sub_account = line.x_SubAccount
    GROUP BY x_CloudAccountId, x_Day, x_Provider, RegionId, ServiceName, type, x_PurchaseType, ChargeCategory, x_BilledAccountId, x_SubAccount, split.taken > 0/*end*/
)
