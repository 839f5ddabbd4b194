/**
 * Changes of teams and resource groups, copied to where costs are attributed. The edge has already stored them. `at`
 * increases with every change of an organization, so the latest wins regardless of the order of arrival.
 */
import { t } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

const ofOrg = { kind: 'actor', place: () => orgWide, once: true } as const
const id = text({ minLength: 1 })
const moment = t.String({ format: 'date-time' })

/** Maximum resources per change. */
export const resourcesMax = 2000

/** As in bills. */
export const ResourceUid = text({ minLength: 1, maxLength: 1024 })

/** A team was created, renamed or deleted; a deleted team leaves its resources unassigned. */
export const teamChanged = subject({
  ...ofOrg,
  name: 'team.changed',
  summary: 'A team was created, renamed or deleted.',
  schema: t.Object({ teamId: id, name: text(), deleted: t.Boolean(), at: moment }),
  examples: [{ teamId: 't-1', name: 'Payments', deleted: false, at: '2026-01-15T10:00:00.000Z' }],
})

/** Resources now belong to a team, or to none if `teamId` is empty. */
export const teamAssigned = subject({
  ...ofOrg,
  name: 'team.assigned',
  summary: 'Resources were assigned to another team, or to none.',
  schema: t.Object({ teamId: text(), resourceUids: t.Array(ResourceUid, { maxItems: resourcesMax }), at: moment }),
  examples: [
    { teamId: 't-1', resourceUids: ['i-1', 'i-2'], at: '2026-01-15T10:00:00.000Z' },
    { teamId: '', resourceUids: ['i-1'], at: '2026-01-15T10:00:01.000Z' },
  ],
})

/** A resource group was created, renamed or deleted. Its members have a separate message. */
export const resourceGroupChanged = subject({
  ...ofOrg,
  name: 'resource_group.changed',
  summary: 'A resource group was created, renamed or deleted.',
  schema: t.Object({ groupId: id, name: text(), deleted: t.Boolean(), at: moment }),
  examples: [{ groupId: 'g-1', name: 'Shop', deleted: false, at: '2026-01-15T10:00:00.000Z' }],
})

const Members = t.Array(t.Object({ resourceUid: ResourceUid, addedAt: moment }), { maxItems: resourcesMax })

/** Resources joined or left a group; `addedAt` is when each of them joined. */
export const resourceGroupMembersChanged = subject({
  ...ofOrg,
  name: 'resource_group.members_changed',
  summary: 'Resources joined or left a resource group.',
  schema: t.Object({ groupId: id, added: Members, removed: Members, at: moment }),
  examples: [
    {
      groupId: 'g-1',
      added: [{ resourceUid: 'i-2', addedAt: '2026-01-15T10:00:00.000Z' }],
      removed: [{ resourceUid: 'i-1', addedAt: '2026-01-14T10:00:00.000Z' }],
      at: '2026-01-15T10:00:00.000Z',
    },
  ],
})

const account = text({ minLength: 1, maxLength: 1024 })

/** Rules assigned resources to a team, or to none if `teamId` is empty. */
export const resourcesAllocated = subject({
  ...ofOrg,
  name: 'resource.allocated',
  summary: 'A rule assigned resources to another team, or to none.',
  schema: t.Object({
    teamId: text(),
    policyId: text(),
    resources: t.Array(t.Object({ cloudAccountId: account, resourceUid: ResourceUid }), { maxItems: resourcesMax }),
    at: moment,
  }),
  examples: [
    {
      teamId: 't-1',
      policyId: 'p-1',
      resources: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1' }],
      at: '2026-01-15T10:00:00.000Z',
    },
  ],
})

/** Rules that assign resources to teams were changed: the assignments have to be recomputed. */
export const allocationChanged = subject({
  ...ofOrg,
  name: 'allocation.changed',
  summary: 'The rules that assign resources to teams were changed.',
  schema: t.Object({ again: t.Optional(t.Boolean({ description: 'for changes that were in progress then' })) }),
  examples: [{}, { again: true }],
})

/** A rule that distributes shared costs was created, changed or deleted; `spec` is that of its policy. */
export const sharedCostChanged = subject({
  ...ofOrg,
  name: 'shared_cost.changed',
  summary: 'A rule that allocates shared costs was changed.',
  schema: t.Object({
    policyId: id,
    spec: t.Unknown(),
    /** Also false once it is deleted. */
    enabled: t.Boolean(),
    createdAt: moment,
    at: moment,
  }),
  examples: [
    {
      policyId: 'p-2',
      spec: {
        selector: { all: [{ attr: 'line.service', op: 'equals', values: ['AWS Support'] }] },
        method: 'even',
      },
      enabled: true,
      createdAt: '2026-01-15T10:00:00.000Z',
      at: '2026-01-15T10:00:00.000Z',
    },
  ],
})

export const attributionMessages = [
  teamChanged,
  teamAssigned,
  resourceGroupChanged,
  resourceGroupMembersChanged,
  resourcesAllocated,
  allocationChanged,
  sharedCostChanged,
]
