-- Every line of a bill as it was last sent, lines sent alone and lines of all exports, shown ones or not: the one place that knows
-- where lines are stored.
CREATE OR REPLACE VIEW cost_row AS
SELECT * FROM cost_fact FINAL
UNION ALL
SELECT * FROM bill_line FINAL
