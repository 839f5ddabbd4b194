-- The number of rows of an organization in one table: one row.
SELECT count() AS rows FROM {table:Identifier} WHERE {column:Identifier} = {org:String}
