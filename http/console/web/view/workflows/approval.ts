/** An approval is sent for the plan that was read: it is looked once more right before whether another one would be made. */
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { problemOf, type Problem } from '../../problem.ts'
import { useRequest, type Report } from '../../report.ts'
import { changesIn, isAnother, previewOperation, type Preview } from './current-plan.tsx'
import type { WorkflowJob } from './labels.ts'

const operation = 'POST /remediation-jobs/:jobID/steps-by-id/:stepID/approve'

export interface ApprovalInput {
  job: WorkflowJob
  now: Report<Preview> | undefined
  stepID: string
  /** Whether the step still waits: else the API says what became of it. */
  isWaiting: boolean
  reason: string
}

export function useApproval({ job, now, stepID, isWaiting, reason }: ApprovalInput) {
  const doing = useRequest(operation)
  const [isLooking, setLooking] = useState(false)
  const [unread, setUnread] = useState<Problem | undefined>()
  // What was shown is not what would be planned: it is shown anew before anything is sent.
  const [hasMoved, setMoved] = useState(false)
  useEffect(() => now?.again(), [])
  const shown = now?.data
  const body = {
    ...(reason !== '' && { reason }),
    planHash: job.planHash,
    ...(isAnother(changesIn(job, shown) ?? []) && { changedPlanHash: shown!.planHash }),
  }
  const params = { jobID: job.id, stepID }
  /** Whether what is shown is what is so at this moment. */
  const isRead = async (): Promise<boolean> => {
    if (!isWaiting) return true
    const { data } = await ask(previewOperation, { params: { recID: job.recommendationID } })
    if (!changesIn(job, data) || data.planHash === shown?.planHash) return true
    setMoved(true)
    now?.again()
    return false
  }
  const send = async (then: () => void) => {
    doing.clear()
    setUnread(undefined)
    setMoved(false)
    setLooking(true)
    const mayGo = await isRead().catch((error: unknown) => {
      setUnread(problemOf(error))
      return false
    })
    setLooking(false)
    if (mayGo) await doing.run({ params, body }, then)
  }
  const { problem } = doing
  useEffect(() => {
    if (problem?.code === 'plan_changed') now?.again()
  }, [problem])
  return {
    operation,
    params,
    body,
    send,
    isAnother: body.changedPlanHash !== undefined,
    hasMoved: hasMoved || problem?.code === 'plan_changed',
    doing: { ...doing, isBusy: doing.isBusy || isLooking, problem: unread ?? problem },
  }
}
