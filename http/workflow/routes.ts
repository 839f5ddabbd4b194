/** Two families of routes about the same workflows (decision G-70). */
import type { Route } from '#http/edge/route.ts'
import { remediationDecisions, workflowDecisions } from '#http/workflow/decide.ts'
import { remediationReads, workflowReads } from '#http/workflow/job.ts'
import { pendingApprovals } from '#http/workflow/pending.ts'
import { remediationStarts } from '#http/workflow/remediation.ts'
import { workflowStarts } from '#http/workflow/start.ts'

export const workflows: readonly Route[] = [
  ...workflowStarts,
  ...pendingApprovals,
  ...workflowReads,
  ...workflowDecisions,
  ...remediationStarts,
  ...remediationReads,
  ...remediationDecisions,
]
