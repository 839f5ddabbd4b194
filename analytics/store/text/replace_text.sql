-- Replaces a text in all columns that contain it. Twice, because of two occurrences that share the character between them only one is
-- found at a time.
ALTER TABLE {table:Identifier}
UPDATE {column:Identifier} = replaceRegexpAll(replaceRegexpAll({column:Identifier}, {pattern:String}, {with:String}), {pattern:String}, {with:String})
WHERE match({column:Identifier}, {pattern:String}) SETTINGS mutations_sync = 2
