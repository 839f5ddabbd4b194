-- How many rows hold a text.
SELECT count() AS rows FROM {table:Identifier} WHERE match({column:Identifier}, {pattern:String})
