-- The number of the newest insert into a partition ({partition}) of metric_sample; merges do not change it. Read by the retention sweep.
SELECT max(max_block_number) AS block
FROM system.parts
WHERE active AND database = currentDatabase() AND table = 'metric_sample' AND partition_id = {partition:String}
