import { defineActor } from '#engine/actor/actor.ts'
import {
  provisioningBegun,
  provisioningChanged,
  provisioningCommanded,
  provisioningDue,
  provisioningResealed,
  provisionReported,
} from '#streams/catalog.ts'
import { begin, change, reseal } from './begin.ts'
import { ProvisioningJob } from '#actors/catalog/entity.ts'
import { command, due, report } from './reactions.ts'
import { provisioningNeeds } from '#actors/catalog/needs.ts'

const ofJob = ({ jobId }: { jobId: string }): string => jobId

/** Something that is made at a cloud, step by step (decisions G-86 and G-87). A deleted job stays, for who looks for it. */
export const provisioningActor = defineActor({
  kind: 'provisioning',
  entity: ProvisioningJob,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'id' },
  initial: () => ({
    spaceId: '',
    provider: '',
    region: '',
    clusterUid: null,
    kind: 'registry' as const,
    name: '',
    config: {},
    tags: {},
    phase: 'queued' as const,
    currentStep: null,
    steps: [],
    error: null,
    attempts: 0,
    awaited: null,
    calls: 0,
    undo: null,
    defects: [],
    secrets: null,
    expiresAt: null,
    createdBy: '',
    createdAt: new Date(0),
    updatedAt: new Date(0),
    completedAt: null,
  }),
  needs: provisioningNeeds,
  reactions: (on) => [
    on(provisioningBegun, ofJob, begin, { barrier: true }),
    on(provisioningChanged, ofJob, change),
    // Sees what is on the server that it takes away.
    on(provisioningCommanded, ofJob, command, { barrier: true }),
    on(provisionReported, ofJob, report, { existing: true }),
    on(provisioningDue, ofJob, due, { existing: true }),
    on(provisioningResealed, ofJob, reseal, { existing: true }),
  ],
})
