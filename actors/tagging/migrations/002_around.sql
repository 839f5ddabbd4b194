-- What the tags of a resource were worked out from, so that what says something else since can be told from what does not: its
-- facts, by their hash, and the environments that its parent and its neighbourhood said.
alter table "resource_tagging" add column "facts_hash" text not null default '', add column "parent_env" text not null default '', add column "topology_env" text not null default '';
