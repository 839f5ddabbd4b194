-- cost_shares that are sent with the query: the same rows, without computing them. {shares} are tuples of month, rule, teams and weights.
-- Read by cost_slice, with the data of analytics/attribution/sharing.ts.
CREATE OR REPLACE VIEW given_shares AS
SELECT given.1 AS period, given.2 AS policy_id, given.3 AS teams, given.4 AS weights, arraySum(weights) AS total,
    toUInt32(indexOf(weights, arrayMax(weights))) AS largest
FROM (SELECT arrayJoin({shares:Array(Tuple(UInt32, String, Array(String), Array(Int256)))}) AS given)
