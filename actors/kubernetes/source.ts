import { defineEntity, p } from '@mikro-orm/core'
import type { SealedColumn } from '#engine/seal.ts'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import { providers } from '#streams/names.ts'

const source = defineEntity({
  name: 'KubernetesSource',
  tableName: 'kubernetes_source',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    id: p.uuid().primary(),
    /** Whose bills are divided by it. */
    cloudAccountId: p.text(),
    clusterUid: p.text(),
    clusterName: p.text().nullable(),
    provider: p.enum(providers).nullable(),
    /** Of the server, without /api/v1. */
    url: p.text(),
    /** Sealed: they may hold secrets, and are never shown. */
    headers: p.text().nullable(),
    /** As queries write them: `cluster="prod"`. */
    matchers: p.json<string[]>(),
    enabled: p.boolean(),
    /** What is read: of another cluster, or by other matchers, it is read anew. */
    readingId: p.uuid(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['orgId', 'cloudAccountId', 'clusterUid'] }],
})

/** Where the usage of a cluster is read from. Written only by actors/kubernetes/change.ts. */
export class KubernetesSource extends source.class {}
source.setClass(KubernetesSource)

/** Headers that reads send. */
export const headersSealed: SealedColumn = {
  table: 'kubernetes_source',
  column: 'headers',
  isOfOrg: true,
  purpose: 'read cluster usage',
}

/** Hours one behind the other that lack the same series. ISO 8601. */
export interface Gap {
  from: string
  until: string
  series: string[]
}

/** The newest are kept. */
export const gapsMax = 100

const state = defineEntity({
  name: 'KubernetesSourceState',
  tableName: 'kubernetes_source_state',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    sourceId: p.text().primary(),
    /** What the rest is of. */
    readingId: p.text().default(''),
    /** Everything before it has been read. */
    through: p.datetime(3).nullable(),
    /** What the last read ended by; null when it did not. */
    failure: p.text().nullable(),
    /** Newest first, `gapsMax` at most. */
    gaps: p.json<Gap[]>().default([]),
  },
})

/** How far a source was read. Written only by the kubernetes-source actor. */
export class KubernetesSourceState extends state.class {}
state.setClass(KubernetesSourceState)
