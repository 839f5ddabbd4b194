-- Who created the channel: the id of a person, empty for channels from before and for those created by a machine's token.
ALTER TABLE notification_channel ADD COLUMN created_by text NOT NULL DEFAULT '';
