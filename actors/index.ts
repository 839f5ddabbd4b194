import type { Actor } from '#engine/actor.ts'
import { accountActor } from '#actors/account/actor.ts'
import { CloudAccount } from '#actors/account/entity.ts'
import { attributionActor } from '#actors/attribution/actor.ts'
import { AttributionClock, AttributionLog } from '#actors/attribution/entity.ts'
import { billingSyncActor } from '#actors/billing/actor.ts'
import { BillingSync } from '#actors/billing/entity.ts'
import { budgetActor } from '#actors/budget/actor.ts'
import { Budget, BudgetAlert } from '#actors/budget/entity.ts'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { AnomalySeries } from '#actors/anomaly/entity.ts'
import { costWatchActor } from '#actors/cost/actor.ts'
import { CostWatch } from '#actors/cost/entity.ts'
import { ExportFile } from '#actors/export/entity.ts'
import { jobActor } from '#actors/job/actor.ts'
import { Job } from '#actors/job/entity.ts'
import { refreshActor } from '#actors/refresh/actor.ts'
import { Refresh } from '#actors/refresh/entity.ts'
import { ResourceGroup, ResourceGroupMember } from '#actors/attribution/group-entity.ts'
import { resourceActor } from '#actors/resource/actor.ts'
import { Resource } from '#actors/resource/entity.ts'
import { schedulerEventActor } from '#actors/schedule/actor.ts'
import { SchedulerEvent, SchedulerEventLog } from '#actors/schedule/entity.ts'
import { securityActor } from '#actors/security/actor.ts'
import { SecurityLog } from '#actors/security/entity.ts'
import { snapshotActor } from '#actors/snapshot/actor.ts'
import { Snapshot } from '#actors/snapshot/entity.ts'
import { Team, TeamResource } from '#actors/attribution/team-entity.ts'
import { unitMetricActor } from '#actors/unit-metric/actor.ts'
import { UnitMetric, UnitMetricFeed } from '#actors/unit-metric/entity.ts'

/** Every actor kind of the product. */
export const actors = [
  resourceActor,
  accountActor,
  refreshActor,
  securityActor,
  jobActor,
  billingSyncActor,
  unitMetricActor,
  attributionActor,
  budgetActor,
  costWatchActor,
  anomalyActor,
  schedulerEventActor,
  snapshotActor,
] as unknown as readonly Actor[]

/** Their rows. */
export const actorEntities = [
  Resource,
  CloudAccount,
  Refresh,
  SecurityLog,
  Job,
  BillingSync,
  UnitMetric,
  UnitMetricFeed,
  AttributionLog,
  AttributionClock,
  Team,
  TeamResource,
  ResourceGroup,
  ResourceGroupMember,
  Budget,
  BudgetAlert,
  ExportFile,
  CostWatch,
  AnomalySeries,
  SchedulerEvent,
  SchedulerEventLog,
  Snapshot,
]
