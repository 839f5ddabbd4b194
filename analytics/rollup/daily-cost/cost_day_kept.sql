-- Records that the sums before the current ones of the days {days} are kept, after their rows are copied.
INSERT INTO cost_day_kept
SELECT org_id, cloud_account_id, day, before_generation AS generation, before_at AS published_at, published_at AS until, before_bills AS bills
FROM cost_day FINAL
WHERE (org_id, cloud_account_id, day) IN {days:Array(Tuple(String, String, Date32))}
