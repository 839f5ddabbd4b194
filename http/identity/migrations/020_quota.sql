-- Organizations that are made are counted by the day, of a person and of a block of addresses.
alter table "throttle" drop constraint "throttle_purpose_check";
alter table "throttle" add constraint "throttle_purpose_check" check ("purpose" in ('login', 'second-factor', 'verify-sent', 'reset-sent', 'organization'));
