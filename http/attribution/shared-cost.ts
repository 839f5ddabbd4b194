import { movesMax, previewSharedCost } from '#actors/attribution/shared-cost-preview.ts'
import { sharedCostDomain, SharedCostSpec } from '#actors/attribution/shared-cost.ts'
import { t } from '#engine/schema.ts'
import { orNull } from '#http/edge/field.ts'
import { inputFault } from '#http/edge/problem.ts'
import { checkSpec } from '#http/policy/spec.ts'
import { route, type Route } from '#http/edge/route.ts'
import { text } from '#streams/text.ts'

const PreviewBody = t.Object(
  {
    spec: t.Unknown({ shapes: [SharedCostSpec], description: sharedCostDomain.summary }),
    policyID: t.Optional(text({ minLength: 1, maxLength: 64, description: 'as if it took the place of this policy' })),
  },
  {
    examples: [
      {
        spec: {
          selector: { all: [{ attr: 'line.service', op: 'equals', values: ['AWS Support'] }] },
          among: 'all',
          method: 'proportional',
        },
      },
    ],
  },
)

const money = (description: string) =>
  t.Number({ description: `US dollars of the last 30 days, today included: ${description}` })
const teamID = orNull(t.String({ description: 'null for no team' }))

const Preview = t.Object(
  {
    selectedUsd30d: money('what the rule selects'),
    movedUsd30d: money('what of it the rule hands out; the rest another rule does'),
    moved: t.Array(
      t.Object({
        fromTeamID: teamID,
        fromTeamName: t.String(),
        toTeamID: teamID,
        toTeamName: t.String(),
        costUsd30d: money('what goes there'),
      }),
      {
        description: `from whom costs go to whom, compared with their owners having them, the dearest ${movesMax} in their order`,
      },
    ),
    won: t.Array(t.Object({ policyID: t.String(), name: t.String(), costUsd30d: money('what it hands out') }), {
      description: 'older rules that select some of it, and hand that out instead',
    }),
  },
  {
    title: 'SharedCostPreview',
    examples: [
      {
        selectedUsd30d: 320,
        movedUsd30d: 320,
        moved: [
          {
            fromTeamID: null,
            fromTeamName: 'Unassigned',
            toTeamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
            toTeamName: 'Shop',
            costUsd30d: 320,
          },
        ],
        won: [],
      },
    ],
  },
)

export const sharedCostPreviews: readonly Route[] = [
  route({
    method: 'POST',
    path: '/shared-cost/policies/preview',
    readOnly: true,
    summary: 'See which costs a rule would hand out, from whom and to whom; nothing is changed',
    description:
      'Closed months stay as they are. A policy of domain shared-cost that is switched off counts as switched on here. For roles ' +
      'that see all costs: shares follow from those of all teams.',
    permission: 'service.view',
    unscoped: true,
    tags: ['Teams'],
    body: PreviewBody,
    reply: Preview,
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: async ({ caller, body }, { em, analytics, now, settings }) => {
      const cost = `${settings.reportCost}_cost` as const
      const world = { em, orgId: caller.orgId, ask: analytics, now: now(), cost }
      await checkSpec(sharedCostDomain, body.spec, em, caller.orgId)
      return previewSharedCost(world, body.spec as SharedCostSpec, body.policyID).catch((error: unknown) => {
        throw inputFault(error, 'body')
      })
    },
  }),
]
