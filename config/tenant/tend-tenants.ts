/**
 * Continues deletions of organizations and erasures of people, tidies up after moves, in one process at a time, and removes their users from
 * NATS.
 */
import { actors } from '#actors/index.ts'
import { unlessElsewhere } from '#config/process/advisory-lock.ts'
import type { Connections } from '#config/state/connect.ts'
import { regularly } from '#config/process/regularly.ts'
import { applyStreamUsers, askStreamUsers, type SetUsers } from '#config/state/stream-users.ts'
import { deleteDue, type DeletionTools } from '#config/tenant/delete.ts'
import { eraseDue, type ErasureTools } from '#config/tenant/erase.ts'
import { tidyMoves } from '#config/tenant/move.ts'
import { tokens, type Product } from '#config/wiring/tokens.ts'

const pace = { firstMs: 15_000, everyMs: 30_000 }
/** Number of the advisory lock; used for nothing else. */
const lock = 7_402_824

export const deletionTools = (c: Connections, product: Product): DeletionTools => ({
  store: c.store,
  shards: c.shards,
  log: c.log,
  clock: c.clock,
  report: c.report,
  exportsFolder: product.get(tokens.exports).folder,
  changed: (what) => product.get(tokens.identity).changed(what),
})

export const erasureTools = (c: Connections, product: Product): ErasureTools => ({
  store: c.store,
  shards: c.shards,
  clock: c.clock,
  report: c.report,
  open: product.get(tokens.seal).open,
  actorTables: new Set(actors.map(({ entity }) => c.orm.getMetadata().get(entity).tableName)),
})

/**
 * Runs regularly until the returned function is called. `setUsers` is only available in the process that runs the NATS
 * server.
 */
export function tendTenantsRegularly(c: Connections, product: Product, setUsers: SetUsers): () => void {
  const tools = deletionTools(c, product)
  const erasing = erasureTools(c, product)
  let known = ''
  const look = async () => {
    if (c.installation.misfits.length > 0 || c.installation.isOutdated) return
    const rows = await c.store.closedOrganizations()
    const closed = rows.map(({ orgId }) => orgId).toSorted()
    if (closed.join() !== known) {
      await applyStreamUsers(c, setUsers)
      if (!setUsers) await askStreamUsers(c)
      known = closed.join()
    }
    await unlessElsewhere(c.store, lock, async () => {
      await deleteDue(tools)
      await eraseDue(erasing)
    })
    await tidyMoves(c)
  }
  return regularly(
    () =>
      void look().catch((error: unknown) =>
        c.report.warn({ err: error }, 'organizations and users due for deletion could not be listed'),
      ),
    pace,
  )
}
