-- Inputs that the tags of a resource were computed from, to detect changes: its facts, by their hash, and the environments of its parent
-- and its neighborhood.
alter table "resource_tagging" add column "facts_hash" text not null default '', add column "parent_env" text not null default '', add column "topology_env" text not null default '';
