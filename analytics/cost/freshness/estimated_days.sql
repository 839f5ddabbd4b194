-- The first and the last day of a range on which costs of an organization, or of some accounts, are estimates still. Empty where none
-- are. {as_of} '' is now, else a UTC time.
SELECT
    if(count() = 0, '', toString(min(day))) AS first_day,
    if(count() = 0, '', toString(max(day))) AS last_day
FROM cost_at(/*without resource*/org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
WHERE estimated_lines > 0
    AND (empty({accounts:Array(String)}) OR cloud_account_id IN {accounts:Array(String)})
