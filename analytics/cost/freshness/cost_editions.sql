-- A number that changes with every day of the range that is worked out anew: two answers between which it stayed are of the same
-- sums.
SELECT toString(groupBitXor(edition)) AS editions
FROM cost_day FINAL
WHERE org_id = {org:String} AND day BETWEEN {from:Date32} AND {to:Date32}
