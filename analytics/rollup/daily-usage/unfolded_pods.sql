-- Intervals of pods on the days {days} that are in no fold: the number of rows. Read by the retention sweep.
SELECT count() AS number
FROM kubernetes_pod_row(days = {days:Array(Tuple(String, String, Date32))})
WHERE began = 0
