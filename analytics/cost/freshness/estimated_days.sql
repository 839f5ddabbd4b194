-- The first and the last day of a range with estimated costs of an organization, or of some accounts: one row, empty if there are none.
-- {as_of} is a UTC time, '' means now. Read by cost reports.
SELECT
    if(count() = 0, '', toString(min(day))) AS first_day,
    if(count() = 0, '', toString(max(day))) AS last_day
FROM cost_at(/*without resource*/org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
WHERE estimated_lines > 0
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
