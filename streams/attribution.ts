/**
 * Changes of teams and resource groups, on their way to where costs are attributed. The edge has stored them already.
 * `at` rises with every change of an organization, so that the latest wins in whatever order they arrive.
 */
import { t } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { text } from '#streams/text.ts'

const fixed = { kind: 'actor', place: () => orgWide, once: true } as const
const id = text({ minLength: 1 })
const moment = t.String({ format: 'date-time' })

/** Resources that one change names at most. */
export const resourcesMax = 2000

/** As bills name it. */
export const ResourceUid = text({ minLength: 1, maxLength: 1024 })

/** A team was made, renamed or deleted; deleted, it leaves its resources unassigned. */
export const teamChanged = subject({
  ...fixed,
  name: 'team.changed',
  summary: 'A team was created, renamed or deleted.',
  schema: t.Object({ teamId: id, name: text(), deleted: t.Boolean(), at: moment }),
  examples: [{ teamId: 't-1', name: 'Payments', deleted: false, at: '2026-01-15T10:00:00.000Z' }],
})

/** Resources now belong to a team, or with an empty `teamId` to none. */
export const teamAssigned = subject({
  ...fixed,
  name: 'team.assigned',
  summary: 'Resources were assigned to another team, or to none.',
  schema: t.Object({ teamId: text(), resourceUids: t.Array(ResourceUid, { maxItems: resourcesMax }), at: moment }),
  examples: [
    { teamId: 't-1', resourceUids: ['i-1', 'i-2'], at: '2026-01-15T10:00:00.000Z' },
    { teamId: '', resourceUids: ['i-1'], at: '2026-01-15T10:00:01.000Z' },
  ],
})

/** A resource group was created, renamed or deleted. Its members are told of apart. */
export const resourceGroupChanged = subject({
  ...fixed,
  name: 'resource_group.changed',
  summary: 'A resource group was created, renamed or deleted.',
  schema: t.Object({ groupId: id, name: text(), deleted: t.Boolean(), at: moment }),
  examples: [{ groupId: 'g-1', name: 'Shop', deleted: false, at: '2026-01-15T10:00:00.000Z' }],
})

const Members = t.Array(t.Object({ resourceUid: ResourceUid, addedAt: moment }), { maxItems: resourcesMax })

/** Resources joined and left a group; `addedAt` is when each of them joined. */
export const resourceGroupMembersChanged = subject({
  ...fixed,
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

/** Rules gave resources a team, or with an empty `teamId` they have none by rule any more. */
export const resourcesAllocated = subject({
  ...fixed,
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

/** Rules by which resources get their team were changed: whose they are has to be worked out anew. */
export const allocationChanged = subject({
  ...fixed,
  name: 'allocation.changed',
  summary: 'The rules that assign resources to teams were changed.',
  schema: t.Object({ again: t.Optional(t.Boolean({ description: 'for changes that were in progress then' })) }),
  examples: [{}, { again: true }],
})

/** A rule by which shared costs are handed out was made, changed or deleted; its spec is as its policy has it. */
export const sharedCostChanged = subject({
  ...fixed,
  name: 'shared_cost.changed',
  summary: 'A rule that allocates shared costs was changed.',
  schema: t.Object({
    policyId: id,
    spec: t.Unknown(),
    /** False too once it is deleted. */
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
