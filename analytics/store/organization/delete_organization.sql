-- Deletes the rows of an organization from one table.
ALTER TABLE {table:Identifier} DELETE WHERE {column:Identifier} = {org:String} SETTINGS mutations_sync = 2
