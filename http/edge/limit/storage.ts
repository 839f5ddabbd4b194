/** Refuses changes while the disk of a store is full. */
import { Fault } from '#engine/value/fault.ts'
import type { Route } from '#http/edge/route.ts'

/** The refusal of changes while a store has no room; undefined while all have. */
export type StorageRefusal = () => Fault | undefined

/** Not for sessions, which remain possible as long as their store can write, nor for requests that contain others. */
const isChange = ({ method, permission, readOnly, unkeyed }: Route): boolean =>
  method !== 'GET' && !readOnly && !unkeyed && permission !== 'public'

/** @throws Fault `transient` `storage_full` for a change */
export function refuseWithoutRoom(r: Route, { storageRefusal }: { storageRefusal?: StorageRefusal }): void {
  const refusal = isChange(r) ? storageRefusal?.() : undefined
  if (refusal) throw refusal
}

/** A store without room may end its connections, or stop answering. */
export function explainedBy(storageRefusal: StorageRefusal | undefined, found: Fault): Fault {
  const refusal = found.code === 'unavailable' ? storageRefusal?.() : undefined
  return refusal ? new Fault(refusal.kind, refusal.code, refusal.message, refusal.detail, found.cause) : found
}
