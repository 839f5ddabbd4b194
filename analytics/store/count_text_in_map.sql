-- How many rows hold a text among the values of a map.
SELECT count() AS rows FROM {table:Identifier}
WHERE arrayExists(value -> match(value, {pattern:String}), mapValues({column:Identifier}))
