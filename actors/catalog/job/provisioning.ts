import { defineActor } from '#engine/actor/actor.ts'
import { handlerOf } from '#engine/actor/machine.ts'
import {
  provisioningBegun,
  provisioningChanged,
  provisioningCommanded,
  provisioningDue,
  provisioningResealed,
  provisionReported,
} from '#streams/catalog.ts'
import { execResult, jobCallOf } from '#streams/action/exec.ts'
import { endOfExecutor } from './order.ts'
import { ProvisioningJob } from '#actors/catalog/entity.ts'
import { provisioningMachine } from './machine.ts'
import { provisioningNeeds } from '#actors/catalog/needs.ts'

const takeReport = handlerOf(provisioningMachine, provisionReported)

const ofJob = ({ jobId }: { jobId: string }): string => jobId

/**
 * Something that is created in a cloud, step by step (decisions G-86 and G-87). The row of a deleted job stays, so that
 * people can look it up.
 */
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
    on(provisioningBegun, ofJob, handlerOf(provisioningMachine, provisioningBegun), { barrier: true }),
    on(provisioningChanged, ofJob, handlerOf(provisioningMachine, provisioningChanged)),
    // Must see the databases and connections on the server that it deletes.
    on(provisioningCommanded, ofJob, handlerOf(provisioningMachine, provisioningCommanded), { barrier: true }),
    on(provisionReported, ofJob, takeReport, { existing: true }),
    on(
      execResult,
      ({ intentId }) => jobCallOf(intentId).jobId,
      (row, said, turn) => {
        const end = endOfExecutor(row, said)
        if (end) takeReport(row, end, turn)
      },
      { existing: true },
    ),
    on(provisioningDue, ofJob, handlerOf(provisioningMachine, provisioningDue), { existing: true }),
    on(provisioningResealed, ofJob, handlerOf(provisioningMachine, provisioningResealed), { existing: true }),
  ],
})
