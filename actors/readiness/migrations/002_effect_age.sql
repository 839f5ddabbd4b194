-- People of an organization may see how long its calls have waited, but not the calls themselves.
grant select ("org_id", "name", "due", "claimed_until") on "effect" to "tidemark_tenant";
