-- How many security events there are before a time, of all organizations.
SELECT count() AS events FROM security_event WHERE at < fromUnixTimestamp64Milli({before:Int64})
