-- Puts another text in the place of one, wherever a column holds it. Twice: two that share the sign between them are found one at a time.
ALTER TABLE {table:Identifier}
UPDATE {column:Identifier} = replaceRegexpAll(replaceRegexpAll({column:Identifier}, {pattern:String}, {with:String}), {pattern:String}, {with:String})
WHERE match({column:Identifier}, {pattern:String}) SETTINGS mutations_sync = 2
