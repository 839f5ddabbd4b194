/** Values of actions: specs by their type, and names that follow from an action. */
import { createHash } from 'node:crypto'
import type { Fault } from '#engine/value/fault.ts'
import { cloudFault, type CloudAction } from '#streams/cloud/connector.ts'
import type { Specs } from './kind.ts'

export const invalidSpec = (name: string, value: unknown): Fault =>
  cloudFault('user_action', 'invalid_spec', `${name} has an invalid value: ${JSON.stringify(value)?.slice(0, 200)}.`)

/** @throws `invalid_spec` if it is not a number */
export function numberIn(specs: Specs, name: string): number | undefined {
  const value = specs[name]
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value
  throw invalidSpec(name, value)
}

/** @throws `invalid_spec` if it is not a text */
export function textIn(specs: Specs, name: string): string | undefined {
  const value = specs[name]
  if (value === undefined || typeof value === 'string') return value
  throw invalidSpec(name, value)
}

/** @throws `invalid_spec` if it is neither true nor false */
export function flagIn(specs: Specs, name: string): boolean | undefined {
  const value = specs[name]
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidSpec(name, value)
}

/** Without the members that are undefined or null. */
export function dropNullish<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const held = Object.entries(members).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(held) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/**
 * The name of what an action creates: the same for every repeat. Lower-case letters, digits and single dashes, at most 63
 * characters: every service of every cloud accepts that.
 */
export function madeName({ id }: Pick<CloudAction, 'id'>): string {
  const isFine = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id) && id.length <= 50
  return `tidemark-${isFine ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}
