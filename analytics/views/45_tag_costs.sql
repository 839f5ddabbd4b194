-- Costs and savings by the tags that count for them: the one place that defines these. One row per account, resource and set of tags that
-- was charged or was in the inventory at any time from {from} to {to}; with a filter by tags only what was charged. Amounts are US
-- dollars; the filters are those of cost_slice. `tags` and `sources` (cloud, smart or auto) have the same keys.
-- If several levels have a key, the first counts: the workload of a cluster cost, the labels of its pod, its namespace, the resource.
-- resource_uid is empty for costs without a resource, which have the tags of their lines. Azure keys are spelled as in tag_sources.
-- Marks: divided, plain, spelled_keys, tags.
CREATE OR REPLACE VIEW tag_costs AS
SELECT cloud_account_id, resource_uid, is_azure,
    /*if divided*/mapUpdate(mapUpdate(mapUpdate(of_machine, of_space), mapUpdate(own, pod_labels)), of_worker)/*else mapUpdate(of_machine, own) end*/ AS tags,
    /*if divided*/mapUpdate(mapUpdate(mapUpdate(from_machine, from_space), mapApply((k, v) -> (k, 'cloud'), mapUpdate(own, pod_labels))), from_worker)/*else mapUpdate(from_machine, mapApply((k, v) -> (k, 'cloud'), own)) end*/ AS sources,
    billed_cost, effective_cost, contracted_cost, list_cost, saved, estimated_saved, observed_saved, verified_saved
FROM
(
SELECT c.cloud_account_id AS cloud_account_id, c.resource_uid AS resource_uid,
    machine.provider = 'azure' OR c.own_provider = 'azure' AS is_azure,
    /*if divided*/c.pod_labels AS pod_labels, worker.of AS of_worker, worker.sources AS from_worker, space.of AS of_space, space.sources AS from_space,/*end*/
    JSONExtract(if(c.own_tags = '', '{}', toString(c.own_tags)), 'Map(String, String)') AS line_tags,
    /*if spelled_keys*/if(c.own_provider = 'azure', arrayDistinct(arrayFlatten(arrayMap(k -> if(has({spelled_keys:Array(String)}, lowerUTF8(k)), mapFromArrays({spelled_keys:Array(String)}, {spellings:Array(Array(String))})[lowerUTF8(k)], [k]), mapKeys(line_tags)))), mapKeys(line_tags)) AS own_keys,/*end*/
    /*if spelled_keys*/mapFromArrays(own_keys, arrayMap(s -> line_tags[if(c.own_provider = 'azure', arrayLast(k -> lowerUTF8(k) = lowerUTF8(s), mapKeys(line_tags)), s)], own_keys))/*else line_tags end*/ AS own,
    machine.of AS of_machine, machine.sources AS from_machine,
    c.billed_cost AS billed_cost, c.effective_cost AS effective_cost, c.contracted_cost AS contracted_cost, c.list_cost AS list_cost,
    c.saved AS saved, c.estimated_saved AS estimated_saved, c.observed_saved AS observed_saved, c.verified_saved AS verified_saved
FROM
(
    /*if no plain*/
    SELECT cloud_account_id, resource_uid, own_tags, own_provider, /*if divided*/owner_uids, mapFilter((k, v) -> v != '', pod_labels) AS pod_labels,/*end*/
        sum(r.billed_cost) AS billed_cost, sum(r.effective_cost) AS effective_cost, sum(r.contracted_cost) AS contracted_cost,
        sum(r.list_cost) AS list_cost, sum(r.saved) AS saved, sum(r.estimated_saved) AS estimated_saved,
        sum(r.observed_saved) AS observed_saved, sum(r.verified_saved) AS verified_saved
    FROM
    (
        SELECT cloud_account_id, resource_uid, own_tags, if(own_tags = '', '', toString(provider)) AS own_provider, /*if divided*/owner_uids, pod_labels,/*end*/ billed_cost, effective_cost,
            contracted_cost, list_cost, saved, estimated_saved, observed_saved, verified_saved
        FROM cost_slice(
            org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
        /*if no tags*/
        UNION ALL
        SELECT cloud_account_id, resource_uid, toLowCardinality('') AS own_tags, '' AS own_provider,
            /*end*/
            /*if no tags and divided*/emptyArrayString() AS owner_uids, CAST(map(), 'Map(String, String)') AS pod_labels,/*end*/
            /*if no tags*/
            toDecimal128(0, 14) AS billed_cost, toDecimal128(0, 14) AS effective_cost,
            toDecimal128(0, 14) AS contracted_cost, toDecimal128(0, 14) AS list_cost,
            toDecimal128(0, 14) AS saved, toDecimal128(0, 14) AS estimated_saved, toDecimal128(0, 14) AS observed_saved,
            toDecimal128(0, 14) AS verified_saved
        FROM present_resources(
            org = {org:String}, from = {from:Date32}, to = {to:Date32},
            providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
            types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
            scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)},
            tag_keys = {tag_keys:Array(String)}, tag_values = {tag_values:Array(String)})
        WHERE empty({tag_keys:Array(String)})
        /*end*/
    ) AS r
    GROUP BY ALL
    /*else SELECT cloud_account_id, resource_uid, own_tags, own_provider, billed_cost, effective_cost, contracted_cost, list_cost, saved, estimated_saved,
        observed_saved, verified_saved
    FROM resource_sums(
        org = {org:String}, from = {from:Date32}, to = {to:Date32},
        providers = {providers:Array(String)}, accounts = {accounts:Array(String)}, regions = {regions:Array(String)},
        types = {types:Array(String)}, teams = {teams:Array(String)}, scoped = {scoped:UInt8},
        scope_accounts = {scope_accounts:Array(String)}, scope_teams = {scope_teams:Array(String)}) end*/
) AS c
/*if divided*/
LEFT ANY JOIN tag_sources(org = {org:String}, spelled_keys = {spelled_keys:Array(String)}, spellings = {spellings:Array(Array(String))}) AS worker ON worker.cloud_account_id = c.cloud_account_id AND worker.resource_uid = c.owner_uids[1]
LEFT ANY JOIN tag_sources(org = {org:String}, spelled_keys = {spelled_keys:Array(String)}, spellings = {spellings:Array(Array(String))}) AS space ON space.cloud_account_id = c.cloud_account_id AND space.resource_uid = c.owner_uids[2]
/*end*/
LEFT ANY JOIN tag_sources(org = {org:String}, spelled_keys = {spelled_keys:Array(String)}, spellings = {spellings:Array(Array(String))}) AS machine ON machine.cloud_account_id = c.cloud_account_id AND machine.resource_uid = c.resource_uid
)
