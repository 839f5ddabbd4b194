-- How many of the seven days before {to} have costs, of any account, and whether {to} has: where too few have there is nothing to compare
-- with, and the dimensions need not be asked for. Days that were emptied since count too.
SELECT uniqExactIf(day, day < {to:Date32}) AS prior_days, countIf(day = {to:Date32}) > 0 AS is_there
FROM cost_day
WHERE org_id = {org:String} AND day BETWEEN {to:Date32} - 7 AND {to:Date32}
