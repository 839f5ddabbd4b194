/** The clock, for what waits minutes before it is tried again: it goes on by steps while a test looks whether something is so. */
import { setClock } from '#test/harness/people.ts'
import type { Tenant } from '#test/harness/product.ts'

type Org = Pick<Tenant, 'connections' | 'orgId'>

/** How far the clock goes on at once. */
const stepMs = 16_000
/** Where something is under way the clock waits for it, so many times as long as otherwise at most. */
const patience = 50

/** To be called behind each look that has not found it so. `looks`: in real time before the clock goes on. */
export function stepping(org: Org, looks = 12): () => Promise<void> {
  let looked = 0
  return async () => {
    looked += 1
    if (looked < looks || (looked < patience * looks && (await isBusy(org)))) return
    looked = 0
    await setClock(new Date(org.connections.clock.now() + stepMs), org.orgId)
  }
}

/**
 * Whether calls are made, or are due: on a machine with much to do minutes of the clock would go by, and what has ten of them would end for
 * want of time. What is told outside has paces of its own.
 */
async function isBusy({ connections, orgId }: Org): Promise<boolean> {
  const { rowCount } = await connections.store.pool.query(
    `select from effect where org_id = $1 and name not in ('deliver', 'deliver-mail') and due <= clock_timestamp() limit 1`,
    [orgId],
  )
  return rowCount !== 0
}
