/** External calls of deployments and revisions; implemented in `order-build.ts` and `analyse.ts`. */
import { t, type Static } from '#engine/value/schema.ts'
import type { Effect } from '#engine/actor/turn.ts'

const OrderInput = t.Object({
  deploymentId: t.String(),
  revisionId: t.String(),
  commitSha: t.String(),
  repositoryUrl: t.String(),
})
export type OrderInput = Static<typeof OrderInput>

export const orderBuild = { name: 'order-build', schema: OrderInput } satisfies Effect

const AnalyseInput = t.Object({
  deploymentId: t.String(),
  fullName: t.String(),
  headSha: t.String(),
  showsCost: t.Optional(t.Boolean()),
})
export type AnalyseInput = Static<typeof AnalyseInput>

export const analysePullRequest = { name: 'analyse-pull-request', schema: AnalyseInput } satisfies Effect
