-- Deletes the security events of all organizations before a time.
DELETE FROM security_event WHERE at < fromUnixTimestamp64Milli({before:Int64})
