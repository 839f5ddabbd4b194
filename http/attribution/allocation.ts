import { AllocationSpec } from '#actors/attribution/allocation.ts'
import { movesMax, previewAllocation, previewDays } from '#actors/attribution/allocation-preview.ts'
import { t } from '#engine/schema.ts'
import { orNull } from '#http/edge/field.ts'
import { inputFault } from '#http/edge/problem.ts'
import { route, type Route } from '#http/edge/route.ts'
import { text } from '#streams/text.ts'

const PreviewBody = t.Object(
  {
    spec: AllocationSpec,
    policyID: t.Optional(text({ minLength: 1, maxLength: 64, description: 'as if it took the place of this policy' })),
  },
  {
    examples: [
      { spec: { priority: 10, teamFromTag: { key: 'team', aliases: { 'data-team': 'Data' }, create: true } } },
    ],
  },
)

const money = t.Number({ description: `US dollars of the last ${previewDays} days, today included` })
const count = t.Integer({ minimum: 0 })
const teamID = orNull(t.String({ description: 'null for no team, and for one that is still to be made' }))

const Preview = t.Object(
  {
    matched: t.Integer({ minimum: 0, description: 'resources that the rule selects and has a team for' }),
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
        description: `resources that would have another team, those of the same two teams together, the dearest ${movesMax} in their order`,
      },
    ),
    won: t.Array(t.Object({ policyID: t.String(), name: t.String(), resources: count }), {
      description: 'rules that matched resources would get their team by instead',
    }),
    byHand: t.Integer({ minimum: 0, description: 'matched resources that have a team by hand, which stays' }),
    teamsToMake: t.Array(t.String(), { description: 'names of teams that the rule would make' }),
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
    summary: 'See which resources a rule would give another team, and what they cost; nothing is changed',
    description: 'A policy of domain allocation that is switched off counts as switched on here.',
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
