-- cost_slice_tagged with the invoice of each cost; invoice_id is empty if the line names none. Amounts are US dollars, added up from bill
-- lines, because daily sums have no invoice; cluster costs are not divided. {invoices} filters by invoice, an empty list means all. For an
-- earlier time, only lines that are still stored are included.
-- Marks: shared, team.
CREATE OR REPLACE VIEW cost_slice_invoiced AS
WITH
/*if team and shared*/(cost, at, parts) -> if(at = 0, cost, reinterpret(toInt128(if(at = indexOf(parts, arrayMax(parts)),
    reinterpret(cost, 'Int128') - arraySum(
        (w, i) -> if(i = at, toInt256(0), intDivOrZero(reinterpret(cost, 'Int128') * w, arraySum(parts))), parts, arrayEnumerate(parts)),
    intDivOrZero(reinterpret(cost, 'Int128') * parts[at], arraySum(parts)))), 'Decimal(38, 14)')) AS taken,/*end*/
inventory AS
(
    SELECT cloud_account_id, resource_uid, type FROM resource_state FINAL WHERE org_id = {org:String}
),
slice AS
(
    SELECT *
    FROM cost_slice_tagged(/*without divided*/
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)},
        dim_tags = {dim_tags:Array(String)}, dim_values = {dim_values:Array(Array(String))},
        service_names = {service_names:Array(String)}, service_titles = {service_titles:Array(String)})
)
SELECT day, cloud_account_id, provider, shown_provider, service_provider, shown_service, region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, billing_account, sub_account, cluster, namespace, team_id, place, weights, invoice_id, tag1, tag2, tag3, tag4, tag5, tag6,
    billed_cost, effective_cost, contracted_cost, list_cost, saved, estimated_saved, observed_saved, verified_saved, lines,
    estimated_lines
FROM
(
    SELECT s.day AS day, s.cloud_account_id AS cloud_account_id, s.provider AS provider, s.shown_provider AS shown_provider,
        s.service_provider AS service_provider, s.shown_service AS shown_service, s.region AS region,
        s.service_name AS service_name, s.resource_type AS resource_type, s.purchase_type AS purchase_type,
        s.charge_category AS charge_category, s.resource_uid AS resource_uid, s.billing_account AS billing_account, s.sub_account AS sub_account, s.cluster AS cluster, s.namespace AS namespace, s.team_id AS team_id, s.place AS place,
        s.weights AS weights, l.invoice AS invoice_id,
        s.tag1 AS tag1, s.tag2 AS tag2, s.tag3 AS tag3, s.tag4 AS tag4, s.tag5 AS tag5, s.tag6 AS tag6,
        /*if team and shared*/taken(l.billed, s.place, s.weights)/*else l.billed end*/ AS billed_cost, /*if team and shared*/taken(l.effective, s.place, s.weights)/*else l.effective end*/ AS effective_cost, /*if team and shared*/taken(l.contracted, s.place, s.weights)/*else l.contracted end*/ AS contracted_cost, /*if team and shared*/taken(l.list, s.place, s.weights)/*else l.list end*/ AS list_cost,
        toDecimal128(0, 14) AS saved, toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved,
        toDecimal128(0, 14) AS verified_saved, l.lines_of AS lines, l.estimates AS estimated_lines
    FROM
    (
        SELECT x_Day AS on, x_CloudAccountId AS account, x_Provider AS of_provider, RegionId AS of_region, ServiceName AS of_service,
            if(ResourceType = '', inventory.type, ResourceType) AS of_type, x_PurchaseType AS purchase,
            ChargeCategory AS category, ResourceId AS uid, x_OwnTags AS carried_tags, x_BilledAccountId AS biller, x_SubAccount AS sub, InvoiceId AS invoice,
            sum(BilledCost) AS billed, sum(EffectiveCost) AS effective, sum(ContractedCost) AS contracted, sum(ListCost) AS list,
            count() AS lines_of, countIf(x_Source = 'estimate') AS estimates
        FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String}) AS line
        LEFT ANY JOIN inventory ON inventory.cloud_account_id = x_CloudAccountId AND inventory.resource_uid = ResourceId
        WHERE empty({invoices:Array(String)}) OR InvoiceId IN {invoices:Array(String)}
        GROUP BY ALL
    ) AS l
    /*if team and shared*/INNER JOIN/*else LEFT SEMI JOIN end*/ (SELECT * FROM slice WHERE lines > 0) AS s
        ON s.day = l.on AND s.cloud_account_id = l.account AND s.provider = l.of_provider AND s.region = l.of_region
        AND s.service_name = l.of_service AND s.resource_type = l.of_type AND s.purchase_type = l.purchase
        AND s.charge_category = l.category AND s.resource_uid = l.uid AND s.own_tags = l.carried_tags
        AND s.billing_account = l.biller AND s.sub_account = l.sub
    UNION ALL
    SELECT day, cloud_account_id, provider, shown_provider, service_provider, shown_service, region, service_name, resource_type, purchase_type, charge_category,
        resource_uid, billing_account, sub_account, cluster, namespace, team_id, place, weights, invoice_id, tag1, tag2, tag3, tag4, tag5, tag6,
        billed_cost, effective_cost, contracted_cost, list_cost, saved, estimated_saved, observed_saved, verified_saved,
        toUInt64(0) AS lines, toUInt64(0) AS estimated_lines
    FROM slice
    WHERE (saved != 0 OR estimated_saved != 0 OR observed_saved != 0 OR verified_saved != 0)
        AND (empty({invoices:Array(String)}) OR has({invoices:Array(String)}, ''))
)
