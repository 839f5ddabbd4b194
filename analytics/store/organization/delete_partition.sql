-- Deletes the rows of an organization from one partition of a table.
ALTER TABLE {table:Identifier} DELETE IN PARTITION ID {partition:String} WHERE {column:Identifier} = {org:String} SETTINGS mutations_sync = 2
