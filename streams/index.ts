import { accountMessages } from '#streams/account/messages.ts'
import { actionMessages } from '#streams/action/messages.ts'
import { anomalyMessages } from '#streams/anomaly.ts'
import { attributionMessages } from '#streams/attribution.ts'
import { autoscalingMessages } from '#streams/autoscaling.ts'
import { billRemovalMessages } from '#streams/billing/removal.ts'
import { billLinesStored } from '#streams/billing/stored.ts'
import { billingSyncMessages } from '#streams/billing/sync.ts'
import { billingMessages } from '#streams/billing/messages.ts'
import { budgetMessages } from '#streams/budget.ts'
import { catalogMessages } from '#streams/catalog.ts'
import { costMessages } from '#streams/cost.ts'
import { exportMessages } from '#streams/export.ts'
import { jobMessages } from '#streams/job.ts'
import { kubernetesMessages } from '#streams/kubernetes/messages.ts'
import { metricMessages } from '#streams/metric/messages.ts'
import { notificationMessages } from '#streams/notification/messages.ts'
import { readinessMessages } from '#streams/readiness.ts'
import { recommendationMessages } from '#streams/recommendation.ts'
import { refreshMessages } from '#streams/refresh.ts'
import { resourceMessages } from '#streams/resource/messages.ts'
import { savingMessages } from '#streams/saving.ts'
import { scheduleMessages } from '#streams/schedule.ts'
import { securityMessages } from '#streams/security.ts'
import { snapshotMessages } from '#streams/snapshot.ts'
import { sourceMessages } from '#streams/source/messages.ts'
import { taggingMessages } from '#streams/tagging.ts'
import { workflowMessages } from '#streams/workflow.ts'
import { unitMetricMessages } from '#streams/unit-metric.ts'
import type { Subject } from '#engine/actor/subject.ts'

const capabilities: readonly (readonly Subject[])[] = [
  resourceMessages,
  metricMessages,
  kubernetesMessages,
  billingMessages,
  refreshMessages,
  accountMessages,
  securityMessages,
  attributionMessages,
  budgetMessages,
  jobMessages,
  costMessages,
  anomalyMessages,
  billingSyncMessages,
  billRemovalMessages,
  [billLinesStored],
  exportMessages,
  unitMetricMessages,
  actionMessages,
  scheduleMessages,
  savingMessages,
  snapshotMessages,
  notificationMessages,
  taggingMessages,
  recommendationMessages,
  workflowMessages,
  autoscalingMessages,
  readinessMessages,
  catalogMessages,
  sourceMessages,
]

/** Every message of the product. The messages of producers are documented in this order. */
export const subjects = capabilities.flat()

/** What producers may publish: all but messages between actors and reports of executors. */
export const ingestSubjects = subjects.filter(({ kind }) => kind !== 'actor' && kind !== 'exec')
