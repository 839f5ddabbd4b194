import type { Reads } from '#engine/actor/ports.ts'

/**
 * How far an account's metrics have been fetched, and which ones by resource type; undefined before the first fetch.
 */
export interface CollectionProgress {
  from: Date
  through: Date
  /** Resources discovered before it were fetched from `from` on, later ones from their discovery on; null: unknown. */
  askedAt: Date | null
  fetched: Readonly<Record<string, readonly string[]>>
}

export async function collectedOf(
  reads: Reads,
  orgId: string,
  account: string,
): Promise<CollectionProgress | undefined> {
  const [row] = await reads.rows<{
    begun_at: Date
    through: Date
    asked_at: Date | null
    fetched: Record<string, string[]>
  }>(
    `select begun_at, through, asked_at, fetched from metric_collection
     where org_id = $1 and cloud_account_id = $2 and begun_at is not null and through is not null`,
    [orgId, account],
  )
  return row && { from: row.begun_at, through: row.through, askedAt: row.asked_at, fetched: row.fetched }
}
