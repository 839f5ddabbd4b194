/** What retention has deleted so far (config/upkeep/retention). */
import type { Reads } from '#engine/actor/ports.ts'

/** A retention rule whose effect reports show; `metrics-hourly`: utilization before that is by the hour. */
export type KeptData = 'cost-lines' | 'metrics' | 'metrics-hourly' | 'resource-changes'

/** The first day (YYYY-MM-DD, UTC) whose data is stored. Undefined if nothing was deleted for its age. */
export async function readKeptFrom(rows: Reads['rows'], data: KeptData): Promise<string | undefined> {
  const [cut] = await rows<{ day: string }>(
    `select to_char(before at time zone 'UTC', 'YYYY-MM-DD') as day from retention_cut where name = $1`,
    [data],
  )
  return cut?.day
}
