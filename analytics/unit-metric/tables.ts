import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/** Values as the unit-metric actor appends them: one per (series, time); the newest version counts. `ts` is ISO 8601 UTC. */
export const unitMetricValueTable = table({
  name: 'unit_metric_value',
  row: t.Object({ org_id: t.String(), series_id: t.String(), ts: t.String(), value: t.Number() }),
})

export const unitMetricTables = [unitMetricValueTable]
