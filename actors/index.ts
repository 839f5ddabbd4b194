import type { Actor } from '#engine/actor/actor.ts'
import { action } from '#actors/action/index.ts'
import { account } from '#actors/account/index.ts'
import { anomaly } from '#actors/anomaly/index.ts'
import { attribution } from '#actors/attribution/index.ts'
import { autoscaling } from '#actors/autoscaling/index.ts'
import { billing } from '#actors/billing/index.ts'
import { budget } from '#actors/budget/index.ts'
import { migrationsOf, type Capability, type PolicyDomain } from '#actors/capability.ts'
import { catalog } from '#actors/catalog/index.ts'
import { cost } from '#actors/cost/index.ts'
import { exports } from '#actors/export/index.ts'
import { job } from '#actors/job/index.ts'
import { kubernetes } from '#actors/kubernetes/index.ts'
import { metric } from '#actors/metric/index.ts'
import { notification } from '#actors/notification/index.ts'
import { policy } from '#actors/policy/index.ts'
import { readiness } from '#actors/readiness/index.ts'
import { recommendation } from '#actors/recommendation/index.ts'
import { refresh } from '#actors/refresh/index.ts'
import { resource } from '#actors/resource/index.ts'
import { saving } from '#actors/saving/index.ts'
import { savedView } from '#actors/saved-view/index.ts'
import { schedule } from '#actors/schedule/index.ts'
import { security } from '#actors/security/index.ts'
import { snapshot } from '#actors/snapshot/index.ts'
import { source } from '#actors/source/index.ts'
import { tagging } from '#actors/tagging/index.ts'
import { currency } from '#actors/currency/index.ts'
import { note } from '#actors/note/index.ts'
import { unitMetric } from '#actors/unit-metric/index.ts'
import { workflow } from '#actors/workflow/index.ts'

/** Every capability of the product. If one message has several receivers, they get it in this order. */
export const capabilities: readonly Capability[] = [
  resource,
  account,
  refresh,
  security,
  job,
  billing,
  metric,
  kubernetes,
  unitMetric,
  note,
  currency,
  attribution,
  budget,
  cost,
  anomaly,
  schedule,
  action,
  saving,
  snapshot,
  exports,
  notification,
  policy,
  tagging,
  recommendation,
  workflow,
  autoscaling,
  readiness,
  catalog,
  source,
  savedView,
]

/** Every actor kind of the product. */
export const actors = capabilities.flatMap((one) => one.actors ?? []) as readonly Actor[]

/** All rows: those of actors, and plain ones. */
export const actorEntities = capabilities.flatMap((one) => one.entities ?? [])

/** All policy domains. */
export const policyDomains: readonly PolicyDomain[] = capabilities.flatMap((one) => one.policies ?? [])

/** All encrypted columns. */
export const sealedColumns = capabilities.flatMap((one) => one.sealed ?? [])

/** Migrations in the capabilities' own folders; the first fifteen are in `migrations/`. */
export const capabilityMigrations = migrationsOf(capabilities, new URL('./', import.meta.url))
