/** Routes of deployments, their revisions, and reports of source hosts and builders. */
import { buildCallbacks } from '#http/source/callback.ts'
import { deployments } from '#http/source/deployment.ts'
import { deploymentLookups } from '#http/source/lookup.ts'
import { sourceRepositories } from '#http/source/repository.ts'
import { revisions } from '#http/source/revision.ts'
import { webhooks } from '#http/source/webhook.ts'
import type { Route } from '#http/edge/route.ts'

export const sources: readonly Route[] = [
  ...deployments,
  ...revisions,
  ...sourceRepositories,
  ...webhooks,
  ...buildCallbacks,
  ...deploymentLookups,
]
