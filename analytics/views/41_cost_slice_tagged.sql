-- cost_slice with the values of up to six tags as columns: tag1 to tag6 are the values of the keys {dim_tags}, in their order, empty if
-- there is none; `labels` has the values of any number of keys. {dim_values} filters by them, by position: a cost must have one of the values; an empty list means any. Amounts are US
-- dollars.
-- shown_provider is the provider as reports show it, service_provider its name. shown_service is the service, with {service_names}
-- replaced by {service_titles} by position. is_untagged is 1 for a cost without any tag. own_tags are the tags of lines without a
-- resource. Queries of reports also have conditions, which are only in composed texts: {where_dims}, {where_tests} and {where_values} are,
-- by position, a column, `is`, `is_not`, `contains` or `not_contains`, and values of which one must match. {where_clauses} combines them:
-- of each clause, which lists conditions by number from 1, one must hold. invoice_id is always empty: see cost_slice_invoiced.
-- Marks: carried, divided, labels, line_tags, served, service_names, untagged, where_dims, whose.
CREATE OR REPLACE VIEW cost_slice_tagged AS
SELECT day, cloud_account_id, provider, shown_provider, service_provider,
    /*if served and service_names*/transform(toString(service_name), {service_names:Array(String)}, {service_titles:Array(String)}, toString(service_name))/*else service_name end*/ AS shown_service,
    region, service_name, resource_type, purchase_type, charge_category,
    resource_uid, /*if line_tags*/own_tags,/*end*/ /*if whose*/billing_account, sub_account,/*end*/ /*if untagged*/is_untagged,/*end*/
    /*if divided and carried*/owner_uids,/*end*/ /*if labels*/labels,/*end*/
    cluster, namespace, team_id, place, weights, '' AS invoice_id, labels[1] AS tag1, labels[2] AS tag2, labels[3] AS tag3, labels[4] AS tag4,
    labels[5] AS tag5, labels[6] AS tag6,
    billed_cost, effective_cost, contracted_cost, list_cost, saved, estimated_saved, observed_saved, verified_saved, lines,
    estimated_lines
FROM
(
    SELECT c.day AS day, c.cloud_account_id AS cloud_account_id, c.provider AS provider,
        if(c.provider IN ('', 'aws', 'gcp', 'azure'), c.provider, 'other') AS shown_provider,
        transform(toString(c.provider), ['aws', 'gcp', 'azure', 'other'], ['AWS', 'Google Cloud', 'Microsoft', ''], toString(c.provider)) AS service_provider,
        /*if whose*/toString(c.billing_account)/*else '' end*/ AS biller, /*if whose*/toString(c.sub_account)/*else '' end*/ AS sub,
        c.region AS region,
        c.service_name AS service_name, c.resource_type AS resource_type, c.purchase_type AS purchase_type,
        c.charge_category AS charge_category, c.resource_uid AS resource_uid, /*if line_tags*/c.own_tags AS own_tags,/*end*/ /*if whose*/c.billing_account AS billing_account, c.sub_account AS sub_account,/*end*/ c.cluster AS cluster, c.namespace AS namespace, /*if divided and carried*/c.owner_uids AS owner_uids,/*end*/
        c.team_id AS team_id, c.place AS place, c.weights AS weights, c.billed_cost AS billed_cost, c.effective_cost AS effective_cost,
        c.contracted_cost AS contracted_cost, c.list_cost AS list_cost, c.saved AS saved, c.estimated_saved AS estimated_saved,
        c.observed_saved AS observed_saved, c.verified_saved AS verified_saved, c.lines AS lines, c.estimated_lines AS estimated_lines,
        /*if labels*/arrayMap(k -> /*if divided*/multiIf(worker.of[k] != '', worker.of[k], c.pod_labels[k] != '', c.pod_labels[k], space.of[k] != '', space.of[k], c.own_tags = '', machine.of[k], if(c.provider = 'azure', arrayLast(p -> lowerUTF8(p.1) = lowerUTF8(k), JSONExtractKeysAndValues(c.own_tags, 'String')).2, JSONExtractString(c.own_tags, k)))/*else if(c.own_tags = '', machine.of[k], if(c.provider = 'azure', arrayLast(p -> lowerUTF8(p.1) = lowerUTF8(k), JSONExtractKeysAndValues(c.own_tags, 'String')).2, JSONExtractString(c.own_tags, k))) end*/, {dim_tags:Array(String)})/*else emptyArrayString() end*/ AS labels
        /*if untagged*/,
        c.own_tags = '' /*if divided*/AND empty(c.pod_labels)
        AND (c.cloud_account_id, c.owner_uids[1]) NOT IN (SELECT cloud_account_id, resource_uid FROM effective_tags(org = {org:String}))
        AND (c.cloud_account_id, c.owner_uids[2]) NOT IN (SELECT cloud_account_id, resource_uid FROM effective_tags(org = {org:String}))
        /*end*/
        AND (c.cloud_account_id, c.resource_uid) NOT IN (SELECT cloud_account_id, resource_uid FROM effective_tags(org = {org:String})) AS is_untagged
        /*end*/
        /*if no where_dims*//*else , arrayConcat([toString(shown_provider), service_provider, toString(c.cloud_account_id), biller, sub,
            toString(c.region), toString(c.resource_type), toString(c.service_name), toString(c.purchase_type),
            toString(c.charge_category), toString(c.resource_uid), toString(c.team_id), toString(c.cluster), toString(c.namespace)],
            labels) AS column_values,
        arrayMap(name -> indexOf(['provider', 'service_provider', 'cloud_account_id', 'billing_account', 'sub_account', 'region',
            'resource_type', 'service_name', 'purchase_type', 'charge_category', 'resource_uid', 'team_id', 'cluster', 'namespace',
            'tag1', 'tag2', 'tag3', 'tag4', 'tag5', 'tag6'], name), {where_dims:Array(String)}) AS column_places,
        arrayMap((column, test, wanted) -> if(test IN ('contains', 'not_contains'),
                arrayExists(part -> position(lowerUTF8(column_values[column]), lowerUTF8(part)) > 0, wanted),
                has(wanted, column_values[column])) != (test IN ('is_not', 'not_contains')),
            column_places, {where_tests:Array(String)}, {where_values:Array(Array(String))}) AS holds end*/
    FROM cost_slice(
        org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
        tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)}) AS c
    /*if labels*/
    /*if divided*/
    LEFT ANY JOIN tag_maps(org = {org:String}, keys = {dim_tags:Array(String)}) AS worker
        ON worker.cloud_account_id = c.cloud_account_id AND worker.resource_uid = c.owner_uids[1]
    LEFT ANY JOIN tag_maps(org = {org:String}, keys = {dim_tags:Array(String)}) AS space
        ON space.cloud_account_id = c.cloud_account_id AND space.resource_uid = c.owner_uids[2]
    /*end*/
    LEFT ANY JOIN tag_maps(org = {org:String}, keys = {dim_tags:Array(String)}) AS machine
        ON machine.cloud_account_id = c.cloud_account_id AND machine.resource_uid = c.resource_uid
    /*end*/
)
WHERE true
    /*if labels*/AND arrayAll((value, wanted) -> empty(wanted) OR has(wanted, value), labels, {dim_values:Array(Array(String))})/*end*/
    /*if no where_dims*//*else AND arrayAll(clause -> arrayExists(number -> holds[number], clause), {where_clauses:Array(Array(UInt8))}) end*/
