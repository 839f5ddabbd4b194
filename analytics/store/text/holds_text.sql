-- Whether any row of a table holds a text, however it is spelled in capitals.
SELECT 1 AS found FROM {table:Identifier} WHERE positionCaseInsensitiveUTF8(toString(tuple(*)), {text:String}) > 0 LIMIT 1
