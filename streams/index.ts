import { accountConnected, accountPatched, accountRemoved, accountVerified } from '#streams/account.ts'
import { resourceGroupChanged, resourceGroupMembersChanged, teamAssigned, teamChanged } from '#streams/attribution.ts'
import { billingDayClosed, billingExportChecked, billingExportEnded, billingLine } from '#streams/billing.ts'
import {
  billingExportTold,
  billingMonthSynced,
  billingSynced,
  billingSyncFailed,
  billingSyncRequested,
} from '#streams/billing-sync.ts'
import { budgetEvaluated, budgetRemoved } from '#streams/budget.ts'
import { anomalyCleared, anomalyFound } from '#streams/anomaly.ts'
import { costChanged, costSettled } from '#streams/cost-change.ts'
import { jobDue, jobEnded, jobRequested, jobWanted } from '#streams/job.ts'
import { metricSample } from '#streams/metric.ts'
import {
  accountScanned,
  refreshCancelled,
  refreshProgress,
  refreshRequested,
  refreshStalled,
  scanEnded,
} from '#streams/refresh.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource.ts'
import { schedulerEventRecorded } from '#streams/scheduler-event.ts'
import { securityRecorded } from '#streams/security.ts'
import { snapshotTaken } from '#streams/snapshot.ts'
import { pullChanged, pullDue, pulled, unitMetricRemoved, valuesPushed } from '#streams/unit-metric.ts'
import type { Subject } from '#engine/subject.ts'

/** What producers may publish. */
export const ingestSubjects = [
  resourceDiscovered,
  resourceDeleted,
  metricSample,
  billingLine,
  billingDayClosed,
  billingExportEnded,
  refreshProgress,
] as unknown as readonly Subject[]

/** Every message of the product. */
export const subjects = [
  ...ingestSubjects,
  accountConnected,
  accountPatched,
  accountVerified,
  accountRemoved,
  refreshRequested,
  refreshCancelled,
  accountScanned,
  scanEnded,
  refreshStalled,
  securityRecorded,
  teamChanged,
  teamAssigned,
  resourceGroupChanged,
  resourceGroupMembersChanged,
  budgetEvaluated,
  budgetRemoved,
  jobWanted,
  jobDue,
  jobRequested,
  jobEnded,
  costChanged,
  costSettled,
  anomalyFound,
  anomalyCleared,
  billingSyncRequested,
  billingMonthSynced,
  billingSynced,
  billingSyncFailed,
  billingExportChecked,
  billingExportTold,
  valuesPushed,
  pullChanged,
  pullDue,
  pulled,
  unitMetricRemoved,
  schedulerEventRecorded,
  snapshotTaken,
] as unknown as readonly Subject[]
