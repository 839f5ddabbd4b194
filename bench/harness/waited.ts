/** Waiting for rows of the product, and for minutes of its clock. */
import type { Connections } from '#config/state/connect.ts'

const minuteMs = 60_000

/** Until the statement, of one number `n`, comes to so many. */
export async function until(
  { store, clock }: Connections,
  wanted: number,
  sql: string,
  params: unknown[] = [],
): Promise<void> {
  const found = async () => Number((await store.pool.query<{ n: string }>(sql, params)).rows[0]!.n)
  while ((await found()) < wanted) await clock.sleep(100)
}

/** A full minute of the product's clock, so many minutes ahead. */
export const minuteIn = ({ clock }: Connections, ahead: number): Date =>
  new Date((Math.ceil(clock.now() / minuteMs) + ahead) * minuteMs)
