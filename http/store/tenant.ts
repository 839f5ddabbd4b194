/**
 * The organization whose rows PostgreSQL shows at this point of the program. Every connection of the edge is switched
 * to it before its first statement, and row-level security does the rest: a query without an organization finds no rows
 * of another one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** An organization's id; empty: none. `service`: all rows, for work that concerns no organization or several. */
type Reach = { readonly orgId: string } | 'service'

const storage = new AsyncLocalStorage<Reach>()

/** Runs `work` with the rows of one organization; with an empty id, without any. */
export const asOrganization = <T>(orgId: string, work: () => T): T => storage.run({ orgId }, work)

/**
 * Runs `work` with all rows. For identity, because a person who signs in has no organization yet, and for webhooks and
 * builders, whose organization is found by their content.
 */
export const asService = <T>(work: () => T): T => storage.run('service', work)

/** The organization whose rows are visible; undefined for all rows, as outside of requests. */
export function visibleOrg(): string | undefined {
  const now = storage.getStore()
  return now === undefined || now === 'service' ? undefined : now.orgId
}
