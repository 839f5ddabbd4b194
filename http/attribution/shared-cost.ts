import { movesMax, previewSharedCost } from '#actors/attribution/shared-cost/preview.ts'
import { sharedCostDomain, SharedCostSpec } from '#actors/attribution/shared-cost/shared-cost.ts'
import { t } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { inputFault } from '#http/edge/problem.ts'
import { checkSpec } from '#http/policy/spec.ts'
import { route, type Route } from '#http/edge/route.ts'
import { text } from '#streams/text.ts'

const PreviewBody = t.Object(
  {
    spec: t.Unknown({ shapes: [SharedCostSpec], description: sharedCostDomain.summary }),
    policyID: t.Optional(
      text({ minLength: 1, maxLength: 64, description: 'evaluate the draft as a replacement of this policy' }),
    ),
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
  t.Number({ description: `US dollars over the last 30 days, today included: ${description}` })
const teamID = orNull(t.String({ description: 'null for no team' }))

const Preview = t.Object(
  {
    selectedUsd30d: money('the cost that the rule matches'),
    movedUsd30d: money('the part that this rule distributes; other rules distribute the rest'),
    moved: t.Array(
      t.Object({
        fromTeamID: teamID,
        fromTeamName: t.String(),
        toTeamID: teamID,
        toTeamName: t.String(),
        costUsd30d: money('the cost that moves'),
      }),
      {
        description: `cost moved between teams, compared with costs staying with their owners, the top ${movesMax} by cost in cost order`,
      },
    ),
    won: t.Array(
      t.Object({ policyID: t.String(), name: t.String(), costUsd30d: money('the cost that it distributes') }),
      {
        description: 'older rules that match some of the same cost and distribute it instead',
      },
    ),
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
    summary: 'Preview which costs a rule would distribute, from which team to which; nothing is changed',
    description:
      'Closed months are not changed. A disabled policy of domain shared-cost is evaluated as if it were enabled. Requires a ' +
      'role that sees all costs, because shares depend on the costs of all teams.',
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
