/** Answers of the resource manager as its reference shows them, and what becomes of each. */
import { idOf, root } from '../world.ts'

export interface ListedCase {
  type: string
  /** By path behind the subscription, with the method unless it is GET. */
  answers: Readonly<Record<string, unknown>>
  /** Without tags, provider, and `specs.resource_id`. */
  wanted: readonly object[]
}

export const location = 'westeurope'
export const uid = (id: string): string => id.toLowerCase()
export const below = (id: string, kind: string): string => `${id.replace(root, '')}/${kind}`

interface Case {
  type: string
  kind: string
  name?: string
  /** Members of the item besides its id, name and location. */
  item: object
  fields?: object
  specs: object
  /** Lists below the item by kind. */
  lists?: Readonly<Record<string, readonly object[]>>
}

/** A type that one list of the subscription has. */
export function one({ type, kind, name = 'one', item, fields = {}, specs, lists = {} }: Case): ListedCase {
  const id = idOf(kind, name)
  const more = Object.entries(lists).map(([part, value]) => [below(id, part), { value }])
  return {
    type,
    answers: { [`/providers/${kind}`]: { value: [{ id, name, location, ...item }] }, ...Object.fromEntries(more) },
    wanted: [{ resourceUid: uid(id), name, region: location, resourceGroup: 'Shop', ...fields, specs }],
  }
}

/** A type that is listed below another. */
export function inside({ parent, part, ...about }: Case & { parent: string; part: string }): ListedCase {
  const { type, kind, name = 'one', item, fields = {}, specs, lists = {} } = about
  const parentId = idOf(parent, 'parent')
  const id = `${parentId}/${kind}/${name}`
  const more = Object.entries(lists).map(([list, value]) => [below(id, list), { value }])
  return {
    type,
    answers: {
      [`/providers/${parent}`]: { value: [{ id: parentId, name: 'parent', location }] },
      [below(parentId, part)]: { value: [{ id, name, location, ...item }] },
      ...Object.fromEntries(more),
    },
    wanted: [{ resourceUid: uid(id), name, region: location, resourceGroup: 'Shop', ...fields, specs }],
  }
}

export const vnet = idOf('Microsoft.Network/virtualNetworks', 'Hub')
export const machine = idOf('Microsoft.Compute/virtualMachines', 'Vm-1')
export const created = '2026-01-01T00:00:00.000Z'
