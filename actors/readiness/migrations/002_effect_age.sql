-- How long calls of an organization wait is shown to its people; what is called, and with what, is not.
grant select ("org_id", "name", "due", "claimed_until") on "effect" to "tidemark_tenant";
