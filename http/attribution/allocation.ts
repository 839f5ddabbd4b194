import { AllocationSpec } from '#actors/attribution/allocation/allocation.ts'
import { movesMax, previewAllocation, previewDays } from '#actors/attribution/allocation/preview.ts'
import { t } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { inputFault } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { text } from '#streams/text.ts'

const PreviewBody = t.Object(
  {
    spec: AllocationSpec,
    policyID: t.Optional(
      text({ minLength: 1, maxLength: 64, description: 'evaluate the draft as a replacement of this policy' }),
    ),
  },
  {
    examples: [
      { spec: { priority: 10, teamFromTag: { key: 'team', aliases: { 'data-team': 'Data' }, create: true } } },
    ],
  },
)

const money = t.Number({ description: `US dollars over the last ${previewDays} days, today included` })
const count = t.Integer({ minimum: 0 })
const teamID = orNull(t.String({ description: 'null for no team, and for a team that does not exist yet' }))

const Preview = t.Object(
  {
    matched: t.Integer({ minimum: 0, description: 'resources that the rule matches and assigns to a team' }),
    moved: t.Array(
      t.Object({
        fromTeamID: teamID,
        fromTeamName: t.String(),
        toTeamID: teamID,
        toTeamName: t.String(),
        resources: count,
        costUsd30d: money,
      }),
      {
        description: `resources that would move to another team, grouped by current and new team, the top ${movesMax} by cost in cost order`,
      },
    ),
    won: t.Array(t.Object({ policyID: t.String(), name: t.String(), resources: count }), {
      description: 'rules that take precedence for some matched resources',
    }),
    byHand: t.Integer({ minimum: 0, description: 'matched resources with a manually assigned team, which is kept' }),
    teamsToMake: t.Array(t.String(), { description: 'names of teams that the rule would create' }),
    totalUsd30d: money,
  },
  {
    title: 'AllocationPreview',
    examples: [
      {
        matched: 42,
        moved: [
          {
            fromTeamID: null,
            fromTeamName: 'Unassigned',
            toTeamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
            toTeamName: 'Shop',
            resources: 40,
            costUsd30d: 1840.25,
          },
        ],
        won: [],
        byHand: 2,
        teamsToMake: [],
        totalUsd30d: 12480.55,
      },
    ],
  },
)

export const allocationPreviews: readonly Route[] = [
  route({
    method: 'POST',
    path: '/allocation/policies/preview',
    readOnly: true,
    summary: 'Preview which resources a rule would assign to another team, with their costs; nothing is changed',
    description: 'A disabled policy of domain allocation is evaluated as if it were enabled.',
    permission: 'service.view',
    tags: ['Teams'],
    body: PreviewBody,
    reply: Preview,
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: async ({ caller, body }, { em, stream, now, settings }) => {
      const { all, cloudAccountIDs: accounts, teamIDs: teams } = caller.reportScope
      const cost = `${settings.reportCost}_cost` as const
      const world = {
        em,
        orgId: caller.orgId,
        ask: stream,
        now: now(),
        cost,
        ...(!all && { scope: { accounts, teams } }),
      }
      return previewAllocation(world, body.spec, body.policyID).catch((error: unknown) => {
        throw inputFault(error, 'body')
      })
    },
  }),
]
