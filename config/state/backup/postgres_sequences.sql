-- All sequences with the newest number that each has given. One that has given none keeps its first number.
select sequencename as name, coalesce(last_value, start_value)::text as value, last_value is not null as "isCalled"
from pg_sequences
where schemaname = current_schema()
order by sequencename
