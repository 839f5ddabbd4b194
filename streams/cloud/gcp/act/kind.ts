/** A resource of Google Cloud as its calls name it, and what its changes answer. */
import { randomUUID } from 'node:crypto'
import { uuidOf } from '#engine/value/id.ts'
import { cloudFault, type ResourceRef } from '#streams/cloud/connector.ts'
import type { VerbTarget, ResourceKind } from '#streams/cloud/resource/verb/kind.ts'
import type { Operation } from '#streams/cloud/gcp/answer/compute.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'

export interface At extends VerbTarget {
  session: GcpSession
  /** Another one for each action that we are asked for: Google recognizes the retries of one, and not a later action. */
  nonce: string
}

export const atOf = (session: GcpSession, ref: ResourceRef): At => ({ session, ref, nonce: randomUUID() })

/** The types of the verbs of a kind. */
export type Verbs = Required<ResourceKind<At>>

/** Identifies a change for Google: sent again with this id, it has no second effect. */
export const requestId = ({ nonce }: Pick<At, 'nonce'>, what: string): string => uuidOf('gcp', nonce, what)

const outOfStock = /RESOURCE_POOL_EXHAUSTED|STOCKOUT|RESOURCE_UNAVAILABLE/

/** @throws what ended a change at once: a lack of room is temporary */
export function throwIfFailed({ ref }: At, { error }: Operation): void {
  const [first] = error?.errors ?? []
  if (!first) return
  const { code = '', message = code } = first
  if (outOfStock.test(code)) throw cloudFault('transient', 'cloud_unavailable', `${ref.resourceUid}: ${message}`)
  if (/QUOTA/.test(code)) throw cloudFault('user_action', 'quota_exceeded', `${ref.resourceUid}: ${message}`)
  throw cloudFault('user_action', 'rejected', `${ref.resourceUid}: ${message}`, { word: code })
}
