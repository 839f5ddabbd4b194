-- How many of some days of an account were added up by runs that began after a generation.
SELECT uniqExact(day) AS days
FROM cost_day
WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND has({days:Array(Date32)}, day)
  AND generation > {since:UInt64}
