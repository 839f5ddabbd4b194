import { accountConnected, accountPatched, accountRemoved, accountVerified } from '#streams/account.ts'
import { billingDayClosed, billingLine } from '#streams/billing.ts'
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
import { securityRecorded } from '#streams/security.ts'
import type { Subject } from '#engine/subject.ts'

/** What producers may publish. */
export const ingestSubjects = [
  resourceDiscovered,
  resourceDeleted,
  metricSample,
  billingLine,
  billingDayClosed,
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
  jobWanted,
  jobDue,
  jobRequested,
  jobEnded,
] as unknown as readonly Subject[]
