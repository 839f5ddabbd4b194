-- Every bill line as it was last sent: lines sent alone and lines of all exports, whether reports count them or not. One row per stored
-- line, in US dollars. The one place that knows in which tables lines are stored. Read by cost_lines and cost_lines_at.
CREATE OR REPLACE VIEW cost_row AS
SELECT * FROM cost_fact FINAL
UNION ALL
SELECT * FROM bill_line FINAL
