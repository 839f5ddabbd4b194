-- Replaces a text in all map values that contain it.
ALTER TABLE {table:Identifier}
UPDATE {column:Identifier} = mapApply((key, value) -> (key, replaceRegexpAll(replaceRegexpAll(value, {pattern:String}, {with:String}), {pattern:String}, {with:String})), {column:Identifier})
WHERE arrayExists(value -> match(value, {pattern:String}), mapValues({column:Identifier})) SETTINGS mutations_sync = 2
