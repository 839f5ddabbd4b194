-- One of {slices} slices of the rows of an organization in a partition of a table, with rows that newer ones have replaced.
SELECT * FROM {table:Identifier}
WHERE {column:Identifier} = {org:String} AND _partition_id = {partition:String} AND cityHash64(tuple(*)) % {slices:UInt32} = {slice:UInt32}
FORMAT RowBinaryWithNamesAndTypes
