-- The next {limit} lines of an account after ({day}, {line}), in this order, that were sent alone or stored before exports were supported,
-- up to the sequence {sequence} of its lane: one row per line. x_Version has the sequence in 40 bits, 16 bits from its end. Read by the
-- account actor when it removes such lines.
SELECT
    toString(x_Day) AS day,
    x_LineId AS lineId,
    x_Provider AS provider,
    replaceOne(toString(x_ExportedAt), ' ', 'T') AS exportedAt
FROM cost_fact FINAL
WHERE x_OrgId = {org:String} AND x_CloudAccountId = {account:String}
    AND (x_Day, x_LineId) > ({day:Date32}, {line:String})
    AND bitAnd(bitShiftRight(x_Version, 16), toUInt128(1099511627775)) <= {sequence:UInt128}
ORDER BY x_Day, x_LineId
LIMIT {limit:UInt32}
