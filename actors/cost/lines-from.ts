import type { Reads } from '#engine/actor/ports.ts'

/**
 * The first day (YYYY-MM-DD, UTC) whose bill lines are stored, because older ones were deleted by COST_LINES_KEEP.
 * Undefined if none were.
 */
export async function readLinesFrom(rows: Reads['rows']): Promise<string | undefined> {
  const [cut] = await rows<{ day: string }>(
    `select to_char(before at time zone 'UTC', 'YYYY-MM-DD') as day from retention_cut where name = 'cost-lines'`,
    [],
  )
  return cut?.day
}
