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
    /** The account whose costs are divided by it. */
    cloudAccountId: p.text(),
    clusterUid: p.text(),
    clusterName: p.text().nullable(),
    provider: p.enum(providers).nullable(),
    /** Address of the server, without /api/v1. */
    url: p.text(),
    /** Sealed, because they may contain secrets; never shown. */
    headers: p.text().nullable(),
    /** In query notation: `cluster="prod"`. */
    matchers: p.json<string[]>(),
    enabled: p.boolean(),
    /** Changes with the cluster or the matchers: then it is read from the start again. */
    readingId: p.uuid(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ properties: ['orgId', 'cloudAccountId', 'clusterUid'] }],
})

/** Where the usage of a cluster is read from. Written only by actors/kubernetes/change.ts. */
export class KubernetesSource extends source.class {}
source.setClass(KubernetesSource)

/** Headers of requests to the server. */
export const headersSealed: SealedColumn = {
  table: 'kubernetes_source',
  column: 'headers',
  isOfOrg: true,
  purpose: 'read cluster usage',
}

/** Consecutive hours that lack the same series. ISO 8601. */
export interface Gap {
  from: string
  until: string
  series: string[]
}

/** Maximum gaps kept, the newest ones. */
export const gapsMax = 100

const state = defineEntity({
  name: 'KubernetesSourceState',
  tableName: 'kubernetes_source_state',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    sourceId: p.text().primary(),
    /** The reading that the other columns are about. */
    readingId: p.text().default(''),
    /** Everything before this time has been read. */
    through: p.datetime(3).nullable(),
    /** Error of the last read; null if it succeeded. */
    failure: p.text().nullable(),
    /** Newest first, at most `gapsMax`. */
    gaps: p.json<Gap[]>().default([]),
  },
})

/** How far a source has been read. Written only by the kubernetes-source actor. */
export class KubernetesSourceState extends state.class {}
state.setClass(KubernetesSourceState)
