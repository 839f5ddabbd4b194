-- How many rows of an organization there are in one table.
SELECT count() AS rows FROM {table:Identifier} WHERE {column:Identifier} = {org:String}
