-- The largest generation that sums of days or months were ever written under, published or not: one row.
SELECT toString(greatest(
    (SELECT max(generation) FROM cost_day),
    (SELECT max(generation) FROM cost_month),
    (SELECT max(generation) FROM cost_daily_slot))) AS newest
