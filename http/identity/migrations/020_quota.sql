-- New organizations are counted by day, per person and per address block.
alter table "throttle" drop constraint "throttle_purpose_check";
alter table "throttle" add constraint "throttle_purpose_check" check ("purpose" in ('login', 'second-factor', 'verify-sent', 'reset-sent', 'organization'));
