-- Creator of the channel: a user ID, empty for older channels and for those created with a machine's token.
ALTER TABLE notification_channel ADD COLUMN created_by text NOT NULL DEFAULT '';
