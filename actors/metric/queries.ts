import type { Reads } from '#engine/actor/ports.ts'

/** How far an account's metrics were fetched, by type of resource which of them; undefined before the first. */
export interface CollectionProgress {
  from: Date
  through: Date
  /** Resources discovered before it were fetched from `from` on, others from their discovery on; null: of none it is known. */
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
