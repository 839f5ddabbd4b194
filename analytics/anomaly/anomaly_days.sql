-- How many of the seven days before {to} have costs of any account, and whether {to} has: one row. With too few days there is nothing to
-- compare with, and the expensive queries are skipped. Days that were emptied later count too. Read by the anomaly job.
SELECT uniqExactIf(day, day < {to:Date32}) AS prior_days, countIf(day = {to:Date32}) > 0 AS is_there
FROM cost_day
WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 7 AND {to:Date32}
