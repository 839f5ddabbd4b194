/** A resource of Azure as its calls name it, and the calls that most types have. */
import { cloudFault, type DiscoveredResource, type ResourceRef } from '#streams/cloud/connector.ts'
import {
  absent,
  ignoreNotFound,
  type VerbTarget,
  type ResourceKind,
  type ResourceState,
  type Specs,
} from '#streams/cloud/resource/verb/kind.ts'
import { objectOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import { isIdOf } from '#streams/cloud/azure/session/path.ts'
import { insideTypes } from '#streams/cloud/azure/session/workspace.ts'
import type { AzureSession, Call, Item } from '#streams/cloud/azure/session/session.ts'

export interface At extends VerbTarget {
  session: AzureSession
  /** Its id; Azure takes it in any case. */
  id: string
}

/** @throws `not_found` for an id of another subscription: nothing is asked there in the name of this account */
export function atOf(session: AzureSession, ref: ResourceRef): At {
  const { account } = session
  // What is inside of a workspace has an id of the workspace's own.
  const isInside = (insideTypes as readonly string[]).includes(ref.type) && /^[\w-]{1,128}$/.test(ref.resourceUid)
  if (isInside || isIdOf(account.externalId, ref.resourceUid)) return { session, ref, id: ref.resourceUid }
  throw cloudFault(
    'user_action',
    'not_found',
    `${ref.resourceUid} is not a resource in the subscription ${account.externalId}.`,
  )
}

export interface AzureState extends ResourceState {
  /** As Azure describes it. */
  item?: Item
}

export type AzureKind = ResourceKind<At, AzureState>

export const askResource = (at: At, version: string, call: Partial<Call> = {}) =>
  at.session.ask({ path: at.id, ...call, query: { 'api-version': version, ...call.query } })

/** An action of the resource: `<id>/start`. */
export const does = (at: At, version: string, name: string, body?: unknown) =>
  askResource(at, version, { method: 'POST', path: `${at.id}/${name}`, ...(body !== undefined && { body }) })

export const patchResource = (at: At, version: string, body: unknown) =>
  askResource(at, version, { method: 'PATCH', body })
export const put = (at: At, version: string, body: unknown) => askResource(at, version, { method: 'PUT', body })
export const deleteResource = (at: At, version: string) => askResource(at, version, { method: 'DELETE' })

/** The item at its id; undefined where it is not there. */
export async function itemAt(at: At, version: string, query: Record<string, string> = {}): Promise<Item | undefined> {
  const item = await ignoreNotFound(askResource(at, version, { query }))
  return item && ({ ...item, id: textAt(item, 'id') ?? at.id } as Item)
}

/** What is seen of an item as the inventory has it. */
export function seenAs(item: Item | undefined, map: (item: Item) => DiscoveredResource[]): AzureState {
  const [found] = item ? map(item) : []
  if (!item || !found) return absent
  const { status, instanceType, specs = {} } = found
  const isGoing = textAt(propertiesOf(item), 'provisioningState') === 'Deleting'
  return {
    exists: true,
    ...(isGoing ? { status: 'stopping' as const } : status && { status }),
    ...(instanceType && { instanceType }),
    specs,
    item,
    isGoing,
  }
}

/** Sets members of a body: `properties.storage.iops` of the iops that are wanted. */
export function bodyOf(specs: Specs, places: Readonly<Record<string, string>>): Json {
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(specs)) {
    const names = (places[name] ?? '').split('.')
    const last = names.pop()!
    let at = body
    for (const one of names) at = at[one] = { ...objectOf(at[one]) } as Record<string, unknown>
    at[last] = value
  }
  return body
}
