-- A number that changes when any day of the range is recomputed: two results with the same number are of the same sums. One row. Read by
-- reports that need several queries of the same sums.
SELECT toString(groupBitXor(edition)) AS editions
FROM cost_day FINAL
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
