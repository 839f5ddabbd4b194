/**
 * Which organization's rows PostgreSQL shows at this point of the program. Every connection of the edge is switched to it
 * before its first statement, and row-level security does the rest: a query that forgot its organization finds nothing of
 * another one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** An organization's id; empty: of none. `service`: all rows, for what concerns no organization or several. */
type Reach = { readonly orgId: string } | 'service'

const storage = new AsyncLocalStorage<Reach>()

/** Runs `work` with the rows of one organization; none with an empty id. */
export const asOrganization = <T>(orgId: string, work: () => T): T => storage.run({ orgId }, work)

/**
 * Runs `work` with all rows. Identity does: who signs in belongs to no organization yet. And webhooks and builders: what they are of is
 * found by what they say.
 */
export const asService = <T>(work: () => T): T => storage.run('service', work)

/** The organization whose rows may be seen; undefined for all rows, as outside of requests. */
export function visibleOrg(): string | undefined {
  const now = storage.getStore()
  return now === undefined || now === 'service' ? undefined : now.orgId
}
