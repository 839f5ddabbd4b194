/** A resource of AWS as its calls name it. */
import type { ResourceRef } from '#streams/cloud/connector.ts'
import type { VerbTarget, ResourceKind } from '#streams/cloud/resource/verb/kind.ts'
import { nameOf, regionOf } from '#streams/cloud/aws/resource/uid.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'

export interface At extends VerbTarget {
  session: AwsSession
  region: string
  /** How calls of its service name it. */
  name: string
}

export const atOf = (session: AwsSession, ref: ResourceRef): At => ({
  session,
  ref,
  region: regionOf(session.account, ref),
  name: nameOf(ref.resourceUid),
})

/** The types of the verbs of a kind. */
export type Verbs = Required<ResourceKind<At>>

/** The tag of what has no name of its own. */
export const actionTag = 'tidemark:action'
