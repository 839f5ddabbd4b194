-- One text that stays the same as long as the bill lines that count for the days from {from} to {to} stay the same: their number, the
-- sums of their billed and effective costs in US dollars, when the newest was exported, and a checksum of what identifies each.
-- Read by scheduled exports, which do not write a month again that has not changed.
SELECT concat(
    toString(count()), ' ', toString(sum(BilledCost)), ' ', toString(sum(EffectiveCost)), ' ',
    toString(toUnixTimestamp64Milli(toDateTime64(max(x_ExportedAt), 3))), ' ',
    hex(groupBitXor(sipHash64(x_BilledAccountId, x_LineId, x_Day, x_ExportedAt, BilledCost, EffectiveCost)))) AS edition
FROM cost_lines_at(org = {org:String}, from = {from:Date32}, to = {to:Date32}, as_of = {as_of:String})
