-- The rows of an organization in one table, as they count.
SELECT * FROM {table:Identifier} FINAL WHERE {column:Identifier} = {org:String}
