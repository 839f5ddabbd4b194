-- Whether any row of a table contains a text, in upper or lower case: one row.
SELECT 1 AS found FROM {table:Identifier} WHERE positionCaseInsensitiveUTF8(toString(tuple(*)), {text:String}) > 0 LIMIT 1
