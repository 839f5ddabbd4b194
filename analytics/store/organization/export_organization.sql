-- The current rows of an organization in one table.
SELECT * FROM {table:Identifier} FINAL WHERE {column:Identifier} = {org:String}
