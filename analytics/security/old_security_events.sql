-- The number of security events before a time, of all organizations: one row.
SELECT count() AS events FROM security_event WHERE at < fromUnixTimestamp64Milli({before:Int64})
