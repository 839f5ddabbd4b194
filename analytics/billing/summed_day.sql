-- The number of some days of an account that were summed by runs that started after a generation: one row.
SELECT uniqExact(day) AS days
FROM cost_day
WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND has({days:Array(Date32)}, day)
  AND generation > {since:UInt64}
